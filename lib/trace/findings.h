// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording finds wrong: the first misuse, which is thrown at its end, and warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krait/detail/emit.h"
#include "trace/trace.h"

namespace krait::trace {

class Findings {
 public:
  /// The user's line that is being recorded.
  detail::location where() const { return where_; }
  void set_where(detail::location where) { where_ = where; }

  void misuse(std::string text) { misuse(std::move(text), where_); }
  void misuse(std::string text, detail::location where);
  /// A misuse after which nothing more can be recorded.
  [[noreturn]] void fail(const std::string& text) const;
  void warn(std::string text);
  /// x * 2.0 with a float x: a warning unless the kernel has doubles of its own.
  void double_arithmetic() { doubles_.emplace_back(where_); }
  void warn_of_doubles(const ir::Function& kernel);

  /// Throws the first misuse.
  void check(const std::string& kernel) const;
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  struct Misuse {
    std::string text;
    detail::location where;
  };
  std::optional<Misuse> misuse_;
  std::vector<Warning> warnings_;
  std::vector<detail::location> doubles_;
  detail::location where_;
};

}  // namespace krait::trace
