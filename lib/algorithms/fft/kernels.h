// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a pass of a Fourier transform, which is made for its lengths.
#pragma once

#include "algorithms/fft/small.h"
#include "algorithms/tuning.h"
#include "krait/complex.h"

namespace krait::detail {

/// Roots of unity as tables of a kernel: those that are read, or products of two where there are
/// many.
template <class Real>
class root_table {
 public:
  explicit root_table(std::int64_t n) : n_(n) {
    while (step_ * step_ < n) step_ *= 2;
    if (n <= host::fft_one_table) step_ = 1;
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
    const auto one = [&] {
      return view<Real>(make_array(op::Shared, scalar_of<Real>, sizeof(Real), &size, 1));
    };
    return {one(), one()};
  }
  fft_point<Real> get(const value<int>& at) const {
    return {value<Real>(re[at]), value<Real>(im[at])};
  }
  void set(const value<int>& at, const fft_point<Real>& z) const { re[at] = z.re, im[at] = z.im; }
};

/// An element that a kernel reads of row `row`: 0 after the last.
template <class Real, class Rows, class Read>
value<Real> part_of_row(const Rows& x, const value<std::int64_t>& k, const Read& read) {
  return select(k < x.extent(1), read, value<Real>(Real(0)));
}
template <class Real>
value<std::complex<Real>> complex_element(const view<const std::complex<Real>, 2>& x,
                                          const value<std::int64_t>& row,
                                          const value<std::int64_t>& k) {
  const auto re = part_of_row<Real>(x, k, [&] { return x(row, k).real(); });
  return {re, part_of_row<Real>(x, k, [&] { return x(row, k).imag(); })};
}
/// The same of real numbers, whose type is known while recording.
template <class Real>
value<std::complex<Real>> complex_element(const host::ElementView& x,
                                          const value<std::int64_t>& row,
                                          const value<std::int64_t>& k) {
  const auto read = [&] { return x(row, k).get().template as<Real>(); };
  return {part_of_row<Real>(x, k, read), value<Real>(Real(0))};
}

/// The work of a pass on elements besides transforming them, for a convolution with a chirp. It
/// reads the elements of shorter rows times the chirp. It multiplies its output by the filter's
/// transform, or by the chirp, and then cuts it to shorter rows. `turned`: these rows have real and
/// imaginary parts exchanged, for the inverse transform.
struct fft_hooks {
  bool by_chirp_before = false, by_filter = false, by_chirp_after = false, turned = false;
};

/// The kernel of a pass from x to out, both of rows; the output is multiplied by `scale`. An
/// inverse transform exchanges real and imaginary parts of its input and output.
/// With three dimensions the transform is along the second, and the columns of a block are
/// neighbours along the last.
template <class Real, int Rank = 2>
class fft_pass_body {
 public:
  static constexpr bool across = Rank == 3;
  using complex = std::complex<Real>;
  using source = view<const complex, Rank>;
  using target = view<complex, Rank>;
  using index = value<int>;
  using wide = value<std::int64_t>;

  fft_pass_body(const fft_pass& pass, bool inverse, const fft_hooks& hooks)
      : p_(pass),
        inverse_(inverse),
        hooks_(hooks),
        between_(pass.done * pass.length == pass.total ? 1 : pass.total / pass.done) {
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
    for (std::int64_t k = 0; by_columns() && k < pass.length; ++k)
      for (std::int64_t column = 0; column < pass.columns; ++column) {
        const fft_root root = root_of_unity(k * column, pass.total);
        column_re_.push_back(Real(root.re)), column_im_.push_back(Real(root.im));
      }
  }

