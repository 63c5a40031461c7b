// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short vectors: kr::vec<T, 2..4> on the host, value, var and ref of it in kernels. Operators and functions work component by
// component with C++'s types, on both; a scalar operand is meant for every component.
//
//   auto p = positions[i];                       // of a kr::view<const kr::vec<float, 3>>
//   kr::var v = kr::vec{0.0f, 1.0f, 0.0f};
//   v += dt * kr::normalize(p - v);
//   v.x = kr::dot(v, p);
#pragma once

#include <krait/aggregate.h>
#include <krait/control.h>
#include <krait/detail/all.h>
#include <krait/math_more.h>

namespace krait {
namespace detail {

/// CUDA's alignment: vectors of two and four are aligned to their size, at most 16 bytes; vectors of three are three scalars.
template <class Type, int Size>
inline constexpr std::size_t vec_alignment = Size == 3                  ? alignof(Type)
                                             : sizeof(Type) * Size < 16 ? sizeof(Type) * Size
                                                                        : std::size_t(16);

template <class Vector, class Index>
constexpr auto& component(Vector& v, Index i) {
  using type = std::remove_reference_t<decltype((v.x))>;
  type* const all[] = {&v.x, &v.y,
                       [&] {
                         if constexpr (requires { v.z; }) return &v.z;
                         else return &v.y;
                       }(),
                       [&] {
                         if constexpr (requires { v.w; }) return &v.w;
                         else return &v.y;
                       }()};
  return *all[i];
}

}  // namespace detail

/// A vector of two to four plain components: an aggregate, `kr::vec<float, 3>{1, 2, 3}` or `kr::vec{1.0f, 2.0f, 3.0f}`. In memory
/// vec<T, 3> is `struct { T x, y, z; }`; vec<T, 2> and vec<T, 4> are aligned to their size, at most 16 bytes, as CUDA's are.
template <class Type>
struct alignas(detail::vec_alignment<Type, 2>) vec<Type, 2> {
  Type x, y;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <class Type>
struct vec<Type, 3> {
  Type x, y, z;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <class Type>
struct alignas(detail::vec_alignment<Type, 4>) vec<Type, 4> {
  Type x, y, z, w;
  constexpr Type& operator[](int i) { return detail::component(*this, i); }
  constexpr const Type& operator[](int i) const { return detail::component(*this, i); }
};
template <detail::plain Type>
vec(Type, Type) -> vec<Type, 2>;
template <detail::plain Type>
vec(Type, Type, Type) -> vec<Type, 3>;
template <detail::plain Type>
vec(Type, Type, Type, Type) -> vec<Type, 4>;

namespace detail {

template <class Type, int Size>
struct composite<vec<Type, Size>> {
  static_assert(plain<Type>, "krait: the components of a kr::vec must be numbers");
  using types =
      std::conditional_t<Size == 2, std::tuple<Type, Type>,
                         std::conditional_t<Size == 3, std::tuple<Type, Type, Type>, std::tuple<Type, Type, Type, Type>>>;
  template <class Object, class Visit>
  static void each(Object& object, const Visit& visit) {
    visit(object.x), visit(object.y);
    if constexpr (Size > 2) visit(object.z);
    if constexpr (Size > 3) visit(object.w);
  }
};

template <class Type>
inline constexpr int vec_size = 0;
template <class Type, int Size>
inline constexpr int vec_size<vec<Type, Size>> = Size;
/// A plain or traced vector.
template <class Type>
concept any_vec = vec_size<held_t<Type>>
!= 0;
template <any_vec Vector>
inline constexpr int size_of_vec = vec_size<held_t<Vector>>;

template <int Index, class Vector>
auto& component_of(Vector& v) {
  if constexpr (Index == 0) return v.x;
  else if constexpr (Index == 1) return v.y;
  else if constexpr (Index == 2) return v.z;
  else return v.w;
}

/// A vector of results: traced where one of them is.
template <class First, class... Rest>
auto join(const First& first, const Rest&... rest) {
  using type = held_t<First>;
  constexpr int size = 1 + sizeof...(Rest);
  if constexpr (traced<First> || (traced<Rest> || ...)) return value<vec<type, size>>(first, rest...);
  else return vec<type, size>{first, static_cast<type>(rest)...};
}
/// function(component…) for every component.
template <int Size, class Function>
auto each_component(const Function& function) {
  const auto at = [&](auto index) { return function(index); };
  // In order: operands of a call would be recorded in an order of the compiler's choice.
  const auto x = at(std::integral_constant<int, 0>());
  const auto y = at(std::integral_constant<int, 1>());
  if constexpr (Size == 2) {
    return join(x, y);
  } else {
    const auto z = at(std::integral_constant<int, 2>());
    if constexpr (Size == 3) return join(x, y, z);
    else return join(x, y, z, at(std::integral_constant<int, 3>()));
  }
}
/// The component of a vector; a scalar is meant for every component.
template <int Index, class Operand>
const auto& spread(const Operand& x) {
  if constexpr (any_vec<Operand>) return component_of<Index>(x);
  else return x;
}
template <class Left, class Right>
inline constexpr int common_size = [] {
  if constexpr (!any_vec<Left>) return size_of_vec<Right>;
  else if constexpr (!any_vec<Right>) return size_of_vec<Left>;
  else {
    static_assert(size_of_vec<Left> == size_of_vec<Right>, "krait: the vectors have different numbers of components");
    return size_of_vec<Left>;
  }
}();
/// Two operands of a vector operation: one at least is a vector, the other one or a number.
template <class Left, class Right>
concept vec_operands = (any_vec<Left> && (any_vec<Right> || operand_type<Right>)) || (operand_type<Left> && any_vec<Right>);
template <class Type>
concept traced_operand = traced<Type> ||(any_vec<Type>&& traced_composite<Type>);
template <class Type>
concept plain_operand = plain<Type> ||(vec_size<Type> != 0);

template <class Left, class Right, class Function>
auto zip(const Left& x, const Right& y, const Function& function) {
  return each_component<common_size<Left, Right>>([&](auto i) { return function(spread<i>(x), spread<i>(y)); });
}

/// A text that is a template argument: the letters of a swizzle.
template <std::size_t Size>
struct letters {
  char at[Size];
  consteval letters(const char (&text)[Size]) {  // NOLINT: implicit on purpose
    for (std::size_t i = 0; i < Size; ++i) at[i] = text[i];
  }
  static constexpr int count = static_cast<int>(Size) - 1;
  constexpr int index(int i) const {
    const char c = at[i];
    return c == 'x' || c == 'r' ? 0 : c == 'y' || c == 'g' ? 1 : c == 'z' || c == 'b' ? 2 : c == 'w' || c == 'a' ? 3 : 4;
  }
  constexpr bool name(int size) const {
    for (int i = 0; i < count; ++i)
      if (index(i) >= size) return false;
    return count >= 1 && count <= 4;
  }
};

/// The components of a traced vector: .x .y .z .w, or v[i].
template <template <class> class Wrapper, class Type, int Size>
struct components;
template <template <class> class Wrapper, class Type>
struct components<Wrapper, Type, 2> {
  Wrapper<Type> x, y;
  template <source Source>
  explicit components(Source& from) : x(from), y(from) {}
};
template <template <class> class Wrapper, class Type>
struct components<Wrapper, Type, 3> {
  Wrapper<Type> x, y, z;
  template <source Source>
  explicit components(Source& from) : x(from), y(from), z(from) {}
};
template <template <class> class Wrapper, class Type>
struct components<Wrapper, Type, 4> {
  Wrapper<Type> x, y, z, w;
  template <source Source>
  explicit components(Source& from) : x(from), y(from), z(from), w(from) {}
};

template <template <class> class Wrapper, class Type, int Size>
class parts<Wrapper, vec<Type, Size>> : public components<Wrapper, Type, Size> {
 public:
  static constexpr std::size_t count = Size;
  template <std::size_t Index>
  using part_type = Type;

