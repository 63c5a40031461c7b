// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's module in JavaScript, and its types.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/plugin.h"
#include "host/report_sites.h"
#include "ship/web/site.h"
#include "ir/text/text.h"
#include "support/error.h"

namespace krait::host::web {
namespace {

using What = support::ArgumentSlot::What;

/// What WebGPU's generator cannot see: it makes code for any launch.
void check_launches(const Kernel& k, const support::WebGpuTarget& target) {
  constexpr std::int64_t deepest = 64;  // as every browser gives it; x and y may be all of a block
  for (const Example& e : k.examples) {
    const auto& b = e.launch.block;
    const std::int64_t threads = b[0] * b[1] * b[2];
    if (threads > target.threads)
      support::fail_usage(
          "{}: the example's block of {} x {} x {} has {} threads, "
          "but the target \"{}\" takes {}: make it smaller, or give the target more by "
          "threads=",
          k.recorded.what, b[0], b[1], b[2], threads, k.target, target.threads);
    if (b[2] > deepest)
      support::fail_usage("{}: the example's block has {} threads in z, but WebGPU takes {}",
                          k.recorded.what, b[2], deepest);
  }
}

std::string list_of(const support::ArgumentLayout& layout, What what, unsigned param) {
  std::vector<std::uint32_t> at;
  for (const support::ArgumentSlot& s : layout.slots)
    if (s.what == what && s.param == param) at.push_back(s.offset);
  return fmt::format("[{}]", fmt::join(at, ", "));
}

/// What krait.mjs has to know of a parameter.
std::string describe(const Module& m, unsigned p) {
  const ir::Type& t = m.type_of(p);
  const support::ArgumentLayout& layout = m.envelope.arguments;
  std::string out = fmt::format("{{ name: {}, type: '{}'", quoted(m.name_of(p)), type_name(t));
  if (t.space == ir::Space::Argument)
    return out + fmt::format(", bytes: {}, at: {} }}", t.elem_bytes, layout.find(What::Bytes, p));
  if (!t.is_array())  // the one kernel that writes to its buffer of reports
    return out + fmt::format(", at: {}{} }}", layout.find(What::Scalar, p),
                             m.hidden(p) ? ", number: 1" : "");
  const bool wide = std::any_of(layout.slots.begin(), layout.slots.end(), [&](const auto& s) {
    return s.what == What::Extent && s.param == p && s.bytes == 8;
  });
  out += fmt::format(", rank: {}, bytes: {}, begin: {}, extents: {}", t.rank, t.elem_bytes,
                     layout.find(What::Address, p), list_of(layout, What::Extent, p));
  if (wide) out += ", wide: true";
  if (!m.kernel.facts.contiguous) out += ", strides: " + list_of(layout, What::Stride, p);
  if (const auto& b = m.own.bindings[p]; b.cell_bytes)
    out += fmt::format(", binding: {}, cell: {}, written: {}", 1 + p, b.cell_bytes, b.written != 0);
  if (m.is_result(p)) out += ", result: true";
  if (const support::Hidden* const hidden = m.hidden(p)) {
    if (hidden->kind == support::HiddenKind::Reports) out += ", reports: true";
    else
      out += fmt::format(", table: bytesOf('{}')",
                         base64(m.kernel.recorded.tables.at(hidden->index).bytes));
  }
  return out + " }";
}

/// The text of a report between its values, a part more than there are.
std::vector<std::string> parts_of(const ir::ReportSite& site, const std::string& what) {
  std::vector<std::string> parts(1);
  for (std::size_t k = 0; k < site.text.size(); ++k) {
    const char c = site.text[k], next = k + 1 < site.text.size() ? site.text[k + 1] : '\0';
    if (c == '{' && next != '{' && next != '}')
      support::fail(
          error::kind_type::compile,
          "{}: the text \"{}\" gives the format of a value, which web pages do not support", what,
          site.text);
    if (c == '{' && next == '}') parts.emplace_back();
    else parts.back() += c;
    if (c == '{' || c == '}') ++k;  // the other half
  }
  return parts;
}

/// What krait.mjs has to know of where a kernel prints and checks: the number of a record is the
/// place here.
std::string sites_of(const Module& m) {
  std::string out;
  for (const ir::ReportSite& site : m.sites) {
    std::vector<std::string> parts, types;
    for (const std::string& part : parts_of(site, m.kernel.recorded.what))
      parts.push_back(quoted(part));
    for (const ir::Scalar s : site.types) types.push_back(fmt::format("'{}'", ir::info(s).name));
    const std::string where = fmt::format("{}:{}", site.where.file, site.where.line);
    out += fmt::format("    {{ fault: {}, where: {}, parts: [{}], types: [{}] }},\n", site.fault,
                       quoted(site.where.line ? where : ""), fmt::join(parts, ", "),
                       fmt::join(types, ", "));
  }
  return out.empty() ? "" : "\n  sites: [\n" + out + "  ],";
}

/// WGSL in a template literal.
std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '`' || c == '$') out += '\\';
    out += c;
  }
  return out;
}