  /// The chirp and the filter for the hooks; without hooks there is no table.
  template <class... Tables>
  void operator()(source x, target out, value<Real> scale, const Tables&... tables) const {
    const wide block = block_idx().x;
    const wide tiles = across ? wide((x.extent(Rank - 1) + (p_.columns - 1)) / p_.columns)
                              : wide(divided_up(p_.total / p_.length, p_.columns));
    tile t{x,
           out,
           scale,
           rows() && !across ? block * p_.columns : block % tiles * p_.columns,
           block / tiles,
           {tables...},
           {},
           {}};
    if (!last_pass()) t.between.push_back(between_.record());
    if (by_columns()) t.of_columns = {constant(column_re_), constant(column_im_)};
    if (p_.in_place) in_place(t);
    else between_two(t);
  }

 private:
  /// The part that a block works on, while it is recorded: columns from `first` on, of row `row`,
  /// or rows.
  struct tile {
    source x;
    target out;
    value<Real> scale;
    wide first, row;
    std::vector<view<const complex>> tables;  // the chirp, the filter
    std::vector<typename root_table<Real>::recorded> between;
    std::vector<view<const Real>> of_columns;
  };

  /// What a thread transforms in a step: number w of `work`, of elements that steps before have
  /// made `done` of each; `p` and `q` are its number over and modulo done.
  struct butterfly {
    index w, p, q, column, line;
  };
  butterfly butterfly_at(const index& start, std::int64_t done) const {
    const index thread = cast<int>(thread_idx().x), w = start + thread;
    const bool uniform = done % p_.threads == 0, same = p_.threads == p_.columns;
    return {w, uniform ? start / int(done) : w / int(done),
            uniform ? start % int(done) + thread : w % int(done), same ? thread : w % p_.columns,
            same ? start / p_.columns : w / p_.columns};
  }
  butterfly last_butterfly(int start, int work, std::int64_t done) const {
    const index w = krait::min(cast<int>(thread_idx().x) + start, work - 1);
    return {w, w / int(done), w % int(done), w % p_.columns, w / p_.columns};
  }
  int size() const { return p_.length * p_.columns; }
  int work_of(int step) const { return size() / p_.radices[step]; }

  /// The roots of a step as a kernel's tables.
  using step_roots = std::vector<view<const Real>>;
  step_roots tables_of(int step) const {
    return {constant(re_[std::size_t(step)]), constant(im_[std::size_t(step)])};
  }
  /// The roots by which points 1, 2, … of a butterfly are multiplied.
  fft_points<Real> roots_of(const step_roots& from, int step, const butterfly& b,
                            std::int64_t done) const {
    fft_points<Real> roots;
    for (int k = 1; k < p_.radices[step]; ++k) {
      const index at = b.p + (k - 1) * int(std::int64_t(work_of(step)) / done);
      roots.push_back({value<Real>(from[0][at]), value<Real>(from[1][at])});
    }
    return roots;
  }
  /// What the last step makes of a point besides scaling it.
  fft_points<Real> ended(const tile& t, const butterfly& b, const fft_points<Real>& made) const {
    const int radix = int(made.size()), apart = p_.length / radix;
    if (last_pass()) return made;
    const auto between =
        by_columns() ? fft_points<Real>() : roots_between(t, b.column, b.line, radix);
    fft_points<Real> all;
    for (int k = 0; k < radix; ++k)
      all.push_back(by_columns()
                        ? turned_by_columns(t, b.column, b.line + k * apart, made[std::size_t(k)])
                        : product(made[std::size_t(k)], between[std::size_t(k)]));
    return all;
  }