  using components<Wrapper, Type, Size>::components;
  parts(const parts&) = default;
  void operator=(const parts&) = delete;
  template <class Visit>
  void leaves(const Visit& visit) const {
    visit(this->x), visit(this->y);
    if constexpr (Size > 2) visit(this->z);
    if constexpr (Size > 3) visit(this->w);
  }

  const Wrapper<Type>& operator[](plain_index i) const& { return component(*this, i.below(Size)); }
  Wrapper<Type>& operator[](plain_index i) & { return component(*this, i.below(Size)); }
  Wrapper<Type>&& operator[](plain_index i) && { return static_cast<Wrapper<Type>&&>(component(*this, i.below(Size))); }
  /// A traced index reads; below 0 and beyond the last component it gives the last.
  template <traced Index>
  value<Type> operator[](const Index& i) const {
    value<Type> result(component_of<Size - 1>(*this));
    return pick<Size - 2>(value<typename Index::traced_type>(i), result);
  }

  template <std::size_t Index>
  const Wrapper<Type>& get() const& {
    return component_of<static_cast<int>(Index)>(*this);
  }
  template <std::size_t Index>
  Wrapper<Type>& get() & {
    return component_of<static_cast<int>(Index)>(*this);
  }
  template <std::size_t Index>
  Wrapper<Type>&& get() && {
    return static_cast<Wrapper<Type>&&>(component_of<static_cast<int>(Index)>(*this));
  }

