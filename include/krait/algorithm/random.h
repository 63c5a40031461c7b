// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of random numbers: a function of the seed, the call and the element's position, with the
// same bits on every device.
//   kr::generator random(42);
//   auto noise = random.normal<float>({480, 640});
//   auto dice = random.integers(1000, 1, 7);           // 1 to 6
//   auto shuffled = random.permutation(rows);          // along the first dimension
#pragma once

#include <initializer_list>

#include <krait/algorithm/indexing.h>
#include <krait/algorithm/sort.h>
#include <krait/krait.h>

namespace krait {
namespace detail {

/// Throw error{usage}: what kr::generator cannot make.
[[noreturn]] KRAIT_API void refuse_integers(std::int64_t low, std::int64_t high, bool is_signed);
KRAIT_API void check_bounds(double low, double high, double distance);
KRAIT_API void check_law(const char* law, const char* parameter, double x);
KRAIT_API void check_permutation(std::int64_t n);
KRAIT_API void check_choice(std::int64_t count, std::int64_t from, bool replace);

enum class law : unsigned char { uniform, exponential, normal, integers };
/// Fills contiguous elements by a law of two parameters, given by their bits: the bounds, the
/// scale, the mean and the deviation, or the least integer and the number of integers, of 64 bits.
KRAIT_API void draw_numbers(law by, const any_array& to, std::uint64_t seed, std::uint64_t call,
                            std::uint64_t first, std::uint64_t second);

/// Fills contiguous floats or doubles by the gamma law of this shape and scale 1.
KRAIT_API void draw_gamma(const any_array& to, std::uint64_t seed, std::uint64_t call,
                          double shape);
/// Fills contiguous int64 by the law of Poisson, or of Bernoulli's `trials`, one number for each
/// element or for all.
KRAIT_API void draw_poisson(const array<std::int64_t>& to, std::uint64_t seed, std::uint64_t call,
                            double mean);
KRAIT_API void draw_binomial(const array<std::int64_t>& to, std::uint64_t seed, std::uint64_t call,
                             const array<std::int64_t>& trials, double probability);
KRAIT_API void check_positive(const char* law, const char* parameter, double x);
KRAIT_API void check_probability(const char* law, double x);
/// The places of `count` draws with these probabilities, which add up to 1. Throws error{usage}.
KRAIT_API array<std::int64_t> draw_places(std::uint64_t seed, std::uint64_t call, device on,
                                          std::int64_t count, const host_array<double>& chances,
                                          std::int64_t from, bool replace);

/// Numbers on the host, given in braces, as a container, or as an array or expression.
class number_list {
 public:
  number_list(std::initializer_list<double> x) : at_(copied(x)) {}  // NOLINT: implicit on purpose
  template <class Type>
    requires whole_array<Type> || requires(const Type& x) { x.begin(), x.size(); }
  number_list(const Type& x) : at_(copied(x)) {}  // NOLINT: implicit on purpose
  const host_array<double>& get() const { return at_; }

