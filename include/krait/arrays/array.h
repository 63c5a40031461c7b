// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on a device, and views that share their memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <krait/detail/call.h>
#include <krait/detail/views.h>
#include <krait/device.h>
#include <krait/host_array.h>

namespace krait {

/// Which index of an array is contiguous in memory: the last one (C) or the first one (Fortran).
enum class storage_order : unsigned char { c, fortran };

/// An array of Rank dimensions on one device, with elements of type Elem.
/// Arrays move. Views, which a(…) and the functions below give, are arrays that share memory and
/// keep it alive; views of a const array are read-only. Work on arrays is asynchronous on GPUs;
/// reading elements waits for it. `copy` and `copy_from` copy elements.
/// \code
/// kr::array<float, 2> a({480, 640});
/// a.fill(0.0f);
/// \endcode
template <class Elem, int Rank>
class array {
  static_assert(Rank >= 1 && Rank <= detail::max_rank, "krait::array has 1 to 6 dimensions");
  static_assert(std::is_trivially_copyable_v<Elem>,
                "elements are copied as bytes: use a trivially copyable type");

 public:
  /// The element type, const for a read-only view.
  using element_type = Elem;
  /// The element type without const.
  using value_type = std::remove_const_t<Elem>;
  /// The number of dimensions.
  static constexpr int rank = Rank;

  array() = default;
  /// Makes an array with uninitialised elements.
  /// Throws error{usage} for a negative extent, error{device} if memory is short.
  explicit array(krait::shape<Rank> extents, krait::device on = krait::device())
      : array(extents, storage_order::c, on) {}
  array(krait::shape<Rank> extents, storage_order order, krait::device on = krait::device())
      : on_(detail::handle_of(on)) {
    detail::check_shape(extents.extents, Rank, sizeof(Elem));
    set(detail::dense(extents.extents, Rank, order == storage_order::fortran));
    if (extents.size() > 0) memory_ = detail::memory_share(detail::allocate(on_, bytes()));
  }
  template <detail::host_integer... Extents>
    requires(sizeof...(Extents) == Rank)
  explicit array(Extents... extents) : array(krait::shape<Rank>(extents...)) {}
  /// Makes an array from extents in braces: `kr::array<float, 2> a({rows, cols});`.
  template <std::integral Extent>
  explicit array(const Extent (&extents)[Rank], krait::device on = krait::device())
      : array(detail::to_shape(extents), on) {}
  explicit array(const detail::any_extent (&extents)[Rank], krait::device on = krait::device())
      : array(detail::to_shape(extents), on) {}

  /// Copies the elements of a container of the host, as kr::to_device.
  /// \code
  /// kr::array<float> d = std::vector<float>{1, 2, 3};
  /// \endcode
  template <detail::contiguous_container Container>
    requires(Rank == 1)
  array(const Container& from, krait::device on = krait::device())
      : array(krait::shape<1>(from.size()), on) {
    copy_from(from);
  }
  array(const host_array<value_type, Rank>& from, krait::device on = krait::device())
      : array(from.extents(), on) {
    copy_from(from);
  }
  /// Never usable: numbers where extents belong.
  template <class... Numbers>
    requires(sizeof...(Numbers) > 1 && sizeof...(Numbers) != Rank &&
             (std::is_arithmetic_v<detail::number_t<Numbers>> && ...))
  array(Numbers...) {
    static_assert(
        detail::always_false<Numbers...>,
        "krait: a kr::array is made from its extents, one per dimension, as in kr::array<float, "
        "2> a({rows, columns}): an array of these numbers is kr::to_device({1.0f, 2.0f, 3.0f})");
  }