  /// Steps go from one buffer to the other.
  void between_two(const tile& t) const {
    std::vector<fft_buffer<Real>> buffers;
    for (int b = 0; b < std::min(p_.count - (turns() ? 0 : 1), 2); ++b)
      buffers.push_back(
          fft_buffer<Real>::make(turns() ? std::int64_t(p_.pitch) * p_.columns : size()));
    std::int64_t done = p_.columns;
    for (int step = 0; step < p_.count; ++step) {
      const int radix = p_.radices[step], work = work_of(step);
      const bool last = step == p_.count - 1;
      const auto own = last ? step_roots() : tables_of(step);
      const auto one = [&](const index& start) {
        const butterfly b = butterfly_at(start, done);
        const auto body = [&] {
          fft_points<Real> z;
          for (int r = 0; r < radix; ++r) {
            if (step == 0) z.push_back(read(t, b.column, b.line + r * (p_.length / radix)));
            else z.push_back(buffers[std::size_t((step - 1) % 2)].get(b.w + r * work));
          }
          const auto made = small_transform(z);
          if (last) {
            const auto all = ended(t, b, made);
            for (int k = 0; k < radix; ++k) {
              const index at = b.line + k * (p_.length / radix);
              if (turns())
                buffers[std::size_t(step % 2)].set(b.column * p_.pitch + at, all[std::size_t(k)]);
              else write(t, b.column, at, all[std::size_t(k)]);
            }
            return;
          }
          const auto roots = roots_of(own, step, b, done);
          for (int k = 0; k < radix; ++k) {
            const auto& point = made[std::size_t(k)];
            buffers[std::size_t(step % 2)].set(
                b.q + (b.p * radix + k) * int(done),
                k == 0 ? point : product(point, roots[std::size_t(k - 1)]));
          }
        };
        const auto guarded = [&] { inside(t, t.first + b.column, body); };
        if (work % p_.threads == 0) guarded();
        else if_(b.w < work, guarded);
      };
      if (step > 0) syncthreads();
      for_each(work, one);
      done *= radix;
    }
    if constexpr (!across)
      if (turns()) leave(t, buffers[std::size_t((p_.count - 1) % 2)]);
  }

  /// Where a step keeps its points: after each `unit` of them come `apart` that are not used, so
  /// that the threads of a warp, which store runs of `apart` points, meet in no bank of shared
  /// memory.
  struct layout {
    int unit = 0, apart = 0;
    template <class Index>
    auto place(const Index& i) const {
      return apart == 0 ? i : i + i / unit * apart;
    }
  };
  layout layout_of(int step, std::int64_t done) const {
    const int banks = int(host::fft_banks * 4 / std::int64_t(sizeof(Real))), run = int(done),
              block = run * p_.radices[step];
    const auto whole = [](int n) { return (n & (n - 1)) == 0; };
    if (run >= banks || !whole(run) || !whole(block)) return {};
    return {std::max(block, banks), run};
  }

  /// Each thread has all its points of a step in registers while the block's are exchanged, so that
  /// one buffer is enough.
  void in_place(const tile& t) const {
    std::int64_t most = turns() ? std::int64_t(p_.pitch) * p_.columns : 1;
    std::int64_t done = p_.columns;
    for (int step = 0; step + 1 < p_.count; done *= p_.radices[step++])
      most = std::max(most, std::int64_t(layout_of(step, done).place(size())));
    const auto buffer = fft_buffer<Real>::make(most);
    done = p_.columns;
    layout from;
    for (int step = 0; step < p_.count; ++step) {
      const int radix = p_.radices[step], work = work_of(step);
      const bool last = step == p_.count - 1, whole = work % p_.threads == 0;
      const auto of_step = last ? step_roots() : tables_of(step);
      std::vector<butterfly> own;
      std::vector<fft_points<Real>> roots, points;
      for (int start = 0; start < work; start += p_.threads) {
        // Threads without a butterfly read what others have.
        own.push_back(start + p_.threads > work ? last_butterfly(start, work, done)
                                                : butterfly_at(index(start), done));
        // Before the barrier, so that they come meanwhile.
        if (!last) roots.push_back(roots_of(of_step, step, own.back(), done));
      }
      if (step > 0) syncthreads();
      for (const butterfly& b : own) {
        fft_points<Real> z;
        const index first = from.place(b.w);
        for (int r = 0; r < radix; ++r) {
          if (step == 0) z.push_back(read(t, b.column, b.line + r * (p_.length / radix)));
          else if (from.apart == 0 || work % from.unit == 0)
            z.push_back(buffer.get(first + r * int(from.place(work))));
          else z.push_back(buffer.get(from.place(b.w + r * work)));
        }
        points.push_back(std::move(z));
      }
      if (step > 0 && (!last || turns())) syncthreads();
      const layout to = layout_of(step, done);
      for (std::size_t i = 0; i < own.size(); ++i) {
        const butterfly& b = own[i];
        const auto store = [&] {
          const auto made = small_transform(points[i]);
          const auto all = last ? ended(t, b, made) : made;
          const index first =
              b.q + b.p * (radix * int(done)) +
              (to.apart == 0 ? index(0) : b.p / (to.unit / (radix * int(done))) * to.apart);
          for (int k = 0; k < radix; ++k) {
            const auto& point = all[std::size_t(k)];
            if (last) {
              const index at = b.line + k * (p_.length / radix);
              if (turns()) buffer.set(b.column * p_.pitch + at, point);
              else write(t, b.column, at, point);
            } else {
              buffer.set(first + k * int(done),
                         k == 0 ? point : product(point, roots[i][std::size_t(k - 1)]));
            }
          }
        };
        if (whole || int(i + 1) * p_.threads <= work) store();
        else if_(int(i) * p_.threads + cast<int>(thread_idx().x) < work, store);
      }
      done *= radix;
      from = to;
    }
    if constexpr (!across)
      if (turns()) leave(t, buffer);
  }

