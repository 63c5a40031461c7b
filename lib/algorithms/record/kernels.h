// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's own kernels: their parameters have types that are known at run time. Each is
// recorded by a function at its first launch, and kept by the facts that the function reads.
#pragma once

#include <cassert>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>

#include "algorithms/record/arrays.h"
#include "algorithms/record/element.h"
#include "algorithms/record/kept.h"

namespace krait::host {

using detail::argument;

/// A parameter: an array of elements, or one element.
struct Parameter {
  const ElementType* type;
  int rank = 0;  // 0: one element
  bool writes = false;
};
inline Parameter in(const ElementType* type, int rank = 1) { return {type, rank, false}; }
inline Parameter out(const ElementType* type, int rank = 1) { return {type, rank, true}; }
inline Parameter in(scalar type, int rank) { return in(type_of(type), rank); }
inline Parameter out(scalar type, int rank) { return out(type_of(type), rank); }
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
/// Of an array.
detail::parameter_type described(const Parameter& array);

/// The parameters while a kernel is recorded.
class Parameters {
 public:
  Parameters(std::span<const Parameter> types, const node* nodes) : types_(types), nodes_(nodes) {}
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
  /// Those that a kernel has after its own.
  const node* others() const { return nodes_ + first(types_.size()); }

 private:
  std::size_t first(std::size_t parameter) const;
  std::span<const Parameter> types_;
  const node* nodes_;
};

/// An argument of a parameter for one element.
struct ElementArgument {
  const ElementType* type;
  const void* element;
};

/// A kernel object of the library.
class Kernel {
 public:
  using Body = std::function<void(const Parameters&)>;
  /// `others`: parameters after its own, such as those of a user's function.
  Kernel(const options& with, std::initializer_list<Parameter> parameters, Body body,
         std::span<const detail::parameter_type> others = {});
  Kernel(const Kernel&) = delete;
  ~Kernel() { detail::free_kernel_state(state_); }

  /// Arguments: arrays, numbers of exactly their parameters' types, elements, and then those of the
  /// other parameters as a span of arguments.
  template <class... Given>
  void launch(const launch_config& with, const Given&... given) const {
    detail::call_config config;
    config.grid = with.grid, config.block = with.block, config.on = with.on;
    call(config, given...);
  }
  /// At least n threads.
  template <class... Given>
  void forall(std::int64_t n, const Given&... given) const {
    detail::call_config config;
    config.form = detail::call_config::threads, config.count = n;
    call(config, given...);
  }
  /// The IR, of a kernel that need not have run.
  text ir() const;

 private:
  /// The arguments of a call, on the stack where they are few: to allocate costs as much as the
  /// rest of a small call. A struct that does not travel as bytes is up to 16 of them.
  class Packed {
   public:
    explicit Packed(const Kernel& of) : of_(of) {
      if (of.types_.size() * sizeof(argument) <= sizeof few_) {
        next_ = first_ = reinterpret_cast<argument*>(few_);
      } else {
        many_ = std::make_unique<argument[]>(of.types_.size()), next_ = first_ = many_.get();
      }
    }
    const argument* all() const { return first_; }
    bool is_complete() const { return next_ == first_ + of_.types_.size(); }
    void add(const any_array& x);
    template <class Elem, int Rank>
    void add(const array<Elem, Rank>& x) {
      check(type_of<std::remove_const_t<Elem>>(), Rank);
      *add() = detail::array_argument(x);
    }
    template <detail::plain Type>
    void add(Type x) {
      check(type_of<Type>(), 0);
      add()->bits = detail::bits_of(x);
    }
    void add(const ElementArgument& x);
    void add(std::span<const argument> others) {
      for (const argument& a : others) *add() = a;
    }

   private:
    argument* add() { return new (next_++) argument; }
    void check(const ElementType* type, int rank);

    const Kernel& of_;
    alignas(argument) std::byte few_[16 * sizeof(argument)];  // not set before they are needed
    std::unique_ptr<argument[]> many_;
    argument *first_, *next_;
    std::size_t parameter_ = 0;
  };

  template <class... Given>
  void call(const detail::call_config& config, const Given&... given) const {
    Packed packed(*this);
    (packed.add(given), ...);
    assert(packed.is_complete());
    detail::call(state_, this, as_, packed.all(), config);
  }
  static void record(const void* kernel, const node* nodes);

  std::vector<Parameter> parameters_;
  Body body_;
  std::vector<detail::parameter_type> types_;
  detail::signature as_{};
  detail::kernel_state* state_;
};

}  // namespace krait::host

namespace krait::detail {

struct kernel_set {
  host::Kept<host::Kernel> made;
};

}  // namespace krait::detail

namespace krait::host {

/// The kernels without users' functions, never destroyed.
detail::kernel_set& own_kernels();

inline const options default_options;
/// The kernel of that body, a lambda, for these facts: all that it captures. It is recorded at the
/// first launch. Functions of one type would share their kernels.
template <class Body>
  requires std::is_class_v<Body>
const Kernel& kernel_of(detail::kernel_set& set, const char* name, const Facts& facts,
                        std::initializer_list<Parameter> parameters, const Body& body,
                        const options& with = default_options,
                        std::span<const detail::parameter_type> others = {}) {
  return set.made.of<Body>(facts, [&] {
    options named = with;
    named.name = name;
    return std::make_unique<Kernel>(named, parameters, body, others);
  });
}
template <class Body>
const Kernel& kernel_of(const char* name, const Facts& facts,
                        std::initializer_list<Parameter> parameters, const Body& body,
                        const options& with = default_options) {
  return kernel_of(own_kernels(), name, facts, parameters, body, with);
}

}  // namespace krait::host
