// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of Fourier transforms.
//
// A pass is a step of Stockham's algorithm with a large radix, whose transforms are computed in the
// memory of a block by steps of small ones (C. Van Loan, Computational Frameworks for the Fast
// Fourier Transform, SIAM 1992, sections 1.7 and 3.3).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

#include "algorithms/fft/instances.h"
#include "algorithms/matmul/products.h"
#include "devices/devices.h"
#include "devices/layout.h"
#include "support/error.h"

namespace krait::detail {

using namespace krait::host;

namespace {

/// The prime factors, the largest first; none where one is above 7.
std::vector<int> factors_of(std::int64_t n) {
  std::vector<int> factors;
  for (const int p : {7, 5, 3, 2})
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n != 1) factors.clear();
  return factors;
}

/// Lengths of passes, each at most `most`, as equal as the factors let them be.
std::vector<std::int64_t> lengths_of(const std::vector<int>& factors, std::int64_t most) {
  for (std::size_t count = 2;; ++count) {
    std::vector<std::int64_t> lengths(count, 1);
    for (const int f : factors) *std::min_element(lengths.begin(), lengths.end()) *= f;
    std::sort(lengths.rbegin(), lengths.rend());
    if (lengths.front() <= most) return lengths;
  }
}

/// Steps of a length on a CPU: the first are even, so that soon as many elements lie beside each
/// other as a vector has.
void set_cpu_radices(fft_pass& pass) {
  std::int64_t rest = pass.length;
  int twos = 0;
  for (; rest % 2 == 0; rest /= 2) ++twos;
  if (twos >= 4 && twos != 6 && pass.columns == 1) pass.radices[pass.count++] = 16, twos -= 4;
  while (twos > 0) {
    const int step = twos != 4 ? std::min(twos, 3) : pass.columns == 1 ? 4 : 2;
    pass.radices[pass.count++] = 1 << step, twos -= step;
  }
  for (const int p : {7, 5, 3})
    for (; rest % p == 0; rest /= p) pass.radices[pass.count++] = p;
  if (pass.count == 0) pass.radices[pass.count++] = 1;
}

/// On a GPU: as few as possible, for which threads meet, of at most so many points, which a thread
/// has in registers; of as many the most equal, the largest first.
std::vector<int> gpu_radices(std::int64_t length, int most) {
  std::vector<int> best;
  if (length <= most) return {int(length)};
  for (int radix = most; radix > 1; --radix) {
    if (length % radix != 0) continue;
    std::vector<int> found = gpu_radices(length / radix, radix);
    if (found.empty()) continue;
    found.insert(found.begin(), radix);
    const auto sum = [](const std::vector<int>& of) {
      return std::accumulate(of.begin(), of.end(), 0);
    };
    if (best.empty() || std::pair(found.size(), sum(found)) < std::pair(best.size(), sum(best)))
      best = std::move(found);
  }
  return best;
}

}  // namespace

fft_plan plan_fft(std::int64_t total, std::int64_t rows, std::size_t number_bytes,
                  const algorithm_device& on) {
  const std::vector<int> factors = factors_of(total);
  fft_plan plan{};
  if (factors.empty() && total != 1) return plan;
  const bool cpu = on.form == algorithm_form::chunks;
  const bool warps = on.form == algorithm_form::warps;
  // A block has neighbouring columns, at most a line of memory: on a GPU as many as it has shared
  // memory for, if that makes passes fewer, and few where there are few blocks. A block of the CPU
  // is one gang.
  const int width = on.wide ? fft_wide_gang : fft_gang;
  const std::int64_t number = 2 * std::int64_t(number_bytes),
                     bytes = cpu                ? fft_cpu_bytes
                             : !warps           ? fft_block_bytes
                             : on.tensor_shared ? fft_warp_bytes
                                                : fft_small_warp_bytes,
                     twice = bytes / (2 * number), once = bytes / number;
  std::int64_t side = cpu ? width : warps ? fft_line / number : fft_block_columns;
  std::vector<std::int64_t> lengths{total};
  const auto all_whole = [&](const std::vector<std::int64_t>& of, std::int64_t columns) {
    return std::all_of(of.begin(), of.end(),
                       [&](std::int64_t length) { return total / length % columns == 0; });
  };
  bool in_place = !cpu;
  if (total > (cpu ? twice : once)) {
    lengths = lengths_of(factors, twice / side);
    in_place = false;
    if (warps)
      for (std::int64_t columns : {side, side / 2}) {
        const std::vector<std::int64_t> found = lengths_of(factors, once / columns);
        if (!all_whole(found, columns) || (in_place && found.size() >= lengths.size())) continue;
        lengths = found, side = columns, in_place = true;
      }
    while (in_place && rows < fft_rows_at_once && side > fft_sector / number &&
           total / lengths.front() / side < fft_least_blocks)
      side /= 2;
  }
  std::int64_t done = 1;
  for (const std::int64_t length : lengths) {
    fft_pass& pass = plan.passes[plan.count++];
    pass.total = total, pass.done = done, pass.length = int(length);
    // A block has neighbouring rows where one of them keeps too few threads busy, or a core's
    // vectors: those take neighbours of a row where steps before made a multiple of their elements.
    const bool odd = cpu && length % fft_wide_gang != 0 && length * side <= 2 * twice;
    pass.columns =
        lengths.size() > 1 || (rows >= fft_rows_at_once &&
                               (odd || length <= (cpu ? fft_cpu_short_row : fft_short_row)))
            ? int(side)
            : 1;
    pass.in_place = in_place && (pass.columns == 1 || lengths.size() > 1);
    if (cpu) {
      set_cpu_radices(pass);
    } else {
      for (const int radix : gpu_radices(length, fft_most_radix))
        pass.radices[pass.count++] = radix;
    }
    // Up to 16 points of one row are straight code of one thread.
    const std::int64_t busy = divided_up(pass.columns * length, std::max(pass.radices[0], 8));
    pass.threads = !cpu                                         ? fft_least_threads
                   : total <= fft_straight && pass.columns == 1 ? 1
                                                                : width;
    while (!cpu && pass.threads < std::min<std::int64_t>(busy, fft_most_threads)) pass.threads *= 2;
    // A distance that is no power of 2: columns would meet in few sets of a cache, or banks of
    // shared memory.
    const std::int64_t apart = cpu ? fft_cpu_apart : fft_banks / side;
    pass.pitch = int(length + (pass.columns * (length + apart) <= twice || warps ? apart : 0));
    done *= length;
  }
  return plan;
}

