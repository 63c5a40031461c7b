// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise computations and reductions of krait/dist.h.
#pragma once

#include <krait/dist.h>

namespace krait::dist {
namespace detail {

template <class Elem, int Rank>
struct is_distributed<array<Elem, Rank>> : std::true_type {};
template <class Local>
struct is_distributed<expression<Local>> : std::true_type {};

/// What this rank computes with.
template <class Elem, int Rank>
krait::array<const Elem, Rank> local_of(const array<Elem, Rank>& a) {
  return a.owned();
}
template <class Local>
const Local& local_of(const expression<Local>& e) {
  return e.local();
}
template <krait::detail::plain Number>
Number local_of(Number x) {
  return x;
}
template <class First, class... Rest>
const decomposition& first_of(const First& first, const Rest&... rest) {
  if constexpr (distributed<First>) return first.how();
  else return first_of(rest...);
}
template <class Type>
void check_one(const char* name, const decomposition& how, const Type& x) {
  if constexpr (distributed<Type>)
    if (&x.how() != &how) check_alike(name, how, x.how());
}
template <class Function, class... Operands>
auto elementwise(const char* name, const Function& f, const Operands&... x) {
  const decomposition& how = first_of(x...);
  (check_one(name, how, x), ...);
  auto made = f(local_of(x)...);
  return expression<decltype(made)>(std::move(made), how);
}

/// The name of an element type in the signature of a call.
template <class Elem>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<Elem, float>) return "float";
  else if constexpr (std::is_same_v<Elem, double>) return "double";
  else if constexpr (std::is_same_v<Elem, std::int64_t>) return "int64";
  else if constexpr (std::is_same_v<Elem, std::uint64_t>) return "uint64";
  else if constexpr (std::is_integral_v<Elem>) return "an integer";
  else return "another type";
}
template <class Elem>
bool is_nan(Elem x) {
  return x != x;
}

/// The ranks' parts of a reduction, in their order: the same on all ranks, whose results are so.
/// A replicated array has its number on each rank, and takes that of rank 0.
template <class Part>
class parts {
 public:
  parts(const char* name, const char* type, const decomposition& how, const Part& mine)
      : of_(static_cast<std::size_t>(size_of(how.of))), used_(how.replicated ? 1 : of_.size()) {
    static_assert(sizeof(Part) <= 40 && std::is_trivially_copyable_v<Part>);
    call what{.name = name, .type = type};
    what.add(how.size());
    all_gather(how.of, what, &mine, of_.data(), sizeof(Part));
  }
  const Part* begin() const { return of_.data(); }
  const Part* end() const { return of_.data() + used_; }

 private:
  krait::host_array<Part> of_;
  std::size_t used_;
};

/// This rank's part of a reduction, which only this rank may fail at.
template <class Compute>
auto compute_part(const char* name, const decomposition& how, const Compute& compute) {
  decltype(compute()) part{};
  settle(how.of, name);
  guard(how.of, [&] { part = compute(); });
  return part;
}

template <class Type>
auto sum_of(const char* name, const Type& x) {
  using total = decltype(krait::sum(local_of(x)));
  // Several ranks' floats in double: their number adds no error.
  using wide = std::conditional_t<std::is_same_v<total, float>, double, total>;
  const total mine = compute_part(name, x.how(), [&] { return krait::sum(local_of(x)); });
  wide all{};
  for (const total& part : parts<total>(name, type_name<total>(), x.how(), mine)) all += wide(part);
  return total(all);
}

template <class First, class... More>
auto sums_of(const First& x, const More&... more) {
  using total = decltype(krait::sum(local_of(x)));
  constexpr int count = 1 + sizeof...(More);
  using all_sums = sums<total, count>;
  static_assert(sizeof(all_sums) <= 40,
                "krait: a message has the sums of five arrays, or of two of std::complex<double>: "
                "call kr::sum again for more");
  // A replicated array has its sum on each rank, and takes that of rank 0.
  const bool everywhere[] = {x.how().replicated, more.how().replicated...};
  const all_sums mine =
      compute_part("kr::sum", x.how(), [&] { return krait::sum(local_of(x), local_of(more)...); });
  using wide = std::conditional_t<std::is_same_v<total, float>, double, total>;
  wide all[count]{};
  decomposition how = x.how();
  how.replicated = false;
  const parts<all_sums> of_ranks("kr::sum", "several", how, mine);
  for (const auto& part : of_ranks)
    for (int i = 0; i < count; ++i)
      if (!everywhere[i] || &part == of_ranks.begin()) all[i] += wide(part.at[i]);
  all_sums result{};
  for (int i = 0; i < count; ++i) result.at[i] = total(all[i]);
  return result;
}

