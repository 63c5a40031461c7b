// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The invariants of a function as a whole. Tables that the parser cannot make are made by hand.
#include <gtest/gtest.h>

#include <functional>

#include "ir/builder.h"
#include "ir/text/text.h"

namespace krait::ir {
namespace {

constexpr const char* text =
    "kir 1\n"
    "kernel @k fp(native) (%0: f32, %1: view<f32, 1>, %2: bool) {\n"
    "  %3: f32 = neg %0\n"
    "  if %2 {\n"
    "    %4: f32 = neg %3\n"
    "    yield\n"
    "  }\n"
    "  %5: i64 = const 7\n"
    "  store.f32 %1, %5, %3\n"
    "  return\n"
    "}\n";

/// What verify says after a change of the kernel above.
std::string after(const std::function<void(Function&)>& change) {
  ParseResult r = parse(text);
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(verify(r.module), "");
  change(r.module.kernel());
  return verify(r.module);
}

TEST(IrVerify, MessagesNameFunctionInstructionAndRule) {
  EXPECT_EQ(after([](Function& f) { f.insts[f.def(3) - f.insts.data()].op = Op::Not; }),
            "function 'k': '%3: f32 = not %0': needs operands of bool or integer type");
}

TEST(IrVerify, AModuleHasAKernel) { EXPECT_EQ(verify(Module{}), "the module has no kernel"); }

TEST(IrVerify, ValuesAreDefinedBeforeTheirUses) {
  const std::string wrong = "an operand is not defined before it in an enclosing region";
  EXPECT_EQ(after([](Function& f) { std::swap(f.regions[0].insts[0], f.regions[0].insts[1]); }),
            "function 'k': '%3: f32 = neg %4': " + wrong);
  EXPECT_EQ(after([](Function& f) { f.insts[f.regions[0].insts[0]].operands[0] = 3; }),
            "function 'k': '%3: f32 = neg %3': " + wrong);
  EXPECT_EQ(after([](Function& f) { f.insts[f.regions[0].insts[3]].operands[2] = 4; }),
            "function 'k': 'store.f32 %1, %5, %4': " + wrong);
}

TEST(IrVerify, RegionsEndInOneTerminator) {
  EXPECT_EQ(after([](Function& f) { f.regions[0].insts.pop_back(); }),
            "function 'k': the body does not end in a terminator");
  EXPECT_EQ(after([](Function& f) { f.regions[2].insts.clear(); }),
            "function 'k': a region of 'if %2' does not end in a terminator");
  EXPECT_EQ(after([](Function& f) {
              std::vector<InstId>& insts = f.regions[0].insts;
              std::rotate(insts.begin(), insts.end() - 1, insts.end());
            }),
            "function 'k': the body does not end in a terminator\n"
            "function 'k': 'return': a terminator stands before the end of its region");
  EXPECT_EQ(after([](Function& f) { f.insts[f.regions[0].insts.back()].op = Op::Yield; }),
            "function 'k': 'yield': yield ends the regions of if and switch");
}

/// Errors of a module whose kernel calls @f (%0: f32, %1: i32) -> f32, after the change.
std::string after_in_calls(const std::function<void(Module&)>& change) {
  Module m =
      parse(
          "kir 1\nkernel @k fp(strict) (%0: f32, %1: i32) {\n%2: f32 = call @f(%0, %1)\nreturn\n}\n"
          "func @f (%0: f32, %1: i32) -> f32 {\n%2: f32 = call @g(%0)\nyield %2\n}\n"
          "func @g (%0: f32) -> f32 {\nyield %0\n}\n")
          .module;
  EXPECT_EQ(verify(m), "");
  change(m);
  return verify(m);
}

TEST(IrVerify, CallsMatchTheirFunctions) {
  const std::string call = "function 'k': '%2: f32 = call @f(%0, %1)': ";
  EXPECT_EQ(after_in_calls([](Module& m) { m.kernel().insts[0].imm = 3; }),
            "function 'k': '%2: f32 = call #3(%0, %1)': there is no such function");
  EXPECT_EQ(after_in_calls([](Module& m) { m.kernel().insts[0].imm = 0; }),
            "function 'k': '%2: f32 = call @k(%0, %1)': there is no such function");
  EXPECT_EQ(
      after_in_calls([](Module& m) { m.functions[1].insts[0].imm = 1; }),
      "function 'f': '%2: f32 = call @f(%0)': a function may call only functions after it: recursion is not supported");
  EXPECT_EQ(after_in_calls([](Module& m) { m.kernel().insts[0].operands.pop_back(); }),
            "function 'k': '%2: f32 = call @f(%0)': needs 2 operands, not 1");
  EXPECT_EQ(
      after_in_calls([](Module& m) {
        m.kernel().insts[0].operands = {1, 1};
      }),
      "function 'k': '%2: f32 = call @f(%1, %1)': operand 0 does not have the parameter's type");
  EXPECT_EQ(after_in_calls([](Module& m) {
              m.kernel().insts[0].results.clear(), m.kernel().insts[0].type = {};
            }),
            "function 'k': 'call @f(%0, %1)': its results are not the function's");
  EXPECT_EQ(after_in_calls([](Module& m) { m.kernel().insts[0].list = {1}; }),
            call + "has no list as attribute");
}

TEST(IrVerify, CalledFunctions) {
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].insts[0].operands.clear(); }),
            "function 'g': 'yield': its operands do not match the function's results");
  EXPECT_EQ(
      after_in_calls([](Module& m) {
        m.functions[2].insts[0].op = Op::Return, m.functions[2].insts[0].operands.clear();
      }),
      "function 'g': 'return': a function that is called ends in yield, not by ending the thread");
  EXPECT_EQ(
      after_in_calls([](Module& m) { m.functions[2].fp = FpMode::Fast; }),
      "function 'g': a called function must have the fp mode, facts, checks, block and cluster of its kernel");
  EXPECT_EQ(
      after_in_calls([](Module& m) { m.functions[2].name = "f"; }),
      "function 'f': two functions have this name\nfunction 'f': two functions have this name");
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].name.clear(); }),
            "function '': a called function must have a name");
  EXPECT_EQ(after_in_calls([](Module& m) { m.kernel().results = {Scalar::F32}; }),
            "function 'k': a kernel has no results and is not rare");
  const auto native = [](Module& m, Scalar result) {
    m.functions[2].native.instructions = "mov.b32 $0, $1;";
    m.functions[2].results[0] = result;
  };
  EXPECT_TRUE(
      after_in_calls([&](Module& m) {
        native(m, Scalar::Bool);
      }).find("function 'g': instructions of PTX take numbers of 16, 32 or 64 bits, and return at most one") !=
      std::string::npos);
  const Type wide = array_type(Scalar::F32, Space::Local, 7);
  EXPECT_EQ(
      after_in_calls(
          [&](Module& m) { Builder(m.functions[2]).new_param(m.functions[2].body, wide); }),
      "function 'f': '%2: f32 = call @g(%0)': needs 2 operands, not 1\n"
      "function 'g': parameter of type local<f32, 7>: parameters are scalars, aggregates and arrays of rank 1 to 6");
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].results[0] = Scalar::Void; }),
            "function 'f': '%2: f32 = call @g(%0)': its results are not the function's\n"
            "function 'g': a result has no type\n"
            "function 'g': 'yield %0': its operands do not match the function's results");
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].called = false; }).substr(0, 37),
            "function 'g': a module has one kernel");
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].body = 9; }),
            "function 'f': '%2: f32 = call @g(%0)': the function has no body\n"
            "function 'g': the tables are broken: there is no body");
  EXPECT_EQ(after_in_calls([](Module& m) { m.functions[2].hidden = {{}}; }).substr(0, 49),
            "function 'g': only a kernel has hidden parameters");
}

