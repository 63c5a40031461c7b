// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a pass of a Fourier transform, which is made for its lengths.
#pragma once

#include <krait/algorithm/detail/fft_small.h>
#include <krait/complex.h>

namespace krait::detail {

/// Roots of unity as tables of a kernel: those that are read, or products of two where there are many.
template <class Real>
class root_table {
 public:
  explicit root_table(std::int64_t n) : n_(n) {
    while (step_ * step_ < n) step_ *= 2;
    if (n <= 4096) step_ = 1;
    for (std::int64_t k = 0; k * step_ < n; ++k) add(k * step_, rough_re_, rough_im_);
    for (std::int64_t k = 0; step_ > 1 && k < step_; ++k) add(k, fine_re_, fine_im_);
  }
  /// As a kernel reads them that is being recorded.
  struct recorded {
    std::int64_t step;
    view<const Real> rough_re, rough_im, fine_re, fine_im;
    /// exp(-2 pi i k / n), for k from 0 to n - 1.
    template <class Index>
    value<std::complex<Real>> at(const Index& k) const {
      const auto i = k / step, j = k % step;
      const value<std::complex<Real>> rough(rough_re[i], rough_im[i]);
      if (step == 1) return rough;
      return rough * value<std::complex<Real>>(fine_re[j], fine_im[j]);
    }
  };
  recorded record() const {
    const bool two = step_ > 1;
    const auto re = constant(rough_re_), im = constant(rough_im_);
    return {step_, re, im, two ? constant(fine_re_) : re, two ? constant(fine_im_) : im};
  }

  bool even() const { return n_ % 2 == 0; }

 private:
  void add(std::int64_t k, std::vector<Real>& re, std::vector<Real>& im) const {
    const fft_root root = root_of_unity(k, n_);
    re.push_back(Real(root.re)), im.push_back(Real(root.im));
  }
  std::int64_t n_, step_ = 1;
  std::vector<Real> rough_re_, rough_im_, fine_re_, fine_im_;
};

/// Elements of a block, real and imaginary parts apart.
template <class Real>
struct fft_buffer {
  view<Real> re, im;
  static fft_buffer make(std::int64_t size) {
    const auto one = [&] { return view<Real>(make_array(op::Shared, scalar_of<Real>, sizeof(Real), &size, 1)); };
    return {one(), one()};
  }
};

/// The kernel of a pass from x to out, both of rows; what it writes is multiplied by `scale`. An inverse transform exchanges real and
/// imaginary parts of what is read and written.
template <class Real>
class fft_pass_body {
 public:
  using complex = std::complex<Real>;
  using index = value<int>;
  using wide = value<std::int64_t>;

  fft_pass_body(const fft_pass& pass, bool inverse)
      : p_(pass), inverse_(inverse), between_(pass.done * pass.length == pass.total ? 1 : pass.total / pass.done) {
    std::int64_t rest = pass.length;
    for (int step = 0; step < pass.count; ++step) {
      const int radix = pass.radices[step];
      std::vector<Real> re, im;
      for (int r = 1; r < radix; ++r)
        for (std::int64_t k = 0; k < rest / radix; ++k) {
          const fft_root root = root_of_unity(r * k, rest);
          re.push_back(Real(root.re)), im.push_back(Real(root.im));
        }
      re_.push_back(std::move(re)), im_.push_back(std::move(im));
      rest /= radix;
    }
  }

