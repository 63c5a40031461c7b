// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/calls.h"

#include <cctype>

namespace krait::codegen::wgsl {
namespace {

/// Of a function's name what WGSL takes.
std::string readable(const std::string& name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c))) text += c;
    else if (!text.ends_with('_')) text += '_';
  return text;
}

}  // namespace

std::string Calls::result_type(const ir::Function& f, const std::string& name) const {
  if (f.results.size() == 1) return std::string(type_of(f.results[0]));
  return "results_of_" + name;
}

void Calls::call(const ir::Inst& i) {
  const ir::Function& callee = unit_.module.callee(i);
  Instance instance{i.imm, {}};
  std::string list;
  for (const ir::ValueId v : i.operands) {
    if (f_.type_of(v).is_array()) instance.second.push_back(&array(v));
    else list.append(list.empty() ? "" : ", ").append(full(v).text);
  }
  const auto [at, fresh] = unit_.instances.try_emplace(instance);
  if (fresh) {
    at->second = fmt::format("call{}_{}", unit_.instances.size() - 1, readable(callee.name));
    unit_.wanted.push_back(instance);
  }
  const Expr made = wgsl::call("{}({})", at->second, list);
  if (i.results.empty()) return out_.line(made.text + ";");
  const Expr all = named(made);
  if (i.results.size() == 1) return void(frame_.values[i.results[0]] = all);
  for (std::size_t n = 0; n < i.results.size(); ++n)
    frame_.values[i.results[n]] = name(fmt::format("{}.r{}", all.text, n));
}

void Calls::begin(const Instance& instance) {
  name_ = unit_.instances.at(instance);
  if (f_.results.size() > 1) {
    unit_.globals.open(fmt::format("struct {} {{", result_type(f_, name_)));
    for (std::size_t n = 0; n < f_.results.size(); ++n)
      unit_.globals.line(fmt::format("r{}: {},", n, type_of(f_.results[n])));
    unit_.globals.close();
  }
  std::string list;
  std::size_t arrays = 0;
  for (const ir::ValueId p : f_.params()) {
    const ir::Type& t = f_.type_of(p);
    if (t.is_array()) {
      frame_.arrays[p] = instance.second[arrays++];
      continue;
    }
    const std::string parameter = new_name('x');
    frame_.values[p] = name(parameter);
    list.append(list.empty() ? "" : ", ")
        .append(fmt::format("{}: {}", parameter, type_of(t.scalar)));
  }
  out_.open(fmt::format("fn {}({}){} {{", name_, list,
                        f_.results.empty() ? "" : " -> " + result_type(f_, name_)));
}

void Calls::give_results(const ir::Inst& yield) {
  if (yield.operands.empty()) return;
  std::string list;
  for (const ir::ValueId v : yield.operands)
    list.append(list.empty() ? "" : ", ").append(full(v).text);
  out_.line(yield.operands.size() == 1
                ? fmt::format("return {};", list)
                : fmt::format("return {}({});", result_type(f_, name_), list));
}

}  // namespace krait::codegen::wgsl
