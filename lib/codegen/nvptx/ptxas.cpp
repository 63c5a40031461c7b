// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX as ptxas gets it right (CUDA 13.0, and the driver's own, 580.159). Each of these
// instructions, read-only loads excepted, gave wrong bits for a random kernel, and is right by the
// detour; in LLVM's IR most of them would be undone. support/quirks.def says what comes out of
// them.
#include "codegen/nvptx/nvptx.h"

#include <initializer_list>

#include <fmt/core.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

namespace krait::codegen::nvptx {
namespace {

/// A line such as "min.s16 %rs1, %rs2, 7;", its result first among the operands.
struct Line {
  llvm::StringRef operation;
  llvm::SmallVector<llvm::StringRef, 4> operands;

  explicit Line(llvm::StringRef text) {
    text = text.trim();
    operation = text.take_until([](char c) { return c == ' ' || c == '\t'; });
    text.drop_front(operation.size()).rtrim(';').split(operands, ',');
    for (llvm::StringRef& o : operands) o = o.trim();
  }
  bool is(std::initializer_list<llvm::StringRef> operations) const {
    return llvm::is_contained(operations, operation);
  }
};

std::string through_32_bits(const Line& line) {
  const llvm::StringRef name = line.operation.take_front(3), type = line.operation.drop_front(4);
  std::string before, names;
  for (std::size_t i = 1; i < line.operands.size(); ++i) {
    std::int64_t number = 0;
    if (line.operands[i].getAsInteger(10, number))
      before +=
          fmt::format(" cvt.{}32.{} %wide{}, {};", type[0], type.str(), i, line.operands[i].str());
    else
      before += fmt::format(" mov.b32 %wide{}, {};", i,
                            type[0] == 'u' ? std::int64_t(std::uint16_t(number)) : number);
    names += fmt::format(", %wide{}", i);
  }
  return fmt::format("\t{{ .reg .b32 %wide<3>;{} {}.{}32 %wide1{}; cvt.u16.u32 {}, %wide1; }}\n",
                     before, name.str(), type[0], names, line.operands[0].str());
}

/// (x xor s) - s, where s is x shifted to its sign.
std::string absolute(const Line& line, unsigned bits) {
  return fmt::format(
      "\t{{ .reg .b{0} %sign, %flipped; shr.s{0} %sign, {2}, {1}; xor.b{0} %flipped, {2}, %sign; "
      "sub.s{0} {3}, %flipped, %sign; }}\n",
      bits, bits - 1, line.operands[1].str(), line.operands[0].str());
}

/// Registers that a min or max of 32 bits reads.
llvm::DenseSet<llvm::StringRef> compared(llvm::StringRef ptx) {
  llvm::DenseSet<llvm::StringRef> found;
  while (!ptx.empty()) {
    llvm::StringRef text;
    std::tie(text, ptx) = ptx.split('\n');
    if (!text.contains(".s32") && !text.contains(".u32")) continue;
    if (const Line line(text); line.is({"min.s32", "max.s32", "min.u32", "max.u32"}))
      found.insert_range(llvm::drop_begin(line.operands));
  }
  return found;
}

/// Where a branch has found that x is some number, ptxas takes x for ~x in ~x & y, | and ^. LLVM
/// computes these itself, but not behind a copy of Lowering::copy_register, through which ptxas
/// sees. Of 64 bits an xor is right.
std::string complement(const Line& line) {
  if (line.operation == "not.b64")
    return fmt::format("\txor.b64 {}, {}, -1;\n", line.operands[0].str(), line.operands[1].str());
  return fmt::format(
      "\t{{ .reg .b64 %wide; cvt.u64.u32 %wide, {1}; xor.b64 %wide, %wide, -1; "
      "cvt.u32.u64 {0}, %wide; }}\n",
      line.operands[0].str(), line.operands[1].str());
}

/// How a copy begins.
constexpr llvm::StringLiteral copy = "begin inline asm\n\tmov.b";

/// LLVM's loads of what no one writes. They gain nothing since sm_70, where both ways are one
/// cache, and cost where several threads read the same lines: without ".nc" the box filter and the
/// softmax of bench_corpus take 7 and 12 % less on an H200, the stencil of 7 points 3.5 % more.
constexpr llvm::StringLiteral read_only = "ld.global.nc";

/// The end of a function with branches, where ptxas would let lanes return early: it may then make
/// the others wait for all lanes of the warp, of which those wait behind the call. A barrier of
/// the lanes that are here keeps the one end that the function has.
constexpr const char* one_end =
    "\t{ .reg .b32 %here; activemask.b32 %here; bar.warp.sync %here; }\n";

}  // namespace

std::string for_ptxas(llvm::StringRef ptx) {
  const llvm::DenseSet<llvm::StringRef> in_min_max = compared(ptx);
  const bool copies = ptx.contains(copy);
  std::string out;
  out.reserve(ptx.size());
  bool branches = false;  // of a function that is called
  bool called = false;
  while (!ptx.empty()) {
    llvm::StringRef text;
    std::tie(text, ptx) = ptx.split('\n');
    const Line line(text);
    if (text.contains(".entry ")) called = false;
    else if (text.contains(".func ")) called = true, branches = false;
    else if (called && text.contains("bra")) branches = true;
    if (called && branches && text.trim() == "ret;") out += one_end;
    if (line.is({"selp.f32", "selp.f64"})) {
      const std::size_t type = text.find("selp.f") + 5;
      out.append(text.data(), type), out += 'b', out.append(text.begin() + type + 1, text.end()),
          out += '\n';
    } else if (line.is({"neg.s16", "abs.s16", "min.s16", "max.s16", "min.u16", "max.u16"})) {
      out += through_32_bits(line);
    } else if (line.is({"cvt.rn.f32.u16", "cvt.rn.f32.s16"})) {
      const char sign = line.operation[11];
      out += fmt::format(
          "\t{{ .reg .b32 %wide; cvt.{0}32.{0}16 %wide, {1}; cvt.rn.f32.{0}32 {2}, %wide; }}\n",
          sign, line.operands[1].str(), line.operands[0].str());
    } else if (line.is({"abs.s32", "abs.s64"})) {
      out += absolute(line, line.operation == "abs.s32" ? 32 : 64);
    } else if (line.operation == "neg.s32" &&
               (in_min_max.contains(line.operands[0]) || line.operands[0] == line.operands[1])) {
      out += fmt::format(
          "\t{{ .reg .b32 %flipped; not.b32 %flipped, {}; add.s32 {}, %flipped, 1; }}\n",
          line.operands[1].str(), line.operands[0].str());
    } else if (line.operation == "not.b64" || (copies && line.operation == "not.b32")) {
      out += complement(line);
    } else if (line.operation.starts_with(read_only)) {
      out.append(text.begin(), line.operation.begin() + read_only.size() - 3);
      out.append(line.operation.begin() + read_only.size(), text.end()), out += '\n';
    } else {
      out.append(text.begin(), text.end()), out += '\n';
    }
  }
  return out;
}

}  // namespace krait::codegen::nvptx