struct slices {
  std::int64_t of[3];
};
/// The sum by integers (lib/dist/blocks.cpp): two exchanges and four passes.
template <class Type>
double exact_sum_of(const Type& x) {
  const auto& local = local_of(x);
  const double top = compute_part("kr::sum, reproducible", x.how(), [&] {
    return double(krait::max(krait::cast<double>(krait::abs(local)), initial(0.0)));
  });
  double largest = 0;
  for (const double part : parts<double>("kr::sum, reproducible", "double", x.how(), top))
    if (is_nan(part) || part > largest) largest = is_nan(largest) ? largest : part;
  if (is_nan(largest) || largest > __DBL_MAX__) return double(sum_of("kr::sum", x));
  if (largest == 0) return 0;
  const int e = grid_exponent(largest);
  const double a = power_of_two(26 - e), ia = power_of_two(e - 26), b = power_of_two(52 - e),
               ib = power_of_two(e - 52), c = power_of_two(78 - e);
  const slices mine = compute_part("kr::sum, reproducible", x.how(), [&] {
    const auto v = krait::cast<double>(local);
    const auto rest = v - krait::trunc(v * a) * ia;
    const auto last = rest - krait::trunc(rest * b) * ib;
    using krait::cast, krait::trunc;
    return slices{{krait::sum(cast<std::int64_t>(trunc(v * a))),
                   krait::sum(cast<std::int64_t>(trunc(rest * b))),
                   krait::sum(cast<std::int64_t>(trunc(last * c)))}};
  });
  std::int64_t all[3]{};
  for (const slices& part : parts<slices>("kr::sum, reproducible", "slices", x.how(), mine))
    for (int i = 0; i < 3; ++i) all[i] += part.of[i];
  return join_slices(all, e);
}

template <class Elem>
struct extreme {
  Elem value;
  bool there;
};
/// The best of the ranks that have elements; a NaN wins, as in kr::max.
template <class Type, class Local, class Better>
auto extreme_of(const char* name, const Type& x, const Local& local, const Better& better) {
  using number = decltype(local());
  bool empty = false;
  for (int d = 0; d < x.how().rank; ++d) empty = empty || x.how().owned[d] == 0;
  const auto mine = compute_part(name, x.how(), [&] {
    return empty ? extreme<number>{number{}, false} : extreme<number>{local(), true};
  });
  extreme<number> best{number{}, false};
  for (const auto& part : parts<extreme<number>>(name, type_name<number>(), x.how(), mine)) {
    if (!part.there || (best.there && is_nan(best.value))) continue;
    if (!best.there || is_nan(part.value) || better(part.value, best.value)) best = part;
  }
  if (!best.there)
    krait::detail::throw_usage("kr::max and kr::min of an array without elements have no value",
                               {});
  return best.value;
}

struct reproducible_type {};

}  // namespace detail

/// The option of kr::sum, kr::mean and kr::dot for the same bits on any number of ranks.
/// The elements are added as integers, on a grid that the largest one decides. It is exact to
/// n · 2^-77 of the largest absolute value, for up to 2^37 elements.
/// \code
/// double same = kr::sum(t, kr::dist::reproducible);
/// \endcode
inline constexpr detail::reproducible_type reproducible{};

template <class Elem, int Rank>
template <class Local>
array<Elem, Rank>::array(const expression<Local>& from) : array(from.how()) {
  static_assert(Local::rank == Rank,
                "krait: the array and the expression differ in their number of dimensions");
  detail::number(how_);
  *this = from;
}
template <class Elem, int Rank>
template <class Local>
array<Elem, Rank>& array<Elem, Rank>::operator=(const expression<Local>& from) {
  detail::check_alike("=", how_, from.how());
  detail::guard(how_.of, [&] {
    krait::array<Elem, Rank> to = owned();
    from.local().into(to);
  });
  return *this;
}

// Undefined below.
#define KRAIT_DIST_OPERATOR(symbol)                                              \
  template <class Left, class Right>                                             \
    requires detail::operands<Left, Right>                                       \
  auto operator symbol(const Left& x, const Right& y) {                          \
    return detail::elementwise(                                                  \
        #symbol, [](const auto& a, const auto& b) { return a symbol b; }, x, y); \
  }
#define KRAIT_DIST_ASSIGNMENT(symbol)                                           \
  KRAIT_DIST_OPERATOR(symbol)                                                   \
  template <class Elem, int Rank, detail::operand Right>                        \
  array<Elem, Rank>& operator symbol##=(array<Elem, Rank>& x, const Right& y) { \
    return x = x symbol y;                                                      \
  }
