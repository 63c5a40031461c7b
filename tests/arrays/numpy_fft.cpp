// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fourier transforms of cases.py.
#include "arrays/numpy_fft.h"

#include <krait/algorithm/fft.h>

namespace {

using krait::test::Any;

struct Case {
  std::string name, norm;
  int axis = 0, points = 0;
  double largest = 1;
};

template <class Elem, int Rank>
Any<double> parts_of(const kr::array<Elem, Rank>& a, double largest) {
  using Number = typename krait::detail::fft_real_t<Elem>;
  constexpr int all = Rank + int(sizeof(Elem) / sizeof(Number)) - 1;
  const auto h = a.to_host();
  std::vector<double> numbers;
  for (std::size_t i = 0; i < h.size(); ++i)
    for (std::size_t part = 0; part < sizeof(Elem) / sizeof(Number); ++part)
      numbers.push_back(double(reinterpret_cast<const Number(&)[2]>(h.data()[i])[part]) / largest);
  kr::shape<all> extents;
  for (int d = 0; d < all; ++d) extents.extents[d] = d < Rank ? a.extent(d) : 2;
  kr::array<double, all> out(extents, kr::device::cpu());
  out.copy_from(numbers);
  return out;
}

template <class T, int Rank>
Any<double> run(const Case& c, std::istream& in) {
  std::string type;
  in >> type;
  const Any<T> base = krait::test::read_base<T>(in), view = krait::test::read_views<T>(in, base);
  const auto& x = std::get<Rank - 1>(view);
  const char* const norm = c.norm.c_str();
  if constexpr (Rank > 1) {
    if (c.name == "fft2") return parts_of(kr::fft2(x, norm), c.largest);
    if (c.name == "ifftn") return parts_of(kr::ifftn(x, norm), c.largest);
    if (c.name == "rfft2") return parts_of(kr::rfft2(x, norm), c.largest);
    if (c.name == "irfft2") return parts_of(kr::irfft2(kr::fft(x), norm), c.largest);
    if (c.name == "rfftn") return parts_of(kr::rfftn(x, kr::axis(0, 1), norm), c.largest);
    if (c.name == "irfftn") {
      const std::int64_t points = c.points < 0 ? 2 * (x.extent(Rank - 1) - 1) : c.points;
      return parts_of(kr::irfftn(kr::fft(x), kr::points(points), norm), c.largest);
    }
  }
  const auto of_axis = [&](const auto& transform) {
    if (c.points < 0) return parts_of(transform(kr::axis(c.axis), norm), c.largest);
    return parts_of(transform(kr::axis(c.axis), kr::points(c.points), norm), c.largest);
  };
  if (c.name == "fft") return of_axis([&](const auto&... with) { return kr::fft(x, with...); });
  if (c.name == "ifft") return of_axis([&](const auto&... with) { return kr::ifft(x, with...); });
  if (c.name == "rfft") return of_axis([&](const auto&... with) { return kr::rfft(x, with...); });
  if (c.name == "irfft")
    return of_axis([&](const auto&... with) { return kr::irfft(kr::fft(x), with...); });
  throw std::runtime_error("no transform is called " + c.name);
}
template <class T>
Any<double> run(std::istream& in) {
  Case c;
  int rank = 0;
  in >> c.name >> c.norm >> c.axis >> c.points >> c.largest >> rank;
  if (rank == 1) return run<T, 1>(c, in);
  return rank == 2 ? run<T, 2>(c, in) : run<T, 3>(c, in);
}

}  // namespace

namespace krait::test {

Any<double> run_fft_f32(std::istream& in) { return run<float>(in); }
Any<double> run_fft_f64(std::istream& in) { return run<double>(in); }

}  // namespace krait::test