/// The typed array of a type's elements; floats of less than 32 bits are passed as their bits.
std::string elements_of(const ir::Type& t) {
  if (t.scalar == ir::Scalar::Void || t.scalar == ir::Scalar::Bool) return "Uint8Array";
  const unsigned bits = ir::bits_of(t.scalar);
  if (ir::is_float(t.scalar) && bits >= 32) return fmt::format("Float{}Array", bits);
  return fmt::format("{}{}{}Array", bits == 64 ? "Big" : "",
                     ir::is_signed_int(t.scalar) ? "Int" : "Uint", bits);
}

std::string number_of(const ir::Type& t) {
  if (t.space == ir::Space::Argument) return "Uint8Array";
  if (t.scalar == ir::Scalar::Bool) return "boolean";
  return t.scalar == ir::Scalar::I64 || t.scalar == ir::Scalar::U64 ? "bigint | number" : "number";
}

}  // namespace

std::string type_name(const ir::Type& t) {
  return t.space == ir::Space::Argument || t.scalar == ir::Scalar::Void
             ? "bytes"
             : std::string(ir::info(t.scalar).name);
}

std::string Module::name_of(unsigned parameter) const {
  if (hidden(parameter)) return fmt::format("hidden{}", parameter - envelope.arguments.given);
  if (is_result(parameter))
    return kernel.results == 1
               ? "result"
               : fmt::format("result{}", parameter + kernel.results - envelope.arguments.given);
  return parameter < kernel.names.size() ? kernel.names[parameter] : fmt::format("p{}", parameter);
}

const ir::Type& Module::type_of(unsigned parameter) const {
  const ir::Function& recorded = kernel.recorded.module.kernel();
  const ir::Function& f = parameter < recorded.params().size() ? recorded : lowered.kernel();
  return f.type_of(f.params()[parameter]);
}

Module compile(const Kernel& k) {
  const support::Target target = read_target(k.target);
  if (target.kind != support::TargetKind::WebGpu)
    support::fail_usage("{}: a web page takes the target \"webgpu\" or \"wgsl …\", not \"{}\"",
                        k.recorded.what, k.target);
  Module m{k, lower(k.recorded, k.facts, target),        {}, {}, {}, {},
           0, ir::report_sites(with_reports(k.recorded))};
  const std::string final_text = ir::print(m.lowered, {.names = true, .locations = true});
  const std::string made = generate(final_text, target, "binary", k.recorded.what, false,
                                    raw_text_for(k.recorded, target))
                               .bytes;
  m.envelope = support::open_or_fail(std::as_bytes(std::span(made)), target.kind, k.recorded.name);
  if (!m.envelope.get_own(m.own))
    support::fail_device("kernel {}: code of another version", k.recorded.name);
  m.code = m.envelope.code, m.envelope.code = {};
  if (m.envelope.arguments.count(What::SharedLength))
    support::fail(error::kind_type::compile,
                  "{}: a shared array is sized at launch, which a web page cannot do: "
                  "give it a constant size",
                  k.recorded.what);
  if (m.own.uses_halves) m.features.emplace_back("shader-f16");
  if (m.own.uses_warp) m.features.emplace_back("subgroups");
  m.shared = m.envelope.fixed_shared;
  check_launches(k, target.web);
  return m;
}

