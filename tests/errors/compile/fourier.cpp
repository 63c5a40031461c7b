// error: krait: transforms along two axes take arrays of two dimensions or more
// error: krait: rfft needs real numbers: use kr::fft for complex ones
// error: krait: dct needs real numbers: transform the parts of complex ones by themselves
// error: krait: cosine transforms have the types 1 to 4
#include <complex>

#include <krait/algorithm/fft.h>
#include <krait/algorithm/frequency.h>
namespace kr = krait;

void f([[maybe_unused]] kr::array<float>& row, [[maybe_unused]] kr::array<std::complex<float>>& points, kr::array<float, 2>& matrix) {
#ifdef RIGHT
  kr::fft2(matrix);
  kr::rfft(matrix);
  kr::dct<4>(matrix);
#else
  kr::fft2(row);
  kr::rfft(points);
  kr::rfft2(row);
  kr::irfft2(row);
  kr::dct(points);
  kr::dct<5>(row);
#endif
}
