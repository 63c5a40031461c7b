// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pure operation on every type it takes, from ops.def, becomes PTX that ptxas assembles.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/plugin.h"

namespace krait {
namespace {

using ir::Op;
using ir::Rule;
using ir::Scalar;

/// One kernel that loads three operands of a type and stores the results of all operations on it,
/// each into a view of its own.
class Matrix {
 public:
  Matrix(Scalar s, ir::FpMode mode) : f_(ir::new_function("matrix")), b_(f_), s_(s) {
    f_.fp = mode;
    b_.at(f_.body);
    for (int i = 0; i < 3; ++i)
      inputs_[i] = b_.new_param(f_.body, ir::array_type(s, ir::Space::Global, 1, false));
    counts_ = b_.new_param(f_.body, ir::array_type(Scalar::I32, ir::Space::Global, 1, false));
    index_ = b_.emit(Op::GlobalId, Scalar::I64, {}, 0);
    for (int i = 0; i < 3; ++i) x_[i] = b_.emit(Op::Load, s, {inputs_[i], index_});
    for (unsigned i = 0; i < ir::op_count; ++i) add(Op(i));
    b_.append(Op::Return, {}, {});
  }

  std::string text() {
    ir::Module module;
    module.functions.push_back(f_);
    passes::expand_ops(
        module,
        [](const ir::Inst& i) {
          const bool of_words =
              i.op == Op::BytePermute || i.op == Op::DotBytes || i.op == Op::DotMixed;
          return i.op != Op::CastSat && (!of_words || ir::size_of(i.type.scalar) == 4);
        },
        32);
    passes::lower_types(module);
    return ir::print(module);
  }

 private:
  void store(ir::ValueId v) {
    ir::ValueId out =
        b_.new_param(f_.body, ir::array_type(f_.type_of(v).scalar, ir::Space::Global, 1));
    ir::ValueId operands[] = {out, index_, v};
    b_.append(Op::Store, f_.type_of(v), operands);
  }

  void add(Op op) {
    const ir::OpInfo& row = ir::info(op);
    if (row.family != ir::Family::Value || !takes(row, s_)) return;
    switch (row.rule) {
      case Rule::Same:
        store(b_.emit(op, ir::value_type(s_), std::span(x_.data(), std::size_t(row.arity))));
        return;
      case Rule::Compare: store(b_.compare(op, {x_[0], x_[1]})); return;
      case Rule::Test: store(b_.emit(op, Scalar::Bool, {x_[0]})); return;
      case Rule::Shift:
        store(b_.emit(op, s_, {x_[0], b_.emit(Op::Load, Scalar::I32, {counts_, index_})}));
        return;
      case Rule::Select:
        store(b_.emit(op, s_, {b_.cast(Scalar::Bool, x_[2]), x_[0], x_[1]}));
        return;
      case Rule::Count: store(b_.emit(op, Scalar::I32, {x_[0]})); return;
      case Rule::Convert:
        for (Scalar to : ir::all_scalars)
          if (to != s_) store(b_.emit(op, to, {x_[0]}));
        return;
      case Rule::Bits:
        for (Scalar to : ir::all_scalars)
          if (to != s_ && to != Scalar::Bool && ir::size_of(to) == ir::size_of(s_))
            store(b_.emit(op, to, {x_[0]}));
        return;
      case Rule::Id:
      case Rule::Custom: return;
    }
  }

  ir::Function f_;
  ir::Builder b_;
  Scalar s_;
  std::array<ir::ValueId, 3> inputs_, x_;
  ir::ValueId counts_, index_;
};

class PtxOps : public testing::TestWithParam<Scalar> {};

TEST_P(PtxOps, AssembleInStrictMode) {
  test::check_ptx(Matrix(GetParam(), ir::FpMode::Strict).text());
}

TEST_P(PtxOps, AssembleInFastMode) { test::check_ptx(Matrix(GetParam(), ir::FpMode::Fast).text()); }

INSTANTIATE_TEST_SUITE_P(Types, PtxOps, testing::ValuesIn(ir::all_scalars),
                         [](const auto& row) { return std::string(ir::name_of(row.param)); });

}  // namespace
}  // namespace krait
