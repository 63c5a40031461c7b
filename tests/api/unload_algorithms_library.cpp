// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for unload_growth.cpp that uses kernels of the headers, which last as long as it is
// loaded: also in the destructor of an object that is older than they are.
#include <complex>
#include <vector>

#include <krait/algorithm/fft.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sort.h>
#include <krait/krait.h>

namespace kr = krait;

namespace {

int* at_end = nullptr;

float run() {
  const kr::array<float> x = kr::to_device(std::vector<float>{3, 1, 2, 0, 5, 4, 7, 6});
  const kr::array<float> y = x * 2.f + 1.f;
  const kr::array<float> sorted = kr::sort(y);
  const auto f = kr::fft(kr::to_device(std::vector<std::complex<float>>(8, {1, 0})));
  return kr::sum(sorted) + kr::max(x) + f.to_host()[0].real() + float(kr::count_nonzero(x));
}

struct Late {
  ~Late() {
    if (at_end) *at_end = int(run());
  }
} late;

}  // namespace

extern "C" __attribute__((visibility("default"))) int run_algorithms(int* result_at_end) {
  at_end = result_at_end;
  return int(run());
}
