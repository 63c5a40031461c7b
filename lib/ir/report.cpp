// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/report.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/args.h>
#include <fmt/format.h>

#include "ir/interp/interp.h"
#include "ir/walk.h"

namespace krait::ir {
namespace {

using Values = fmt::dynamic_format_arg_store<fmt::format_context>;

/// A NaN's sign is the machine's choice, and does not show.
template <class Float>
Float unsigned_nan(Float x) {
  return std::isnan(x) ? std::numeric_limits<Float>::quiet_NaN() : x;
}

void add(Values& values, Scalar s, std::uint64_t bits) {
  const unsigned unused = 64 - bits_of(s);
  switch (info(s).kind) {
    case ScalarClass::Void: break;
    case ScalarClass::Bool: values.push_back(bits != 0); break;
    case ScalarClass::Signed: values.push_back(std::int64_t(bits << unused) >> unused); break;
    case ScalarClass::Unsigned: values.push_back(bits); break;
    case ScalarClass::Float:
      if (s == Scalar::F64) values.push_back(unsigned_nan(std::bit_cast<double>(bits)));
      else
        values.push_back(unsigned_nan(
            std::bit_cast<float>(std::uint32_t(eval(Op::Cast, Scalar::F32, s, {&bits, 1})))));
      break;
  }
}

}  // namespace

std::size_t places(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') continue;
    if (i + 1 < text.size() && text[i + 1] == '{') ++i;
    else ++count;
  }
  return count;
}

std::vector<ReportSite> report_sites(const Module& module) {
  std::vector<ReportSite> sites;
  for (const Function& f : module.functions)
    for_each_inst(f, [&](InstId i, RegionId) {
      const Inst& inst = f.insts[i];
      if (info(inst.op).family != Family::Report) return;
      ReportSite site{inst.op == Op::Fault, inst.text, {}, f.locations[inst.loc]};
      for (const ValueId v : inst.operands) site.types.push_back(f.type_of(v).scalar);
      sites.push_back(std::move(site));
    });
  return sites;
}

std::string misfit(const std::string& text, std::span<const Scalar> types) {
  if (const std::size_t n = places(text); n != types.size())
    return fmt::format("the text \"{}\" has {} {} {{}} for {} {}", text, n,
                       n == 1 ? "place" : "places", types.size(),
                       types.size() == 1 ? "value" : "values");
  try {
    format(text, types, std::vector<std::uint64_t>(types.size()));
  } catch (const fmt::format_error& e) {
    return fmt::format("the text \"{}\" does not fit its values: {}", text, e.what());
  }
  return {};
}

std::string format(const std::string& text, std::span<const Scalar> types,
                   std::span<const std::uint64_t> bits) {
  Values values;
  for (std::size_t i = 0; i < types.size(); ++i) add(values, types[i], bits[i]);
  return fmt::vformat(text, values);
}

std::string escaped(const std::string& plain) {
  std::string out;
  for (const char c : plain) {
    if (c == '{' || c == '}') out += c;
    out += c;
  }
  return out;
}

std::string array_label(const Function& f, ValueId array) {
  const auto params = f.params();
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i] == array) return fmt::format("parameter {}", i + 1);
  const Inst& declared = *f.def(array);
  const Location& at = f.locations[declared.loc];
  if (declared.loc)
    return fmt::format("the {} array of {}:{}", info(declared.op).name, at.file, at.line);
  return fmt::format("a {} array", info(declared.op).name);
}

const char* access_word(Op op) {
  if (op == Op::Load || op == Op::LoadVec) return "load from";
  if (op == Op::Product || op == Op::WordProduct) return "product of";
  if (op == Op::CopyRow || op == Op::CopyBack) return "copy of";
  return op == Op::Store || op == Op::StoreVec ? "store to" : "atomic on";
}

// ---- the buffer ---------------------------------------------------------------------------------

unsigned words_of(const ReportSite& site) {
  unsigned words = site.fault ? 8 : 2;
  for (const Scalar s : site.types) words += words_of(s);
  return words;
}

std::array<std::uint32_t, report_first_word> empty_reports(std::uint32_t lines,
                                                           std::uint32_t faults) {
  std::array<std::uint32_t, report_first_word> heads{};
  heads[ReportNext] = report_first_word;
  heads[ReportEnd] = heads[report_head(true) + ReportNext] = report_first_word + lines;
  heads[report_head(true) + ReportEnd] = report_first_word + lines + faults;
  return heads;
}

std::vector<Report> read_reports(
    std::span<const std::uint32_t> buffer, bool fault,
    const std::function<const std::vector<ReportSite>*(std::uint32_t)>& find) {
  std::vector<Report> reports;
  const std::uint32_t end =
      std::min(buffer[report_head(fault) + ReportNext], buffer[report_head(fault) + ReportEnd]);
  std::uint32_t at = fault ? buffer[ReportEnd] : report_first_word;
  while (at + 2 <= end) {
    const std::vector<ReportSite>* sites = find(buffer[at]);
    if (!sites || buffer[at + 1] >= sites->size()) break;
    const ReportSite& site = (*sites)[buffer[at + 1]];
    if (site.fault != fault || at + words_of(site) > end) break;
    Report& r = reports.emplace_back();
    r.site = &site, r.launch = buffer[at];
    at += 2;
    if (fault) {
      const std::uint32_t* w = &buffer[at];
      r.thread = {w[0], w[1] & 0xffff, w[1] >> 16};
      r.block = {std::int64_t(w[2] | std::uint64_t(w[3]) << 32), w[4], w[5]};
      at += 6;
    }
    for (const Scalar s : site.types) {
      std::uint64_t bits = buffer[at++];
      if (words_of(s) == 2) bits |= std::uint64_t(buffer[at++]) << 32;
      r.values.push_back(bits);
    }
  }
  return reports;
}

std::uint64_t lost_reports(std::span<const std::uint32_t> buffer, bool fault) {
  const std::uint32_t head = report_head(fault);
  return buffer[head + ReportLost] | std::uint64_t(buffer[head + ReportLostHigh]) << 32;
}

}  // namespace krait::ir