  array(array&& other) noexcept { *this = std::move(other); }
  /// Never usable; the next one says so of a const array, and to type traits.
  template <class Same>
    requires std::is_same_v<Same, array>
  array(Same&) {
    static_assert(
        detail::always_false<Same>,
        "krait: arrays move: write x.copy() for a new array, x(kr::all) for one more view of the "
        "elements, or std::move(x)");
  }
  // clang-format off
  array(const array&) = delete;  // krait: arrays move; x.copy() makes a new array, x(kr::all) one more view of the elements
  // clang-format on
  /// A new array of the elements of one that has no name, converted as C++ does.
  template <class Other>
    requires(!std::is_same_v<std::remove_const_t<Other>, std::remove_const_t<Elem>>)
  array(array<Other, Rank>&& from) : array(static_cast<array>(cast<Elem>(from))) {}
  /// Never usable: of another element type.
  template <class Other>
    requires(!std::is_same_v<std::remove_const_t<Other>, std::remove_const_t<Elem>>)
  array(const array<Other, Rank>&) {
    static_assert(
        detail::always_false<Other>,
        "krait: the element types of the two arrays differ: kr::array<T> y = kr::cast<T>(x) converts");
  }
  /// A new array of the elements of a read-only view that has no name.
  template <class Other>
    requires(!std::is_const_v<Elem> && std::is_same_v<Other, const Elem>)
  array(array<Other, Rank>&& from) {
    if (detail::can_take(detail::layout_of(from), detail::memory_of(from)))
      *this = detail::access::make<array>(detail::layout_of(from), detail::access::memory(from),
                                          detail::access::on(from));
    else *this = from.copy();
  }
  /// Never usable: of a read-only view.
  template <class Other>
    requires(!std::is_const_v<Elem> && std::is_same_v<Other, const Elem>)
  array(const array<Other, Rank>&) {
    static_assert(
        detail::always_false<Other>,
        "krait: a view of a const array is read-only: write x.copy() for a new array, or auto for the view");
  }
  array& operator=(array&& other) & noexcept {
    std::swap(shape_, other.shape_), std::swap(strides_, other.strides_),
        std::swap(offset_, other.offset_);
    memory_ = std::move(other.memory_), std::swap(on_, other.on_);
    return *this;
  }
  template <class Same>
    requires std::is_same_v<Same, array>
  array& operator=(Same&) & {
    static_assert(
        detail::always_false<Same>,
        "krait: arrays move: write x.copy_from(y) to copy the elements, x = y.copy() for a new "
        "array, or x = std::move(y)");
    return *this;
  }
  // clang-format off
  array& operator=(const array&) & = delete;  // krait: arrays move; x.copy_from(y) copies elements, x = y.copy() makes a new array
  // clang-format on
  /// Writes the elements of a view: `a(kr::all, 0) = x`.
  /// x is a number, an array or an expression whose shape broadcasts to the view's. A source that
  /// overlaps the target is read first.
  template <class Source>
  const array& operator=(Source&& source) && {
    if constexpr (detail::writable<Elem>())
      assign_elements(detail::all_tag(), *this, std::forward<Source>(source));
    return *this;
  }

  /// Sets every element to a number: `x = 5.0f`. An array that shall have another shape is made
  /// anew.
  template <class Number>
    requires detail::any_host_number<Number>
  array& operator=(const Number& x) & {
    if constexpr (detail::writable<Elem>()) assign_elements(detail::all_tag(), *this, x);
    return *this;
  }

  /// Writes these numbers to the elements of a view of as many: `x(kr::range(0, 2)) = {1, 2}`.
  const array& operator=(std::initializer_list<value_type> numbers) && {
    host_array<value_type, 1> listed(numbers.size());
    std::size_t next = 0;
    for (const value_type& x : numbers) listed[next++] = x;
    return std::move(*this) = array<value_type, 1>(listed, device());
  }

  /// Makes an array of memory that another library owns, in C order.
  /// `address` is a device address on `on`. The memory must outlive the array and its views.
  /// \code
  /// std::vector<float> h(12);
  /// const auto address = reinterpret_cast<std::uintptr_t>(h.data());
  /// auto w = kr::array<float, 2>::wrap(address, kr::shape<2>(3, 4), kr::device::cpu());
  /// \endcode
  static array wrap(std::uint64_t address, krait::shape<Rank> extents, krait::device on) {
    return wrap(address, extents, detail::dense(extents.extents, Rank, false).strides, on);
  }
  /// The same with strides in elements, of any sign; `address` is the address of the first element.
  static array wrap(std::uint64_t address, krait::shape<Rank> extents, const std::int64_t* strides,
                    krait::device on) {
    array a;
    detail::check_shape(extents.extents, Rank, sizeof(Elem));
    a.shape_ = extents, a.on_ = detail::handle_of(on);
    for (int d = 0; d < Rank; ++d) a.strides_[d] = strides[d];
    if (extents.size() > 0)
      a.memory_ = detail::memory_share(detail::wrap_memory(a.on_, address, a.bytes()));
    return a;
  }

