// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing the numbers that a kernel is written with, such as its block or what a thread computes, by measuring them (docs/tuning.md).
//   const kr::space forms{{"block", {64, 128, 256}}, {"each", {1, 2, 4}}};
//   const auto run = [&](const kr::candidate& c) { make_blur(c["each"]).launch({blocks(c), c["block"]}, x, y); };
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

/// A number to choose, and its values: {"block", {64, 128, 256}}.
struct tunable {
  const char* name;
  std::initializer_list<std::int64_t> values;
};

/// A value for each number of a space.
class KRAIT_API candidate {
 public:
  candidate(const candidate& other) noexcept;
  candidate& operator=(candidate other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~candidate();

  /// Throws error{usage} where the space has no number of that name.
  std::int64_t operator[](const char* name) const;
  /// "block=128 each=4".
  text str() const;

  explicit candidate(detail::candidate_state* state) noexcept : state_(state) {}  ///< the library's own
  detail::candidate_state* state() const noexcept { return state_; }              ///< the library's own

 private:
  detail::candidate_state* state_;
};

/// The candidates: each value of each number with each of the others, in the order in which they are preferred. Throws error{usage} for numbers
/// without values or with equal names, for names with other characters than letters, digits, '_' and '-', and for more than 4,096 candidates.
class KRAIT_API space {
 public:
  space(std::initializer_list<tunable> numbers);
  space(space&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  space& operator=(space&&) = delete;
  ~space();

  /// Keeps the candidates for which this is true: others do not fit, or cannot be good.
  template <class Predicate>
  space&& where(const Predicate& keep) && {
    filter([&](const candidate& c) { return static_cast<bool>(keep(c)); });
    return std::move(*this);
  }
  /// Puts those of the highest score first. The first one is taken where nothing was measured.
  template <class Score>
  space&& by(const Score& score) && {
    sort([&](const candidate& c) { return static_cast<double>(score(c)); });
    return std::move(*this);
  }

  std::size_t size() const noexcept;
  /// Throws error{usage} where there are not so many.
  candidate operator[](std::size_t i) const;

 private:
  void filter(detail::function_ref<bool(const candidate&)> keep);
  void sort(detail::function_ref<double(const candidate&)> score);
  detail::space_state* state_;
};

/// Whether and how tune() measures.
struct tune_options {
  bool search = false;  ///< measure where no choice is known; KRAIT_TUNE=1 asks for it from outside
  double seconds = 10;  ///< no measurement begins later than that after the first
  double tolerance =
      0;  ///< by which floats of results may differ from the first candidate's, relative to the larger; 0: not at all
  device on = device();  ///< where the launches go
};

/// What tune() took.
struct tuned {
  enum source { preferred, known, measured };
  candidate choice;
  source from;  ///< the first of the space; a choice that this process, the cache or an import knew; or this call's measurement
  double ms;    ///< of one run, when it was measured; 0 for `preferred`
  text report;  ///< of a measurement: a line per candidate with its time, or why it was left out; else empty
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
    const auto *const left = static_cast<const Elem*>(x) + i, *const right = static_cast<const Elem*>(y) + i;
    if (std::memcmp(left, right, sizeof(Elem)) == 0) continue;
    if constexpr (!std::is_integral_v<Elem> && !std::is_enum_v<Elem> && requires { static_cast<double>(*left); }) {
      const auto l = static_cast<double>(*left), r = static_cast<double>(*right);
      if (l == r || std::abs(l - r) <= tolerance * std::max(std::abs(l), std::abs(r))) continue;
    }
    return i;
  }
  return count;
}

KRAIT_API tuned tune(const char* name, const space& among, function_ref<void(const candidate&)> run, const tune_options& with,
                     const tuned_output* outputs, std::size_t count);

}  // namespace detail

/// Gives the choice that is known for this name, device and kernels; where none is known and a search is asked for, measures all candidates, keeps
/// the best in the cache on disk, and gives that; else gives the first candidate.
///
/// `run(candidate)` makes one candidate's launches with arrays in device memory, without a stream; host containers are refused. It is called from
/// several threads at once, which compile side by side. Candidates are run by turns, and left out as soon as they are clearly slower. A
/// candidate whose launch the device refuses is left out. `outputs` are the arrays that a run writes: what is in them after one run must be what
/// the first candidate leaves there, or the candidate is left out; after a search they are as they were before.
/// Throws error{usage} for an empty name or space and for arrays of another device, the first candidate's error where none can run, and what `run`
/// throws except krait::error.
template <class Run, class... Outputs>
tuned tune(const char* name, const space& among, const Run& run, const tune_options& with, const Outputs&... outputs) {
  const detail::layout layouts[sizeof...(Outputs) + 1] = {outputs.at()...};
  [[maybe_unused]] std::size_t next = 0;
  const auto describe = [&]<class Elem, int Rank>(const array<Elem, Rank>& a) {
    static_assert(!std::is_const_v<Elem>, "krait: the outputs of kr::tune must be writable arrays");
    return detail::tuned_output{{a.memory(), &layouts[next++], sizeof(Elem)}, &detail::first_difference<Elem>};
  };
  const detail::tuned_output list[sizeof...(Outputs) + 1] = {describe(outputs)...};
  return detail::tune(
      name, among, [&](const candidate& c) { run(c); }, with, list, sizeof...(Outputs));
}

/// The choices that this process found, took or imported, as lines of text: for programs that are shipped with them.
KRAIT_API text export_tuning();
/// Takes such lines: choices for this device that a search found with another driver are taken, too. Throws error{usage} with the number of the
/// line that is none.
KRAIT_API void import_tuning(const char* lines);

}  // namespace krait
