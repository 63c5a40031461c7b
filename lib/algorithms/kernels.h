// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose parameters have types that are known at run time, and the arrays that they work on.
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "algorithms/element.h"
#include "krait/array.h"

namespace krait::host {

using detail::argument;
using detail::layout;

/// A parameter: an array of elements, or one element.
struct Parameter {
  const ElementType* type;
  int rank = 0;  // 0: one element
  bool writes = false;
};
inline Parameter in(const ElementType* type, int rank = 1) { return {type, rank, false}; }
inline Parameter out(const ElementType* type, int rank = 1) { return {type, rank, true}; }
template <class Type>
Parameter in(int rank = 1) {
  return in(type_of<Type>(), rank);
}
template <class Type>
Parameter out(int rank = 1) {
  return out(type_of<Type>(), rank);
}
inline Parameter number(const ElementType* type) { return {type}; }
template <class Type = std::int64_t>
Parameter number() {
  return {type_of<Type>()};
}

/// The parameters while a kernel is recorded.
class Parameters {
 public:
  Parameters(const std::vector<Parameter>& types, const node* nodes)
      : types_(types), nodes_(nodes) {}
  ElementView array(std::size_t parameter) const {
    return {types_[parameter].type, nodes_[first(parameter)], types_[parameter].rank};
  }
  template <class Type, int Rank = 1>
  view<Type, Rank> array(std::size_t parameter) const {
    return array(parameter).as<Type, Rank>();
  }
  Element element(std::size_t parameter) const;
  template <class Type = std::int64_t>
  value<Type> number(std::size_t parameter) const {
    return value<Type>(nodes_[first(parameter)]);
  }

 private:
  std::size_t first(std::size_t parameter) const;
  const std::vector<Parameter>& types_;
  const node* nodes_;
};

/// An array whose element type is known at run time. A copy shares the memory.
struct Array {
  const ElementType* type;
  layout at;
  detail::memory_share memory;
  void* device;

  Array(const ElementType* of, const layout& where, const detail::memory_share& owner, void* on)
      : type(of), at(where), memory(owner), device(on) {}
  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(Array&&) = default;
  Array(const detail::erased_array& x)  // NOLINT: implicit on purpose
      : Array(type_of(x.type), x.at, x.memory, x.device) {}
  template <class Elem, int Rank>
  Array(const array<Elem, Rank>& x) : Array(detail::any_of(x)) {}  // NOLINT
  /// Uninitialised, in C order.
  Array(const ElementType* of, std::initializer_list<std::int64_t> extents, void* on);
  Array(const ElementType* of, const std::int64_t* extents, int rank, void* on);

  std::int64_t size() const;
  std::int64_t extent(int d) const { return at.extents[d]; }
  /// As an array of that type.
  template <class Elem, int Rank>
  array<Elem, Rank> as() const {
    return {at, memory, device};
  }
  /// With other extents, in C order: shared where strides can say it, else copied.
  Array reshaped(std::initializer_list<std::int64_t> extents) const;
  /// Its memory without gaps, whatever the order of its dimensions, as rows.
  Array memory_as(std::int64_t rows, std::int64_t length) const;
  /// (rows, length) of the elements along an axis: shared or copied as reshaped does.
  Array rows_along(std::int64_t axis) const;
};

/// An argument of a launch: an array, a number of exactly its parameter's type, or an element.
class Argument {
 public:
  Argument(const Array& x);  // NOLINT: implicit on purpose, as all here
  template <class Elem, int Rank>
  Argument(const array<Elem, Rank>& x)  // NOLINT
      : packed_(detail::array_argument(x)), type_(type_of<std::remove_const_t<Elem>>()) {}
  template <detail::plain Type>
  Argument(Type x) : type_(type_of<Type>()) {  // NOLINT
    packed_.bits = detail::bits_of(x);
  }
  Argument(const ElementType* type, const void* element) : type_(type), element_(element) {}
  /// Writes the arguments of a launch that it is.
  void pack(const Parameter& as, argument*& to) const;

 private:
  argument packed_;
  const ElementType* type_;
  const void* element_ = nullptr;
};

/// A kernel object of the library.
class Kernel {
 public:
  using Body = std::function<void(const Parameters&)>;
  Kernel(const options& with, std::vector<Parameter> parameters, Body body);
  Kernel(const Kernel&) = delete;
  ~Kernel() { detail::free_kernel_state(state_); }

  void launch(const launch_config& with, std::initializer_list<Argument> arguments) const;
  /// At least n threads.
  void forall(std::int64_t n, std::initializer_list<Argument> arguments) const;

 private:
  static void record(const void* kernel, const node* nodes);
  void call(const detail::call_config& config, std::initializer_list<Argument> arguments) const;

  std::vector<Parameter> parameters_;
  Body body_;
  std::vector<detail::parameter_type> types_;
  detail::signature as_{};
  detail::kernel_state* state_;
};

/// What the kernels of a set differ in: the name, types of elements, and what else the maker reads.
struct KernelName {
  std::string_view name;
  std::array<const ElementType*, 3> types{};
  unsigned form = 0;  // also a number that tells kernels of one name apart
  friend auto operator<=>(const KernelName&, const KernelName&) = default;
};

}  // namespace krait::host

namespace krait::detail {

struct kernel_set {
  std::mutex mutex;
  std::map<host::KernelName, std::unique_ptr<host::Kernel>> made;  // never removed

  /// make() gives a new kernel, if there is none for the key.
  template <class Make>
  const host::Kernel& of(const host::KernelName& key, const Make& make) {
    std::lock_guard lock(mutex);
    std::unique_ptr<host::Kernel>& kernel = made[key];
    if (!kernel) kernel = make();
    return *kernel;
  }
};

}  // namespace krait::detail

namespace krait::host {

/// The kernels without users' functions, never destroyed.
detail::kernel_set& own_kernels();

/// The kernel of that name and of these types. `body` is recorded at the first launch.
template <class Body>
const Kernel& kernel_of(detail::kernel_set& set, const KernelName& key,
                        std::initializer_list<Parameter> parameters, const Body& body,
                        options with = {}) {
  return set.of(key, [&] {
    with.name = key.name.data();  // a literal
    return std::make_unique<Kernel>(with, std::vector(parameters), body);
  });
}
template <class Body>
const Kernel& kernel_of(const KernelName& key, std::initializer_list<Parameter> parameters,
                        const Body& body, options with = {}) {
  return kernel_of(own_kernels(), key, parameters, body, with);
}

}  // namespace krait::host
