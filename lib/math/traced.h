// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of primitives.h for traced values. The DSL has most of them (found by argument); here
// is the rest.
#pragma once

#include <string>

#include "krait/krait.h"
#include "math/primitives.h"
#include "trace/trace.h"

namespace krait::math {

template <class Float>
  requires std::floating_point<Float>
struct Types<value<Float>> {
  using Scalar = Float;
  using Int = value<typename Types<Float>::Int>;
  using Unsigned = value<typename Types<Float>::Unsigned>;
  using Bool = value<bool>;
  template <class T>
  using Var = var<typename T::traced_type>;
};

inline value<bool> both(const value<bool>& x, const value<bool>& y) { return x && y; }
inline value<bool> either(const value<bool>& x, const value<bool>& y) { return x || y; }
inline value<bool> negate(const value<bool>& x) { return !x; }

template <class Float>
value<Float> reciprocal(const value<Float>& x) {
  const value<Float> result = value<Float>(Float(1)) / x;
  trace::allow_approximation(node_of(result));
  return result;
}

template <class Float>
value<Float> square_root(const value<Float>& x) {
  const value<Float> result = sqrt(x);
  trace::allow_approximation(node_of(result));
  return result;
}

template <class Body>
void when(const value<bool>& condition, const Body& body) {
  if_(condition, body);
}
template <class Body, class Other>
void when(const value<bool>& condition, const Body& body, const Other& other) {
  if_(condition, body).else_(other);
}
/// The name of a function of the module.
template <class Real>
std::string full_name(const char* name) {
  return std::string("math.") + name + (is_single<Real> ? ".f32" : ".f64");
}
template <class Real, class Function, detail::traced... Operands>
auto rarely(const char* name, const Function& f, const Operands&... x) {
  static const std::string full = full_name<Real>(name);
  static const auto called = function(f, {.name = full.c_str(), .rare = true});
  return called(x...);
}
template <class Real, class Function, detail::traced... Operands>
auto apart(const char* name, const Function& f, const Operands&... x) {
  static const std::string full = full_name<Real>(name);
  static const auto called = function(f, {.name = full.c_str()});
  return called(x...);
}
template <class Condition, class Body>
  requires detail::traced<std::invoke_result_t<Condition>>
void repeat_while(Condition&& condition, Body&& body) {
  while_(condition, body);
}

}  // namespace krait::math