std::string script_of(const Module& m) {
  const Kernel& k = m.kernel;
  const ir::Launch& launch = k.examples.front().launch;
  const auto& fixed = k.recorded.module.kernel().block;
  const unsigned all = unsigned(m.lowered.kernel().params().size());
  std::string parameters;
  bool tables = false;
  for (unsigned p = 0; p < all; ++p) {
    parameters += fmt::format("    {},\n", describe(m, p));
    tables = tables || (m.hidden(p) && m.hidden(p)->kind == support::HiddenKind::Table);
  }
  std::vector<std::string> features;
  for (const std::string& f : m.features) features.push_back(quoted(f));
  return fmt::format(
      R"(// Krait made this of the {0}. docs/webgpu.md of Krait says how to call it; {1}.d.mts has the types.
import {{ {2}kernel }} from './krait.mjs';

const code = /* wgsl */ `{3}`;

export const {1} = kernel({{
  name: '{1}', source: {4}, code, entry: '{15}',
  parameters: [
{5}  ],{14}
  bytes: {6}, grid: [{7}], block: [{8}], fixed: {9}, covers: {10}, shared: {11}, probed: {12}, features: [{13}],
}});
export default {1};
)",
      k.recorded.what, k.name, tables ? "bytesOf, " : "", literal(m.code), quoted(k.recorded.where),
      parameters, m.envelope.arguments.size, fmt::join(launch.grid, ", "),
      fmt::join(launch.block, ", "), fixed[0] != 0,
      k.covered < 0 ? "null" : quoted(m.name_of(unsigned(k.covered))), m.shared, m.own.probed != 0,
      fmt::join(features, ", "), sites_of(m), m.envelope.entry);
}

std::string types_of(const Module& m) {
  std::vector<std::string> generic, parameters, results;
  for (unsigned p = 0; p < m.envelope.arguments.given; ++p) {
    const ir::Type& t = m.type_of(p);
    if (m.is_result(p)) {
      results.push_back(elements_of(t));
    } else if (!t.is_array() || t.space == ir::Space::Argument) {
      parameters.push_back(fmt::format("{}: {}", m.name_of(p), number_of(t)));
    } else if (m.is_written(p)) {
      const std::string given = fmt::format("Given{}", p);
      generic.push_back(fmt::format("{} extends Elements<{}>", given, elements_of(t)));
      parameters.push_back(fmt::format("{}: {}", m.name_of(p), given));
      results.push_back(fmt::format("Result<{}, {}>", given, elements_of(t)));
    } else {
      parameters.push_back(fmt::format("{}: Elements<{}>", m.name_of(p), elements_of(t)));
    }
  }
  const std::string result = results.empty()       ? "void"
                             : results.size() == 1 ? results.front()
                                                   : fmt::format("[{}]", fmt::join(results, ", "));
  const std::string takes =
      parameters.empty() ? "" : fmt::format(", {}", fmt::join(parameters, ", "));
  std::string declared = fmt::format(
      "export function {}{}(device: GPUDevice{}, options?: LaunchOptions): Promise<{}>;\n",
      m.kernel.name, generic.empty() ? "" : fmt::format("<{}>", fmt::join(generic, ", ")), takes,
      result);
  if (m.kernel.results)
    declared += fmt::format(
        "export function {}(device: GPUDevice{}, options: LaunchOptions & {{ into: {} }}): "
        "Promise<{}>;\n",
        m.kernel.name, takes, m.kernel.results == 1 ? "OnDevice" : "OnDevice[]",
        m.kernel.results == 1 ? "GPUBuffer" : "GPUBuffer[]");
  return fmt::format(R"(// Krait made this of the {0}.
import type {{ Elements, LaunchOptions, {3}Result }} from './krait.mjs';

{2}export default {1};
)",
                     m.kernel.recorded.what, m.kernel.name, declared,
                     m.kernel.results ? "OnDevice, " : "");
}

}  // namespace krait::host::web