 private:
  template <int From, class Index>
  value<Type> pick(const Index& i, const value<Type>& otherwise) const {
    if constexpr (From < 0) return otherwise;
    else return pick<From - 1>(i, select(i == From, value<Type>(component_of<From>(*this)), otherwise));
  }
};

}  // namespace detail

/// A vector of components that are plain or traced numbers, of the first one's type: `kr::make_vec(x, y, z)`.
template <detail::operand_type First, detail::operand_type... Rest>
requires(sizeof...(Rest) >= 1 && sizeof...(Rest) <= 3) auto make_vec(First first, Rest... rest) {
  return detail::join(first, rest...);
}

/// `kr::swizzle<"zyx">(v)`, also by the letters rgba. One letter gives a number.
template <detail::letters Text, detail::any_vec Vector>
auto swizzle(const Vector& v) {
  static_assert(Text.name(detail::size_of_vec<Vector>),
                "krait: a swizzle names one to four components of the vector, by xyzw or rgba");
  const auto at = [&](auto i) { return detail::spread<Text.index(i)>(v); };
  if constexpr (Text.count == 1) return at(std::integral_constant<int, 0>());
  else return detail::each_component<Text.count>(at);
}

// Plain components are computed as C++ computes them: of two types they are converted without asking, and an overflow of signed
// ones is undefined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
// Undefined below: one line an operator, for traced and plain operands in every order. Plain ones are taken by value, so that a
// constant can be used in a lambda that does not capture it.
#define KRAIT_VEC_PAIR(name, expression)                                               \
  template <detail::traced_operand Left, detail::traced_operand Right>                 \
  requires detail::vec_operands<Left, Right>                                           \
  auto name(const Left& x, const Right& y) {                                           \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::traced_operand Left, detail::plain_operand Right>                  \
  requires detail::vec_operands<Left, Right>                                           \
  auto name(const Left& x, Right y) {                                                  \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::plain_operand Left, detail::traced_operand Right>                  \
  requires detail::vec_operands<Left, Right>                                           \
  auto name(Left x, const Right& y) {                                                  \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }                                                                                    \
  template <detail::plain_operand Left, detail::plain_operand Right>                   \
  requires detail::vec_operands<Left, Right>                                           \
  auto name(Left x, Right y) {                                                         \
    return detail::zip(x, y, [](const auto& a, const auto& b) { return expression; }); \
  }
#define KRAIT_VEC_OPERATOR(symbol) KRAIT_VEC_PAIR(operator symbol, a symbol b)
#define KRAIT_VEC_COMPOUND(symbol)                                                      \
  KRAIT_VEC_OPERATOR(symbol)                                                            \
  template <class Type, int Size, detail::traced_operand Right>                         \
  var<vec<Type, Size>>& operator symbol##=(var<vec<Type, Size>>& x, const Right& y) {   \
    return x = x symbol y;                                                              \
  }                                                                                     \
  template <class Type, int Size, detail::plain_operand Right>                          \
  var<vec<Type, Size>>& operator symbol##=(var<vec<Type, Size>>& x, Right y) {          \
    return x = x symbol y;                                                              \
  }                                                                                     \
  template <class Type, int Size, detail::traced_operand Right>                         \
  value<vec<Type, Size>> operator symbol##=(ref<vec<Type, Size>>&& x, const Right& y) { \
    return static_cast<ref<vec<Type, Size>>&&>(x) = x symbol y;                         \
  }                                                                                     \
  template <class Type, int Size, detail::plain_operand Right>                          \
  value<vec<Type, Size>> operator symbol##=(ref<vec<Type, Size>>&& x, Right y) {        \
    return static_cast<ref<vec<Type, Size>>&&>(x) = x symbol y;                         \
  }                                                                                     \
  template <class Type, int Size, detail::plain_operand Right>                          \
  constexpr vec<Type, Size>& operator symbol##=(vec<Type, Size>& x, Right y) {          \
    const auto result = x symbol y;                                                     \
    for (int i = 0; i < Size; ++i) x[i] = static_cast<Type>(result[i]);                 \
    return x;                                                                           \
  }