  /// The number of elements in all dimensions together.
  std::int64_t size() const noexcept { return shape_.size(); }
  /// The number of elements along dimension d.
  std::int64_t extent(int d) const noexcept { return shape_[d]; }
  /// The extents of all dimensions.
  const krait::shape<Rank>& extents() const noexcept { return shape_; }
  /// The same, by NumPy's name.
  const krait::shape<Rank>& shape() const noexcept { return shape_; }
  /// The distance of neighbours along dimension d, in elements.
  std::int64_t stride(int d) const noexcept { return strides_[d]; }
  /// Tests whether the elements are contiguous in this order, without gaps.
  bool is_contiguous(storage_order order = storage_order::c) const noexcept {
    return detail::is_dense(at(), order == storage_order::fortran);
  }
  /// The size of all elements in bytes, without gaps between them.
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(shape_.size()) * sizeof(Elem);
  }
  /// The device address of the first element, a host address on the CPU; 0 if the array is empty.
  std::uint64_t address() const noexcept {
    return memory_.get() && size() > 0 ? detail::address_of(memory_.get()) +
                                             static_cast<std::uint64_t>(offset_) * sizeof(Elem)
                                       : 0;
  }
  /// Never usable: write kr::all(x) or kr::any(x).
  template <class Never = Elem>
  explicit operator bool() const {
    static_assert(
        detail::always_false<Never>,
        "krait: the truth value of an array is ambiguous: write kr::all(x) or kr::any(x)");
    return false;
  }
  /// Copies all elements to a new container of the host, as to_host() does.
  /// \code
  /// std::vector<float> h = x;
  /// \endcode
  template <detail::owning_container Container>
  operator Container() const {
    return to_host();
  }
  /// The device that holds the elements.
  krait::device device() const { return detail::device_from(on_); }

  // ---- views. Each throws error{usage}, in NumPy's words, for indices, axes and extents that the
  // array does not have.