  bool rows() const { return p_.total == p_.length; }
  bool last_pass() const { return p_.done * p_.length == p_.total; }
  bool whole_tiles() const {
    return p_.columns == 1 || p_.whole_tiles || (!rows() && p_.total / p_.length % p_.columns == 0);
  }
  /// The first of several passes: the output of a column is contiguous in the result, so it is
  /// turned before it is written.
  bool turns() const { return p_.done == 1 && !last_pass(); }
  /// Its roots are products of one for all columns and one of a small table. GPUs read two numbers
  /// as quickly as one.
  bool by_columns() const { return turns() && p_.threads == p_.columns; }

  template <class Body>
  void inside(const tile& t, const wide& at, const Body& body) const {
    if (whole_tiles()) return body();
    if_(at < (rows() ? wide(t.x.extent(across ? 2 : 0)) : wide(p_.total / p_.length)), body);
  }
  template <class Body>
  void for_each(int work, const Body& one) const {
    if (work <= p_.threads) one(index(0));
    else
      for (auto start : range(0, index(work), p_.threads)) one(start);
  }
  fft_point<Real> read(const tile& t, const index& column, const index& e) const {
    const wide at = t.first + column;
    if constexpr (across) return point_of(t.x(t.row, wide(e), at), inverse_);
    else return read_row(t, at, e);
  }
  fft_point<Real> read_row(const tile& t, const wide& at, const index& e) const {
    const wide row = rows() ? at : t.row,
               k = rows() ? wide(e) : wide(at + cast<std::int64_t>(e) * (p_.total / p_.length));
    if (hooks_.by_chirp_before) {
      const value<complex> own = complex_element<Real>(t.x, row, k),
                           by = t.tables[0][krait::min(k, t.tables[0].size() - 1)];
      const value<complex> z = (hooks_.turned ? value<complex>(own.imag(), own.real()) : own) * by;
      return {z.real(), z.imag()};
    }
    return point_of(t.x(row, k), inverse_);
  }
  value<complex> scaled(const tile& t, const value<Real>& re, const value<Real>& im) const {
    return inverse_ ? value<complex>(im * t.scale, re * t.scale)
                    : value<complex>(re * t.scale, im * t.scale);
  }
  /// Element `at` of `others` as its number among the transforms of different elements, and its
  /// place in their output.
  struct split {
    wide p, q;
  };
  split split_of(const tile& t, const index& column) const {
    if (whole_tiles() && p_.done % p_.columns == 0)
      return {t.first / p_.done, t.first % p_.done + column};
    const wide at = t.first + column;
    return {at / p_.done, at % p_.done};
  }
  void write(const tile& t, const index& column, const index& k, const fft_point<Real>& z) const {
    if constexpr (across) {
      t.out(t.row, wide(k), t.first + column) = scaled(t, z.re, z.im);
    } else if (rows()) {
      store(t, t.first + column, wide(k), scaled(t, z.re, z.im));
    } else {
      const split at = split_of(t, column);
      store(t, t.row, at.q + (at.p * p_.length + k) * p_.done, scaled(t, z.re, z.im));
    }
  }
  void store(const tile& t, const wide& row, const wide& k, const value<complex>& z) const {
    if (hooks_.by_chirp_after) {
      if_(k < t.out.extent(1), [&] {
        const value<complex> by = z * value<complex>(t.tables[0][k]);
        t.out(row, k) = hooks_.turned ? value<complex>(by.imag(), by.real()) : by;
      });
    } else if (hooks_.by_filter) {
      t.out(row, k) = z * value<complex>(t.tables[1][k]);
    } else {
      t.out(row, k) = z;
    }
  }
  static fft_point<Real> product(const fft_point<Real>& x, const fft_point<Real>& y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  static fft_point<Real> point_of(const value<complex>& z, bool turned = false) {
    return turned ? fft_point<Real>{z.imag(), z.real()} : fft_point<Real>{z.real(), z.imag()};
  }
  /// The factors of the elements line, line + length / radix, … of a column before the next pass.
  /// GPUs read two factors, scattered over a table, and multiply them: each is a product of at most
  /// five.
  fft_points<Real> roots_between(const tile& t, const index& column, const index& line,
                                 int radix) const {
    const wide p = split_of(t, column).p;
    const std::int64_t apart = p_.length / radix;
    const auto at = [&](const wide& k) { return point_of(t.between[0].at(p * k)); };
    fft_points<Real> roots{at(cast<std::int64_t>(line))};
    if (p_.threads % 32 != 0) {
      for (int k = 1; k < radix; ++k)
        roots.push_back(at(cast<std::int64_t>(line + int(k * apart))));
      return roots;
    }
    fft_points<Real> powers{roots[0]};  // of the second root; the first is not used
    for (int k = 1; k < radix; ++k) {
      powers.push_back(k == 1
                           ? at(wide(apart))
                           : product(powers[std::size_t(k / 2)], powers[std::size_t(k - k / 2)]));
      roots.push_back(product(roots[0], powers.back()));
    }
    return roots;
  }
  fft_point<Real> turned_by_columns(const tile& t, const index& column, const index& k,
                                    const fft_point<Real>& z) const {
    const auto root = point_of(t.between[0].at(t.first * k));
    const index place = k * p_.columns + column;
    const fft_point<Real> own{value<Real>(t.of_columns[0][place]),
                              value<Real>(t.of_columns[1][place])};
    return product(z, product(own, root));
  }

  /// Writes the block's elements in the order of the result.
  void leave(const tile& t, const fft_buffer<Real>& from) const {
    syncthreads();
    const bool aligned = p_.length % p_.threads == 0;
    for_each(size(), [&](const index& start) {
      const index thread = cast<int>(thread_idx().x), w = start + thread;
      const index column = (aligned ? start : w) / p_.length,
                  k = aligned ? start % p_.length + thread : w % p_.length;
      const auto body = [&] {
        const index place = column * p_.pitch + k;
        t.out(t.row, t.first * p_.length + w) =
            scaled(t, value<Real>(from.re[place]), value<Real>(from.im[place]));
      };
      const auto guarded = [&] { inside(t, t.first + column, body); };
      if (size() % p_.threads == 0) guarded();
      else if_(w < size(), guarded);
    });
  }

  fft_pass p_;
  bool inverse_;
  fft_hooks hooks_;
  root_table<Real> between_;
  std::vector<std::vector<Real>> re_, im_;
  std::vector<Real> column_re_, column_im_;
};

}  // namespace krait::detail
