// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra by ScaLAPACK. Each rank's block of an array goes to the ranks of a grid that takes
// small blocks of the matrix in turn, in one message for each pair of ranks, and results go back.
// Every rank computes who has what, so no rank asks another.
#include "krait/detail/dist/solvers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "devices/layout.h"
#include "dist/job.h"
#include "dist/parts.h"
#include "dist/scalapack.h"
#include "support/environment.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

using krait::detail::linalg_number;
using Bytes = std::vector<std::byte>;

constexpr int cyclic_tag = 32763;
// Rows and columns of a block: large enough for the products of blocks to run from the cache, and
// small enough for all ranks to have some of the rest until the end.
constexpr int block_extent = 64;
int wished_block() {
  const char* const given = support::environment_text("KRAIT_SCALAPACK_BLOCK");
  if (!given) return block_extent;
  char* end = nullptr;
  const long block = std::strtol(given, &end, 10);
  if (*end || block < 1 || block > 4096)
    support::fail_usage("KRAIT_SCALAPACK_BLOCK is \"{}\", but must be a number from 1 to 4096",
                        given);
  return int(block);
}
constexpr int one = 1, zero = 0;

bool is_complex(linalg_number n) { return n == linalg_number::c64 || n == linalg_number::c128; }
bool is_wide(linalg_number n) { return n == linalg_number::f64 || n == linalg_number::c128; }
std::size_t real_bytes(linalg_number n) { return is_wide(n) ? sizeof(double) : sizeof(float); }
std::size_t bytes_of(linalg_number n) { return real_bytes(n) * (is_complex(n) ? 2 : 1); }

/// The ranks as rows and columns, row by row, while ScaLAPACK computes.
class Grid {
 public:
  Grid(const ScalapackTable& table, int rank, int size, int block)
      : table_(table), rank_(rank), block_(block) {
    for (int r = 1; r * r <= size; ++r)
      if (size % r == 0) rows_ = r;
    columns_ = size / rows_;
    table.system_context(-1, 0, &context_);
    char order[] = "Row";
    table.grid_begin(&context_, order, rows_, columns_);
  }
  Grid(const Grid&) = delete;
  ~Grid() { table_.grid_end(context_); }

  const ScalapackTable& table() const { return table_; }
  int context() const { return context_; }
  int rank() const { return rank_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int block() const { return block_; }
  /// Rows or columns of the whole matrix that this rank has there.
  int row_at(int local) const {
    return (local / block_ * rows_ + rank_ / columns_) * block_ + local % block_;
  }
  int column_at(int local) const {
    return (local / block_ * columns_ + rank_ % columns_) * block_ + local % block_;
  }
  bool has_row(int rank, std::int64_t i) const { return i / block_ % rows_ == rank / columns_; }
  bool has_column(int rank, std::int64_t j) const {
    return j / block_ % columns_ == rank % columns_;
  }
  int local_rows(int n) const { return local(n, rank_ / columns_, rows_); }
  int local_columns(int n) const { return local(n, rank_ % columns_, columns_); }
  /// Calls use(i, j, count) for the pieces of rows of a box that a rank has.
  template <class Use>
  void each_piece(const box& part, int rank, const Use& use) const {
    const std::int64_t last = part.first[1] + part.count[1];
    for (std::int64_t i = part.first[0]; i < part.first[0] + part.count[0]; ++i) {
      if (!has_row(rank, i)) continue;
      for (std::int64_t j = part.first[1], end = 0; j < last; j = end) {
        end = std::min(last, (j / block_ + 1) * block_);
        if (has_column(rank, j)) use(i, j, end - j);
      }
    }
  }

 private:
  int local(int n, int place, int places) const {
    return table_.local_count(&n, &block_, &place, &zero, &places);
  }
  const ScalapackTable& table_;
  int rank_, block_, rows_ = 1, columns_ = 1, context_ = 0;
};

/// This rank's blocks of a matrix, in Fortran order.
struct Cyclic {
  const Grid& grid;
  std::size_t element;
  int rows, columns, stride;
  int descriptor[9]{};
  Bytes bytes;

