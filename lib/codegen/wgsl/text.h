// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of WGSL, indented by what encloses them, with the user's places behind them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace krait::codegen::wgsl {

class Text {
 public:
  void line(std::string_view text);
  /// A line that ends in a brace, and the one that closes it.
  void open(std::string_view text);
  void close(std::string_view text = "}");
  /// A line that ends one brace and begins another, such as that of an else.
  void between(std::string_view text) { close(text), ++depth_; }
  /// The next line is told to come from here, unless the last one that was told does, too.
  void place(std::string place);
  const std::string& all() const { return all_; }
  /// What there is, which leaves the text; the next line stands as deep.
  std::string cut() { return std::exchange(all_, {}); }

 private:
  std::string all_, place_, told_;
  unsigned depth_ = 0;
};

}  // namespace krait::codegen::wgsl
