// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in kernels: views of arguments, shared and local arrays, tables of constants.
// krait/atomic.h has atomic operations.
#pragma once

#include <krait/detail/subscript.h>

namespace krait {
/// An element of a writable view, as `x[i]` gives it.
/// Its value is loaded at the subscript. It can be assigned to as long as it has no name; `auto t =
/// x[i]` keeps the loaded value.
/// \code
/// y[i] = x[i] + 1.0f;
/// y[i] += 2.0f;
/// \endcode
template <class Type>
class ref;

template <detail::plain Type>
class ref<Type> : public value<Type> {
 public:
  explicit ref(detail::place at) : value<Type>(detail::load(at)), place_(at) {}
  explicit ref(detail::place_source& from) : ref(from.take()) {}
  ref(const ref&) = default;

  /// Stores, and gives the value that was stored.
  [[gnu::noinline, gnu::cold]] value<Type> operator=(const ref& x) && {
    detail::set_caller();
    return value<Type>(detail::store(place_, node_of(x)));
  }
  template <detail::traced Other>
  [[gnu::noinline, gnu::cold]] value<Type> operator=(const Other& x) && {
    detail::set_caller();
    return value<Type>(detail::store(place_, node_of(x)));
  }
  template <detail::plain Number>
  [[gnu::noinline, gnu::cold]] value<Type> operator=(Number x) && {
    detail::set_caller();
    return value<Type>(detail::store(place_, detail::node_of(detail::convert_plain<Type>(x))));
  }
  void operator=(const ref&) & {
    static_assert(
        detail::always_false<Type>,
        "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }
  template <detail::operand_type Other>
  void operator=(const Other&) & {
    static_assert(
        detail::always_false<Other>,
        "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }

  [[gnu::noinline, gnu::cold]] value<Type> operator++() && {
    detail::set_caller();
    return static_cast<ref&&>(*this) += 1;
  }
  [[gnu::noinline, gnu::cold]] value<Type> operator--() && {
    detail::set_caller();
    return static_cast<ref&&>(*this) -= 1;
  }
  [[gnu::noinline, gnu::cold]] value<Type> operator++(int) && {
    detail::set_caller();
    static_cast<ref&&>(*this) += 1;
    return *this;
  }
  [[gnu::noinline, gnu::cold]] value<Type> operator--(int) && {
    detail::set_caller();
    static_cast<ref&&>(*this) -= 1;
    return *this;
  }

  friend const detail::place& place_of(const ref& x) noexcept { return x.place_; }

 private:
  detail::place place_;
};

/// A kernel parameter that is an array of Rank dimensions, 1 to 6.
/// Elements are read with x[i] or x(i, j); they can be written unless Type is const. The last index
/// is contiguous (C order) unless the argument has other strides. Shared and local arrays are
/// views, too.
/// \code
/// auto scale = kr::kernel([](kr::view<const float, 2> a, kr::view<float, 2> b) {
///   auto [j, i] = kr::grid<2>();
///   b(i, j) = 2.0f * a(i, j);
/// });
/// \endcode
template <class Type, int Rank = 1>
class view;

template <class Type, int Rank>
class view<const Type, Rank> : public detail::handle {
  static_assert(Rank >= 1 && Rank <= detail::max_rank,
                "krait: views must have one to six dimensions");

 public:
  explicit constexpr view(detail::node n) noexcept : handle(n) {}

  /// The number of elements along a dimension.
  /// \code
  /// for (auto k : kr::range(a.extent(1))) y[k] = a(0, k);
  /// \endcode
  template <detail::plain_integer Index>
  value<std::int64_t> extent(Index dimension,
                             detail::location where = detail::location::here()) const {
    detail::set_location(where);
    return value<std::int64_t>(detail::extent(node_, static_cast<unsigned>(dimension)));
  }
  /// The number of elements in all dimensions together.
  value<std::int64_t> size(detail::location where = detail::location::here()) const {
    return product<1>(extent(0, where));
  }

  value<Type> operator[](detail::subscript i) const
    requires(Rank == 1)
  {
    return detail::element<Type>::read({node_, {node_of(i)}, 1});
  }
  value<Type> operator()(detail::subscript i) const
    requires(Rank == 1)
  {
    return detail::element<Type>::read({node_, {node_of(i)}, 1});
  }
  value<Type> operator()(detail::subscript i, detail::subscript j) const
    requires(Rank == 2)
  {
    return detail::element<Type>::read({node_, {node_of(i), node_of(j)}, 2});
  }
  value<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k) const
    requires(Rank == 3)
  {
    return detail::element<Type>::read({node_, {node_of(i), node_of(j), node_of(k)}, 3});
  }
  value<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                         detail::subscript l) const
    requires(Rank == 4)
  {
    return detail::element<Type>::read(
        {node_, {node_of(i), node_of(j), node_of(k), node_of(l)}, 4});
  }
  value<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                         detail::subscript l, detail::subscript m) const
    requires(Rank == 5)
  {
    return detail::element<Type>::read(
        {node_, {node_of(i), node_of(j), node_of(k), node_of(l), node_of(m)}, 5});
  }
  value<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                         detail::subscript l, detail::subscript m, detail::subscript n) const
    requires(Rank == 6)
  {
    return detail::element<Type>::read(
        {node_, {node_of(i), node_of(j), node_of(k), node_of(l), node_of(m), node_of(n)}, 6});
  }
  /// Not usable: an element needs one index per dimension. The compile error names the cure.
  template <class... Indices>
  value<Type> operator()(const Indices&...) const
    requires(sizeof...(Indices) != Rank)
  {
    static_assert(detail::always_false<Indices...>,
                  "krait: give one index for each dimension of the view, as in x(i, j)");
    return detail::element<Type>::read({node_, {}, 0});
  }
  template <class Index>
  value<Type> operator[](const Index&) const
    requires(Rank != 1)
  {
    static_assert(detail::always_false<Index>,
                  "krait: give one index for each dimension of the view, as in x(i, j)");
    return detail::element<Type>::read({node_, {}, 0});
  }

