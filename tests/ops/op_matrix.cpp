// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation of ops.def but the mathematical functions × every type × edge values, on one back
// end: pure ones against ir::eval, those through which threads meet against the interpreter:
//   op_matrix [--back-end cpu|cuda|vulkan|webgpu] [--mode strict|reproducible|native] [--at-least ROWS] [--only TEXT] [--meet no]
//   op_matrix --compile TARGET [--mode …] [--at-least ROWS] [--only TEXT] [--save FOLDER]      code for a target alone, without its device;
//                          the folder gets its text
//   op_matrix --table      the published table of operations (docs/operations.md)
// Prints what was compared, by operation and type, and every row that differs, with its operands'
// bits. Rows that the device cannot run are named with the reason. Exit status 1: a difference, or
// fewer rows were compared than asked for; 77: there is no such device, and KRAIT_TEST_BACK_ENDS
// does not ask for it.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "devices/devices.h"
#include "host/plugin.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "ops/cases.h"
#include "ops/cooperation.h"
#include "ops/table.h"
#include "passes/passes.h"
#include "support/runner.h"

using namespace krait;
using ir::Op;
using ir::Scalar;
using test::Case;

namespace {

struct Options {
  std::string back_end = "cpu", mode = "strict", only, save;
  long at_least = 0;
  bool meet = true;  // kernels of threads that meet as well
};

struct Totals {
  std::map<std::string, std::map<std::string, long>> results;  // by operation and type
  long rows = 0, different = 0, unsupported = 0, open = 0;
};

test::Argument argument(Scalar s, const test::Column& bits) {
  const unsigned size = ir::size_of(s);
  test::Argument a;
  a.rank = 1, a.extents[0] = std::int64_t(bits.size());
  a.bytes.resize(bits.size() * size);
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(a.bytes.data() + i * size, &bits[i], size);
  return a;
}

std::uint64_t element(const test::Argument& a, Scalar s, std::size_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, a.bytes.data() + i * ir::size_of(s), ir::size_of(s));
  return bits;
}

/// Whether have is what dot_pairs may give in native and fast mode: the two products summed in
/// either order, with or without subnormal numbers, which vdpbf16ps takes and gives as zeros.
bool may_be_dot_pairs(std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t have) {
  const auto low = [](std::uint64_t pair) {
    return std::bit_cast<float>(std::uint32_t(pair) << 16);
  };
  const auto high = [](std::uint64_t pair) {
    return std::bit_cast<float>(std::uint32_t(pair) & 0xffff0000);
  };
  for (const bool flushes : {false, true}) {
    const auto kept = [&](float v) {
      return flushes && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
    };
    const auto fma = [&](float a, float b, float c) {
      return kept(std::fma(kept(a), kept(b), kept(c)));
    };
    const float sum = std::bit_cast<float>(std::uint32_t(z));
    for (const float result : {fma(high(x), high(y), fma(low(x), low(y), sum)),
                               fma(low(x), low(y), fma(high(x), high(y), sum))})
      if (have == std::bit_cast<std::uint32_t>(result) ||
          (std::isnan(result) && ir::is_nan(Scalar::F32, have)))
        return true;
  }
  return false;
}
/// Whether docs/numbers.md leaves this result open: a NaN's sign is not part of it, and ops.def
/// says what dot_pairs may do.
bool left_open(const ir::Function& f, ir::ValueId value, const test::Lane& lane,
               std::uint64_t have) {
  const ir::Inst& i = *f.def(value);
  if (i.op == Op::DotPairs && (f.fp == ir::FpMode::Native || f.fp == ir::FpMode::Fast))
    return may_be_dot_pairs(lane[i.operands[0]], lane[i.operands[1]], lane[i.operands[2]], have);
  return i.op == Op::Copysign && ir::is_nan(i.type.scalar, lane[i.operands[1]]);
}

std::string operands_text(const ir::Function& f, ir::ValueId value, const test::Lane& lane) {
  std::string text;
  for (ir::ValueId v : f.def(value)->operands)
    text += fmt::format("{}{:#x}", text.empty() ? "" : ", ", lane[v]);
  return text;
}

/// Empty, or why the row alone cannot be compiled for the device.
std::string refusal(const Case& c, std::size_t row, const Options& o, runtime::Device& device) {
  test::Built one = build(c, {row}, test::exact_mode(o.mode));
  passes::run_pipeline(one.module, device.target(), true);
  try {
    host::generate(ir::print(one.module), device.target(), "binary", c.rows[row].name);
  } catch (const error& e) {
    if (e.kind() == error::kind_type::compile) return e.message();
  }
  return {};
}

/// Splits the row's name into operation and type for the totals.
void count(Totals& totals, const std::string& name, long results) {
  const std::size_t space = name.find(' '), end = name.find(' ', space + 1);
  totals.results[name.substr(0, space)][name.substr(space + 1, end - space - 1)] += results;
  ++totals.rows;
}