TEST(IrVerify, Header) {
  EXPECT_EQ(after([](Function& f) {
              f.block = {0, 1, 1};
            }),
            "function 'k': a fixed block size is positive in all dimensions");
  EXPECT_EQ(after([](Function& f) {
              f.block = {-1, 1, 1};
            }),
            "function 'k': a fixed block size is positive in all dimensions");
  EXPECT_EQ(after([](Function& f) {
              f.cluster = {3, 3, 1};
            }),
            "function 'k': a cluster has 1 to 8 blocks");
  EXPECT_EQ(after([](Function& f) {
              f.cluster = {2, 0, 0};
            }),
            "function 'k': a cluster has 1 to 8 blocks");
  EXPECT_EQ(after([](Function& f) { f.checked = f.flat = true; }),
            "function 'k': flat accesses are not checked: check_accesses runs before lower_access");
  const std::string wrong =
      ": a kernel's parameters are scalars, aggregates and views of rank 1 to 6";
  for (const Type& t :
       {slot_type(Scalar::F32), array_type(Scalar::F32, Space::Shared, 1),
        array_type(Scalar::F32, Space::Global, 7), array_type(Scalar::F32, Space::Global, 0),
        array_type(Scalar::Void, Space::Global, 1), argument_type(0),
        array_type(Scalar::F32, Space::Argument, 1, false),
        array_type(Scalar::Void, Space::Argument, 1, true, 8)})
    EXPECT_EQ(after([&](Function& f) { Builder(f).new_param(0, t); }),
              "function 'k': parameter of type " + text_of(t) + wrong);
  EXPECT_EQ(after([](Function& f) {
              for (int i = 0; i < 253; ++i) Builder(f).new_param(0, value_type(Scalar::I8));
            }),
            "function 'k': has more than 255 parameters");
}