 private:
  template <class Type>
  static host_array<double> copied(const Type& x) {
    if constexpr (whole_array<Type>) {
      return copied(eval(x).to_host());
    } else {
      host_array<double> made(x.size());
      auto from = x.begin();
      for (double& each : made) each = double(*from++);
      return made;
    }
  }
  host_array<double> at_;
};

}  // namespace detail

/// Makes arrays of random numbers from a seed; equal seeds give equal arrays on every device.
/// Call number c of a generator gives draws c of Philox4x32-10 (see kr::philox); elements in C
/// order do not depend on the shape. Shapes are braces, a kr::shape or a number; kr::into(y) may
/// follow all arguments. Members throw error{usage} for a negative extent, error{device} if memory
/// is short, and error{compile} for double on a device without it.
/// \code
/// kr::generator random(42);
/// auto noise = random.normal<float>({480, 640});
/// \endcode
class generator {
  // Above those that return what these do.
  template <int Rank, class Elem, class Second, class... Options>
  auto made(detail::law by, const shape<Rank>& extents, Elem first, Second second,
            const Options&... options) {
    auto out = detail::result_in<Elem, Rank>(detail::output_in(options...),
                                             detail::dense(extents.extents, Rank, false), on_);
    detail::draw_numbers(by, detail::erased(out.to), seed_, calls_++, detail::bits_of(first),
                         detail::bits_of(second));
    return out.give();
  }
  template <class Elem, int Rank, class... Options>
  auto new_numbers(const shape<Rank>& extents, const Options&... options) {
    static_assert(
        std::is_same_v<Elem, float> || std::is_same_v<Elem, double>,
        "krait: random numbers are float or double; convert an expression of them to narrow floats");
    return detail::result_in<Elem, Rank>(detail::output_in(options...),
                                         detail::dense(extents.extents, Rank, false), on_);
  }
  template <int Rank, class Elem, class... Options>
  auto floats(detail::law by, const shape<Rank>& extents, Elem first, Elem second,
              const Options&... options) {
    static_assert(
        std::is_same_v<Elem, float> || std::is_same_v<Elem, double>,
        "krait: random numbers are float or double; convert an expression of them to narrow floats");
    return made(by, extents, first, second, options...);
  }

 public:
  explicit generator(std::uint64_t seed, device on = device()) : seed_(seed), on_(on) {}

// Undefined below. The same by extents in braces, and by one extent.
#define KRAIT_PLAIN(...) __VA_ARGS__
#define KRAIT_SHAPES(name, standard, arguments, ...)                                               \
  template <class Elem = standard, int Rank, detail::into_option... Options>                       \
  auto name(const detail::any_extent(&extents)[Rank], __VA_ARGS__, const Options&... options) {    \
    return name<Elem>(detail::to_shape(extents), KRAIT_PLAIN arguments, options...);               \
  }                                                                                                \
  template <class Elem = standard, std::integral Extent, int Rank, detail::into_option... Options> \
  auto name(const Extent(&extents)[Rank], __VA_ARGS__, const Options&... options) {                \
    return name<Elem>(detail::to_shape(extents), KRAIT_PLAIN arguments, options...);               \
  }                                                                                                \
  template <class Elem = standard, std::integral Extent, detail::into_option... Options>           \
  auto name(Extent extent, __VA_ARGS__, const Options&... options) {                               \
    return name<Elem>(shape<1>(extent), KRAIT_PLAIN arguments, options...);                        \
  }

