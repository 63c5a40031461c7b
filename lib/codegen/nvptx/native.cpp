// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls for which the program gives instructions, and the device functions that those call.
#include <cctype>
#include <set>

#include <fmt/core.h>
#include <llvm/IR/InlineAsm.h>

#include "codegen/nvptx/lower.h"
#include "codegen/nvptx/nvptx.h"
#include "codegen/reply.h"

namespace krait::codegen::nvptx {

using ir::Scalar;
using llvm::Value;

namespace {

/// The kind of register, as LLVM's constraints name it.
char register_of(Scalar s) {
  const unsigned size = ir::size_of(s);
  if (s == Scalar::F32) return 'f';
  if (s == Scalar::F64) return 'd';
  return size == 2 ? 'h' : size == 4 ? 'r' : 'l';
}

/// The text as LLVM reads it: operands are numbered from the first one that there is, and a dollar
/// that names none is doubled. Labels and registers are its own.
std::string for_llvm(const std::string& text, bool has_result) {
  std::string out = "{\n\t";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      out += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end == at + 1) out += "$$";
    else
      out += fmt::format("${{{}}}",
                         std::stoul(text.substr(at + 1, end - at - 1)) - (has_result ? 0 : 1));
    at = end;
  }
  return out + "\n\t}";
}

}  // namespace

Value* Lowering::instructions(const ir::Inst& call, const ir::Function& f) {
  const auto held = [&](Scalar s) {  // halves lie in registers of 16 bits
    return ir::size_of(s) == 2 ? static_cast<llvm::Type*>(b_.getInt16Ty())
                               : memory_type(context_, s);
  };
  const bool has_result = !f.results.empty();
  std::string constraints = has_result ? fmt::format("={}", register_of(f.results[0])) : "";
  std::vector<llvm::Type*> types;
  std::vector<Value*> arguments;
  for (const ir::ValueId v : call.operands) {
    const Scalar s = f_.type_of(v).scalar;
    constraints += fmt::format("{}{}", constraints.empty() ? "" : ",", register_of(s));
    types.push_back(held(s));
    arguments.push_back(b_.CreateBitCast(value(v), held(s)));
  }
  if (f.native.effects) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  llvm::Type* result = has_result ? held(f.results[0]) : b_.getVoidTy();
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false),
                                    for_llvm(f.native.instructions, has_result), constraints,
                                    f.native.effects);
  llvm::CallInst* made = b_.CreateCall(code, arguments);
  made->setDoesNotThrow();
  if (!f.native.effects) made->setDoesNotAccessMemory();
  return has_result ? b_.CreateBitCast(made, memory_type(context_, f.results[0])) : nullptr;
}

std::string with_functions(std::string ptx, const ir::Module& module) {
  std::set<std::string_view> texts;
  for (const ir::Function& f : module.functions)
    if (!f.native.functions.empty()) texts.insert(f.native.functions);
  if (texts.empty()) return ptx;
  std::string functions;
  for (llvm::StringRef rest : texts)
    while (!rest.empty()) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      const llvm::StringRef word = line.ltrim();
      // The module has these of its own.
      if (word.starts_with(".version") || word.starts_with(".target") ||
          word.starts_with(".address_size"))
        continue;
      functions.append(line.data(), line.size()), functions += '\n';
    }
  constexpr std::string_view last = ".address_size 64\n";
  const std::size_t head = ptx.find(last);
  if (head == ptx.npos) defect("the PTX has no head");
  return ptx.insert(head + last.size(), functions);
}

}  // namespace krait::codegen::nvptx
