// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure operations, by the type of their operands: what each is in WGSL, or which function of
// helpers.def.
#pragma once

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

/// Integers of 32 bits and less; of all, what is the same for both.
class Integer : public Part {
 public:
  explicit Integer(Frame& frame) : Part(frame) {}
  Expr compute(const ir::Inst& i, Scalar s);
  /// Cut to its bits, and extended again.
  static Expr cut(Scalar s, Expr e);
  Expr count(const ir::Inst& i) const;

 private:
  Expr unary(const ir::Inst& i, Scalar s);
  Expr bits(Scalar s, const Expr& x) const;
  Expr as(Scalar s, const Expr& word) const;
  Expr divide(const ir::Inst& i, Scalar s);
  Expr upper_half(Scalar s, const Expr& x, const Expr& y);
};

/// Those of 64 bits.
class Wide : public Part {
 public:
  Wide(Frame& frame, Integer& integer) : Part(frame), integer_(integer) {}
  Expr compute(const ir::Inst& i, Scalar s);

 private:
  Expr of_narrow(const ir::Inst& i, Scalar s) const;
  Expr unary(const ir::Inst& i);
  Expr compare(ir::Op op, Scalar s, const Expr& x, const Expr& y);

  Integer& integer_;
};

/// f32 and f16.
class Single : public Part {
 public:
  explicit Single(Frame& frame) : Part(frame) {}
  Expr compute(const ir::Inst& i);

 private:
  /// The device's.
  Expr own(const ir::Inst& i);
  bool adds_constant(const ir::Inst& i) const;
  Expr summand(const ir::Inst& i, unsigned n) const;
  Expr factor(const ir::Inst& i, unsigned n) const;
};

/// f64, as pairs of f32.
class Double : public Part {
 public:
  explicit Double(Frame& frame) : Part(frame) {}
  Expr compute(const ir::Inst& i);
  Expr cast(Scalar to, Scalar from, const Expr& x);
};

class Cast : public Part {
 public:
  explicit Cast(Frame& frame) : Part(frame) {}
  Expr cast(Scalar to, Scalar from, const Expr& x);
  Expr bits(Scalar to, Scalar from, const Expr& x);
  Expr integers(Scalar to, Scalar from, const Expr& x);

 private:
  Expr to_float(Scalar from, const Expr& x);
  Expr from_float(Scalar to, const Expr& x);
};

class Pure : public Part {
 public:
  explicit Pure(Frame& frame) : Part(frame) {}
  Expr compute(const ir::Inst& i);

 private:
  Expr of_names(const ir::Inst& i);
  Expr logic(const ir::Inst& i);
  Expr math(const ir::Inst& i);

  Integer integer_{frame_};
  Wide wide_{frame_, integer_};
  Single single_{frame_};
  Double double_{frame_};
  Cast cast_{frame_};
};

/// "<" and its like.
const char* comparison(ir::Op op);
/// `left` and `right` as they stand beside the sign of a comparison. A "less than" is in brackets:
/// as an argument, f(a < b, c > d), it would begin a list of template arguments (WGSL, template
/// list discovery).
Expr compared(ir::Op op, const std::string& left, const std::string& right);

}  // namespace krait::codegen::wgsl