  /// Uniform floats or doubles from low to high, by default in [0, 1).
  /// They are multiples of 2^-24 or 2^-53 of the distance; rounding can reach high. Throws
  /// error{usage} if the distance is not finite.
  /// \code
  /// auto u = kr::generator(42).uniform<float>(1000);
  /// \endcode
  template <class Elem = double, int Rank, detail::into_option... Options>
  auto uniform(const shape<Rank>& extents, Elem low = Elem(0), Elem high = Elem(1),
               const Options&... options) {
    detail::check_bounds(double(low), double(high), double(high - low));
    return floats(detail::law::uniform, extents, low, high, options...);
  }
  KRAIT_SHAPES(uniform, double, (low, high), Elem low = Elem(0), Elem high = Elem(1))
  /// Normal floats or doubles with a mean and a standard deviation (Box and Muller, 1958).
  /// They are at most 5.8 (float) or 8.6 (double) deviations from the mean. Throws error{usage} for
  /// a negative deviation.
  /// \code
  /// auto noise = kr::generator(42).normal<float>({480, 640}, 0.0f, 2.0f);
  /// \endcode
  template <class Elem = double, int Rank, detail::into_option... Options>
  auto normal(const shape<Rank>& extents, Elem mean = Elem(0), Elem deviation = Elem(1),
              const Options&... options) {
    detail::check_law("normal", "deviation", double(deviation));
    return floats(detail::law::normal, extents, mean, deviation, options...);
  }
  KRAIT_SHAPES(normal, double, (mean, deviation), Elem mean = Elem(0), Elem deviation = Elem(1))
  /// Exponentially distributed floats or doubles with mean `scale`.
  /// Throws error{usage} for a negative scale.
  /// \code
  /// auto waits = kr::generator(42).exponential<float>(1000, 0.5f);
  /// \endcode
  template <class Elem = double, int Rank, detail::into_option... Options>
  auto exponential(const shape<Rank>& extents, Elem scale = Elem(1), const Options&... options) {
    detail::check_law("exponential", "scale", double(scale));
    return floats(detail::law::exponential, extents, scale, Elem(0), options...);
  }
  KRAIT_SHAPES(exponential, double, (scale), Elem scale = Elem(1))
  /// Integers from low to before high, with probabilities that differ by at most 2^-64.
  /// Throws error{usage} unless low is below high.
  /// \code
  /// auto dice = kr::generator(42).integers(1000, 1, 7);   // 1 to 6
  /// \endcode
  template <class Elem = std::int64_t, int Rank, detail::into_option... Options>
  auto integers(const shape<Rank>& extents, Elem low, Elem high, const Options&... options) {
    static_assert(std::is_integral_v<Elem> && !std::is_same_v<Elem, bool>,
                  "krait: integers() needs an integer type");
    if (low >= high)
      detail::refuse_integers(std::int64_t(low), std::int64_t(high), std::is_signed_v<Elem>);
    return made(detail::law::integers, extents, low, std::uint64_t(high) - std::uint64_t(low),
                options...);
  }
  KRAIT_SHAPES(integers, std::int64_t, (low, high), Elem low, Elem high)
  /// Floats or doubles by the gamma law (G. Marsaglia and W. W. Tsang, 2000).
  /// Throws error{usage} for a shape that is not above 0, and for a negative scale.
  /// \code
  /// auto waits = kr::generator(42).gamma<float>(1000, 2.0f, 0.5f);
  /// \endcode
  template <class Elem = double, int Rank, detail::into_option... Options>
  auto gamma(const shape<Rank>& extents, Elem shape_of, Elem scale = Elem(1),
             const Options&... options) {
    detail::check_positive("gamma", "shape", double(shape_of));
    detail::check_law("gamma", "scale", double(scale));
    auto out = new_numbers<Elem>(extents, options...);
    detail::draw_gamma(detail::erased(out.to), seed_, calls_++, double(shape_of));
    out.to *= scale;
    return out.give();
  }
  KRAIT_SHAPES(gamma, double, (shape_of, scale), Elem shape_of, Elem scale = Elem(1))
  /// Floats or doubles from 0 to 1 by the beta law.
  /// Throws error{usage} for parameters that are not above 0.
  /// \code
  /// auto parts = kr::generator(42).beta<float>(1000, 2.0f, 5.0f);
  /// \endcode
  template <class Elem = double, int Rank, detail::into_option... Options>
  auto beta(const shape<Rank>& extents, Elem a, Elem b, const Options&... options) {
    const auto first = gamma<Elem>(extents, a), second = gamma<Elem>(extents, b);
    auto out = new_numbers<Elem>(extents, options...);
    (first / (first + second)).into(out.to);
    return out.give();
  }
  KRAIT_SHAPES(beta, double, (a, b), Elem a, Elem b)
  /// Counts of events by Poisson's law, int64 (W. Hörmann, 1993, from a mean of 10 on).
  /// The device must have double. Throws error{usage} for a negative mean.
  /// \code
  /// auto arrivals = kr::generator(42).poisson(1000, 3.5);
  /// \endcode
  template <class Elem = std::int64_t, int Rank>
  auto poisson(const shape<Rank>& extents, double mean) {
    detail::check_law("poisson", "mean", mean);
    array<std::int64_t, Rank> out(extents, on_);
    detail::draw_poisson(detail::with_extents(out, shape<1>(out.size())), seed_, calls_++, mean);
    return out;
  }
  KRAIT_SHAPES(poisson, std::int64_t, (mean), double mean)
  /// How many of `trials` succeed, each with this probability; int64 (W. Hörmann, 1993).
  /// The device must have double. Throws error{usage} for a negative number and for a probability
  /// outside of 0 to 1.
  /// \code
  /// auto heads = kr::generator(42).binomial(1000, 10, 0.5);
  /// \endcode
  template <class Elem = std::int64_t, int Rank>
  auto binomial(const shape<Rank>& extents, std::int64_t trials, double probability) {
    detail::check_law("binomial", "number of trials", double(trials));
    detail::check_probability("binomial", probability);
    array<std::int64_t, Rank> out(extents, on_);
    array<std::int64_t, 1> all_of(shape<1>(1), on_);
    all_of.fill(trials);
    detail::draw_binomial(detail::with_extents(out, shape<1>(out.size())), seed_, calls_++, all_of,
                          probability);
    return out;
  }
  KRAIT_SHAPES(binomial, std::int64_t, (trials, probability), std::int64_t trials,
               double probability)
#undef KRAIT_SHAPES
#undef KRAIT_PLAIN
  /// How often each of several outcomes occurs in `trials`, a row for each of `count` experiments.
  /// Probabilities are braces, a container or an array. Throws error{usage} for ones outside of 0
  /// to 1.
  /// \code
  /// auto throws = kr::generator(42).multinomial(100, 20, {0.2, 0.3, 0.5});
  /// \endcode
  array<std::int64_t, 2> multinomial(std::int64_t count, std::int64_t trials,
                                     const detail::number_list& probabilities) {
    const host_array<double>& chances = probabilities.get();
    const std::int64_t outcomes = std::int64_t(chances.size());
    array<std::int64_t, 2> out(shape<2>(count, outcomes), on_);
    array<std::int64_t, 1> rest(shape<1>(count), on_), taken(shape<1>(count), on_);
    rest.fill(trials);
    double left = 1;
    for (std::int64_t i = 0; i < outcomes; ++i) {
      const double chance = chances[std::size_t(i)], part = left > 0 ? chance / left : 1;
      detail::check_probability("multinomial", chance);
      const double probability = i == outcomes - 1 || part > 1 ? 1 : part;
      detail::draw_binomial(taken, seed_, calls_++, rest, probability);
      out(all, i) = taken;
      rest -= taken;
      left -= chance;
    }
    return out;
  }
  /// The same in NumPy's order: the number of trials, the probabilities, the number of experiments.
  array<std::int64_t, 2> multinomial(std::int64_t trials, const detail::number_list& probabilities,
                                     std::int64_t count) {
    return multinomial(count, trials, probabilities);
  }
  /// `count` normal vectors with these means and covariances, one in each row.
  /// It needs <krait/algorithm/linalg.h> and <krait/algorithm/matmul.h>. Throws error{usage} for
  /// covariances that are not positive definite.
  template <class Elem>
  auto multivariate_normal(const array<Elem, 1>& means, const array<Elem, 2>& covariances,
                           std::int64_t count) {
    using number = std::remove_const_t<Elem>;
    static_assert(
        // names that krait/detail/elsewhere.h does not have
        requires {
          cholesky_of(detail::erased(covariances), {});
          dot_of_more(detail::all_tag(), covariances, covariances);
        },
        "krait: multivariate_normal needs #include <krait/algorithm/linalg.h> and "
        "<krait/algorithm/matmul.h>");
    const auto noise = normal<number>(shape<2>(count, means.extent(0)));
    const auto factor = cholesky(covariances);
    array<number, 2> out = matmul(noise, factor.transpose()) + means;
    return out;
  }

