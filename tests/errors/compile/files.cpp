// error: krait: files have the floats that NumPy has: use kr::cast<float>(x)
// error: krait: this takes a kr::array or an expression: kr::wrap(v) makes one of a std::vector v
// error: krait: HDF5 files take numbers: save each member of a struct as an array
// error: krait: an image is (height, width) in grey, or (height, width, channels)
// error: krait: an image has elements of std::uint8_t: use kr::cast<std::uint8_t>(x)
#include <vector>

#include <krait/files.h>
#include <krait/krait.h>
#include <krait/span.h>
namespace kr = krait;

struct point {
  float x, y;
};

void f(const std::vector<float>& v, const kr::array<kr::bf16>& narrow, const kr::array<float, 2>& a, const kr::array<point>& points,
       const kr::array<std::uint8_t>& bytes) {
#ifdef RIGHT
  kr::save_npy("v.npy", kr::wrap(v.data(), kr::shape<1>(v.size())));
  kr::save_npy("narrow.npy", kr::cast<float>(narrow));
  kr::save_npy("points.npy", points);
  kr::save_png("a.png", kr::cast<std::uint8_t>(a));
  kr::save_png("bytes.png", bytes.reshape(1, -1));
#else
  kr::save_npy("v.npy", v);
  kr::save_npy("narrow.npy", narrow);
  kr::save_hdf5("points.h5", "points", points);
  kr::save_png("a.png", a);
  kr::save_png("bytes.png", bytes);
#endif
}