 private:
  template <int Next>
  value<std::int64_t> product(const value<std::int64_t>& before) const {
    if constexpr (Next == Rank) return before;
    else return product<Next + 1>(before * extent(Next));
  }
};

template <class Type, int Rank>
class view : public view<const Type, Rank> {
  using base = view<const Type, Rank>;

 public:
  using base::base;

  ref<Type> operator[](detail::subscript i) const
    requires(Rank == 1)
  {
    return detail::element<Type>::name({this->node_, {node_of(i)}, 1});
  }
  ref<Type> operator()(detail::subscript i) const
    requires(Rank == 1)
  {
    return detail::element<Type>::name({this->node_, {node_of(i)}, 1});
  }
  ref<Type> operator()(detail::subscript i, detail::subscript j) const
    requires(Rank == 2)
  {
    return detail::element<Type>::name({this->node_, {node_of(i), node_of(j)}, 2});
  }
  ref<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k) const
    requires(Rank == 3)
  {
    return detail::element<Type>::name({this->node_, {node_of(i), node_of(j), node_of(k)}, 3});
  }
  ref<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                       detail::subscript l) const
    requires(Rank == 4)
  {
    return detail::element<Type>::name(
        {this->node_, {node_of(i), node_of(j), node_of(k), node_of(l)}, 4});
  }
  ref<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                       detail::subscript l, detail::subscript m) const
    requires(Rank == 5)
  {
    return detail::element<Type>::name(
        {this->node_, {node_of(i), node_of(j), node_of(k), node_of(l), node_of(m)}, 5});
  }
  ref<Type> operator()(detail::subscript i, detail::subscript j, detail::subscript k,
                       detail::subscript l, detail::subscript m, detail::subscript n) const
    requires(Rank == 6)
  {
    return detail::element<Type>::name(
        {this->node_, {node_of(i), node_of(j), node_of(k), node_of(l), node_of(m), node_of(n)}, 6});
  }
  template <class... Indices>
  ref<Type> operator()(const Indices&...) const
    requires(sizeof...(Indices) != Rank)
  {
    static_assert(detail::always_false<Indices...>,
                  "krait: give one index for each dimension of the view, as in x(i, j)");
    return detail::element<Type>::name({this->node_, {}, 0});
  }
  template <class Index>
  ref<Type> operator[](const Index&) const
    requires(Rank != 1)
  {
    static_assert(detail::always_false<Index>,
                  "krait: give one index for each dimension of the view, as in x(i, j)");
    return detail::element<Type>::name({this->node_, {}, 0});
  }
};