KRAIT_VEC_COMPOUND(+)
KRAIT_VEC_COMPOUND(-)
KRAIT_VEC_COMPOUND(*)
KRAIT_VEC_COMPOUND(/)
KRAIT_VEC_COMPOUND(%)
KRAIT_VEC_COMPOUND(&)
KRAIT_VEC_COMPOUND(|)
KRAIT_VEC_COMPOUND(^)
KRAIT_VEC_COMPOUND(<<)
KRAIT_VEC_COMPOUND(>>)
KRAIT_VEC_OPERATOR(==)
KRAIT_VEC_OPERATOR(!=)
KRAIT_VEC_OPERATOR(<)
KRAIT_VEC_OPERATOR(<=)
KRAIT_VEC_OPERATOR(>)
KRAIT_VEC_OPERATOR(>=)
#undef KRAIT_VEC_OPERATOR
#undef KRAIT_VEC_COMPOUND

#define KRAIT_VEC_UNARY(symbol)                                                                                      \
  template <detail::any_vec Vector>                                                                                  \
  auto operator symbol(const Vector& v) {                                                                            \
    return detail::each_component<detail::size_of_vec<Vector>>([&](auto i) { return symbol detail::spread<i>(v); }); \
  }
KRAIT_VEC_UNARY(+)
KRAIT_VEC_UNARY(-)
KRAIT_VEC_UNARY(~)
KRAIT_VEC_UNARY(!)
#undef KRAIT_VEC_UNARY

// Undefined below: the functions of krait/math.h, component by component.
#define KRAIT_VEC_FUNCTION1(function)                                                                                          \
  template <detail::any_vec Vector>                                                                                            \
  auto function(const Vector& v) {                                                                                             \
    return detail::each_component<detail::size_of_vec<Vector>>([&](auto i) { return krait::function(detail::spread<i>(v)); }); \
  }
#define KRAIT_VEC_FUNCTION2(function) KRAIT_VEC_PAIR(function, krait::function(a, b))
// clang-format off
KRAIT_VEC_FUNCTION1(sqrt) KRAIT_VEC_FUNCTION1(floor) KRAIT_VEC_FUNCTION1(ceil) KRAIT_VEC_FUNCTION1(trunc)
KRAIT_VEC_FUNCTION1(rint) KRAIT_VEC_FUNCTION1(round) KRAIT_VEC_FUNCTION1(isnan) KRAIT_VEC_FUNCTION1(isinf)
KRAIT_VEC_FUNCTION1(isfinite) KRAIT_VEC_FUNCTION1(abs)
KRAIT_VEC_FUNCTION1(exp) KRAIT_VEC_FUNCTION1(exp2) KRAIT_VEC_FUNCTION1(exp10) KRAIT_VEC_FUNCTION1(expm1)
KRAIT_VEC_FUNCTION1(log) KRAIT_VEC_FUNCTION1(log2) KRAIT_VEC_FUNCTION1(log10) KRAIT_VEC_FUNCTION1(log1p)
KRAIT_VEC_FUNCTION1(sin) KRAIT_VEC_FUNCTION1(cos) KRAIT_VEC_FUNCTION1(tan)
KRAIT_VEC_FUNCTION1(asin) KRAIT_VEC_FUNCTION1(acos) KRAIT_VEC_FUNCTION1(atan)
KRAIT_VEC_FUNCTION1(sinh) KRAIT_VEC_FUNCTION1(cosh) KRAIT_VEC_FUNCTION1(tanh)
KRAIT_VEC_FUNCTION1(erf) KRAIT_VEC_FUNCTION1(rsqrt) KRAIT_VEC_FUNCTION1(cbrt)
KRAIT_VEC_FUNCTION2(min) KRAIT_VEC_FUNCTION2(max) KRAIT_VEC_FUNCTION2(pow) KRAIT_VEC_FUNCTION2(atan2)
KRAIT_VEC_FUNCTION2(fmod) KRAIT_VEC_FUNCTION2(copysign)
// clang-format on
#undef KRAIT_VEC_FUNCTION1
#undef KRAIT_VEC_FUNCTION2
#undef KRAIT_VEC_PAIR
#pragma GCC diagnostic pop

    /// x, but not below `low` and not above `high`: numbers or vectors.
    template <class Type, class Low, class High>
requires(detail::any_vec<Type> || detail::operand_type<Type>) auto clamp(const Type& x, Low low, High high) {
  return krait::min(krait::max(x, low), high);
}
/// x + t * (y - x): numbers or vectors.
template <class Left, class Right, class Weight>
requires((detail::any_vec<Left> || detail::operand_type<Left>)&&(detail::any_vec<Right> || detail::operand_type<Right>)) auto mix(
    const Left& x, const Right& y, Weight t) {
  return x + t * (y - x);
}