TEST(IrVerify, HiddenParameters) {
  const auto wrong_with = [](const std::string& params) {
    const ParseResult parsed =
        parse("kir 1\nkernel @k fp(native) (" + params + ") {\n  return\n}\n");
    EXPECT_EQ(parsed.error, "");
    return verify(parsed.module);
  };
  std::string many, comma;
  for (int i = 0; i < 300; ++i)
    many += comma + "%" + std::to_string(i) + ": view<f32, 1, const> = table(" + std::to_string(i) +
            ")",
        comma = ", ";
  EXPECT_EQ(wrong_with(many), "");
  EXPECT_EQ(wrong_with("%0: u32 = table(1)"),
            "function 'k': the hidden parameter table(1) cannot be of type u32");
  EXPECT_EQ(wrong_with("%0: view<u32, 1, const> = reports"),
            "function 'k': the hidden parameter reports cannot be of type view<u32, 1, const>");
  EXPECT_EQ(wrong_with("%0: u32 = kernel_number, %1: u32 = kernel_number"),
            "function 'k': has the hidden parameter kernel_number twice");
  EXPECT_EQ(after([](Function& f) {
              f.hidden = {{support::HiddenKind(support::hidden_kinds), 0}};
            }),
            "function 'k': has a hidden parameter of an unknown kind");
  EXPECT_EQ(after([](Function& f) { f.hidden.assign(4, {}); }),
            "function 'k': has more hidden parameters than parameters, or than 32768");
}

TEST(IrVerify, OnlyLoadsFetchAhead) {
  const auto wrong_with = [](const char* line) {
    const ParseResult parsed = parse(
        std::string("kir 1\nkernel @k fp(native) (%0: view<f32, 1>, %1: i64, %2: f32) {\n  ") +
        line + "\n  return\n}\n");
    EXPECT_EQ(parsed.error, "");
    return verify(parsed.module);
  };
  EXPECT_EQ(wrong_with("%3: f32 = load.ahead(8) %0, %1"), "");
  EXPECT_EQ(wrong_with("store.likely.f32 %0, %1, %2"),
            "function 'k': 'store.likely.f32 %0, %1, %2': only an if is likely or unlikely");
  EXPECT_EQ(wrong_with("store.rolled.f32 %0, %1, %2"),
            "function 'k': 'store.rolled.f32 %0, %1, %2': only a counted loop is rolled");
  EXPECT_EQ(wrong_with("store.ahead(8).f32 %0, %1, %2"),
            "function 'k': 'store.ahead(8).f32 %0, %1, %2': only loads fetch ahead");
}

TEST(IrVerify, CarriedValuesAreScalars) {
  EXPECT_EQ(after([](Function& f) {
              Builder b(f);
              b.at(1);
              const ValueId view = 1;
              const InstId loop = b.append(Op::Loop, {}, std::span(&view, 1));
              const RegionId body = b.new_region(loop);
              b.new_param(body, Type(f.type_of(view)));
              b.add_result(loop, Type(f.type_of(view)));
              b.at(body);
              b.append(Op::Return, {}, {});
              std::swap(f.regions[1].insts[1], f.regions[1].insts[2]);
            }),
            "function 'k': '%5: view<f32, 1> = loop %1': an array is used as a value\n"
            "function 'k': region parameter of type view<f32, 1>: carried values are scalars");
}

TEST(IrVerify, BrokenTablesAreFoundBeforeTheyAreFollowed) {
  const std::string head = "function 'k': the tables are broken: ";
  EXPECT_EQ(after([](Function& f) { f.body = 9; }), head + "there is no body");
  EXPECT_EQ(after([](Function& f) { f.body = none; }), head + "there is no body");
  EXPECT_EQ(after([](Function& f) { f.body = 1; }), head + "the body has a parent");
  EXPECT_EQ(after([](Function& f) { f.locations.clear(); }), head + "there is no unknown location");
  EXPECT_EQ(after([](Function& f) { f.insts[0].loc = 1; }), head + "a location");
  EXPECT_EQ(after([](Function& f) { f.insts[0].op = Op(op_count); }), head + "an operation");
  EXPECT_EQ(after([](Function& f) { f.insts[0].operands[0] = 99; }), head + "an operand");
  EXPECT_EQ(after([](Function& f) { f.insts[0].results[0] = 99; }), head + "a result");
  EXPECT_EQ(after([](Function& f) { f.insts[0].results.push_back(3); }), head + "a result");
  EXPECT_EQ(after([](Function& f) { f.values[3].def = 1; }), head + "a result");
  EXPECT_EQ(after([](Function& f) { f.values[0].region = 1; }), head + "a region parameter");
  EXPECT_EQ(after([](Function& f) { f.regions[0].insts.push_back(99); }),
            head + "an instruction is missing or stands twice");
  EXPECT_EQ(after([](Function& f) { f.regions[2].insts.push_back(0); }),
            head + "an instruction is missing or stands twice");
  EXPECT_EQ(after([](Function& f) { f.insts[1].regions[1] = 1; }),
            head + "a region is missing or stands twice");
  EXPECT_EQ(after([](Function& f) { f.insts[1].regions[1] = 0; }),
            head + "a region is missing or stands twice");
  EXPECT_EQ(after([](Function& f) { f.regions[1].parent = 0; }), head + "a region's parent");
}