  void operator()(view<const complex, 2> x, view<complex, 2> out, value<Real> scale) const {
    const std::int64_t others = p_.total / p_.length, tiles = divided_up(others, p_.columns);
    const bool rows = others == 1;
    const wide block = block_idx().x, first = rows ? block * p_.columns : block % tiles * p_.columns, row = block / tiles;
    const std::int64_t size = std::int64_t(p_.length) * p_.columns;
    const bool last_pass = p_.done * p_.length == p_.total;
    std::vector<typename root_table<Real>::recorded> between;
    if (!last_pass) between.push_back(between_.record());
    std::vector<fft_buffer<Real>> buffers;
    for (int b = 0; b < std::min(p_.count - 1, 2); ++b) buffers.push_back(fft_buffer<Real>::make(size));
    const auto inside = [&](const wide& at, const auto& body) {
      if (p_.columns == 1 || (!rows && others % p_.columns == 0)) return body();
      if_(at < (rows ? x.extent(0) : wide(others)), body);
    };
    const auto read = [&](const index& column, const index& e) {
      const wide at = first + column;
      const value<complex> z = rows ? x(at, e) : x(row, at + cast<std::int64_t>(e) * others);
      return inverse_ ? fft_point<Real>{z.imag(), z.real()} : fft_point<Real>{z.real(), z.imag()};
    };
    const auto write = [&](const index& column, const index& k, const fft_point<Real>& z) {
      const wide at = first + column, p = at / p_.done, q = at % p_.done;
      const auto store = [&](const value<Real>& re, const value<Real>& im) {
        const auto scaled = inverse_ ? value<complex>(im * scale, re * scale) : value<complex>(re * scale, im * scale);
        if (rows) out(at, k) = scaled;
        else out(row, q + (p * p_.length + k) * p_.done) = scaled;
      };
      if (last_pass) return store(z.re, z.im);
      const auto root = between[0].at(p * k);
      store(z.re * root.real() - z.im * root.imag(), z.re * root.imag() + z.im * root.real());
    };
    std::int64_t done = p_.columns;
    for (int step = 0; step < p_.count; ++step) {
      const int radix = p_.radices[step], work = int(size / radix);
      const bool last = step == p_.count - 1;
      std::vector<view<const Real>> roots;
      if (!last) roots = {constant(re_[std::size_t(step)]), constant(im_[std::size_t(step)])};
      const auto one = [&](const index& start) {
        const index thread = cast<int>(thread_idx().x), w = start + thread;
        const bool uniform = done % p_.threads == 0;
        const index p = uniform ? start / int(done) : w / int(done), q = uniform ? start % int(done) + thread : w % int(done);
        const bool same = p_.threads == p_.columns;
        const index column = same ? thread : w % p_.columns, line = same ? start / p_.columns : w / p_.columns;
        const auto body = [&] {
          fft_points<Real> z;
          for (int r = 0; r < radix; ++r) {
            if (step == 0) z.push_back(read(column, line + r * (p_.length / radix)));
            else {
              const auto& from = buffers[std::size_t((step - 1) % 2)];
              z.push_back({value<Real>(from.re[w + r * work]), value<Real>(from.im[w + r * work])});
            }
          }
          const auto made = small_transform(z);
          for (int k = 0; k < radix; ++k) {
            const auto& t = made[std::size_t(k)];
            if (last) {
              write(column, line + k * (p_.length / radix), t);
              continue;
            }
            const auto& to = buffers[std::size_t(step % 2)];
            const index place = q + (p * radix + k) * int(done);
            if (k == 0) {
              to.re[place] = t.re, to.im[place] = t.im;
              continue;
            }
            const index at = p + (k - 1) * int(std::int64_t(work) / done);
            const value<Real> re = roots[0][at], im = roots[1][at];
            to.re[place] = t.re * re - t.im * im, to.im[place] = t.re * im + t.im * re;
          }
        };
        const auto guarded = [&] {
          if (step == 0 || last) inside(first + column, body);
          else body();
        };
        if (work % p_.threads == 0) guarded();
        else if_(w < work, guarded);
      };
      if (step > 0) syncthreads();
      if (work <= p_.threads) one(index(0));
      else
        for (auto start : range(0, index(work), p_.threads)) one(start);
      done *= radix;
    }
  }

 private:
  fft_pass p_;
  bool inverse_;
  root_table<Real> between_;
  std::vector<std::vector<Real>> re_, im_;
};

}  // namespace krait::detail