  /// Makes a view of a part: `a(2, kr::all)`, `a(kr::range(1, kr::end - 1), kr::newaxis)`.
  /// An integer takes one index and drops the dimension. Dimensions that are not named stay whole.
  /// Integers for all dimensions give one element, to read or to assign to.
  template <detail::sliceable... Items>
  auto operator()(Items... items) {
    return detail::views::slice(*this, items...);
  }
  template <detail::sliceable... Items>
  auto operator()(Items... items) const {
    return detail::views::slice(*this, items...);
  }
  /// Not usable: write a(i) on the host, and pass the array to a kernel as a kr::view.
  template <class Index>
  auto operator[](const Index&) const {  // auto: this assertion comes before other errors
    static_assert(
        detail::always_false<Index>,
        "krait: a kr::array has no [i]: write a(i) on the host; a kernel takes the array as a "
        "parameter, kr::view<T>");
    return Elem{};
  }
  /// Selects elements by an array of indices along the first dimension, or by a mask of bool.
  /// The selection can be read as a new array, or assigned to. It needs
  /// <krait/algorithm/indexing.h>.
  template <detail::selecting Which>
  auto operator()(const Which& which) {
    return detail::selector<array, Which>::of(array(at(), memory_, on_), which);
  }
  template <detail::selecting Which>
  auto operator()(const Which& which) const {
    return detail::selector<array<const Elem, Rank>, Which>::of(share(), which);
  }
  /// Selects by several arrays of indices or masks, beside integers, ranges and new axes.
  /// \code
  /// kr::array<float> corners = a(kr::to_device({0, -1}), kr::to_device({0, -1}));
  /// kr::array<float, 2> columns = a(kr::all, kr::to_device({3, 1}));
  /// \endcode
  template <class... Items>
    requires detail::mixed_items<Items...>
  auto operator()(const Items&... items) {
    return detail::selector<array, detail::item_list<Items...>>::of(array(at(), memory_, on_),
                                                                    items...);
  }
  template <class... Items>
    requires detail::mixed_items<Items...>
  auto operator()(const Items&... items) const {
    return detail::selector<array<const Elem, Rank>, detail::item_list<Items...>>::of(share(),
                                                                                      items...);
  }
  /// Iterates along the first dimension: over the views a(0), a(1), … and, of one dimension, over
  /// elements, as a(i) gives them.
  /// Each element that is read so waits for the device, and is copied alone: to_host() copies all.
  /// A row is a view that assignments write, as NumPy's `row[...] = x` does. Iterators are valid as
  /// long as the array.
  /// \code
  /// for (auto row : a) row = row * 2.0f;
  /// \endcode
  auto begin() { return detail::row_iterator<array>(*this, 0); }
  auto begin() const { return detail::row_iterator<const array>(*this, 0); }
  /// The end of that.
  auto end() { return detail::row_iterator<array>(*this, extent(0)); }
  auto end() const { return detail::row_iterator<const array>(*this, extent(0)); }
  /// A view with other extents and the same elements in C order; one extent may be -1.
  /// It copies the elements if strides cannot express the new shape. Throws error{usage} if the
  /// sizes differ.
  /// \code
  /// auto columns = a.reshape(-1, 4);
  /// \endcode
  template <detail::host_integer... Extents>
  auto reshape(Extents... extents) {
    return detail::views::reshape(*this, krait::shape<int(sizeof...(Extents))>(extents...));
  }
  template <detail::host_integer... Extents>
  auto reshape(Extents... extents) const {
    return detail::views::reshape(*this, krait::shape<int(sizeof...(Extents))>(extents...));
  }
  /// The same of a shape, or of extents in braces.
  template <int To>
  auto reshape(const krait::shape<To>& extents) {
    return detail::views::reshape(*this, extents);
  }
  template <int To>
  auto reshape(const krait::shape<To>& extents) const {
    return detail::views::reshape(*this, extents);
  }
  template <std::size_t To>
  auto reshape(const detail::any_extent (&extents)[To]) {
    return detail::views::reshape(*this, detail::to_shape<int(To)>(extents));
  }
  template <std::size_t To>
  auto reshape(const detail::any_extent (&extents)[To]) const {
    return detail::views::reshape(*this, detail::to_shape<int(To)>(extents));
  }
  /// A view with the dimensions in reverse order.
  /// \code
  /// auto transposed = a.transpose();
  /// \endcode
  auto transpose() { return detail::views::transpose(*this); }
  auto transpose() const { return detail::views::transpose(*this); }
  /// A view with the dimensions in another order: dimension d of it is dimension axes[d] of the
  /// array.
  /// \code
  /// auto columns_first = a.permute(1, 0);
  /// \endcode
  template <detail::host_integer... Axes>
  auto permute(Axes... axes) {
    return detail::views::permute(*this, axes...);
  }
  template <detail::host_integer... Axes>
  auto permute(Axes... axes) const {
    return detail::views::permute(*this, axes...);
  }
  /// A view that runs backwards along these dimensions, or along all if none is named.
  /// \code
  /// auto upside_down = a.flip(0);
  /// \endcode
  template <detail::host_integer... Axes>
  auto flip(Axes... axes) {
    return detail::views::flip(*this, axes...);
  }
  template <detail::host_integer... Axes>
  auto flip(Axes... axes) const {
    return detail::views::flip(*this, axes...);
  }
  /// A view without these dimensions, which must have extent 1.
  /// \code
  /// auto vector = a.reshape(1, -1).squeeze(0);
  /// \endcode
  template <detail::host_integer... Axes>
  auto squeeze(Axes... axes) {
    return detail::views::squeeze(*this, axes...);
  }
  template <detail::host_integer... Axes>
  auto squeeze(Axes... axes) const {
    return detail::views::squeeze(*this, axes...);
  }
  /// A view of a diagonal of two dimensions, as the last dimension; `offset` is counted upwards.
  /// \code
  /// a.diagonal().fill(1.0f);
  /// \endcode
  auto diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) {
    return detail::views::diagonal(*this, offset, axis1, axis2);
  }
  auto diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const {
    return detail::views::diagonal(*this, offset, axis1, axis2);
  }
  /// A read-only view that repeats the elements to these extents, without a copy.
  /// \code
  /// auto rows = x.broadcast_to(3, x.size());
  /// \endcode
  template <detail::host_integer... Extents>
  auto broadcast_to(Extents... extents) const {
    return detail::views::broadcast_to(*this, krait::shape<int(sizeof...(Extents))>(extents...));
  }

  /// A new array with the same elements in C order, on the same device or another one.
  /// \code
  /// auto on_cpu = a.copy(kr::device::cpu());
  /// \endcode
  array<value_type, Rank> copy() const { return copy(device()); }
  array<value_type, Rank> copy(krait::device on) const {
    array<value_type, Rank> out(shape_, on);
    out.copy_from(*this);
    return out;
  }
  /// Sets every element to x.
  /// \code
  /// x.fill(0.0f);
  /// x(kr::range(0, 10)).fill(1.0f);
  /// \endcode
  void fill(value_type x)
    requires(!std::is_const_v<Elem>)
  {
    const detail::layout mine = at();
    detail::fill_elements({memory_.get(), &mine, sizeof(Elem)}, &x);
  }
  /// Copies size() elements in C order from a container of the same size.
  /// Throws error{usage} if the sizes differ.
  /// \code
  /// std::vector<float> h(x.size());
  /// x.copy_from(h);
  /// \endcode
  template <detail::contiguous_container Container>
  void copy_from(const Container& from) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(*from.data())>, Elem>,
                  "the container's element type differs from the array's");
    copy_in(from.data(), static_cast<std::int64_t>(from.size()));
  }
  template <std::size_t Count>
  void copy_from(const value_type (&from)[Count]) {
    copy_in(from, Count);
  }
  /// Copies another array of the same shape, from any device; the two may overlap.
  /// Throws error{usage} if the shapes differ.
  template <class Other>
    requires(std::is_same_v<std::remove_const_t<Other>, Elem>)
  void copy_from(const array<Other, Rank>& from) {
    detail::check_same_shape(from.extents().extents, shape_.extents, Rank, "copy_from");
    const detail::layout mine = at(), its = detail::layout_of(from);
    detail::copy_elements({memory_.get(), &mine, sizeof(Elem)},
                          {detail::memory_of(from), &its, sizeof(Elem)});
  }
  /// Copies size() elements in C order into a container, which is resized if it can be.
  /// Throws error{usage} if the sizes differ. It waits for the work on the array.
  /// \code
  /// std::vector<float> h;
  /// x.copy_to(h);
  /// \endcode
  template <class Container>
    requires requires(Container& c) { c.data(), c.size(); }
  void copy_to(Container& to) const {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(*to.data())>, value_type>,
                  "the container's element type differs from the array's");
    if constexpr (requires { to.resize(to.size()); })
      to.resize(static_cast<decltype(to.size())>(size()));
    copy_out(to.data(), static_cast<std::int64_t>(to.size()));
  }
  template <std::size_t Count>
  void copy_to(value_type (&to)[Count]) const {
    copy_out(to, Count);
  }
  /// Copies all elements to the host, in C order; it waits for the work on the array.
  /// The container has the array's shape and converts to others; see kr::host_array.
  /// \code
  /// std::vector<float> h = x.to_host();
  /// \endcode
  host_array<value_type, Rank> to_host() const {
    host_array<value_type, Rank> out(shape_);
    copy_out(out.data(), size());
    return out;
  }

  /// A read-only view of all elements.
  array<const Elem, Rank> share() const { return detail::view_at(at(), *this); }

 private:
  friend struct detail::access;
  array(const detail::layout& at, const detail::memory_share& memory, void* on)
      : memory_(memory), on_(on) {
    set(at);
  }
  detail::layout at() const noexcept {
    detail::layout l;
    l.rank = Rank, l.offset = offset_;
    for (int d = 0; d < Rank; ++d) l.extents[d] = shape_[d], l.strides[d] = strides_[d];
    return l;
  }
  void copy_in(const value_type* from, std::int64_t count) {
    static_assert(detail::writable<Elem>());
    detail::check_count(count, size(), "copy_from");
    const detail::layout mine = at();
    detail::copy_from_host({memory_.get(), &mine, sizeof(Elem)}, from);
  }
  void copy_out(value_type* to, std::int64_t count) const {
    detail::check_count(count, size(), "copy_to");
    const detail::layout mine = at();
    detail::copy_to_host({memory_.get(), &mine, sizeof(Elem)}, to);
  }
  void set(const detail::layout& at) noexcept {
    for (int d = 0; d < Rank; ++d) shape_.extents[d] = at.extents[d], strides_[d] = at.strides[d];
    offset_ = at.offset;
  }

  krait::shape<Rank> shape_{};
  std::int64_t strides_[Rank]{}, offset_ = 0;
  detail::memory_share memory_;
  void* on_ = nullptr;
};

/// A row of an array, as `for (auto row : a)` gives it: a view whose assignment writes its
/// elements.
/// \code
/// for (auto row : a) row = row * 2.0f;
/// \endcode
template <class Elem, int Rank>
class array_row : public array<Elem, Rank> {
 public:
  explicit array_row(array<Elem, Rank>&& view) : array<Elem, Rank>(std::move(view)) {}
  array_row(array_row&&) = default;
  /// Writes the elements: x is a number, an array or an expression that broadcasts to the row.
  template <class Source>
  const array_row& operator=(Source&& x) const {
    array<Elem, Rank> same = detail::view_at(detail::layout_of(*this), *this);
    if constexpr (detail::writable<Elem>())
      assign_elements(detail::all_tag(), same, std::forward<Source>(x));
    return *this;
  }
  const array_row& operator=(const array_row& x) const { return operator=<const array_row&>(x); }
};

/// `kr::array y = x.reshape(2, 3);` is an array of its own also of a part that is read-only.
template <class Elem, int Rank>
array(array<const Elem, Rank>&&) -> array<Elem, Rank>;

}  // namespace krait

#include <krait/array_element.h>