/// The sum of the products of the components, x first.
template <detail::any_vec Left, detail::any_vec Right>
auto dot(const Left& x, const Right& y) {
  constexpr int size = detail::common_size<Left, Right>;
  const auto products = x * y;
  const auto two = products.x + products.y;
  if constexpr (size == 2) return two;
  else if constexpr (size == 3) return two + products.z;
  else return two + products.z + products.w;
}
/// The cross product of two vectors of three.
template <detail::any_vec Left, detail::any_vec Right>
requires(detail::size_of_vec<Left> == 3 && detail::size_of_vec<Right> == 3) auto cross(const Left& x, const Right& y) {
  return swizzle<"yzx">(x) * swizzle<"zxy">(y) - swizzle<"zxy">(x) * swizzle<"yzx">(y);
}
/// The Euclidean length; the sum of squares may overflow.
template <detail::any_vec Vector>
auto length(const Vector& v) {
  return krait::sqrt(dot(v, v));
}
template <detail::any_vec Left, detail::any_vec Right>
auto distance(const Left& x, const Right& y) {
  return length(x - y);
}
/// v / length(v): NaN for a vector of zeros.
template <detail::any_vec Vector>
auto normalize(const Vector& v) {
  return v / length(v);
}

namespace detail {
/// Every component is not 0: `kr::if_(kr::all(a < b), [&] { … })`.
template <any_vec Vector>
auto every(all_tag, const Vector& v) {
  const auto test = v != 0;
  const auto two = test.x & test.y;
  if constexpr (size_of_vec<Vector> == 2) return two != 0;
  else if constexpr (size_of_vec<Vector> == 3) return (two & test.z) != 0;
  else return (two & test.z & test.w) != 0;
}
}  // namespace detail
/// Some component is not 0.
template <detail::any_vec Vector>
auto any(const Vector& v) {
  const auto test = v != 0;
  const auto two = test.x | test.y;
  if constexpr (detail::size_of_vec<Vector> == 2) return two != 0;
  else if constexpr (detail::size_of_vec<Vector> == 3) return (two | test.z) != 0;
  else return (two | test.z | test.w) != 0;
}

/// condition ? yes : no, of one composite type. Of vectors the condition may be a vector of bool: component by component.
template <class Yes, class No>
requires(std::is_same_v<detail::held_t<Yes>, detail::held_t<No>> && !detail::plain<detail::held_t<Yes>> &&
         (detail::any_traced<Yes> || detail::any_traced<No> ||
          detail::is_struct<Yes>)) auto select(detail::operand condition, Yes yes, No no,
                                               detail::location where = detail::location::here()) {
  using type = detail::held_t<Yes>;
  detail::set_location(where);
  detail::node_list<type> first(yes);
  const detail::node_list<type> second(no);
  const detail::node chosen = detail::convert(detail::scalar::boolean, node_of(condition));
  for (std::size_t i = 0; i < detail::leaf_count<type>; ++i)
    first.at[i] = detail::apply(detail::op::Select, detail::scalars_of<type>.at[i], chosen, first.at[i], second.at[i]);
  return value<type>(first.source);
}
template <detail::plain Condition, class Type>
requires(detail::is_struct<Type> && !detail::any_traced<Type>) Type select(Condition condition, Type yes, Type no) {
  return detail::convert_plain<bool>(condition) ? yes : no;
}
template <detail::any_vec Condition, class Yes, class No>
requires detail::vec_operands<Yes, No>
auto select(const Condition& condition, Yes yes, No no) {
  static_assert(detail::size_of_vec<Condition> == detail::common_size<Yes, No>,
                "krait: the vectors have different numbers of components");
  return detail::each_component<detail::size_of_vec<Condition>>([&](auto i) {
    const auto& c = detail::spread<i>(condition);
    if constexpr (detail::any_traced<Condition> || detail::any_traced<Yes> || detail::any_traced<No>)
      return select(c, detail::spread<i>(yes), detail::spread<i>(no));
    else return c ? detail::spread<i>(yes) : detail::spread<i>(no);
  });
}

/// Components converted as kr::cast converts numbers: `kr::cast<int>(v)`.
template <detail::plain To, detail::any_vec From>
auto cast(const From& v) {
  return detail::each_component<detail::size_of_vec<From>>([&](auto i) { return krait::cast<To>(detail::spread<i>(v)); });
}

}  // namespace krait
