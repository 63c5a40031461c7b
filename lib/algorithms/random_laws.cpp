// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers by rejection: an element draws until it accepts, with a counter of its own, so
// that it still is a function of the seed, the call and the position.
#include <cmath>

#include "algorithms/record/kernels.h"
#include "krait/algorithm/random.h"
#include "krait/algorithm/search.h"
#include "krait/random.h"
#include "support/error.h"

namespace krait::host {
namespace {

/// The words of an element's attempt. Calls are counted below 2^40.
template <class Attempt>
auto words_of(const value<std::uint64_t>& seed, const Index& element,
              const value<std::uint64_t>& call, const Attempt& attempt) {
  return philox(seed, element, call + (cast<std::uint64_t>(attempt) << 40));
}
template <class Real, class Words>
value<Real> uniform_of(const Words& words, int i) {
  if constexpr (sizeof(Real) == 4) return value<Real>(words.uniform_float(2 + i));
  else return value<Real>(words.uniform_double(i));
}

/// G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, 2000. A shape
/// below 1 is one more, times a power of a uniform number.
template <class Real>
void gamma(const any_array& to, std::uint64_t seed, std::uint64_t call, double shape_of) {
  const bool small = shape_of < 1;
  const double d = (small ? shape_of + 1 : shape_of) - 1.0 / 3;
  static const auto& numbers = detail::lasting(kernel(
      [](view<Real> out, value<std::uint64_t> key, value<std::uint64_t> draw, value<Real> d,
         value<Real> c, value<Real> power) {
        for (auto i : grid_stride(out.size())) {
          var<Real> made(Real(0));
          var<std::uint64_t> attempt(std::uint64_t(0));
          var<int> open(1);
          while_([&] { return open != 0; },
                 [&] {
                   const auto words = words_of(key, i, draw, attempt),
                              more = words_of(key, i, draw, attempt + std::uint64_t(1));
                   attempt += std::uint64_t(2);
                   const value<Real> x = [&] {
                     if constexpr (sizeof(Real) == 4)
                       return value<Real>(words.normal_float(0).first);
                     else return value<Real>(words.normal_double().first);
                   }();
                   const value<Real> u = Real(1) - uniform_of<Real>(more, 0),
                                     root = c * x + Real(1), v = root * root * root;
                   const value<Real> safe(select(v > Real(0), v, Real(1)));
                   const auto accepted =
                       (v > Real(0)) & (log(u) < Real(0.5) * x * x + d - d * v + d * log(safe));
                   if_(accepted, [&] {
                     made = d * v *
                            select(power > Real(0), pow(Real(1) - uniform_of<Real>(more, 1), power),
                                   Real(1));
                     open = 0;
                   });
                 });
          out[i] = made;
        }
      },
      {.name = "gamma", .fp = fp::reproducible}));
  array<Real> flat = detail::typed<Real, 1>(reshaped(to, {to.size()}));
  numbers.forall(to.size())(flat, seed, call, Real(d), Real(1 / std::sqrt(9 * d)),
                            Real(small ? 1 / shape_of : 0));
}

/// Of a mean from 10 on: W. Hörmann, The transformed rejection method for generating Poisson random
/// variables, 1993 (PTRS). Below it uniform numbers are multiplied (D. E. Knuth).
struct Poisson {
  void operator()(const view<std::int64_t>& out, const value<std::uint64_t>& key,
                  const value<std::uint64_t>& draw, const value<double>& mean) const {
    const value<double> root = sqrt(mean), b = root * 2.53 + 0.931, a = b * 0.02483 - 0.059,
                        inverse = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2.0),
                        log_mean = log(mean), least = exp(-mean);
    for (auto i : grid_stride(out.size())) {
      var<std::int64_t> made(std::int64_t(0));
      var<std::uint64_t> attempt(std::uint64_t(0));
      var<int> open(1);
      if_(mean < 10.0, [&] {
        var<double> product(1.0);
        while_([&] { return open != 0; },
               [&] {
                 const auto words = words_of(key, i, draw, attempt);
                 attempt += std::uint64_t(1);
                 product *= words.uniform_double(0);
                 if_(product > least, [&] { made += 1; }).else_([&] { open = 0; });
               });
      }).else_([&] {
        while_([&] { return open != 0; },
               [&] {
                 const auto words = words_of(key, i, draw, attempt);
                 attempt += std::uint64_t(1);
                 const value<double> u = words.uniform_double(0) - 0.5,
                                     v = 1.0 - words.uniform_double(1), us = 0.5 - abs(u);
                 const value<double> k = floor((a * 2.0 / us + b) * u + mean + 0.43);
                 const auto quick = (us >= 0.07) & (v <= v_r);
                 const auto possible = (k >= 0.0) & ((us >= 0.013) | (v <= us));
                 const value<double> held(select(k >= 0.0, k, 0.0));
                 const auto right = log(v * inverse / (a / (us * us) + b)) <=
                                    held * log_mean - mean - lgamma(held + 1.0);
                 if_(quick | (possible & right), [&] {
                   made = cast<std::int64_t>(k);
                   open = 0;
                 });
               });
      });
      out[i] = made;
    }
  }
};

/// Of a smaller mean than 10 by inversion, else W. Hörmann, The generation of binomial random
/// variates, 1993 (BTRS). A probability above a half counts failures.
struct Binomial {
  void operator()(const view<std::int64_t>& out, const view<const std::int64_t>& trials,
                  const value<std::uint64_t>& key, const value<std::uint64_t>& draw,
                  const value<double>& given) const {
    const value<double> p(select(given > 0.5, 1.0 - given, given)), q = 1.0 - p, odds = p / q;
    for (auto i : grid_stride(out.size())) {
      const value<std::int64_t> number = trials[select(trials.size() == 1, i - i, i)];
      const value<double> n = cast<double>(number), mean = n * p;
      var<std::int64_t> made(std::int64_t(0));
      var<std::uint64_t> attempt(std::uint64_t(0));
      var<int> open(1);
      if_(mean < 10.0, [&] {
        const auto words = words_of(key, i, draw, attempt);
        var<double> rest = words.uniform_double(0);
        var<double> part = exp(n * log1p(-p));
        while_([&] { return (rest > part) & (made < number); },
               [&] {
                 rest -= part;
                 made += 1;
                 part *= odds * (n - cast<double>(made) + 1.0) / cast<double>(made);
               });
      }).else_([&] {
        const value<double> root = sqrt(mean * q), b = root * 2.53 + 1.15,
                            a = b * 0.0248 - 0.0873 + p * 0.01, c = mean + 0.5,
                            v_r = 0.92 - 4.2 / b, alpha = (5.1 / b + 2.83) * root,
                            m = floor((n + 1.0) * p);
        while_([&] { return open != 0; },
               [&] {
                 const auto words = words_of(key, i, draw, attempt);
                 attempt += std::uint64_t(1);
                 const value<double> u = words.uniform_double(0) - 0.5,
                                     v = 1.0 - words.uniform_double(1), us = 0.5 - abs(u);
                 const value<double> k = floor((a * 2.0 / us + b) * u + c);
                 const auto quick = (us >= 0.07) & (v <= v_r);
                 const auto possible = (k >= 0.0) & (k <= n);
                 const value<double> held(select(possible, k, m));
                 const auto right = log(v * alpha / (a / (us * us) + b)) <=
                                    (held - m) * log(odds) + lgamma(m + 1.0) + lgamma(n - m + 1.0) -
                                        lgamma(held + 1.0) - lgamma(n - held + 1.0);
                 if_(possible & (quick | right), [&] {
                   made = cast<std::int64_t>(k);
                   open = 0;
                 });
               });
      });
      out[i] = select(given > 0.5, number - made, made);
    }
  }
};

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void check_positive(const char* law, const char* parameter, double x) {
  if (!(x > 0)) support::fail_usage("{}: the {} is {}: it must be above 0", law, parameter, x);
}
void check_probability(const char* law, double x) {
  if (!(x >= 0 && x <= 1))
    support::fail_usage("{}: a probability is {}: it must be from 0 to 1", law, x);
}
void draw_gamma(const any_array& to, std::uint64_t seed, std::uint64_t call, double shape_of) {
  const any_array& out = to;
  if (out.size() == 0) return;
  if (out.type->whole == scalar::f32) gamma<float>(out, seed, call, shape_of);
  else gamma<double>(out, seed, call, shape_of);
}
void draw_poisson(const array<std::int64_t>& to, std::uint64_t seed, std::uint64_t call,
                  double mean) {
  if (to.size() == 0) return;
  array<std::int64_t> out(view_at(layout_of(to), to));
  if (mean == 0) return out.fill(0);
  static const auto& numbers = lasting(
      kernel([](view<std::int64_t> made, value<std::uint64_t> key, value<std::uint64_t> draw,
                value<double> m) { Poisson()(made, key, draw, m); },
             {.name = "poisson", .fp = fp::reproducible}));
  numbers.forall(out.size())(out, seed, call, mean);
}
void draw_binomial(const array<std::int64_t>& to, std::uint64_t seed, std::uint64_t call,
                   const array<std::int64_t>& trials, double probability) {
  if (to.size() == 0) return;
  array<std::int64_t> out(view_at(layout_of(to), to));
  static const auto& numbers = lasting(
      kernel([](view<std::int64_t> made, view<const std::int64_t> n, value<std::uint64_t> key,
                value<std::uint64_t> draw, value<double> p) { Binomial()(made, n, key, draw, p); },
             {.name = "binomial", .fp = fp::reproducible}));
  numbers.forall(out.size())(out, trials, seed, call, probability);
}

array<std::int64_t> draw_places(std::uint64_t seed, std::uint64_t call, device on,
                                std::int64_t count, const host_array<double>& chances,
                                std::int64_t from, bool replace) {
  check_choice(count, from, replace);
  if (std::int64_t(chances.size()) != from)
    support::fail_usage("choice: {} probabilities of {} elements", chances.size(), from);
  host_array<double> upto(chances.size());
  double sum = 0;
  std::int64_t possible = 0;
  for (std::size_t i = 0; i < chances.size(); ++i) {
    check_probability("choice", chances[i]);
    upto[i] = sum += chances[i], possible += chances[i] > 0;
  }
  constexpr double most_off = 0x1p-26;  // the root of epsilon, as in NumPy
  if (count > 0 && !(std::abs(sum - 1) <= most_off))
    support::fail_usage("choice: probabilities do not sum to 1, but to {}", sum);
  if (!replace && count > possible)
    support::fail_usage("choice: fewer probabilities above 0 than elements to draw: {} of {}",
                        possible, count);
  array<std::int64_t> places(shape<1>(count), on);
  if (count == 0) return places;
  if (replace) {
    for (double& each : upto) each = each / sum;  // so that the last one is 1
    array<double> draws(shape<1>(count), on);
    draw_numbers(law::uniform, erased(draws), seed, call, bits_of(0.0), bits_of(1.0));
    search_sorted(erased(to_device(upto, on)), erased(draws), true, erased(places));
    return places;
  }
  // The least of exponential numbers, each divided by its probability (P. S. Efraimidis and P. G.
  // Spirakis, 2006).
  array<double> keys(shape<1>(from), on);
  draw_numbers(law::exponential, erased(keys), seed, call, bits_of(1.0), bits_of(0.0));
  static const auto& weighed = lasting(kernel(
      [](view<double> key, view<const double> chance) {
        for (auto i : grid_stride(key.size())) key[i] = key[i] / chance[i];
      },
      {.name = "choice", .fp = fp::reproducible}));
  weighed.forall(from)(keys, to_device(chances, on));
  array<std::int64_t> order(shape<1>(from), on);
  const any_array sorted = erased(order);
  sort_along(order_of<double>(false), erased(keys), 0, nullptr, nullptr, &sorted);
  places.copy_from(order(range(0, count)));
  return places;
}

}  // namespace krait::detail