  Cyclic(const Grid& on, int m, int n, std::size_t element_bytes)
      : grid(on),
        element(element_bytes),
        rows(on.local_rows(m)),
        columns(on.local_columns(n)),
        stride(std::max(rows, 1)),
        bytes(std::size_t(stride) * std::size_t(std::max(columns, 1)) * element_bytes) {
    int info = 0;
    const int context = grid.context(), block = grid.block();
    grid.table().describe(descriptor, &m, &n, &block, &block, &zero, &zero, &context, &stride,
                          &info);
  }
  std::byte* at(std::int64_t i, std::int64_t j) {
    const auto local = [block = grid.block()](std::int64_t k, int places) {
      return k / block / places * block + k % block;
    };
    return bytes.data() +
           std::size_t(local(j, grid.columns()) * stride + local(i, grid.rows())) * element;
  }
  std::byte* data() { return bytes.data(); }
};

/// A rank's block as one of a matrix; vectors are columns.
box matrix_block(const decomposition& how, int rank) {
  box b = block_of(how, rank);
  if (how.rank == 1) b.first[1] = 0, b.count[1] = 1;
  return b;
}

/// A message to and from each other rank, and this rank's to itself.
template <class Pack, class Expected, class Unpack>
void exchange_all(job* of, const char* name, const Pack& pack, const Expected& expected,
                  const Unpack& unpack) {
  guard(of, [&] {
    const int me = of->rank();
    std::vector<Bytes> out(std::size_t(of->size())), in(std::size_t(of->size()));
    for (int step = 1; step < of->size(); ++step) {
      const int r = (me + step) % of->size();
      Bytes &to = out[std::size_t(r)], &from = in[std::size_t(r)];
      from.resize(expected(r));
      if (!from.empty()) of->receive(from.data(), from.size(), r, cyclic_tag);
      to = pack(r);
      if (!to.empty()) of->send(to.data(), to.size(), r, cyclic_tag);
    }
    in[std::size_t(me)] = pack(me);
    of->wait(name);
    for (int r = 0; r < of->size(); ++r)
      if (!in[std::size_t(r)].empty()) unpack(r, in[std::size_t(r)].data());
  });
}

std::size_t bytes_in(const Grid& grid, const box& part, int rank, std::size_t element) {
  std::size_t n = 0;
  grid.each_piece(part, rank, [&](auto, auto, std::int64_t count) { n += std::size_t(count); });
  return n * element;
}
/// Where an element is in the packed elements of a box.
std::size_t place_in(const box& part, std::int64_t i, std::int64_t j) {
  return std::size_t((i - part.first[0]) * part.count[1] + j - part.first[1]);
}

void deal_out(const char* name, const share& from, Cyclic& to) {
  const Grid& grid = to.grid;
  const decomposition& how = *from.how;
  const int me = grid.rank();
  const box mine = matrix_block(how, me);
  Bytes packed;
  guard(how.of, [&] {
    packed.resize(detail::bytes_of(*from.owned.at, to.element));
    if (!packed.empty()) krait::detail::copy_to_host(from.owned, packed.data());
  });
  // What each rank has whole comes from itself.
  const auto silent = [&](int r) { return how.replicated && r != me; };
  exchange_all(
      how.of, name,
      [&](int r) {
        Bytes piece;
        if (silent(r)) return piece;
        piece.reserve(bytes_in(grid, mine, r, to.element));
        grid.each_piece(mine, r, [&](std::int64_t i, std::int64_t j, std::int64_t count) {
          const std::byte* const first = packed.data() + place_in(mine, i, j) * to.element;
          piece.insert(piece.end(), first, first + std::size_t(count) * to.element);
        });
        return piece;
      },
      [&](int r) { return silent(r) ? 0 : bytes_in(grid, matrix_block(how, r), me, to.element); },
      [&](int r, const std::byte* next) {
        grid.each_piece(matrix_block(how, r), me,
                        [&](std::int64_t i, std::int64_t j, std::int64_t count) {
                          for (std::int64_t k = 0; k < count; ++k, next += to.element)
                            std::memcpy(to.at(i, j + k), next, to.element);
                        });
      });
}

void collect(const char* name, Cyclic& from, const share& to) {
  const Grid& grid = from.grid;
  const decomposition& how = *to.how;
  const int me = grid.rank();
  const box mine = matrix_block(how, me);
  Bytes packed;
  guard(how.of, [&] { packed.resize(detail::bytes_of(*to.owned.at, from.element)); });
  exchange_all(
      how.of, name,
      [&](int r) {
        const box theirs = matrix_block(how, r);
        Bytes piece(bytes_in(grid, theirs, me, from.element));
        std::byte* next = piece.data();
        grid.each_piece(theirs, me, [&](std::int64_t i, std::int64_t j, std::int64_t count) {
          for (std::int64_t k = 0; k < count; ++k, next += from.element)
            std::memcpy(next, from.at(i, j + k), from.element);
        });
        return piece;
      },
      [&](int r) { return bytes_in(grid, mine, r, from.element); },
      [&](int r, const std::byte* next) {
        grid.each_piece(mine, r, [&](std::int64_t i, std::int64_t j, std::int64_t count) {
          const std::size_t bytes = std::size_t(count) * from.element;
          std::memcpy(packed.data() + place_in(mine, i, j) * from.element, next, bytes);
          next += bytes;
        });
      });
  guard(how.of, [&] {
    if (!packed.empty()) krait::detail::copy_from_host(to.owned, packed.data());
  });
}

/// Begins a call that all ranks make alike.
void begin(const char* name, linalg_number number, const decomposition& a,
           const decomposition& other, int block) {
  call what{.name = name};
  for (const decomposition* how : {&a, &other}) {
    for (int d = 0; d < how->rank; ++d) what.add(how->extents[d]);
    for (int d = 0; d < how->rank; ++d) what.add(std::int64_t(how->words[d]));
  }
  what.add(std::int64_t(number)), what.add(block);
  a.of->refuse_waiting(what);
  all_gather(a.of, what, nullptr, nullptr, 0);
}

const ScalapackTable& table_for(job* of, const char* name) {
  const ScalapackTable* found = nullptr;
  together(of, name, [&]() -> std::uint64_t {
    std::string why;
    found = scalapack_table(why);
    if (!found)
      support::fail_usage(
          "{}: processes need ScaLAPACK for it: {}; install it for this MPI, or name its library "
          "in KRAIT_SCALAPACK",
          name, why);
    int rank = -1, size = 0;
    found->process_info(&rank, &size);
    if (rank != of->rank() || size != of->size())
      support::fail_usage("{}: {} sees rank {} of {}, not {} of {}: it is not for this MPI", name,
                          found->file, rank, size, of->rank(), of->size());
    return 0;
  });
  return *found;
}

/// ScaLAPACK counts a process's elements in int.
int extent_of(const char* name, std::int64_t n, std::int64_t columns, const job& of, int block) {
  const std::int64_t most = std::numeric_limits<int>::max();
  if (n > most - block || columns > most - block ||
      double(n + block) * double(columns + block) / of.size() > double(most) / 4)
    support::fail_usage(
        "{}: {} x {} elements are too many for {} ranks: ScaLAPACK counts each "
        "one's in 32 bits; start more ranks",
        name, n, columns, of.size());
  return int(n);
}

template <class Real>
bool all_finite(const Bytes& of) {
  const auto* const first = reinterpret_cast<const Real*>(of.data());
  return std::all_of(first, first + of.size() / sizeof(Real),
                     [](Real x) { return std::isfinite(x); });
}
template <class Work>
void with_memory(job* of, const char* name, const Work& work) {
  together(of, name, [&]() -> std::uint64_t { return work(), 0; });
}
/// ScaLAPACK's pivots are not defined for others.
void check_finite(job* of, const char* name, linalg_number number, const Bytes& a) {
  together(of, name, [&]() -> std::uint64_t {
    if (!(is_wide(number) ? all_finite<double>(a) : all_finite<float>(a)))
      support::fail_usage("{}: the matrix has an element that is infinite or NaN", name);
    return 0;
  });
}

}  // namespace

