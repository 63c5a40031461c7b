// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT between kernels of ours in one stream: a signal is made, transformed, filtered by a kernel, and transformed back.
#include <complex>
#include <numbers>

#include <krait/complex.h>

#include "neighbour.h"

namespace {

constexpr int size = 4096, kept = 40;  // samples, and frequencies that the filter keeps

double example() {
  const kr::device gpu = gpus()[0];
  // [cufft]
  const library fft("cuFFT", {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"});
  constexpr int complex_to_complex = 0x29, forward = -1, inverse = 1;
  const kr::stream work(gpu);
  int plan = 0;
  check(fft.function<int(int*, int, int, int)>("cufftPlan1d")(&plan, size, complex_to_complex, 1), "cufftPlan1d");
  check(fft.function<int(int, void*)>("cufftSetStream")(plan, work.native()), "cufftSetStream");
  const auto transform = fft.function<int(int, void*, void*, int)>("cufftExecC2C");

  kr::array<std::complex<float>> signal({size}, gpu);
  auto sample = kr::kernel([](kr::view<std::complex<float>> x) {
    for (auto i : kr::grid_stride(x.size())) {
      auto t = kr::cast<float>(i) * float(2 * std::numbers::pi / size);
      x[i] = kr::value<std::complex<float>>(kr::sin(3.0f * t) + 0.5f * kr::cos(100.0f * t), 0.0f);
    }
  });
  auto low_pass = kr::kernel([](kr::view<std::complex<float>> x) {
    for (auto i : kr::grid_stride(x.size())) {
      auto pass = kr::cast<float>(i < kept || i > size - kept) / float(size);  // cuFFT does not divide by the size
      x[i] = kr::value<std::complex<float>>(x[i].real() * pass, x[i].imag() * pass);
    }
  });
  sample.launch({16, 256, work}, signal);
  check(transform(plan, pointer(signal.address()), pointer(signal.address()), forward), "cufftExecC2C");
  low_pass.launch({16, 256, work}, signal);
  check(transform(plan, pointer(signal.address()), pointer(signal.address()), inverse), "cufftExecC2C");
  work.synchronize();
  // [/cufft]

  double apart = 0;
  const auto result = signal.to_host();
  for (int i = 0; i < size; ++i)  // the fast part is gone
    apart = std::fmax(apart, std::abs(std::complex<double>(result[i]) - std::sin(3 * i * 2 * std::numbers::pi / size)));
  check(fft.function<int(int)>("cufftDestroy")(plan), "cufftDestroy");
  return apart;
}

}  // namespace

int main() { return run("cuFFT", 1e-5, example); }