void compare(const Case& c, const std::vector<std::size_t>& rows, const test::Built& built,
             const std::vector<test::Argument>& got, Totals& totals) {
  const ir::Function& f = built.module.kernel();
  std::vector<long> wrong(rows.size()), open(rows.size());
  for (std::size_t lane = 0; lane < c.lanes(); ++lane) {
    const test::Lane expected(built, c, lane);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const test::Built::Place& place = built.places[r];
      const Scalar s = built.outputs[place.output].type;
      const std::uint64_t have = element(got[c.types.size() + place.output], s,
                                         place.row * c.lanes() + lane),
                          want = expected[place.value];
      if (have == want || (ir::is_nan(s, have) && ir::is_nan(s, want))) continue;
      if (left_open(f, place.value, expected, have)) {
        ++open[r];
      } else if (++wrong[r] <= 3) {
        std::printf("DIFFERENT %s: of %s expected %#llx, got %#llx\n", c.rows[rows[r]].name.c_str(),
                    operands_text(f, place.value, expected).c_str(),
                    static_cast<unsigned long long>(want), static_cast<unsigned long long>(have));
      }
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string& name = c.rows[rows[r]].name;
    count(totals, name, long(c.lanes()));
    totals.different += wrong[r] > 0, totals.open += open[r];
    if (wrong[r])
      std::printf("DIFFERENT %s: %ld of %zu results\n", name.c_str(), wrong[r], c.lanes());
  }
}

void run(const Case& c, std::vector<std::size_t> rows, const Options& o, runtime::Device& device,
         Totals& totals) {
  for (int attempt = 0; !rows.empty(); ++attempt) {
    const test::Built built = build(c, rows, test::exact_mode(o.mode));
    std::vector<test::Argument> arguments;
    for (std::size_t k = 0; k < c.types.size(); ++k)
      arguments.push_back(argument(c.types[k], c.columns[k]));
    for (const auto& out : built.outputs)
      arguments.push_back(argument(out.type, test::Column(out.rows * c.lanes())));
    ir::Module lowered = built.module;
    if (const std::string broken = ir::verify(lowered); !broken.empty())
      throw error(error::kind_type::internal, broken.c_str());
    if (const std::string refused = passes::run_pipeline(lowered, device.target(), true);
        !refused.empty())
      throw error(error::kind_type::internal, refused.c_str());
    const std::int64_t blocks = (std::int64_t(c.lanes()) + test::block - 1) / test::block;
    const std::string fault =
        test::run_on(device, lowered, {{blocks, 1, 1}, {test::block, 1, 1}}, arguments);
    if (fault.empty()) return compare(c, rows, built, arguments, totals);

    std::vector<std::size_t> possible;
    for (std::size_t r : rows) {
      const std::string reason = attempt == 0 ? refusal(c, r, o, device) : "";
      if (reason.empty()) possible.push_back(r);
      else
        ++totals.unsupported,
            std::printf("unsupported %s: %s\n", c.rows[r].name.c_str(), reason.c_str());
    }
    const bool each = possible.size() == rows.size();
    // a kernel of all has too many arrays for the device, or the failure is another one
    if (each && rows.size() > 1) {
      const auto middle = rows.begin() + std::ptrdiff_t(rows.size() / 2);
      run(c, {rows.begin(), middle}, o, device, totals);
      return run(c, {middle, rows.end()}, o, device, totals);
    }
    if (each) {
      std::printf("FAILED %s: %s\n", c.name.c_str(), fault.c_str());
      totals.different += long(rows.size());
      return;
    }
    rows = std::move(possible);
  }
}

std::vector<std::size_t> chosen(const Case& c, const Options& o) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < c.rows.size(); ++r)
    if (o.only.empty() || c.rows[r].name.find(o.only) != std::string::npos) rows.push_back(r);
  return rows;
}

/// Native mode leaves open whether a GPU's atomic sum of f32 takes and gives subnormal numbers as
/// zeros: elements that are such a sum count as the expected ones. How many.
long take_flushed_sums(const test::Meeting& m, std::vector<test::Argument>& expected,
                       const std::vector<test::Argument>& got) {
  const auto at = [](const test::Argument& a, std::size_t i) {
    float x;
    return std::memcpy(&x, a.bytes.data() + i * sizeof x, sizeof x), x;
  };
  const auto flushed = [](float x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  };
  long taken = 0;
  for (std::size_t i = 0; i < expected[0].bytes.size() / sizeof(float); ++i) {
    const float sum = flushed(flushed(at(m.arguments[0], i)) + flushed(at(m.arguments[1], i)));
    if (std::memcmp(&sum, got[0].bytes.data() + i * sizeof sum, sizeof sum) != 0 ||
        sum == at(expected[0], i))
      continue;
    std::memcpy(expected[0].bytes.data() + i * sizeof sum, &sum, sizeof sum), ++taken;
  }
  return taken;
}

