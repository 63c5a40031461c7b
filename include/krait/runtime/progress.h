// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress line on the terminal for a long loop on the host.
//   for (std::int64_t step : kr::progress(1000, {.name = "heat"})) simulate(step);
//   heat: 420 of 1000, 42 %, 12.6 s, 17.4 s to go
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>

#include <krait/detail/call.h>

namespace krait {

/// Options of kr::progress.
struct progress_options {
  /// The name at the start of the line.
  const char* name = nullptr;
  /// Seconds between two outputs, and before the first one.
  double every = 0.1;
  /// Whether to print when `to` is not a terminal, too: one line each time.
  bool always = false;
  /// The file descriptor to write to; 2 is standard error.
  int to = 2;
};

namespace detail {

struct progress_line;
/// `total` is below 0 where it is not known. Throws error{usage} for a time below 0 or NaN.
KRAIT_API progress_line* begin_progress(std::int64_t total, const progress_options& with);
KRAIT_API void advance(progress_line* line, std::int64_t done) noexcept;
KRAIT_API void end_progress(progress_line* line) noexcept;

struct counted {
  using iterator_category = std::input_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const std::int64_t*;
  using reference = std::int64_t;
  std::int64_t at;
  std::int64_t operator*() const { return at; }
  counted& operator++() { return ++at, *this; }
  counted operator++(int) { return counted{at++}; }
  bool operator==(const counted&) const = default;
};
struct counting {
  std::int64_t count;
  counted begin() const { return {0}; }
  counted end() const { return {count > 0 ? count : 0}; }
};

/// The range of a loop; its destructor ends the line.
template <class Range>
class progress_range {
 public:
  progress_range(Range range, std::int64_t total, const progress_options& with)
      : range_(static_cast<Range&&>(range)), line_(begin_progress(total, with)) {}
  progress_range(const progress_range&) = delete;
  progress_range& operator=(const progress_range&) = delete;
  ~progress_range() { end_progress(line_); }

  template <class Inner>
  struct iterator {
    Inner inner;
    progress_line* line;
    std::int64_t done = 0;
    decltype(auto) operator*() const { return *inner; }
    iterator& operator++() {
      ++inner;
      advance(line, ++done);
      return *this;
    }
    template <class End>
    bool operator==(const End& end) const {
      return inner == end.inner;
    }
  };
  template <class Inner>
  struct sentinel {
    Inner inner;
  };
  auto begin() {
    using std::begin;
    return iterator<decltype(begin(range_))>{begin(range_), line_};
  }
  auto end() {
    using std::end;
    return sentinel<decltype(end(range_))>{end(range_)};
  }

 private:
  Range range_;
  progress_line* line_;
};

}  // namespace detail

/// The numbers 0 to count - 1, with a progress line on the terminal.
/// \code
/// for (std::int64_t step : kr::progress(1000, {.name = "heat"})) scale.launch({64, 256}, x);
/// \endcode
inline detail::progress_range<detail::counting> progress(std::int64_t count,
                                                         const progress_options& with = {}) {
  return {detail::counting{count}, count > 0 ? count : 0, with};
}
/// The elements of a range, with a progress line on the terminal; a temporary range is kept alive.
template <class Range>
  requires requires(Range& r) { std::begin(r), std::end(r); }
detail::progress_range<Range> progress(Range&& range, const progress_options& with = {}) {
  std::int64_t total = -1;
  if constexpr (requires { std::size(range); }) total = static_cast<std::int64_t>(std::size(range));
  return {std::forward<Range>(range), total, with};
}

}  // namespace krait
