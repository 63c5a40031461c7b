// error: krait: fft2 and ifft2 take arrays of two dimensions or more
// error: krait: rfft takes real numbers; of complex ones, kr::fft
#include <complex>

#include <krait/algorithm/fft.h>
namespace kr = krait;

void f([[maybe_unused]] kr::array<float>& row, [[maybe_unused]] kr::array<std::complex<float>>& points, kr::array<float, 2>& matrix) {
#ifdef RIGHT
  kr::fft2(matrix);
  kr::rfft(matrix);
#else
  kr::fft2(row);
  kr::rfft(points);
#endif
}