/// An array that the threads of a block share, uninitialised; its extents are constants.
/// \code
/// auto tile = kr::shared<float, 16, 17>();
/// tile(kr::thread_idx().y, kr::thread_idx().x) = x[i];
/// \endcode
template <class Type, std::int64_t... Extents>
view<Type, static_cast<int>(sizeof...(Extents))> shared(
    detail::location where = detail::location::here()) {
  static_assert(
      ((Extents > 0) && ...),
      "krait: the extents of a shared array must be positive; for a size known at launch use "
      "kr::dynamic_shared<T>(n)");
  constexpr std::int64_t extents[] = {Extents...};
  detail::set_location(where);
  const detail::node array = detail::make_array(detail::op::Shared, detail::element<Type>::type,
                                                sizeof(Type), extents, sizeof...(Extents));
  return view<Type, sizeof...(Extents)>(array);
}
/// A shared array of n elements, uninitialised; n is computed at each launch.
/// n may depend on arguments, extents, block_dim and grid_dim, and changing it compiles nothing. A
/// kernel has at most 8 of these arrays; they never overlap. The launch throws error{usage} if n is
/// negative or the device has less shared memory.
/// \code
/// auto row = kr::dynamic_shared<float>(kr::block_dim().x + 2);
/// \endcode
template <class Type>
view<Type> dynamic_shared(detail::operand n, detail::location where = detail::location::here()) {
  detail::set_location(where);
  return view<Type>(detail::make_shared(detail::element<Type>::type, sizeof(Type), node_of(n)));
}
/// An array that each thread has for itself, zero at first; its extents are constants.
/// \code
/// auto stack = kr::local<int, 32>();
/// stack[0] = 1;
/// \endcode
template <class Type, std::int64_t... Extents>
view<Type, static_cast<int>(sizeof...(Extents))> local(
    detail::location where = detail::location::here()) {
  static_assert(((Extents > 0) && ...), "krait: the extents of a local array must be positive");
  constexpr std::int64_t extents[] = {Extents...};
  detail::set_location(where);
  const detail::node array = detail::make_array(detail::op::Local, detail::element<Type>::type,
                                                sizeof(Type), extents, sizeof...(Extents));
  return view<Type, sizeof...(Extents)>(array);
}

/// A table of host data that the kernel reads at any index.
/// The data is a container with data() and size(), or a C++ array. It is copied while recording: a
/// later change does not reach the kernel. Throws error{usage} above 64 MiB.
/// \code
/// const float weights[] = {0.25f, 0.5f, 0.25f};
/// auto w = kr::constant(weights);
/// \endcode
template <class Container>
  requires requires(const Container& from) { from.data(), from.size(); }
auto constant(const Container& from, detail::location where = detail::location::here()) {
  using type = std::remove_cvref_t<decltype(*from.data())>;
  return view<const type>(detail::constant_array(detail::element<type>::type, sizeof(type),
                                                 from.data(), from.size(), where));
}
template <class Type, std::size_t Count>
view<const Type> constant(const Type (&from)[Count],
                          detail::location where = detail::location::here()) {
  return view<const Type>(
      detail::constant_array(detail::element<Type>::type, sizeof(Type), from, Count, where));
}

/// Loads an element that is not used again soon, so that it need not stay in a cache.
/// It is a hint that never changes a result: `ld.global.cs` on CUDA, Nontemporal on Vulkan, nothing
/// on the CPU. Throws error{usage} for a value that is not an element.
/// \code
/// y[i] = kr::load_streaming(x[i]);
/// \endcode
template <detail::plain Type>
value<Type> load_streaming(const value<Type>& element) {
  detail::make_streaming(node_of(element));
  return element;
}
/// Stores an element that is not used again soon; see kr::load_streaming.
/// \code
/// kr::store_streaming(y[i], 2.0f * x[i]);
/// \endcode
template <detail::plain Type, detail::operand_type Other>
void store_streaming(const ref<Type>& element, const Other& x) {
  if constexpr (detail::plain<Other>)
    detail::store(place_of(element), detail::node_of(detail::convert_plain<Type>(x)), true);
  else detail::store(place_of(element), node_of(x), true);
}

/// Exchanges the values of two variables, or of two elements.
/// \code
/// kr::swap(y[i], y[i + 1]);
/// \endcode
template <detail::plain Type>
void swap(var<Type>& x, var<Type>& y) {
  const value<Type> old(x);
  x = y;
  y = old;
}
template <detail::plain Type>
void swap(ref<Type>&& x, ref<Type>&& y) {
  detail::store(place_of(x), node_of(y));
  detail::store(place_of(y), node_of(x));
}

}  // namespace krait
