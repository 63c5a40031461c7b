// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE inside a method of ours: the conjugate gradient method solves Poisson's equation. Kernels make the sparse matrix and move the
// vectors, cuSPARSE multiplies, and the scalars never leave the device.
#include <numbers>

#include "neighbour.h"

namespace {

constexpr int n = 511;  // inner points of an interval

double example() {
  const kr::device gpu = gpus()[0];
  // [cusparse]
  const library sparse("cuSPARSE", {"libcusparse.so.12", "libcusparse.so.11"});
  constexpr int index_of_32_bits = 2, base_of_zero = 0, type_double = 1, no_transposition = 0, default_algorithm = 0;
  const kr::stream work(gpu);
  void *handle = nullptr, *matrix = nullptr, *in = nullptr, *out = nullptr;
  check(sparse.function<int(void**)>("cusparseCreate")(&handle), "cusparseCreate");
  check(sparse.function<int(void*, void*)>("cusparseSetStream")(handle, work.native()), "cusparseSetStream");

  // Three entries per row; those outside the matrix are zeros on the diagonal's place.
  kr::array<int> rows({n + 1}, gpu), columns({3 * n}, gpu);
  kr::array<double> values({3 * n}, gpu), x({n}, gpu), r({n}, gpu), p({n}, gpu), q({n}, gpu);
  auto make = kr::kernel([](kr::view<int> first, kr::view<int> column, kr::view<double> value, kr::view<double> solution,
                            kr::view<double> residue, kr::view<double> direction) {
    auto row = kr::grid<1>();
    kr::if_(row <= n, [&] { first[row] = kr::cast<int>(3 * row); });
    kr::if_(row < n, [&] {
      for (int k = 0; k < 3; ++k) {
        auto inside = row + (k - 1) >= 0 && row + (k - 1) < n;
        column[3 * row + k] = kr::cast<int>(kr::clamp(row + (k - 1), 0, n - 1));
        value[3 * row + k] = kr::select(inside, k == 1 ? 2.0 : -1.0, 0.0);
      }
      solution[row] = 0.0;
      residue[row] = kr::sin(kr::cast<double>(row + 1) * (std::numbers::pi / (n + 1)));
      direction[row] = residue[row];
    });
  });
  make.launch({2, 256, work}, rows, columns, values, x, r, p);

  check(sparse.function<int(void**, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int, int, int, int)>("cusparseCreateCsr")(
            &matrix, n, n, 3 * n, pointer(rows.address()), pointer(columns.address()), pointer(values.address()), index_of_32_bits,
            index_of_32_bits, base_of_zero, type_double),
        "cusparseCreateCsr");
  const auto vector = sparse.function<int(void**, std::int64_t, void*, int)>("cusparseCreateDnVec");
  check(vector(&in, n, pointer(p.address()), type_double), "cusparseCreateDnVec");
  check(vector(&out, n, pointer(q.address()), type_double), "cusparseCreateDnVec");
  const double one = 1, zero = 0;
  std::size_t bytes = 0;
  check(sparse.function<int(void*, int, const void*, void*, void*, const void*, void*, int, int, std::size_t*)>("cusparseSpMV_bufferSize")(
            handle, no_transposition, &one, matrix, in, &zero, out, type_double, default_algorithm, &bytes),
        "cusparseSpMV_bufferSize");
  kr::array<std::uint8_t> scratch({static_cast<std::int64_t>(bytes) + 1}, gpu);
  const auto multiply = sparse.function<int(void*, int, const void*, void*, void*, const void*, void*, int, int, void*)>("cusparseSpMV");

  // One step: x and r move along p, p turns. One block, so that its threads may wait for each other.
  auto step = kr::kernel([](kr::view<double> solution, kr::view<double> residue, kr::view<double> direction,
                             kr::view<const double> product) {
    auto sums = kr::shared<double, 512>();
    auto t = kr::thread_idx().x;
    auto inside = t < n;
    auto add_up = [&](auto value) {
      sums[t] = kr::select(inside, value, 0.0);
      kr::syncthreads();
      for (int half = 256; half > 0; half /= 2) {
        kr::if_(t < half, [&] { sums[t] += sums[t + half]; });
        kr::syncthreads();
      }
      kr::value<double> total = sums[0];
      kr::syncthreads();
      return total;
    };
    auto at = kr::min(t, n - 1);
    kr::value<double> d = direction[at], p_of = product[at], r_of = residue[at];
    auto before = add_up(r_of * r_of);
    auto along = add_up(d * p_of);
    auto alpha = kr::select(along > 0.0, before / along, 0.0);
    auto rest = r_of - alpha * p_of;
    auto after = add_up(rest * rest);
    kr::if_(inside, [&] {
      solution[t] += alpha * d;
      residue[t] = rest;
      direction[t] = rest + kr::select(before > 0.0, after / before, 0.0) * d;
    });
  });
  for (int i = 0; i < 20; ++i) {
    check(multiply(handle, no_transposition, &one, matrix, in, &zero, out, type_double, default_algorithm, pointer(scratch.address())),
          "cusparseSpMV");
    step.launch({1, 512, work}, x, r, p, q);
  }
  work.synchronize();
  // [/cusparse]

  // The right side is an eigenvector, so the solution is a multiple of it.
  std::vector<double> expected;
  const double eigenvalue = 2 - 2 * std::cos(std::numbers::pi / (n + 1));
  for (int i = 0; i < n; ++i) expected.push_back(std::sin((i + 1) * std::numbers::pi / (n + 1)) / eigenvalue);
  const double apart = distance(x, expected);
  check(sparse.function<int(void*)>("cusparseDestroy")(handle), "cusparseDestroy");
  return apart;
}

}  // namespace

int main() { return run("cuSPARSE", 1e-9, example); }
