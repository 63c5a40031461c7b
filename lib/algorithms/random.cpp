// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers by laws: a function of the seed, the call and the element's position.
#include "krait/algorithm/random.h"

#include <cmath>
#include <string>

#include "algorithms/record/kernels.h"
#include "krait/random.h"
#include "support/error.h"

namespace krait::host {
namespace {

// A law has numbers<Elem> of one draw of four words, of two parameters.
struct UniformLaw {
  template <class Elem>
  static constexpr int numbers = sizeof(Elem) == 4 ? 4 : 2;
  template <class Elem, class Words>
  static auto number(const Words& words, int i) {
    if constexpr (sizeof(Elem) == 4) return words.uniform_float(i);
    else return words.uniform_double(i);
  }
  template <class Elem, class Words, class Put>
  static void draw(const Words& words, const value<Elem>& low, const value<Elem>& high,
                   const Put& put) {
    for (int i = 0; i < numbers<Elem>; ++i) put(i, low + number<Elem>(words, i) * (high - low));
  }
};
struct ExponentialLaw {
  template <class Elem>
  static constexpr int numbers = UniformLaw::numbers<Elem>;
  template <class Elem, class Words, class Put>
  static void draw(const Words& words, const value<Elem>& scale, const value<Elem>&,
                   const Put& put) {
    // 1 - u is in (0, 1] and exact.
    for (int i = 0; i < numbers<Elem>; ++i)
      put(i, -log(Elem(1) - UniformLaw::number<Elem>(words, i)) * scale);
  }
};
struct NormalLaw {
  template <class Elem>
  static constexpr int numbers = UniformLaw::numbers<Elem>;
  template <class Elem, class Words, class Put>
  static void draw(const Words& words, const value<Elem>& mean, const value<Elem>& deviation,
                   const Put& put) {
    const auto put_both = [&](int i, const auto& pair) {
      put(i, mean + pair.first * deviation);
      put(i + 1, mean + pair.second * deviation);
    };
    if constexpr (sizeof(Elem) == 4)
      put_both(0, words.normal_float(0)), put_both(2, words.normal_float(1));
    else put_both(0, words.normal_double());
  }
};
/// low + [0, count).
struct IntegerLaw {
  template <class Elem>
  static constexpr int numbers = 2;
  template <class Elem, class Words, class Put>
  static void draw(const Words& words, const value<Elem>& low, const value<std::uint64_t>& count,
                   const Put& put) {
    for (int i = 0; i < 2; ++i)
      put(i, cast<Elem>(cast<std::uint64_t>(low) + words.long_below(i, count)));
  }
};

template <class Law, class Elem, class Second = Elem>
void draw(const any_array& to, std::uint64_t seed, std::uint64_t call, std::uint64_t first,
          std::uint64_t second) {
  static constexpr int each = Law::template numbers<Elem>;
  static const auto& numbers = detail::lasting(kernel(
      [](view<Elem> out, value<std::uint64_t> key, value<std::uint64_t> draw, value<Elem> a,
         value<Second> b) {
        const Index n = out.size();
        for (auto group : grid_stride((n + (each - 1)) / each))
          Law::template draw<Elem>(philox(key, group, draw), a, b,
                                   [&](int i, const value<Elem>& x) {
                                     const Index at = group * each + i;
                                     if_(at < n, [&] { out[at] = x; });
                                   });
      },
      {.name = "random", .fp = fp::reproducible}));
  array<Elem> flat = detail::typed<Elem, 1>(reshaped(to, {to.size()}));
  numbers.forall((to.size() - 1) / each + 1)(flat, seed, call, detail::from_bits<Elem>(first),
                                             detail::from_bits<Second>(second));
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void draw_numbers(law by, const any_array& out, std::uint64_t seed, std::uint64_t call,
                  std::uint64_t first, std::uint64_t second) {
  if (out.size() == 0) return;
  const auto floats = [&]<class Law>(Law) {
    if (out.type->whole == scalar::f32) draw<Law, float>(out, seed, call, first, second);
    else draw<Law, double>(out, seed, call, first, second);
  };
  const auto integers = [&]<class Elem>(Elem) {
    draw<IntegerLaw, Elem, std::uint64_t>(out, seed, call, first, second);
  };
  switch (by) {
    case law::uniform: return floats(UniformLaw());
    case law::exponential: return floats(ExponentialLaw());
    case law::normal: return floats(NormalLaw());
    case law::integers: break;
  }
  switch (out.type->whole) {
    case scalar::i8: return integers(std::int8_t());
    case scalar::i16: return integers(std::int16_t());
    case scalar::i32: return integers(std::int32_t());
    case scalar::u8: return integers(std::uint8_t());
    case scalar::u16: return integers(std::uint16_t());
    case scalar::u32: return integers(std::uint32_t());
    case scalar::u64: return integers(std::uint64_t());
    default: return integers(std::int64_t());
  }
}

void refuse_integers(std::int64_t low, std::int64_t high, bool is_signed) {
  const auto text = [&](std::int64_t x) {
    return is_signed ? std::to_string(x) : std::to_string(std::uint64_t(x));
  };
  support::fail_usage("integers: low is {} and high {}: there is no integer from low to below high",
                      text(low), text(high));
}
void check_bounds(double low, double high, double distance) {
  if (!std::isfinite(distance))
    support::fail_usage("uniform: low is {} and high {}: their distance must be a finite number",
                        low, high);
}
void check_law(const char* law, const char* parameter, double x) {
  if (!(x >= 0)) support::fail_usage("{}: the {} is {}: it must be 0 or more", law, parameter, x);
}
void check_permutation(std::int64_t n) {
  if (n >= std::int64_t(1) << 32)
    support::fail_usage("permutation: of {} elements: at most 2^32 - 1 are possible", n);
}
void check_choice(std::int64_t count, std::int64_t from, bool replace) {
  if (count < 0)
    support::fail_usage("choice: {} elements cannot be drawn: the number must be 0 or more", count);
  if (count > 0 && from == 0)
    support::fail_usage("choice: there is nothing to draw from: the array has no rows");
  if (!replace && count > from)
    support::fail_usage(
        "choice: {} of {} cannot be drawn once each: draw fewer, or with replacement", count, from);
}

}  // namespace krait::detail
