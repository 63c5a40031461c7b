// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_sparse [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]
// Products of sparse matrices of several shapes, by format, beside cuSPARSE on CUDA, where it is
// installed, and loops with OpenMP on the CPU. Of cuSPARSE's algorithms the quickest is taken,
// after its analysis; ELL beside its sliced form, or its CSR where it has none. In GB/s of the
// matrix's own bytes.
#include <krait/algorithm/sparse.h>
#include <krait/krait.h>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "measure.h"

namespace {

namespace kr = krait;
using bench::Candidate;
using bench::Row;

/// A matrix of the host in compressed rows.
struct Csr {
  std::int64_t rows, columns;
  std::vector<int> indptr{0}, indices;
  std::int64_t longest() const {
    int most = 0;
    for (std::size_t r = 1; r < indptr.size(); ++r)
      most = std::max(most, indptr[r] - indptr[r - 1]);
    return most;
  }
  void end_row() { indptr.push_back(int(indices.size())); }
};

using Random = std::minstd_rand;
std::int64_t below(Random& random, std::int64_t n) {
  return std::int64_t((std::uint64_t(random()) << 31 | random()) % std::uint64_t(n));
}
double unit(Random& random) { return (double(random()) + 0.5) / 2147483648.0; }

Csr uniform(std::int64_t n, std::int64_t of_row) {
  Random random(1);
  Csr a{n, n, {0}, {}};
  for (std::int64_t r = 0; r < n; ++r, a.end_row())
    for (std::int64_t k = 0; k < of_row; ++k) a.indices.push_back(int(below(random, n)));
  return a;
}
/// Lengths of rows by Pareto's law with the exponent 1.1, and columns of which few have most.
Csr power_law(std::int64_t n) {
  Random random(2);
  Csr a{n, n, {0}, {}};
  for (std::int64_t r = 0; r < n; ++r, a.end_row()) {
    const double length = 2.5 * std::pow(unit(random), -1 / 1.1);
    for (std::int64_t k = std::int64_t(std::min(length, double(n) / 8)); k > 0; --k)
      a.indices.push_back(int(double(n) * std::pow(unit(random), 2)));
  }
  return a;
}
Csr banded(std::int64_t n, std::int64_t diagonals) {
  Csr a{n, n, {0}, {}};
  for (std::int64_t r = 0; r < n; ++r, a.end_row())
    for (std::int64_t c = r - diagonals / 2; c <= r + diagonals / 2; ++c)
      if (c >= 0 && c < n) a.indices.push_back(int(c));
  return a;
}
/// Points of a grid of three dimensions with three unknowns each, and most of their 26 neighbours.
Csr elements(std::int64_t side) {
  Random random(3);
  Csr a{3 * side * side * side, 3 * side * side * side, {0}, {}};
  std::vector<int> neighbours;
  for (std::int64_t z = 0; z < side; ++z)
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x) {
        neighbours.clear();
        for (std::int64_t other = 0; other < 27; ++other) {
          const std::int64_t u = x + other % 3 - 1, v = y + other / 3 % 3 - 1,
                             w = z + other / 9 - 1;
          const bool inside = std::min({u, v, w}) >= 0 && std::max({u, v, w}) < side;
          if (inside && (other == 13 || unit(random) < 0.75))
            neighbours.push_back(int((w * side + v) * side + u));
        }
        for (int row = 0; row < 3; ++row, a.end_row())
          for (const int other : neighbours)
            for (int c = 0; c < 3; ++c) a.indices.push_back(3 * other + c);
      }
  return a;
}

/// So many products; it returns when they are done.
using Product = std::function<void(int times)>;

void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

