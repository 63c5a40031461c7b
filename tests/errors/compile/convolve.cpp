// error: krait: convolutions must have one to three dimensions
// error: krait: stencils must have one to three dimensions
// error: krait: fftconvolve needs floating-point elements: use kr::convolve for integers, which is exact
#include <krait/algorithm/fftconvolve.h>
namespace kr = krait;

void f([[maybe_unused]] kr::array<float, 4>& deep, kr::array<float, 3>& box,
       [[maybe_unused]] kr::array<int>& line) {
  const auto same = [](auto at) { return at(0, 0, 0); };
#ifdef RIGHT
  kr::convolve(box, box);
  kr::stencil(same, box);
#else
  kr::convolve(deep, deep);
  kr::stencil(same, deep);
  kr::fftconvolve(line, line);
#endif
}