void check_square(const char* function, const decomposition& a) {
  if (a.extents[0] != a.extents[1])
    support::fail_usage("{}: the matrix must be square, but the array has shape {}", function,
                        host::shape_text(a.extents, a.rank));
}
void check_system(const char* function, const decomposition& a, const decomposition& b) {
  check_worlds(function, a, b);
  if (a.extents[0] != b.extents[0])
    support::fail_usage(
        "{}: the operands have the shapes {} and {}: the right side must have a row for each of "
        "the matrix",
        function, host::shape_text(a.extents, a.rank), host::shape_text(b.extents, b.rank));
}
bool computes_together(const decomposition& a, bool replicated) {
  return a.of->size() > 1 && a.of->has_processes() && !replicated;
}

void solve_together(linalg_number number, const share& a, const share& b, const share& x) {
  constexpr const char* name = "kr::solve";
  job* const of = a.how->of;
  const int block = wished_block();
  begin(name, number, *a.how, *b.how, block);
  const std::int64_t sides = b.how->rank == 1 ? 1 : b.how->extents[1];
  const int columns = extent_of(name, sides, a.how->extents[0], *of, block),
            n = extent_of(name, a.how->extents[0], a.how->extents[0], *of, block);
  const ScalapackTable& table = table_for(of, name);
  if (n == 0 || columns == 0) return;
  const std::size_t element = bytes_of(number);
  const Grid grid(table, of->rank(), of->size(), block);
  std::optional<Cyclic> left, right;
  std::vector<int> pivots;
  with_memory(of, name, [&] {
    left.emplace(grid, n, n, element), right.emplace(grid, n, columns, element);
    pivots.resize(std::size_t(left->rows + block));
  });
  deal_out(name, a, *left), deal_out(name, b, *right);
  check_finite(of, name, number, left->bytes);
  int info = 0;
  table.solve[int(number)](&n, &columns, left->data(), &one, &one, left->descriptor, pivots.data(),
                           right->data(), &one, &one, right->descriptor, &info);
  if (info != 0) support::fail_usage("{}: Singular matrix", name);  // info is that of all ranks
  collect(name, *right, x);
}