KRAIT_DIST_ASSIGNMENT(+)
KRAIT_DIST_ASSIGNMENT(-)
KRAIT_DIST_ASSIGNMENT(*)
KRAIT_DIST_ASSIGNMENT(/)
KRAIT_DIST_OPERATOR(<)
KRAIT_DIST_OPERATOR(>)
KRAIT_DIST_OPERATOR(<=)
KRAIT_DIST_OPERATOR(>=)
KRAIT_DIST_OPERATOR(==)
KRAIT_DIST_OPERATOR(!=)
#undef KRAIT_DIST_ASSIGNMENT
#undef KRAIT_DIST_OPERATOR
/// The negative of each element.
template <detail::distributed Type>
auto operator-(const Type& x) {
  return detail::elementwise(
      "-", [](const auto& a) { return -a; }, x);
}

}  // namespace krait::dist

namespace krait {

// Undefined below. The element-wise functions of krait/math.h on arrays of kr::dist.
#define KRAIT_DIST_FUNCTION1(function)                                          \
  template <dist::detail::distributed Type>                                     \
  auto function(const Type& x) {                                                \
    return dist::detail::elementwise(                                           \
        "kr::" #function, [](const auto& a) { return krait::function(a); }, x); \
  }
#define KRAIT_DIST_FUNCTION2(function)                                                           \
  template <class Left, class Right>                                                             \
    requires dist::detail::operands<Left, Right>                                                 \
  auto function(const Left& x, const Right& y) {                                                 \
    return dist::detail::elementwise(                                                            \
        "kr::" #function, [](const auto& a, const auto& b) { return krait::function(a, b); }, x, \
        y);                                                                                      \
  }
#define KRAIT_DIST_Function(text, arity) KRAIT_DIST_FUNCTION##arity(text)
#define KRAIT_DIST_Own(text, arity)
#define KRAIT_VALUE(Name, text, arity, rule, types, order, cost, form, doc) \
  KRAIT_DIST_##form(text, arity)
#define KRAIT_MATH(Name, text, arity, doc) KRAIT_DIST_FUNCTION##arity(text)
#include <krait/ops.def>
#undef KRAIT_DIST_FUNCTION1
#undef KRAIT_DIST_FUNCTION2
#undef KRAIT_DIST_Function
#undef KRAIT_DIST_Own
/// Converts each element of an array of kr::dist.
template <class To, dist::detail::distributed Type>
auto cast(const Type& x) {
  return dist::detail::elementwise(
      "kr::cast", [](const auto& a) { return krait::cast<To>(a); }, x);
}

/// The sum of all elements of an array of kr::dist, the same number on all ranks.
template <dist::detail::distributed Type>
auto sum(const Type& x) {
  return dist::detail::sum_of("kr::sum", x);
}
/// The sums of up to five arrays or expressions, in one message, as kr::sums.
/// \code
/// auto [along, left] = kr::sum(d * y, r * r);
/// \endcode
template <dist::detail::distributed First, dist::detail::distributed... More>
  requires(sizeof...(More) > 0)
auto sum(const First& x, const More&... more) {
  return dist::detail::sums_of(x, more...);
}
template <dist::detail::distributed Type>
auto sum(const Type& x, dist::detail::reproducible_type) {
  using total = decltype(krait::sum(dist::detail::local_of(x)));
  if constexpr (std::is_integral_v<total>) return dist::detail::sum_of("kr::sum", x);
  else return total(dist::detail::exact_sum_of(x));
}
/// The smallest element of an array of kr::dist, or NaN if there is one, the same on all ranks.
template <dist::detail::distributed Type>
auto min(const Type& x) {
  return dist::detail::extreme_of(
      "kr::min", x, [&] { return krait::min(dist::detail::local_of(x)); },
      [](const auto& a, const auto& b) { return a < b; });
}
/// The largest element of an array of kr::dist, or NaN if there is one, the same on all ranks.
template <dist::detail::distributed Type>
auto max(const Type& x) {
  return dist::detail::extreme_of(
      "kr::max", x, [&] { return krait::max(dist::detail::local_of(x)); },
      [](const auto& a, const auto& b) { return b < a; });
}
/// The mean of all elements of an array of kr::dist; of integers a double.
template <dist::detail::distributed Type, class... Options>
auto mean(const Type& x, Options... options) {
  const auto total = krait::sum(x, options...);
  using number = std::conditional_t<std::is_integral_v<decltype(total)>, double,
                                    std::remove_const_t<decltype(total)>>;
  return number(total) / number(x.how().size());
}
/// The dot product of two one-dimensional arrays of kr::dist, the same on all ranks.
template <dist::detail::distributed Left, dist::detail::distributed Right, class... Options>
auto dot(const Left& x, const Right& y, Options... options) {
  static_assert(Left::rank == 1,
                "krait: dot takes one dimension: kr::sum(x * y) adds all products");
  return krait::sum(x * y, options...);
}

}  // namespace krait
