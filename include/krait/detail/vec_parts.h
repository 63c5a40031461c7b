// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::vec as a composite type: its components, plain and traced, and functions of each of them.
#pragma once

#include <krait/aggregate.h>
#include <krait/control.h>
#include <krait/detail/all.h>

namespace krait {
namespace detail {

/// CUDA's alignment: vectors of two and four are aligned to their size, at most 16 bytes; vectors
/// of three are three scalars.
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

template <class Type, int Size>
struct composite<vec<Type, Size>> {
  static_assert(plain<Type>, "krait: the components of a kr::vec must be numbers");
  using types = std::conditional_t<Size == 2, std::tuple<Type, Type>,
                                   std::conditional_t<Size == 3, std::tuple<Type, Type, Type>,
                                                      std::tuple<Type, Type, Type, Type>>>;
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
concept any_vec = vec_size<held_t<Type>> != 0;
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
  if constexpr (traced<First> || (traced<Rest> || ...))
    return value<vec<type, size>>(first, rest...);
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
    static_assert(size_of_vec<Left> == size_of_vec<Right>,
                  "krait: the vectors have different numbers of components");
    return size_of_vec<Left>;
  }
}();
/// Two operands of a vector operation: one at least is a vector, the other one or a number.
template <class Left, class Right>
concept vec_operands = (any_vec<Left> && (any_vec<Right> || operand_type<Right>)) ||
                       (operand_type<Left> && any_vec<Right>);
template <class Type>
concept traced_operand = traced<Type> || (any_vec<Type> && traced_composite<Type>);
template <class Type>
concept plain_operand = plain<Type> || (vec_size<Type> != 0);

template <class Left, class Right, class Function>
auto zip(const Left& x, const Right& y, const Function& function) {
  return each_component<common_size<Left, Right>>(
      [&](auto i) { return function(spread<i>(x), spread<i>(y)); });
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
    return c == 'x' || c == 'r'   ? 0
           : c == 'y' || c == 'g' ? 1
           : c == 'z' || c == 'b' ? 2
           : c == 'w' || c == 'a' ? 3
                                  : 4;
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

  const Wrapper<Type>& operator[](plain_index i) const& { return component(*this, i.below(Size)); }
  Wrapper<Type>& operator[](plain_index i) & { return component(*this, i.below(Size)); }
  Wrapper<Type>&& operator[](plain_index i) && {
    return static_cast<Wrapper<Type>&&>(component(*this, i.below(Size)));
  }
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
  friend struct access;
  template <class Visit>
  void leaves(const Visit& visit) const {
    visit(this->x), visit(this->y);
    if constexpr (Size > 2) visit(this->z);
    if constexpr (Size > 3) visit(this->w);
  }
  template <int From, class Index>
  value<Type> pick(const Index& i, const value<Type>& otherwise) const {
    if constexpr (From < 0) return otherwise;
    else
      return pick<From - 1>(i,
                            select(i == From, value<Type>(component_of<From>(*this)), otherwise));
  }
};

}  // namespace detail
}  // namespace krait