namespace {

/// What rank 0 has whole, to where `to` has it.
void spread_from_first(job* of, const char* name, const Bytes& all, std::size_t element,
                       const share& to) {
  const auto part = [&](int rank) {
    const box b = block_of(*to.how, rank);
    return std::pair(std::size_t(b.first[0]) * element, std::size_t(b.count[0]) * element);
  };
  exchange_all(
      of, name,
      [&](int r) {
        const auto [first, count] = part(r);
        if (of->rank() != 0) return Bytes();
        return Bytes(all.begin() + std::ptrdiff_t(first),
                     all.begin() + std::ptrdiff_t(first + count));
      },
      [&](int r) { return r == 0 ? part(of->rank()).second : 0; },
      [&](int, const std::byte* mine) { krait::detail::copy_from_host(to.owned, mine); });
}

/// The elements above the diagonal, which nobody reads, may be anything.
void clear_above(Cyclic& a) {
  for (int j = 0; j < a.columns; ++j)
    for (int i = 0; i < a.rows && a.grid.row_at(i) < a.grid.column_at(j); ++i)
      std::memset(a.data() + (std::size_t(j) * std::size_t(a.stride) + std::size_t(i)) * a.element,
                  0, a.element);
}

template <class Real>
int as_length(const Bytes& query) {
  Real length;
  std::memcpy(&length, query.data(), sizeof length);
  return int(std::ceil(double(length) * (1 + 1e-6)));
}

}  // namespace

void eigh_together(linalg_number number, const share& a, const share& w, const share& v) {
  constexpr const char* name = "kr::eigh";
  job* const of = a.how->of;
  const int wished = wished_block();
  begin(name, number, *a.how, *a.how, wished);
  const int n = extent_of(name, a.how->extents[0], a.how->extents[0], *of, wished);
  const ScalapackTable& table = table_for(of, name);
  if (n == 0) return;
  // Where one block has all, ScaLAPACK 2.2.1 gives its values to its rank alone.
  const int block = std::min(wished, std::max(n / 2, 1));
  const std::size_t element = bytes_of(number), real = real_bytes(number);
  const Grid grid(table, of->rank(), of->size(), block);
  std::optional<Cyclic> matrix, vectors;
  Bytes values;
  with_memory(of, name, [&] {
    matrix.emplace(grid, n, n, element), vectors.emplace(grid, n, n, element);
    values.resize(std::size_t(n) * real);
  });
  deal_out(name, a, *matrix);
  clear_above(*matrix);
  check_finite(of, name, number, matrix->bytes);
  // The first call asks how much memory the second needs. Its answer is too small for the
  // multiplication by Householder's vectors of small matrices (p?ormtr, p?unmtr), which then does
  // nothing, on some ranks.
  int info = 0, words = -1, reals = -1, integers = -1;
  Bytes work(std::size_t(2) * element), real_work(2 * real);
  std::vector<int> integer_work(2);
  const auto call = [&] {
    if (is_complex(number))
      table.complex_eigen[is_wide(number)](
          "V", "L", &n, matrix->data(), &one, &one, matrix->descriptor, values.data(),
          vectors->data(), &one, &one, vectors->descriptor, work.data(), &words, real_work.data(),
          &reals, integer_work.data(), &integers, &info, 1, 1);
    else
      table.eigen[is_wide(number)]("V", "L", &n, matrix->data(), &one, &one, matrix->descriptor,
                                   values.data(), vectors->data(), &one, &one, vectors->descriptor,
                                   work.data(), &words, integer_work.data(), &integers, &info, 1,
                                   1);
  };
  call();
  with_memory(of, name, [&] {
    const int local = n / grid.rows() + n / grid.columns() + 2 * block,
              more = 2 * block * (local + block);
    const auto length = [&](const Bytes& of_query) {
      return is_wide(number) ? as_length<double>(of_query) : as_length<float>(of_query);
    };
    words = length(work) + more, reals = length(real_work) + more, integers = integer_work[0] + n;
    work.resize(std::size_t(words) * element);
    if (is_complex(number)) real_work.resize(std::size_t(reals) * real);
    integer_work.resize(std::size_t(integers));
  });
  call();
  together(of, name, [&]() -> std::uint64_t {
    if (info != 0) support::fail_usage("{}: Eigenvalues did not converge", name);
    return 0;
  });
  spread_from_first(of, name, values, real, w);
  collect(name, *vectors, v);
}

}  // namespace krait::dist::detail
