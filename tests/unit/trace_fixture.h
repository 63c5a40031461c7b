// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a lambda, compares the text, and runs what was recorded on the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "krait/control.h"
#include "krait/error.h"
#include "krait/index.h"
#include "krait/math.h"
#include "krait/random_generators.h"
#include "krait/vec.h"
#include "krait/warp.h"
#include "passes/passes.h"
#include "trace/trace.h"

namespace kr = krait;

namespace trace_test {

template <class Type>
struct parameter;
template <class Elem>
struct parameter<kr::value<Elem>> {
  static kr::value<Elem> make() {
    std::vector<kr::detail::node> nodes;  // one a scalar of a struct
    for (const kr::detail::scalar s : kr::detail::scalars_of<Elem>.at)
      nodes.push_back(kr::detail::parameter(s));
    kr::detail::node_source from{nodes.data()};
    return kr::value<Elem>(from);
  }
};
template <class Elem, int Rank>
struct parameter<kr::view<Elem, Rank>> {
  static kr::view<Elem, Rank> make() {
    constexpr auto element = kr::detail::element<std::remove_const_t<Elem>>::type;
    return kr::view<Elem, Rank>(
        kr::detail::parameter_array(element, Rank, !std::is_const_v<Elem>, sizeof(Elem)));
  }
};

/// Records `lambda`, whose parameter types are Params.
template <class... Params, class Lambda>
std::unique_ptr<krait::trace::Recorded> record_as(const Lambda& lambda,
                                                  kr::detail::recording_options options = {}) {
  void* recording = kr::detail::begin_recording(options);
  try {
    std::tuple<Params...> parameters{parameter<Params>::make()...};
    std::apply(lambda, parameters);
  } catch (...) {
    kr::detail::abandon_recording(recording);
    throw;
  }
  return krait::trace::take(kr::detail::finish_recording(recording));
}
template <class Lambda, class... Params>
std::unique_ptr<krait::trace::Recorded> record_declared(const Lambda& lambda,
                                                        void (Lambda::*)(Params...) const,
                                                        kr::detail::recording_options options) {
  return record_as<std::remove_cvref_t<Params>...>(lambda, options);
}
/// Records a lambda without auto parameters.
template <class Lambda>
std::unique_ptr<krait::trace::Recorded> record(const Lambda& lambda,
                                               kr::detail::recording_options options = {}) {
  auto recorded = record_declared(lambda, &Lambda::operator(), options);
  EXPECT_EQ(krait::ir::verify(recorded->module), "") << krait::ir::print(recorded->module);
  return recorded;
}

template <class Lambda>
std::string text(const Lambda& lambda) {
  auto recorded = record(lambda);
  return krait::ir::print(recorded->module);
}
/// The text without what the host compiler's order of evaluation decides.
template <class Lambda>
std::string canonical_text(const Lambda& lambda) {
  auto recorded = record(lambda);
  krait::ir::canonicalise(recorded->module);
  return krait::ir::print(recorded->module);
}

/// The message of the error that recording the lambda gives; empty: none.
template <class Lambda>
std::string misuse(const Lambda& lambda) {
  try {
    record_declared(lambda, &Lambda::operator(), {});
  } catch (const krait::error& e) {
    EXPECT_EQ(e.kind(), krait::error::kind_type::usage);
    EXPECT_FALSE(kr::detail::recording_active());
    return e.message();
  }
  return {};
}

template <class Elem>
krait::ir::Argument argument(std::vector<Elem>& data) {
  krait::ir::Argument a;
  a.data = reinterpret_cast<std::byte*>(data.data());
  a.extents[0] = std::int64_t(data.size());
  a.strides[0] = 1;
  return a;
}
template <kr::detail::plain Number>
krait::ir::Argument argument(Number x) {
  krait::ir::Argument a;
  a.bits = kr::detail::bits_of(x);
  return a;
}

template <class Given>
void append_arguments(std::vector<krait::ir::Argument>& to, Given& given) {
  if constexpr (kr::detail::is_struct<Given>)
    kr::detail::each_leaf(given, [&](const auto& leaf) { to.push_back(argument(leaf)); });
  else to.push_back(argument(given));
}
template <class... Args>
std::vector<krait::ir::Argument> arguments_of(Args&... args) {
  std::vector<krait::ir::Argument> all;
  (append_arguments(all, args), ...);
  return all;
}

/// Bit by bit.
template <class Elem>
bool same_value(const std::vector<Elem>& x, const std::vector<Elem>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(Elem)) == 0);
}
template <class Value>
bool same_value(const Value&, const Value&) {
  return true;
}
template <class Left, class Right, std::size_t... Indices>
bool same_values(const Left& x, const Right& y, std::index_sequence<Indices...>) {
  return (same_value(std::get<Indices>(x), std::get<Indices>(y)) && ...);
}

/// Runs a recorded lambda; arguments are vectors and numbers of the parameters' types. What the
/// passes make of it must do the same.
template <class... Args>
void run(const krait::trace::Recorded& recorded, krait::ir::Launch launch, Args&&... args) {
  krait::ir::Module optimised = recorded.module;
  optimised.kernel().fp = krait::ir::FpMode::Strict;  // contraction changes rounding
  ASSERT_EQ(krait::passes::run_pipeline(optimised, {krait::support::TargetKind::Interpreter}), "");
  ASSERT_EQ(krait::ir::verify(optimised), "") << krait::ir::print(optimised);
  std::tuple<std::decay_t<Args>...> copies{args...};
  const auto copied_arguments =
      std::apply([](auto&... copy) { return arguments_of(copy...); }, copies);
  ASSERT_EQ(krait::ir::interpret(optimised, launch, copied_arguments), "")
      << krait::ir::print(optimised);

  const std::vector<krait::ir::Argument> arguments = arguments_of(args...);
  ASSERT_EQ(krait::ir::interpret(recorded.module, launch, arguments), "")
      << krait::ir::print(recorded.module);
  EXPECT_TRUE(same_values(copies, std::tie(args...), std::index_sequence_for<Args...>{}))
      << krait::ir::print(optimised);
}
template <class Lambda, class... Args>
void run_one(const Lambda& lambda, Args&&... args) {
  const auto recorded = record(lambda);
  run(*recorded, {}, args...);
}

}  // namespace trace_test
