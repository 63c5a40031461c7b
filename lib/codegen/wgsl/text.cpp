// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/text.h"

namespace krait::codegen::wgsl {

void Text::line(std::string_view text) {
  all_.append(2 * depth_, ' ').append(text);
  if (!place_.empty() && place_ != told_)
    all_.append("  // ").append(place_), told_ = std::move(place_);
  place_.clear();
  all_ += '\n';
}

void Text::open(std::string_view text) { line(text), ++depth_; }
void Text::close(std::string_view text) { --depth_, line(text); }
void Text::place(std::string place) { place_ = std::move(place); }

}  // namespace krait::codegen::wgsl