/// cuSPARSE's generic interface.
class Cusparse {
 public:
  static Cusparse* open() {
    static Cusparse* const made = []() -> Cusparse* {
      void* const library = open_first(
          {"libcusparse.so.13", "libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"});
      void* const runtime =
          open_first({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"});
      if (!library || !runtime)
        return std::printf("not measured, cuSPARSE: %s\n", dlerror()), nullptr;
      auto* const opened = new Cusparse(library, runtime);
      int version = 0;
      opened->call("cusparseGetVersion", opened->handle_, &version);
      std::printf("cuSPARSE %d\n", version);
      return opened;
    }();
    return made;
  }

  /// Whether the library has the function, and it succeeds.
  template <class... Given>
  bool call(const char* name, Given... given) const {
    const auto f = reinterpret_cast<int (*)(Given...)>(dlsym(library_, name));
    return f && f(given...) == 0;
  }
  void* handle() const { return handle_; }
  int wait() const { return wait_(); }

  enum Index { bits32 = 2 };
  enum Order { columns_first = 1, rows_first = 2 };
  template <class T>
  static constexpr int real = sizeof(T) == 8 ? 1 : 0;

  template <class T>
  void* vector(std::int64_t n, const T* at) const {
    void* made = nullptr;
    call("cusparseCreateDnVec", &made, n, (void*)at, real<T>);
    return made;
  }
  template <class T>
  void* dense(std::int64_t rows, std::int64_t columns, const T* at) const {
    void* made = nullptr;
    call("cusparseCreateDnMat", &made, rows, columns, columns, (void*)at, real<T>, int(rows_first));
    return made;
  }
  /// The quickest of these algorithms; empty where none works.
  template <class T>
  Product quickest(void* matrix, const T* x, T* y, std::int64_t rows, std::int64_t inner,
                   std::int64_t columns, std::initializer_list<int> algorithms) const {
    if (!matrix) return nullptr;
    Product best;
    double least = 0;
    for (const int algorithm : algorithms) {
      const Product made =
          columns == 0 ? product<T>("cusparseSpMV", {0}, matrix, vector(inner, x), vector(rows, y),
                                    algorithm)
                       : product<T>("cusparseSpMM", {0, 0}, matrix, dense(inner, columns, x),
                                    dense(rows, columns, y), algorithm);
      if (!made) continue;
      made(2);
      const double ms = bench::time_of([&] { made(5); }, 3);
      if (!best || ms < least) best = made, least = ms;
    }
    return best;
  }

 private:
  Cusparse(void* library, void* runtime) : library_(library) {
    wait_ = reinterpret_cast<int (*)()>(dlsym(runtime, "cudaDeviceSynchronize"));
    allocate_ = reinterpret_cast<int (*)(void**, std::size_t)>(dlsym(runtime, "cudaMalloc"));
    wait_();
    call("cusparseCreate", &handle_);
  }

  template <class T>
  Product product(const std::string& name, std::vector<int> turns, void* matrix, void* x, void* y,
                  int algorithm) const {
    static const T one = 1, zero = 0;
    const bool two = turns.size() == 2;
    // The functions of vectors take one transposition, those of matrices two.
    const auto run = [=, this](const char* what, auto... last) {
      return two ? call((name + what).c_str(), handle_, 0, 0, (const void*)&one, matrix, x,
                        (const void*)&zero, y, real<T>, algorithm, last...)
                 : call((name + what).c_str(), handle_, 0, (const void*)&one, matrix, x,
                        (const void*)&zero, y, real<T>, algorithm, last...);
    };
    std::size_t bytes = 0;
    if (!x || !y || !run("_bufferSize", &bytes)) return nullptr;
    void* buffer = nullptr;
    allocate_(&buffer, bytes + 16);
    run("_preprocess", buffer);
    if (!run("", buffer) || wait_() != 0) return nullptr;
    return [=, this](int times) {
      for (int i = 0; i < times; ++i) run("", buffer);
      wait_();
    };
  }

  void *library_, *handle_ = nullptr;
  int (*wait_)();
  int (*allocate_)(void**, std::size_t);
};

class Bench {
 public:
  Bench(kr::device on, const bench::Wishes& wish)
      : on_(on), wish_(wish), cpu_(std::strcmp(on.id(), "cpu") == 0) {
    if (std::strncmp(on.id(), "cuda", 4) == 0) cusparse_ = Cusparse::open();
  }

  /// All formats that fit the shape; products with vectors (columns = 0) and matrices.
  template <class T>
  void run(const char* shape, const Csr& host, std::initializer_list<std::int64_t> widths,
           bool slots, std::int64_t block) {
    const std::string type = sizeof(T) == 8 ? " f64" : " f32";
    const auto wanted = [&](const std::string& format) {
      for (const std::int64_t columns : widths)
        if (wish_.wants(name(shape, format, type, columns))) return true;
      return false;
    };
    if (!wanted("csr") && !wanted("coo") && !wanted("ell") && !wanted("bsr")) return;
    std::vector<T> numbers(host.indices.size());
    Random random(4);
    for (T& x : numbers) x = T(unit(random) - 0.5);
    const auto array = [&](const auto& v) {
      kr::array<typename std::remove_cvref_t<decltype(v)>::value_type> made({v.size()}, on_);
      made.copy_from(v);
      return made;
    };
    const kr::array<T> data = array(numbers);
    const kr::csr_matrix<T> csr(array(host.indptr), array(host.indices), data,
                                {host.rows, host.columns});
    const double bytes = double(csr.nnz()) * (sizeof(T) + 4) + 4 * double(host.rows);
    const auto coo = csr.to_coo();
    for (const std::int64_t columns : widths) {
      const std::int64_t width = std::max<std::int64_t>(columns, 1);
      std::vector<T> b(std::size_t(host.columns * width));
      for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = T(std::uint32_t(i) * 2654435761u >> 12) / T(1 << 20);
      const kr::array<T> x = array(b), theirs({host.rows * width}, on_);
      const Product loop = cpu_ ? loops(host, numbers, b, at(theirs), columns) : nullptr;
      Product rows;  // cuSPARSE's, in compressed rows
      const auto peer = [&](void* matrix, std::initializer_list<int> algorithms) {
        return cusparse_ ? cusparse_->quickest<T>(matrix, at(x), at(theirs), host.rows,
                                                  host.columns, columns, algorithms)
                         : loop;
      };
      void* made = nullptr;
      if (cusparse_) {
        cusparse_->call("cusparseCreateCsr", &made, host.rows, host.columns, csr.nnz(),
                        (void*)at(csr.indptr()), (void*)at(csr.indices()), (void*)at(csr.data()),
                        int(Cusparse::bits32), int(Cusparse::bits32), 0, Cusparse::real<T>);
        if (columns == 0) rows = peer(made, {0, 2, 3});
        else rows = peer(made, {0, 4, 6, 12});
      } else {
        rows = loop;
      }
      measure(name(shape, "csr", type, columns), csr, x, theirs, columns, bytes, rows);
      if (cusparse_)
        cusparse_->call("cusparseCreateCoo", &made, host.rows, host.columns, csr.nnz(),
                        (void*)at(coo.row()), (void*)at(coo.col()), (void*)at(coo.data()),
                        int(Cusparse::bits32), 0, Cusparse::real<T>);
      measure(name(shape, "coo", type, columns), coo, x, theirs, columns,
              double(csr.nnz()) * (sizeof(T) + 8),
              columns == 0 ? peer(made, {0, 1, 4}) : peer(made, {0, 1, 2, 3, 5}));
      if (slots && wanted("ell")) {
        const auto ell = csr.to_ell();
        const Slices slices = cusparse_ && columns == 0 ? slices_of<T>(host, numbers) : Slices();
        const kr::array<int> offsets = array(slices.offsets), places = array(slices.indices);
        const kr::array<T> values = array(std::vector<T>(slices.data.begin(), slices.data.end()));
        Product sliced;
        if (cusparse_ && columns == 0 &&
            cusparse_->call("cusparseCreateSlicedEll", &made, host.rows, host.columns, csr.nnz(),
                            std::int64_t(slices.indices.size()), slice, (void*)at(offsets),
                            (void*)at(places), (void*)at(values), int(Cusparse::bits32),
                            int(Cusparse::bits32), 0, Cusparse::real<T>))
          sliced = peer(made, {0, 5});
        measure(name(shape, "ell", type, columns), ell, x, theirs, columns,
                double(ell.indices().size()) * (sizeof(T) + 4), sliced ? sliced : rows);
      }
      if (block > 1 && wanted("bsr")) {
        const auto bsr = csr.to_bsr({block, block});
        Product blocked;
        if (cusparse_) {
          if (cusparse_->call("cusparseCreateBsr", &made, host.rows / block, host.columns / block,
                              std::int64_t(bsr.indices().size()), block, block,
                              (void*)at(bsr.indptr()), (void*)at(bsr.indices()),
                              (void*)at(bsr.data()), int(Cusparse::bits32), int(Cusparse::bits32),
                              0, Cusparse::real<T>, int(Cusparse::rows_first)))
            blocked = columns == 0 ? peer(made, {0, 6}) : peer(made, {0, 14});
          if (!blocked && columns == 0) blocked = old_blocks(bsr, at(x), at(theirs));
          if (!blocked) std::printf("cuSPARSE has no product of blocks: its CSR\n"), blocked = rows;
        } else {
          blocked = loop;
        }
        measure(name(shape, "bsr", type, columns), bsr, x, theirs, columns,
                double(bsr.nnz()) * sizeof(T) + 4 * double(bsr.indices().size()), blocked);
      }
    }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  static std::string name(const std::string& shape, const std::string& format,
                          const std::string& type, std::int64_t columns) {
    return shape + " " + format + type + (columns ? " x " + std::to_string(columns) : "");
  }
  template <class Array>
  static auto at(const Array& x) {
    return reinterpret_cast<typename Array::value_type*>(x.address());
  }

  static constexpr std::int64_t slice = 32;  // rows of a slice
  struct Slices {
    std::vector<int> offsets, indices;
    std::vector<double> data;
  };
  template <class T>
  static Slices slices_of(const Csr& a, const std::vector<T>& numbers) {
    Slices s{{0}, {}, {}};
    for (std::int64_t first = 0; first < a.rows; first += slice) {
      const auto length = [&](std::int64_t r) {
        return r < a.rows ? a.indptr[std::size_t(r) + 1] - a.indptr[std::size_t(r)] : 0;
      };
      int longest = 0;
      for (std::int64_t r = first; r < first + slice; ++r) longest = std::max(longest, length(r));
      for (int k = 0; k < longest; ++k)
        for (std::int64_t r = first; r < first + slice; ++r) {
          const bool there = k < length(r);
          const std::size_t from = there ? std::size_t(a.indptr[std::size_t(r)] + k) : 0;
          s.indices.push_back(there ? a.indices[from] : -1);
          s.data.push_back(there ? double(numbers[from]) : 0);
        }
      s.offsets.push_back(int(s.indices.size()));
    }
    return s;
  }
  /// The function of versions before 12.6 or so.
  template <class T>
  Product old_blocks(const kr::bsr_matrix<T>& a, const T* x, T* y) const {
    static const T one = 1, zero = 0;
    void* description = nullptr;
    if (!cusparse_->call("cusparseCreateMatDescr", &description)) return nullptr;
    const auto run = [=, this] {
      return cusparse_->call(sizeof(T) == 8 ? "cusparseDbsrmv" : "cusparseSbsrmv",
                             cusparse_->handle(), 0, 0, int(a.extent(0) / a.block_extent(0)),
                             int(a.extent(1) / a.block_extent(1)), int(a.indices().size()), &one,
                             description, (const T*)at(a.data()), (const int*)at(a.indptr()),
                             (const int*)at(a.indices()), int(a.block_extent(0)), x, &zero, y);
    };
    if (!run() || cusparse_->wait() != 0) return nullptr;
    return [=, this](int times) {
      for (int i = 0; i < times; ++i) run();
      cusparse_->wait();
    };
  }

  template <class T>
  static Product loops(const Csr& a, const std::vector<T>& data, const std::vector<T>& b, T* y,
                       std::int64_t columns) {
    return [&a, &data, &b, y, columns](int times) {
      const int *indptr = a.indptr.data(), *indices = a.indices.data();
      const T *values = data.data(), *x = b.data();
      for (int i = 0; i < times; ++i) {
#pragma omp parallel for
        for (std::int64_t r = 0; r < a.rows; ++r) {
          if (columns == 0) {
            T sum = 0;
            for (int k = indptr[r]; k < indptr[r + 1]; ++k) sum += values[k] * x[indices[k]];
            y[r] = sum;
          } else {
            T* const row = y + r * columns;
            for (std::int64_t c = 0; c < columns; ++c) row[c] = 0;
            for (int k = indptr[r]; k < indptr[r + 1]; ++k)
              for (std::int64_t c = 0; c < columns; ++c)
                row[c] += values[k] * x[indices[k] * columns + c];
          }
        }
      }
    };
  }

  template <class Matrix, class T>
  void measure(const std::string& workload, const Matrix& a, const kr::array<T>& x,
               const kr::array<T>& theirs, std::int64_t columns, double bytes,
               const Product& peer) {
    if (!wish_.wants(workload)) return;
    Row r{workload, {}};
    const std::int64_t width = std::max<std::int64_t>(columns, 1);
    const int batch = cpu_ ? 1 : columns == 0 ? 32 : 8;
    const auto add = [&](const char* by, const Product& run) {
      r.candidates.push_back({by, [batch, run] { run(batch); }, 0, 0, {}});
    };
    kr::array<T> y({a.extent(0) * width}, on_);
    kr::array<T, 2> matrix = y.reshape(a.extent(0), width);
    const kr::array<T, 2> right = x.reshape(a.extent(1), width);
    if (peer) add(cpu_ ? "OpenMP" : "cuSPARSE", peer);
    add("Krait", [&](int times) {
      for (int i = 0; i < times; ++i) {
        if (columns == 0) kr::matmul(a, x, kr::into(y));
        else kr::matmul(a, right, kr::into(matrix));
      }
      on_.synchronize();
    });
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    if (peer) compare(y, theirs);
    bench::measure(r, wish_.quick ? 1 : 7, wish_.quick ? 1 : cpu_ ? 100 : 25, wish_.clock);
    std::printf("| %s |", r.workload.c_str());
    for (Candidate& c : r.candidates) {
      c.ms /= batch;
      std::printf(" %s %.4f ms, %.0f GB/s (%.3fx) |", c.name.c_str(), c.ms, bytes / c.ms * 1e-6,
                  bench::median(c.ratios));
    }
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }
  template <class T>
  static void compare(const kr::array<T>& ours, const kr::array<T>& theirs) {
    const std::int64_t some = std::min<std::int64_t>(ours.size(), 1 << 22);
    const auto x = ours(kr::range(0, some)).to_host(), y = theirs(kr::range(0, some)).to_host();
    double apart = 0, all = 0;
    for (std::size_t i = 0; i < std::size_t(some); ++i)
      apart += std::fabs(double(x.data()[i]) - double(y.data()[i])),
          all += std::fabs(double(y.data()[i]));
    if (!(apart <= 1e-5 * all)) std::printf("THE RESULTS DIFFER by %g of %g\n", apart, all);
  }

  kr::device on_;
  bench::Wishes wish_;
  bool cpu_;
  Cusparse* cusparse_ = nullptr;
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Wishes wish(argc, argv);
  const kr::device on = wish.device ? kr::device::find(wish.device) : kr::device();
  std::printf("%s (%s)\n", on.id(), on.name());
  Bench bench(on, wish);
  const bool gpu = !wish.quick && std::strcmp(on.id(), "cpu") != 0;
  const std::int64_t n = wish.quick ? 1 << 10 : gpu ? 1 << 20 : 1 << 17;
  const Csr uniform16 = uniform(n, 16), power = power_law(n), band = banded(n, 27),
            fem = elements(wish.quick ? 6
                           : gpu      ? 50
                                      : 24);
  std::printf("power law: %zu elements, the longest row has %lld\n", power.indices.size(),
              static_cast<long long>(power.longest()));
  bench.run<float>("uniform", uniform16, {0, 32}, true, 0);
  bench.run<float>("power law", power, {0, 32}, false, 0);
  bench.run<float>("banded", band, {0, 32}, true, 0);
  bench.run<float>("FEM", fem, {0, 32, 128}, false, 3);
  bench.run<double>("uniform", uniform16, {0, 32}, true, 0);
  bench.run<double>("power law", power, {0, 32}, false, 0);
  bench.run<double>("banded", band, {0, 32}, true, 0);
  bench.run<double>("FEM", fem, {0, 32}, false, 3);
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