fft_plan plan_fft_across(std::int64_t total, std::int64_t columns, std::size_t number_bytes,
                         const algorithm_device& on) {
  fft_plan plan{};
  if (on.form != algorithm_form::chunks || columns < fft_gang || factors_of(total).empty())
    return plan;
  const std::int64_t number = 2 * std::int64_t(number_bytes), line = fft_cpu_line / number;
  std::int64_t side = on.wide ? fft_wide_gang : fft_gang;
  while (side > line && side * total * 2 * number > fft_cpu_across_bytes) side /= 2;
  if (side * total * 2 * number > fft_cpu_across_bytes) return plan;
  plan.count = 1;
  fft_pass& pass = plan.passes[0];
  pass.total = total, pass.done = 1, pass.length = int(total);
  pass.columns = pass.threads = int(side), pass.pitch = pass.length;
  pass.whole_tiles = columns % side == 0;
  set_cpu_radices(pass);
  return plan;
}

fft_root root_of_unity(std::int64_t k, std::int64_t n) {
  // Angles up to an eighth of the circle, in more digits than the result has.
  k %= n;
  const std::int64_t eighth = (8 * k + n) / (2 * n);  // the quarter that is nearest
  const long double angle =
      2 * std::acos(-1.0L) * ((long double)(4 * k - eighth * n) / (long double)(4 * n));
  const double c = double(std::cos(angle)), s = double(std::sin(angle));
  switch (eighth % 4) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

std::int64_t fft_length(std::int64_t least) {
  // Multiples of 16 are quickest: a power of 2, or 3 or 5 of them where that is less.
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5}) {
    std::int64_t length = 16 * odd;
    while (length < least) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

double fft_scale(const char* norm, std::int64_t n, bool inverse) {
  const std::string_view given(norm);
  if (given == "ortho") return 1 / std::sqrt(double(n));
  if (given != "backward" && given != "forward")
    support::fail_usage("Invalid norm value {}; should be \"backward\", \"ortho\" or \"forward\".",
                        given);
  return (given == "forward") != inverse ? 1 / double(n) : 1;
}

void check_points(std::int64_t n) {
  if (n < 1) support::fail_usage("Invalid number of FFT data points ({}) specified.", n);
}

namespace {

/// What a kind of transforms makes of rows.
struct RowTransform {
  fft_kind kind;
  bool wide;  // of doubles
  cosine_form cosine{};

  bool inverse() const {
    return kind == fft_kind::inverse || kind == fft_kind::to_real || cosine.inverse;
  }
  /// The number by whose root "ortho" divides.
  std::int64_t period(std::int64_t points) const {
    return kind != fft_kind::cosine ? points : 2 * (cosine.type == 1 ? points - 1 : points);
  }
  const element_type* type() const { return wide ? type_as<double>() : type_as<float>(); }
  std::int64_t results(std::int64_t points) const {
    return kind == fft_kind::real ? points / 2 + 1 : points;
  }
  void run(const any_array& x, const any_array& out, std::int64_t points, double scale) const {
    if (wide) run_as<double>(x, out, points, scale);
    else run_as<float>(x, out, points, scale);
  }

 private:
  template <class Real>
  const element_type* type_as() const {
    return kind == fft_kind::to_real || kind == fft_kind::cosine
               ? element_type_of<Real>()
               : element_type_of<std::complex<Real>>();
  }
  template <class Real>
  void run_as(const any_array& x, const any_array& out, std::int64_t points, double scale) const {
    if (kind == fft_kind::real) fft_of<Real>::real(x, out, points, scale);
    else if (kind == fft_kind::to_real) fft_of<Real>::to_real(x, out, scale);
    else if (kind == fft_kind::cosine) cosine_of<Real>::rows(x, out, cosine, scale);
    else fft_of<Real>::numbers(x, out, inverse(), scale);
  }
};

std::int64_t product_of(const std::int64_t* extents, int count) {
  std::int64_t product = 1;
  for (int d = 0; d < count; ++d) product *= extents[d];
  return product;
}
/// The elements as rows along an axis: shared where strides can say it, else copied.
any_array rows_along(const any_array& x, std::int64_t axis, std::int64_t rows) {
  const int rank = x.at.rank;
  const std::int64_t length = axis_last(x.at, axis).extents[rank - 1];
  if (rank != 2 && (length == 0 || rows == 0)) return host::memory_as(x, rows, length);
  return rank == 1 ? host::one_row(x) : host::rows_along(x, axis);
}

/// Whether the elements of a row, and of its result, meet in few sets of a processor's cache: they
/// would be fetched again for each row of a cache line.
bool meets_in_cache(const any_array& rows, std::int64_t results, std::size_t result_bytes) {
  if (!static_cast<DeviceHandle*>(rows.on)->device->host_memory()) return false;
  const std::int64_t length = rows.at.extents[1],
                     distance = std::abs(rows.at.strides[1]) * rows.type->bytes;
  if (length < fft_least_meeting || distance == 0) return false;
  const std::int64_t held = fft_cache_ways * (fft_cache_way / std::gcd(distance, fft_cache_way));
  return length > held && results * std::int64_t(result_bytes) % fft_page == 0;
}
any_array dense_rows(const any_array& rows) {
  const any_array copy = host::new_array(rows.type, dense(rows.at.extents, 2, false), rows.on);
  copy_elements(host::elements_of(copy), host::elements_of(rows));
  return copy;
}

/// Whether elements along `axis` are columns of matrices, whose rows lie in one piece.
bool has_columns(const layout& x, std::int64_t axis) {
  std::int64_t stride = 1;
  for (int d = x.rank; d-- > axis + 1; stride *= x.extents[d])
    if (x.extents[d] != 1 && x.strides[d] != stride) return false;
  for (int d = 0; d + 1 < axis; ++d)
    if (x.extents[d] != 1 && x.strides[d] != x.strides[d + 1] * x.extents[d + 1]) return false;
  return x.strides[axis] >= stride;
}
/// The dimensions before `axis`, it, and those behind it.
any_array in_columns(any_array x, std::int64_t axis) {
  const layout of = x.at;
  x.at.rank = 3;
  x.at.extents[0] = product_of(of.extents, int(axis)), x.at.extents[1] = of.extents[axis];
  x.at.extents[2] = product_of(of.extents + axis + 1, of.rank - 1 - int(axis));
  x.at.strides[0] = axis > 0 ? of.strides[axis - 1] : 0, x.at.strides[1] = of.strides[axis];
  x.at.strides[2] = 1;
  return x;
}

/// Rows of complex numbers in their memory order: for few elements, the layouts of the general way
/// cost more than the transform.
bool transform_whole_rows(const any_array& x, const RowTransform& by, const fft_request& with,
                          any_array& out) {
  const int rank = x.at.rank;
  const std::int64_t n = x.at.extents[rank - 1];
  if (rank > 2 || (with.axes[0] != -1 && with.axes[0] != rank - 1) || x.size() == 0 ||
      (with.has_points && with.points != n))
    return false;
  const double scale = fft_scale(with.norm, n, by.inverse());
  out = host::new_array(by.type(), dense(x.at.extents, rank, false), x.on);
  const auto run = [&](const any_array& rows, const any_array& to) {
    if (by.wide) fft_of<double>::rows(rows, to, by.inverse(), scale);
    else fft_of<float>::rows(rows, to, by.inverse(), scale);
  };
  if (rank == 2) run(x, out);
  else run(host::one_row(x), host::one_row(out));
  return true;
}

/// Columns of complex numbers where they lie; in x itself, if it is the transform's own.
bool transform_columns(const any_array& x, const RowTransform& by, std::int64_t axis, double scale,
                       bool is_own, const any_array* into, any_array& out) {
  if (x.type != by.type() || axis + 1 == x.at.rank || x.size() == 0 || !has_columns(x.at, axis))
    return false;
  const any_array from = in_columns(x, axis);
  const fft_plan plan =
      plan_fft_across(from.at.extents[1], from.at.extents[2], by.type()->bytes / 2,
                      algorithm_device_of(device_from(x.on)));
  if (plan.count == 0) return false;
  const layout wanted = dense(x.at.extents, x.at.rank, false);
  if (into) check_output(into->at, into->on, wanted, x.on);
  const bool same =
      into && host::address_of(*into) == host::address_of(x) && same_strides(into->at, x.at);
  const bool given = into && same_strides(into->at, wanted) &&
                     (same || !may_meet(host::elements_of(x), host::elements_of(*into)));
  out = given                                  ? any_array(*into)
        : is_own && same_strides(x.at, wanted) ? any_array(x)
                                               : host::new_array(by.type(), wanted, x.on);
  const any_array to = in_columns(out, axis);
  if (by.wide) fft_of<double>::columns(from, to, plan, by.inverse(), scale);
  else fft_of<float>::columns(from, to, plan, by.inverse(), scale);
  if (into && !given) copy_elements(host::elements_of(*into), host::elements_of(out));
  return true;
}

/// `is_own`: x is the transform's own memory, and not used any more.
any_array transform_along(const any_array& x, const RowTransform& by, std::int64_t axis,
                          const fft_request& with, bool own_points, const any_array* into,
                          bool is_own = false) {
  const int last = x.at.rank - 1;
  layout at = axis_last(x.at, axis);
  const std::int64_t length = at.extents[last],
                     points = own_points                     ? with.points
                              : by.kind == fft_kind::to_real ? 2 * (length - 1)
                                                             : length,
                     results = by.results(points);
  check_points(points);
  if (by.cosine.type == 1 && points < 2)
    support::fail_usage("kr::dct: type 1 is not defined for {} point", points);
  const double scale = fft_scale(with.norm, by.period(points), by.inverse());
  at.extents[last] = results;
  if (by.kind <= fft_kind::inverse && points == length)
    if (any_array out;
        transform_columns(x, by, axis < 0 ? axis + x.at.rank : axis, scale, is_own, into, out))
      return out;
  const layout wanted = axis_back(dense(at.extents, x.at.rank, false), axis);
  if (into) check_output(into->at, into->on, wanted, x.on);
  const bool in_place = into && same_strides(into->at, wanted) &&
                        !may_meet(host::elements_of(x), host::elements_of(*into));
  const any_array out = in_place ? *into : host::new_array(by.type(), wanted, x.on);
  if (const std::int64_t rows = product_of(at.extents, last); rows * results > 0) {
    any_array given = rows_along(x, axis, rows);
    if (product_of(x.at.extents, last + 1) == 0)
      given.at.extents[0] = rows, given.at.extents[1] = 0;
    if (meets_in_cache(given, results, out.type->bytes)) given = dense_rows(given);
    by.run(given, host::memory_as(out, rows, results), points, scale);
  }
  if (into && !in_place) copy_elements(host::elements_of(*into), host::elements_of(out));
  return out;
}

}  // namespace

bool transforms_columns(std::int64_t points, std::int64_t columns, std::size_t real_bytes,
                        const device& on) {
  return plan_fft_across(points, columns, real_bytes, algorithm_device_of(on)).count > 0;
}

any_array transform(const any_array& x, fft_kind kind, const fft_request& with,
                    std::size_t real_bytes, const any_array* into) {
  const bool wide = real_bytes == 8;
  if (x.type->whole == scalar::none && kind < fft_kind::real && with.count == 1 && !into)
    if (any_array out; transform_whole_rows(x, {kind, wide}, with, out)) return out;
  axes_mask(with.axes, with.count, x.at.rank);
  const RowTransform complex{kind == fft_kind::to_real || kind == fft_kind::inverse
                                 ? fft_kind::inverse
                                 : fft_kind::forward,
                             wide},
      own{kind, wide, {with.cosine, with.inverse, std::string_view(with.norm) == "ortho"}};
  if (with.count == 1) return transform_along(x, own, with.axes[0], with, with.has_points, into);
  const int last = with.count - 1;
  if (kind == fft_kind::to_real) {
    any_array between = transform_along(x, complex, with.axes[0], with, false, nullptr);
    for (int a = 1; a < last; ++a)
      between = transform_along(between, complex, with.axes[a], with, false, nullptr, true);
    return transform_along(between, own, with.axes[last], with, with.has_points, into);
  }
  any_array between = transform_along(x, own, with.axes[last], with, with.has_points, nullptr);
  for (int a = last; a-- > 1;)
    between = transform_along(between, complex, with.axes[a], with, false, nullptr, true);
  return transform_along(between, complex, with.axes[0], with, false, into, true);
}

}  // namespace krait::detail