TEST(IrVerify, CountsThatTheParserAlwaysGetsRight) {
  EXPECT_EQ(after([](Function& f) { f.insts[0].operands.push_back(0); }),
            "function 'k': '%3: f32 = neg %0, %0': needs 1 operand, not 2");
  EXPECT_EQ(after([](Function& f) { f.insts[1].regions.pop_back(); }),
            "function 'k': 'if %2': needs 2 regions, not 1");
  EXPECT_EQ(after([](Function& f) { f.insts[0].list = {1}; }),
            "function 'k': '%3: f32 = neg %0 {1}': has no list as attribute");
  EXPECT_EQ(
      after([](Function& f) { f.insts[0].type = value_type(Scalar::F64); }),
      "function 'k': '%3: f32 = neg %0': the instruction's type is not that of its first result");
  EXPECT_EQ(after([](Function& f) {
              for (Inst& i : f.insts)
                if (i.op == Op::Const)
                  i.type = f.values[i.results[0]].type = value_type(Scalar::U8), i.imm = 256;
            }),
            "function 'k': '%5: u8 = const 256': the constant has more bits than its type");
}

TEST(IrVerify, AttributesThatTheTextDoesNotGive) {
  const auto of_neg = [](void (*change)(Inst&)) {
    const std::string wrong = after([&](Function& f) { change(f.insts[0]); });
    return wrong.substr(wrong.rfind("': ") + 3);
  };
  EXPECT_EQ(of_neg([](Inst& i) { i.text = "x"; }), "has no text as attribute");
  EXPECT_EQ(of_neg([](Inst& i) { i.streaming = true; }), "only loads and stores are streaming");
  EXPECT_EQ(of_neg([](Inst& i) { i.order = Order::Acquire; }),
            "only atomics have an order and a scope");
}

TEST(IrVerify, ValuesWithoutAType) {
  Module m;
  m.functions.push_back(new_function("k"));
  Builder b(m.kernel());
  const ValueId nothing = b.new_param(0, value_type(Scalar::Void)),
                view = b.new_param(0, array_type(Scalar::F32, Space::Global, 1)),
                index = b.new_param(0, value_type(Scalar::I64));
  b.at(0);
  b.append(Op::Slot, {}, std::span(&nothing, 1));
  const ValueId operands[] = {view, index};
  b.add_result(b.append(Op::Load, value_type(Scalar::Void), operands), value_type(Scalar::Void));
  b.append(Op::Return, {}, {});
  EXPECT_EQ(
      verify(m),
      "function 'k': parameter of type void: a kernel's parameters are scalars, aggregates and views of rank 1 to 6\n"
      "function 'k': 'slot %0': needs a first value\n"
      "function 'k': '%3: void = load %1, %2': needs a scalar type");
}

/// A new row of ops.def whose rule is Custom is given one.
TEST(IrVerify, EachOperationHasARule) {
  for (unsigned op = 0; op < op_count; ++op)
    EXPECT_EQ(after([&](Function& f) {
                f.insts[0].op = Op(op), f.insts[0].operands.clear();
              }).find("has no rule"),
              std::string::npos)
        << info(Op(op)).name;
}

TEST(IrVerify, NestingIsBounded) {
  Module m;
  m.functions.push_back(new_function("deep"));
  Builder b(m.functions[0]);
  const ValueId condition = b.new_param(0, value_type(Scalar::Bool));
  RegionId r = 0;
  for (unsigned depth = 0; depth <= max_region_depth; ++depth) {
    b.at(r);
    const InstId i = b.append(Op::If, {}, std::span(&condition, 1));
    b.append(Op::Return, {}, {});
    r = b.new_region(i);
    b.at(b.new_region(i));
    b.append(Op::Return, {}, {});
  }
  b.at(r);
  b.append(Op::Return, {}, {});
  EXPECT_EQ(verify(m), "function 'deep': regions nest too deeply");
}

TEST(IrVerify, MessagesAreBounded) {
  Module m;
  m.functions.push_back(new_function("many"));
  Builder b(m.functions[0]);
  b.at(0);
  for (int i = 0; i < 1000; ++i) b.append(Op::Yield, {}, {});
  const std::string messages = verify(m);
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 19);
}

}  // namespace
}  // namespace krait::ir
