// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS between two kernels of ours: one makes the matrices, cuBLAS multiplies them, one adds a bias and clamps. The stream is of CUDA's
// runtime, and so is the memory of the product: both are wrapped.
#include <algorithm>

#include "neighbour.h"

namespace {

double example() {
  const kr::device gpu = gpus()[0];
  // [cublas]
  const library runtime("CUDA's runtime", {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"});
  const library blas("cuBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"});
  void *theirs = nullptr, *memory = nullptr, *handle = nullptr;
  constexpr int rows = 300, columns = 200, depth = 100;
  check(runtime.function<int(void**)>("cudaStreamCreate")(&theirs), "cudaStreamCreate");
  check(runtime.function<int(void**, std::size_t)>("cudaMalloc")(&memory, rows * columns * sizeof(float)), "cudaMalloc");
  check(blas.function<int(void**)>("cublasCreate_v2")(&handle), "cublasCreate");
  check(blas.function<int(void*, void*)>("cublasSetStream_v2")(handle, theirs), "cublasSetStream");
  {
    const kr::stream work = kr::stream::wrap(theirs, gpu);
    kr::array<float, 2> a({rows, depth}, gpu), b({depth, columns}, gpu);
    auto c = kr::array<float, 2>::wrap(reinterpret_cast<std::uint64_t>(memory), {rows, columns}, gpu);

    auto fill = kr::kernel([](kr::view<float, 2> m, kr::value<int> seed) {
      auto [column, row] = kr::grid<2>();
      kr::if_(row < m.extent(0) && column < m.extent(1), [&] { m(row, column) = kr::cast<float>((row * 7 + column * seed) % 11 - 5); });
    });
    fill.launch({{7, 19}, {16, 16}, work}, a, 3);
    fill.launch({{13, 7}, {16, 16}, work}, b, 5);

    // Our rows are cuBLAS's columns: it computes the transposed product from the transposed factors.
    const float one = 1, zero = 0;
    check(blas.function<int(void*, int, int, int, int, int, const float*, const void*, int, const void*, int, const float*, void*, int)>(
              "cublasSgemm_v2")(handle, 0, 0, columns, rows, depth, &one, pointer(b.address()), columns, pointer(a.address()), depth, &zero,
                                memory, columns),
          "cublasSgemm");

    auto bias_and_clamp = kr::kernel([](kr::view<float, 2> m) {
      auto [column, row] = kr::grid<2>();
      kr::if_(row < m.extent(0) && column < m.extent(1), [&] { m(row, column) = kr::max(m(row, column) + kr::cast<float>(column), 0.0f); });
    });
    bias_and_clamp.launch({{13, 19}, {16, 16}, work}, c);
    work.synchronize();
    // [/cublas]

    std::vector<double> expected;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        double sum = 0;
        for (int k = 0; k < depth; ++k) sum += ((row * 7 + k * 3) % 11 - 5) * ((k * 7 + column * 5) % 11 - 5);
        expected.push_back(std::max(sum + column, 0.0));
      }
    const double apart = distance(c.reshape(rows * columns), expected);
    check(blas.function<int(void*)>("cublasDestroy_v2")(handle), "cublasDestroy");
    check(runtime.function<int(void*)>("cudaFree")(memory), "cudaFree");
    return apart;
  }
}

}  // namespace

int main() { return run("cuBLAS", 0, example); }
