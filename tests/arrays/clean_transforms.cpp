// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms, convolutions, random arrays.
#include <krait/complex.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/fftconvolve.h>
#include <krait/algorithm/random.h>

#include "arrays/clean.h"

namespace krait::test::clean {

void transforms(Results& to) {
  for (const std::int64_t n : {1, 2, 8, 15, 64, 97, 210}) {
    const auto x = row<float>(n);
    const std::string name = std::to_string(n);
    to.add("fft " + name, [&] { return std::tuple(kr::fft(x), kr::ifft(kr::fft(x))); });
    to.add("rfft " + name,
           [&] { return std::tuple(kr::rfft(x, "ortho"), kr::irfft(kr::rfft(x), kr::points(n))); });
  }
  const auto m = matrix<float>(6, 10);
  to.add("fft of columns", [&] {
    return std::tuple(kr::fft(m, kr::axis(0), kr::points(8)), kr::fft2(m), kr::rfft2(m));
  });

  const auto weights = kr::to_device(std::vector<float>{1, 2, 3});
  for (const std::int64_t n : {1, 3, 33, 257}) {
    const auto x = row<float>(n);
    const std::string name = std::to_string(n);
    for (const char* mode : {"full", "same", "valid"})
      if (n >= 3)
        to.add(std::string("convolve ") + mode + " " + name, [&] {
          return std::tuple(kr::convolve(x, weights, mode), kr::correlate(x, weights, mode));
        });
    for (const kr::border at : {kr::border::constant, kr::border::reflect, kr::border::mirror,
                                kr::border::nearest, kr::border::wrap}) {
      const std::string with = std::to_string(int(at)) + " " + name;
      to.add("convolve border " + with, [&] { return kr::convolve(x, weights, at); });
      to.add("stencil " + with, [&] {
        return kr::stencil([](auto around) { return around(-1) + 2.0f * around(1); }, x, at);
      });
    }
    to.add("fftconvolve " + name, [&] { return kr::fftconvolve(x, weights, "same"); });
  }
  to.add("convolve of two dimensions", [&] {
    return std::tuple(kr::convolve(m, matrix<float>(2, 3)),
                      kr::correlate(m, matrix<float>(3, 3), kr::border::mirror));
  });

  kr::generator random(42);
  for (const std::int64_t n : {0, 1, 5, 300}) {
    const std::string name = std::to_string(n);
    to.add("random " + name, [&] {
      return std::tuple(random.uniform(n, -1.0f, 1.0f), random.normal<float>({n}),
                        random.exponential<float>({n}), random.integers(n, 1, 7));
    });
    to.add("permutation " + name, [&] { return random.permutation(n); });
  }
  to.add("choice", [&] {
    return std::tuple(random.choice(row<int>(52), 5, false), random.choice(row<int>(52), 60),
                      random.permutation(m));
  });
}

}  // namespace krait::test::clean