  /// The same with the means in a container of the host, or in braces.
  template <class Means, class Elem>
    requires detail::contiguous_container<Means>
  auto multivariate_normal(const Means& means, const array<Elem, 2>& covariances,
                           std::int64_t count) {
    return multivariate_normal(array<std::remove_const_t<Elem>, 1>(to_device(means, on_)),
                               covariances, count);
  }
  template <class Elem, std::size_t Count>
  auto multivariate_normal(const std::remove_const_t<Elem> (&means)[Count],
                           const array<Elem, 2>& covariances, std::int64_t count) {
    return multivariate_normal(to_device(means, on_), covariances, count);
  }

  /// The numbers 0 to n - 1 in random order. Throws error{usage} for 2^32 or more.
  template <detail::into_option... Options>
  auto permutation(std::int64_t n, const Options&... options) {
    detail::check_permutation(n);
    return argsort(integers<std::uint64_t>(shape<1>(n), 0, ~std::uint64_t(0)), options...);
  }
  /// The elements of an array, or its rows along the first dimension, in random order: a new array.
  template <detail::whole_array Source, detail::into_option... Options>
  auto permutation(const Source& source, const Options&... options) {
    const auto& x = detail::evaluated(source);
    return take(x, permutation(x.extent(0)), 0, options...);
  }
  /// Draws `count` elements, or rows along the first dimension, with equal probability: a new
  /// array.
  /// The elements are an array or numbers in braces. Without `replace` each one is drawn at most
  /// once; error{usage} if there are too few.
  /// \code
  /// auto sample = kr::generator(42).choice(x, 10, false);
  /// \endcode
  template <detail::whole_array Source, detail::into_option... Options>
  auto choice(const Source& source, std::int64_t count, bool replace = true,
              const Options&... options) {
    const auto& x = detail::evaluated(source);
    const std::int64_t rows = x.extent(0);
    detail::check_choice(count, rows, replace);
    if (!replace) return take(x, permutation(rows)(range(0, count)), 0, options...);
    if (count == 0) return take(x, array<std::int64_t, 1>(shape<1>(0), on_), 0, options...);
    return take(x, integers<std::int64_t>(shape<1>(count), 0, rows), 0, options...);
  }
  /// The same with the probability of each one, which add up to 1: braces, a container or an array.
  /// The device must have double. Throws error{usage} for others, and without `replace` if fewer
  /// than `count` are above 0.
  /// \code
  /// auto loaded = kr::generator(42).choice({1, 2, 3}, 100, true, {0.5, 0.25, 0.25});
  /// \endcode
  template <detail::whole_array Source, detail::into_option... Options>
  auto choice(const Source& source, std::int64_t count, bool replace,
              const detail::number_list& probabilities, const Options&... options) {
    const auto& x = detail::evaluated(source);
    return take(
        x,
        detail::draw_places(seed_, calls_++, on_, count, probabilities.get(), x.extent(0), replace),
        0, options...);
  }
  /// The same of a vector, as an array of a shape: `choice(x, {2000, 80})`.
  template <detail::whole_array Source, int Rank>
  auto choice(const Source& source, const shape<Rank>& extents, bool replace = true) {
    auto drawn = choice(source, extents.size(), replace);
    return detail::views::reshape(drawn, extents);
  }
  template <detail::whole_array Source, std::integral Extent, int Rank>
    requires(Rank > 1)
  auto choice(const Source& source, const Extent (&extents)[Rank], bool replace = true) {
    return choice(source, detail::to_shape(extents), replace);
  }
  template <detail::listed Elem, std::size_t Count, std::integral Extent, int Rank>
    requires(Rank > 1)
  auto choice(const Elem (&list)[Count], const Extent (&extents)[Rank], bool replace = true) {
    return choice(to_device(list, on_), extents, replace);
  }
  template <detail::listed Elem, std::size_t Count, detail::into_option... Options>
  auto choice(const Elem (&list)[Count], std::int64_t count, bool replace = true,
              const Options&... options) {
    return choice(to_device(list, on_), count, replace, options...);
  }
  template <detail::listed Elem, std::size_t Count, detail::into_option... Options>
  auto choice(const Elem (&list)[Count], std::int64_t count, bool replace,
              const detail::number_list& probabilities, const Options&... options) {
    return choice(to_device(list, on_), count, replace, probabilities, options...);
  }

 private:
  std::uint64_t seed_, calls_ = 0;
  device on_;
};

}  // namespace krait
