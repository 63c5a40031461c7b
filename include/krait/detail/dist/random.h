// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers of arrays of kr::dist: those that kr::generator gives one array of the same shape,
// since each is a function of the seed, the call and the element's place.
#pragma once

#include <krait/algorithm/random.h>
#include <krait/dist.h>

namespace krait::dist {
namespace detail {

using krait::detail::law;

/// Numbers of one draw of four words, as lib/algorithms/random.cpp makes them.
template <law By, class Elem>
inline constexpr int numbers_of_draw = By == law::integers || sizeof(Elem) == 8 ? 2 : 4;

/// each(i), where `i` is a value.
template <class Elem, int Count, int From = 0, class Each>
value<Elem> chosen(const value<std::int64_t>& i, const Each& each) {
  if constexpr (From + 1 == Count) return each(From);
  else return select(i == From, each(From), chosen<Elem, Count, From + 1>(i, each));
}
/// The place of an element in C order of the whole array.
template <int Rank, class At, class Extents>
value<std::int64_t> place_of(const At& at, const Extents& extents) {
  if constexpr (Rank == 1) return at(0);
  else return place_of<Rank - 1>(at, extents) * extents[Rank - 1] + at(Rank - 1);
}
template <law By, class Elem, class Words, class Second>
value<Elem> draw_number(const Words& words, const value<std::int64_t>& i, const value<Elem>& a,
                        const value<Second>& b) {
  constexpr int count = numbers_of_draw<By, Elem>;
  return chosen<Elem, count>(i, [&](int k) -> value<Elem> {
    if constexpr (By == law::integers) {
      return cast<Elem>(cast<std::uint64_t>(a) + words.long_below(k, b));
    } else if constexpr (By == law::uniform) {
      if constexpr (sizeof(Elem) == 4) return a + words.uniform_float(k) * (b - a);
      else return a + words.uniform_double(k) * (b - a);
    } else if constexpr (sizeof(Elem) == 4) {
      const auto both = words.normal_float(k / 2);
      return a + (k % 2 ? both.second : both.first) * b;
    } else {
      const auto both = words.normal_double();
      return a + (k ? both.second : both.first) * b;
    }
  });
}

template <law By, class Elem, int Rank, class Second>
auto make_random() {
  using index = value<std::int64_t>;
  return kernel(
      [](view<Elem, Rank> out, value<std::uint64_t> seed, value<std::uint64_t> call, value<Elem> a,
         value<Second> b, index i0, index i1, index i2, index n1, index n2) {
        const index first[] = {i0, i1, i2}, extents[] = {n1, n1, n2};
        each_index<Rank>(out, [&](const auto& i) {
          const index number =
              place_of<Rank>([&](int d) { return index(i[d] + first[d]); }, extents);
          const auto put = [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
            constexpr int count = numbers_of_draw<By, Elem>;
            out(i[Axis]...) = draw_number<By>(
                philox(seed, cast<std::uint64_t>(number / count), call), number % count, a, b);
          };
          put(std::make_index_sequence<Rank>{});
        });
      },
      {.name = "random", .fp = fp::reproducible});
}

}  // namespace detail

/// Fills arrays with random numbers: the same elements for any number of ranks, and those that a
/// kr::generator of this seed gives one array of the shape. Each call takes the next numbers.
/// \code
/// kr::dist::generator random(42);
/// random.normal(t);
/// \endcode
class generator {
 public:
  explicit generator(std::uint64_t seed) : seed_(seed) {}

  /// Uniform numbers from low to high. Throws error{usage} if their distance is not finite.
  template <class Elem, int Rank>
  void uniform(array<Elem, Rank>& to, Elem low = Elem(0), Elem high = Elem(1)) {
    krait::detail::check_bounds(double(low), double(high), double(high - low));
    draw<detail::law::uniform>(to, low, high);
  }
  /// Normal numbers. Throws error{usage} for a negative deviation.
  template <class Elem, int Rank>
  void normal(array<Elem, Rank>& to, Elem mean = Elem(0), Elem deviation = Elem(1)) {
    krait::detail::check_law("normal", "deviation", double(deviation));
    draw<detail::law::normal>(to, mean, deviation);
  }
  /// Integers from low to before high. Throws error{usage} unless low is below high.
  template <std::integral Elem, int Rank>
  void integers(array<Elem, Rank>& to, std::type_identity_t<Elem> low,
                std::type_identity_t<Elem> high) {
    if (low >= high)
      krait::detail::refuse_integers(std::int64_t(low), std::int64_t(high), std::is_signed_v<Elem>);
    draw<detail::law::integers>(to, low, std::uint64_t(high) - std::uint64_t(low));
  }

 private:
  template <detail::law By, class Elem, int Rank, class Second>
  void draw(array<Elem, Rank>& to, Elem first, Second second) {
    static_assert(By == detail::law::integers || std::is_floating_point_v<Elem>,
                  "krait: these random numbers are float or double");
    const std::uint64_t call = calls_++;
    detail::guard(to.how().of, [&] {
      static const auto& numbers =
          krait::detail::lasting(detail::make_random<By, Elem, Rank, Second>());
      krait::array<Elem, Rank> owned = to.owned();
      if (owned.size() == 0) return;
      const auto at = [](int d) { return d < Rank ? d : Rank - 1; };
      numbers.launch(detail::over(owned.extents()), owned, seed_, call, first, second, to.first(0),
                     to.first(at(1)), to.first(at(2)), to.extent(at(1)), to.extent(at(2)));
    });
  }

  std::uint64_t seed_, calls_ = 0;
};

}  // namespace krait::dist
