// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER in our stream: a kernel makes a symmetric positive definite matrix and a right side, Cholesky's factorisation solves, and a
// kernel computes what is left over. `kr::solve` and its like do the same in one call.
#include "neighbour.h"

namespace {

double example() {
  const kr::device gpu = gpus()[0];
  // [cusolver]
  const library solver("cuSOLVER", {"libcusolver.so.12", "libcusolver.so.11"});
  constexpr int n = 256, lower = 0;
  const kr::stream work(gpu);
  void* handle = nullptr;
  check(solver.function<int(void**)>("cusolverDnCreate")(&handle), "cusolverDnCreate");
  check(solver.function<int(void*, void*)>("cusolverDnSetStream")(handle, work.native()), "cusolverDnSetStream");

  kr::array<double, 2> a({n, n}, gpu);
  kr::array<double> x({n}, gpu), left({n}, gpu);
  auto entry = [](auto row, auto column) {
    return kr::select(row == column, kr::cast<double>(n), 1.0 / kr::cast<double>(1 + kr::abs(row - column)));
  };
  auto make = kr::kernel([entry](kr::view<double, 2> m, kr::view<double> right) {
    auto [column, row] = kr::grid<2>();
    m(row, column) = entry(row, column);
    kr::if_(column == 0, [&] { right[row] = kr::cast<double>(row % 7); });
  });
  make.launch({{n / 16, n / 16}, {16, 16}, work}, a, x);

  int room = 0;  // in doubles
  check(solver.function<int(void*, int, int, void*, int, int*)>("cusolverDnDpotrf_bufferSize")(handle, lower, n, pointer(a.address()), n, &room),
        "cusolverDnDpotrf_bufferSize");
  kr::array<double> scratch({room}, gpu);
  kr::array<int> info({1}, gpu);
  check(solver.function<int(void*, int, int, void*, int, void*, int, void*)>("cusolverDnDpotrf")(
            handle, lower, n, pointer(a.address()), n, pointer(scratch.address()), room, pointer(info.address())),
        "cusolverDnDpotrf");
  check(solver.function<int(void*, int, int, int, const void*, int, void*, int, void*)>("cusolverDnDpotrs")(
            handle, lower, n, 1, pointer(a.address()), n, pointer(x.address()), n, pointer(info.address())),
        "cusolverDnDpotrs");

  auto residue = kr::kernel([entry](kr::view<const double> solution, kr::view<double> rest) {
    for (auto row : kr::grid_stride(rest.size())) {
      kr::var sum = -kr::cast<double>(row % 7);
      for (auto column : kr::range(solution.size())) sum += entry(row, column) * solution[column];
      rest[row] = sum;
    }
  });
  residue.launch({2, 128, work}, x, left);
  work.synchronize();
  // [/cusolver]

  double apart = 0;
  for (const double rest : left.to_host()) apart = std::isnan(rest) ? HUGE_VAL : std::fmax(apart, std::fabs(rest));
  check(solver.function<int(void*)>("cusolverDnDestroy")(handle), "cusolverDnDestroy");
  return apart / 6;  // the right side's largest element
}

}  // namespace

int main() { return run("cuSOLVER", 1e-12, example); }
