// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses parameters of a kernel, such as its block size, by measuring them (docs/tuning.md).
//   const kr::space forms{{"block", {64, 128, 256}}, {"each", {1, 2, 4}}};
//   const auto run = [&](const kr::candidate& c) {
//     make_blur(c["each"]).launch({blocks(c), c["block"]}, x, y);
//   };
//   const kr::tuned best = kr::tune("blur", forms, run, {.search = true}, y);
//   run(best.choice);
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include <krait/array.h>
#include <krait/detail/function_ref.h>
#include <krait/detail/text.h>

namespace krait {
namespace detail {
struct candidate_state;
struct space_state;
}  // namespace detail

/// A parameter to choose, with its values: {"block", {64, 128, 256}}.
struct tunable {
  /// The name.
  const char* name;
  /// The values.
  std::initializer_list<std::int64_t> values;
};

/// One choice: a value for each parameter of a space.
class KRAIT_API candidate {
 public:
  candidate(const candidate& other) noexcept;
  candidate& operator=(candidate other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~candidate();

  /// The value of the parameter with this name. Throws error{usage} for an unknown name.
  std::int64_t operator[](const char* name) const;
  /// The choice as text: "block=128 each=4".
  text str() const;

 private:
  friend struct detail::access;
  explicit candidate(detail::candidate_state* state) noexcept : state_(state) {}
  detail::candidate_state* state() const noexcept { return state_; }
  detail::candidate_state* state_;
};

/// All combinations of the values of some parameters, in the order of preference.
/// Throws error{usage} for a parameter without values, for equal names, for characters other than
/// letters, digits, '_' and '-', and for more than 4,096 combinations.
/// \code
/// const kr::space forms{{"block", {64, 128, 256}}, {"each", {1, 2, 4}}};
/// \endcode
class KRAIT_API space {
 public:
  space(std::initializer_list<tunable> numbers);
  space(space&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  space& operator=(space&&) = delete;
  ~space();

  /// Keeps the combinations for which the predicate is true.
  /// \code
  /// const auto forms = kr::space{{"block", {64, 128}}, {"each", {1, 4}}}.where(
  ///     [](const kr::candidate& c) { return c["block"] * c["each"] <= 256; });
  /// \endcode
  template <class Predicate>
  space&& where(const Predicate& keep) && {
    filter([&](const candidate& c) { return static_cast<bool>(keep(c)); });
    return std::move(*this);
  }
  /// Sorts the combinations by falling score; without a measurement the first one is used.
  /// \code
  /// const auto forms = kr::space{{"block", {64, 128}}}.by(
  ///     [](const kr::candidate& c) { return c["block"]; });
  /// \endcode
  template <class Score>
  space&& by(const Score& score) && {
    sort([&](const candidate& c) { return static_cast<double>(score(c)); });
    return std::move(*this);
  }

  /// The number of combinations.
  std::size_t size() const noexcept;
  /// The combination with this number. Throws error{usage} beyond the last.
  candidate operator[](std::size_t i) const;

 private:
  void filter(detail::function_ref<bool(const candidate&)> keep);
  void sort(detail::function_ref<double(const candidate&)> score);
  detail::space_state* state_;
};

/// Options of kr::tune.
struct tune_options {
  /// Whether to measure if no choice is known; the environment's KRAIT_TUNE=1 also asks for it.
  bool search = false;
  /// Seconds after which no further measurement begins.
  double seconds = 10;
  /// The relative difference allowed between floats of results and those of the first candidate; 0:
  /// none.
  double tolerance =
      /// by which floats of results may differ from the first candidate's, relative to the larger;
      /// 0: not at all
      0;
  /// The device of the launches.
  device on = device();
};

/// The choice that kr::tune made.
struct tuned {
  /// The source of a choice: the first of the space, known before, or measured by this call.
  enum source { preferred, known, measured };
  /// The choice.
  candidate choice;
  /// Its source; `known` includes the process, the cache on disk and imported choices.
  source from;
  /// Milliseconds of one run when it was measured; 0 for `preferred`.
  double ms;
  /// A line per measured candidate with its time, or why it was left out; empty without a
  /// measurement.
  text report;
};

namespace detail {

struct tuned_output {
  elements at;
  /// The first of `count` elements in which two results differ; `count` where none does.
  std::int64_t (*differ)(const void* x, const void* y, std::int64_t count, double tolerance);
};

template <class Elem>
std::int64_t first_difference(const void* x, const void* y, std::int64_t count, double tolerance) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto *const left = static_cast<const Elem*>(x) + i, *const right =
                                                                  static_cast<const Elem*>(y) + i;
    if (std::memcmp(left, right, sizeof(Elem)) == 0) continue;
    if constexpr (!std::is_integral_v<Elem> && !std::is_enum_v<Elem> &&
                  requires { static_cast<double>(*left); }) {
      const auto l = static_cast<double>(*left), r = static_cast<double>(*right);
      if (l == r || std::abs(l - r) <= tolerance * std::max(std::abs(l), std::abs(r))) continue;
    }
    return i;
  }
  return count;
}

KRAIT_API tuned tune(const char* name, const space& among, function_ref<void(const candidate&)> run,
                     const tune_options& with, const tuned_output* outputs, std::size_t count);

}  // namespace detail

/// Chooses a candidate of a space: the known best, else by measuring, else the first.
/// It measures if `with.search` or KRAIT_TUNE=1 asks for it, and keeps the best in the cache on
/// disk. `run(candidate)` makes one candidate's launches on arrays in device memory, without a
/// stream; several threads call it at once, so that kernels compile in parallel. Slow candidates
/// and those that the device refuses are left out. `outputs` are the arrays that a run writes:
/// every candidate must leave the results of the first one there. Throws error{usage} for an empty
/// name or space and for arrays of another device, the first candidate's error if none can run, and
/// exceptions of `run` except krait::error.
/// \code
/// const auto run = [&](const kr::candidate& c) { scale.launch({64, c["block"]}, x); };
/// const kr::space forms{{"block", {64, 128, 256}}};
/// const kr::tuned best = kr::tune("scale", forms, run, {.search = true});
/// \endcode
template <class Run, class... Outputs>
tuned tune(const char* name, const space& among, const Run& run, const tune_options& with,
           const Outputs&... outputs) {
  const detail::layout layouts[sizeof...(Outputs) + 1] = {detail::layout_of(outputs)...};
  [[maybe_unused]] std::size_t next = 0;
  const auto describe = [&]<class Elem, int Rank>(const array<Elem, Rank>& a) {
    static_assert(!std::is_const_v<Elem>, "krait: the outputs of kr::tune must be writable arrays");
    return detail::tuned_output{{detail::memory_of(a), &layouts[next++], sizeof(Elem)},
                                &detail::first_difference<Elem>};
  };
  const detail::tuned_output list[sizeof...(Outputs) + 1] = {describe(outputs)...};
  return detail::tune(
      name, among, [&](const candidate& c) { run(c); }, with, list, sizeof...(Outputs));
}

/// The choices that this process found, used or imported, as lines of text to ship with a program.
/// \code
/// kr::text known = kr::export_tuning();
/// kr::import_tuning(known.c_str());
/// \endcode
KRAIT_API text export_tuning();
/// Imports choices from the lines of kr::export_tuning, also those found with another driver.
/// Throws error{usage} with the number of the first wrong line.
KRAIT_API void import_tuning(const char* lines);

}  // namespace krait
