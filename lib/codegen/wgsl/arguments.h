// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of a kernel: the uniform block's members, in which the argument block lies as it
// is, and the bindings of its arrays. A block with an aggregate, into which an index reaches, is
// declared as words.
#pragma once

#include <map>

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Arguments : public Part {
 public:
  explicit Arguments(Frame& frame) : Part(frame), layout_(unit_.envelope.arguments) {}
  /// Of the kernel: declares all, and gives the parameters their values and arrays.
  void bind();
  /// i64.
  Expr extent(const Array& a, unsigned dimension);
  Expr stride(const Array& a, unsigned dimension);
  /// The cell where an array's first element lies.
  Expr begin(const Array& a);
  /// A word of an aggregate by value, by its number there.
  Expr aggregate_word(const Array& a, const Expr& at) const;

 private:
  using What = support::ArgumentSlot::What;
  std::string name_of(const support::ArgumentSlot& slot) const;
  void declare_block();
  void declare_members();
  void bind_array(ir::ValueId v, unsigned p);
  std::string word(std::uint32_t offset) const;
  /// Of the kernel: read once, in front of its loops.
  Expr argument(const support::ArgumentSlot& slot, std::string text);
  Expr scalar_argument(Scalar s, const support::ArgumentSlot& slot);
  Expr scalar_of_block(Scalar s, const support::ArgumentSlot& slot) const;
  const support::ArgumentSlot& slot(What what, unsigned param, unsigned dimension = 0) const;
  bool as_words() const { return layout_.count(What::Bytes) > 0; }

  const support::ArgumentLayout& layout_;
};

}  // namespace krait::codegen::wgsl