void run(const test::Meeting& m, const Options& o, runtime::Device& device, Totals& totals) {
  if (!o.only.empty() && m.name.find(o.only) == std::string::npos) return;
  ir::Module lowered = m.module;
  lowered.kernel().fp = test::exact_mode(o.mode);
  if (const std::string refused = passes::run_pipeline(lowered, device.target(), true);
      !refused.empty())
    throw error(error::kind_type::internal, (m.name + ": " + refused).c_str());
  std::vector<test::Argument> expected = m.arguments, got = m.arguments;
  if (const std::string fault = test::run_interpreted(m.module, m.launch, expected); !fault.empty())
    throw error(error::kind_type::internal, (m.name + ": the interpreter: " + fault).c_str());
  try {
    host::generate(ir::print(lowered), device.target(), "binary", m.name);
  } catch (const error& e) {
    if (e.kind() != error::kind_type::compile) throw;
    return ++totals.unsupported,
           void(std::printf("unsupported %s: %s\n", m.name.c_str(), e.message()));
  }
  std::string wrong = test::run_on(device, lowered, m.launch, got);
  const bool may_flush = o.mode == "native" && (o.back_end == "cuda" || o.back_end == "vulkan");
  if (may_flush && m.name.starts_with("atomic_add f32") && m.name.find(" own") != m.name.npos)
    totals.open += take_flushed_sums(m, expected, got);
  if (wrong.empty()) wrong = test::difference(m.module, expected, got);
  if (!wrong.empty())
    ++totals.different, std::printf("DIFFERENT %s: %s\n", m.name.c_str(), wrong.c_str());
  count(totals, m.name, long(expected.back().extents[0]));
}

int matrix(const Options& o) {
  std::string why;
  runtime::Device* device = test::find_device(o.back_end, why);
  if (!device) {
    return std::printf("op_matrix: %s\n", why.c_str()), test::missing(o.back_end);
  }
  Totals totals;
  for (const Case& c : test::all_cases()) run(c, chosen(c, o), o, *device, totals);
  if (o.meet)
    for (const test::Meeting& m : test::all_meetings(test::warp_of(device->target())))
      run(m, o, *device, totals);
  for (const auto& [op, types] : totals.results) {
    std::string line;
    for (const auto& [type, results] : types) line += fmt::format("  {} {}", type, results);
    std::printf("%-12s%s\n", op.c_str(), line.c_str());
  }
  std::printf(
      "op_matrix, %s on %s (%s): %ld rows compared, %ld different, %ld unsupported, %ld results that the rules leave open "
      "differ\n",
      o.mode.c_str(), o.back_end.c_str(), device->name().c_str(), totals.rows, totals.different,
      totals.unsupported, totals.open);
  if (totals.rows < o.at_least)
    std::printf("op_matrix: at least %ld rows were to be compared\n", o.at_least);
  return totals.different > 0 || totals.rows < o.at_least;
}

/// Compiles all rows for a target whose device may be missing: that the code generator takes what
/// the passes leave.
int compile(const std::string& text, const Options& o) {
  const support::Target target = host::read_target(text);
  long rows = 0, failed = 0, unsupported = 0, kernels = 0;
  if (!o.save.empty())
    std::filesystem::remove_all(o.save), std::filesystem::create_directories(o.save);
  const auto one = [&](const std::string& name, ir::Module module, long count) {
    try {
      if (const std::string refused = passes::run_pipeline(module, target, true); !refused.empty())
        throw error(error::kind_type::internal, refused.c_str());
      const std::string code =
          host::generate(ir::print(module), target, o.save.empty() ? "binary" : "asm", name).bytes;
      if (!o.save.empty())
        std::ofstream(fmt::format("{}/{}.txt", o.save, kernels), std::ios::binary) << code;
      rows += count, ++kernels;
    } catch (const error& e) {
      const bool lacks = e.kind() == error::kind_type::compile;
      ++(lacks ? unsupported : failed);
      std::printf("%s %s: %.400s\n", lacks ? "unsupported" : "FAILED", name.c_str(), e.message());
    }
  };
  for (const Case& c : test::all_cases()) {
    const std::vector<std::size_t> all = chosen(c, o);
    if (!all.empty()) one(c.name, build(c, all, test::exact_mode(o.mode)).module, long(all.size()));
  }
  if (o.meet)
    for (const test::Meeting& m : test::all_meetings(32)) {
      if (!o.only.empty() && m.name.find(o.only) == std::string::npos) continue;
      ir::Module module = m.module;
      module.kernel().fp = test::exact_mode(o.mode);
      one(m.name, std::move(module), 1);
    }
  std::printf("op_matrix, %s for %s: %ld rows compiled, %ld kernels failed, %ld unsupported\n",
              o.mode.c_str(), text.c_str(), rows, failed, unsupported);
  return failed > 0 || rows < o.at_least;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2 && std::strcmp(argv[1], "--table") == 0)
    return std::fputs(test::operations_table().c_str(), stdout) < 0;
  Options o;
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  if (given.count("--back-end")) o.back_end = given["--back-end"];
  if (given.count("--mode")) o.mode = given["--mode"];
  o.meet = given["--meet"] != "no";
  if (given.count("--only")) o.only = given["--only"];
  if (given.count("--save")) o.save = given["--save"];
  if (given.count("--at-least")) o.at_least = std::atol(given["--at-least"].c_str());
  return given.count("--compile") ? compile(given["--compile"], o) : matrix(o);
} catch (const std::exception& e) {
  std::printf("op_matrix: %s\n", e.what());
  return 1;
}
