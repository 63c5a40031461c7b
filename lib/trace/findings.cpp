// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/findings.h"

#include "support/error.h"

namespace krait::trace {

void Findings::misuse(std::string text, detail::location where) {
  if (!misuse_) misuse_ = Misuse{std::move(text), where};
}

void Findings::fail(const std::string& text) const {
  throw error(error::kind_type::usage, text.c_str(), where_.file, where_.line);
}

void Findings::warn(std::string text) {
  Warning w{std::move(text), where_.file ? where_.file : "", where_.line};
  for (const Warning& known : warnings_)
    if (known.text == w.text && known.file == w.file && known.line == w.line) return;
  warnings_.push_back(std::move(w));
}

void Findings::warn_of_doubles(const ir::Function& kernel) {
  for (const ir::ValueId p : kernel.params())
    if (kernel.type_of(p).scalar == ir::Scalar::F64) return;
  for (const detail::location& place : doubles_) {
    where_ = place;
    warn(
        "double arithmetic in a kernel without double arguments: "
        "a literal such as 2.0 is a double, write 2.0f");
  }
}

void Findings::check(const std::string& kernel) const {
  if (!misuse_) return;
  throw error(error::kind_type::usage,
              (kernel.empty() ? misuse_->text : "kernel " + kernel + ": " + misuse_->text).c_str(),
              misuse_->where.file, misuse_->where.line);
}

}  // namespace krait::trace
