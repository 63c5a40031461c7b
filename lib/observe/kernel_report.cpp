// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/kernel_report.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/core.h>

#include "host/plugin.h"
#include "observe/sass.h"
#include "ir/walk.h"
#include "support/error.h"

namespace krait::host {
namespace {

using ir::Op;

/// Of an element: a trip of grid_stride loops, or a thread where there is none.
struct Work {
  double read = 0, written = 0, flops = 0, doubles = 0, integers = 0, functions = 0, shared = 0,
         atomics = 0, barriers = 0, branches = 0;
  bool open = false;  // loops whose trips only the launch knows count once
};

/// Trips of a loop that a constant counts.
std::optional<double> trips_of(const ir::Function& f, const ir::Inst& loop) {
  if (loop.op != Op::For || !f.is_const(loop.operands[0])) return {};
  return double(f.const_bits(loop.operands[0]));
}

class Counter {
 public:
  explicit Counter(const ir::Module& module) : module_(module) {}
  Work run() {
    region(module_.kernel(), module_.kernel().body, 1);
    return work_;
  }

 private:
  void access(const ir::Function& f, const ir::Inst& inst, double times, bool stores) {
    const ir::Type& array = f.type_of(inst.operands[0]);
    const bool vector = inst.op == Op::LoadVec || inst.op == Op::StoreVec;
    const double numbers = !vector  ? 1
                           : stores ? double(inst.operands.size() - 2)
                                    : double(inst.results.size());
    if (array.space == ir::Space::Shared) work_.shared += times * numbers;
    if (array.space != ir::Space::Global) return;
    (stores ? work_.written : work_.read) += times * numbers * ir::size_of(inst.type.scalar);
  }
  void arithmetic(const ir::Inst& inst, double times) {
    if (ir::is_math(inst.op)) {
      work_.functions += times;
      return;
    }
    switch (inst.op) {
      case Op::Fma: times *= 2; [[fallthrough]];
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Rem:
      case Op::Min:
      case Op::Max:
      case Op::Sqrt:
      case Op::Abs:
      case Op::Neg: break;
      default: return;
    }
    if (!ir::is_float(inst.type.scalar)) work_.integers += times;
    else if (inst.type.scalar == ir::Scalar::F64) work_.doubles += times, work_.flops += times;
    else work_.flops += times;
  }
  void region(const ir::Function& f, ir::RegionId r, double times) {
    for (const ir::InstId id : f.regions[r].insts) {
      const ir::Inst& inst = f.insts[id];
      double inside = times;
      if (ir::is_loop(inst.op) && inst.op != Op::GridStride) {
        const std::optional<double> trips = trips_of(f, inst);
        inside *= trips.value_or(1), work_.open = work_.open || !trips;
      }
      if (inst.op == Op::Load || inst.op == Op::LoadVec) access(f, inst, times, false);
      else if (inst.op == Op::Store || inst.op == Op::StoreVec) access(f, inst, times, true);
      else if (inst.op == Op::Call) region(module_.callee(inst), module_.callee(inst).body, times);
      else if (inst.op == Op::If || inst.op == Op::Switch) work_.branches += times;
      else if (ir::is_barrier(inst.op)) work_.barriers += times;
      else if (ir::info(inst.op).effect == ir::Effect::Atomic) work_.atomics += times;
      else arithmetic(inst, times);
      for (const ir::RegionId inner : inst.regions) region(f, inner, inside);
    }
  }

  const ir::Module& module_;
  Work work_;
};

/// Of NVIDIA's data sheets: f32 flops per byte of memory at which both limits meet, and what a
/// multiprocessor has (CUDA's programming guide, "Technical specifications per compute
/// capability").
struct Gpu {
  unsigned sm;
  const char* name;
  double ridge;
  int threads, shared_kib, blocks;
};
constexpr Gpu gpus[] = {{75, "T4", 25, 1024, 64, 16},        {80, "A100", 12.5, 2048, 164, 32},
                        {86, "RTX 3090", 38, 1536, 100, 16}, {89, "L40S", 106, 1536, 100, 24},
                        {90, "H100", 20, 2048, 228, 32},     {100, "B200", 10, 2048, 228, 32},
                        {120, "RTX 5090", 58, 1536, 100, 24}};
const Gpu* gpu_of(unsigned sm) {
  const auto found =
      std::find_if(std::begin(gpus), std::end(gpus), [&](const Gpu& g) { return g.sm == sm; });
  return found == std::end(gpus) ? nullptr : found;
}

/// Threads that a multiprocessor holds, of those that it could.
double occupancy(const Gpu& g, int registers, std::int64_t shared, std::int64_t block) {
  // registers are given to a warp in units
  constexpr int warp = 32, register_file = 65536, unit = 256;
  const int warps = int((block + warp - 1) / warp);
  const int for_warp = (std::max(registers, 1) * warp + unit - 1) / unit * unit;
  int blocks = std::min({g.blocks, g.threads / warp / warps, register_file / for_warp / warps});
  constexpr int reserved = 1024;  // of shared memory, per block
  if (g.sm != 75 || shared)
    blocks = int(std::min<std::int64_t>(
        blocks, std::int64_t(g.shared_kib) * 1024 / (shared + (g.sm == 75 ? 0 : reserved))));
  return double(blocks) * warps * warp / g.threads;
}

/// The number before a word of ptxas's report.
int number_before(const std::string& text, const char* word) {
  const std::size_t at = text.find(word);
  if (at == text.npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && text[begin - 1] == ' ') --begin;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  return std::atoi(text.c_str() + begin);
}

/// What an instruction does, of a line of a target's assembly: x86's mnemonic, PTX's operation with
/// the space of its memory, SPIR-V's operation of a body. Empty: the line has none.
std::string operation_of(const std::string& line, support::TargetKind kind) {
  if (kind == support::TargetKind::Spirv) {
    const std::size_t at = line.find("Op");
    const std::string op = at == line.npos ? "" : line.substr(at, line.find(' ', at) - at);
    constexpr const char* no_code[] = {
        "OpFunction", "OpFunctionParameter", "OpFunctionEnd", "OpLabel", "OpLine",
        "OpNoLine",   "OpVariable"};
    return std::find(std::begin(no_code), std::end(no_code), op) == std::end(no_code) ? op : "";
  }
  if (line.empty() || line[0] != '\t') return {};
  std::size_t begin = 1;
  if (line[begin] == '@') begin = line.find_first_of(" \t", begin) + 1;  // PTX: under a predicate
  if (begin >= line.size() || !std::islower(static_cast<unsigned char>(line[begin]))) return {};
  std::string op = line.substr(begin, line.find_first_of(" \t;", begin) - begin);
  if (kind != support::TargetKind::Ptx) return op;
  const bool memory = op.starts_with("ld.") || op.starts_with("st.") || op.starts_with("atom.") ||
                      op.starts_with("red.");
  const std::size_t dot = op.find('.');
  return op.substr(0, memory ? op.find('.', dot + 1) : dot);
}

/// Instructions of all of the code, each counted once however often it runs; the most frequent by
/// name.
std::string mix_of(const std::string& assembly, support::TargetKind kind) {
  constexpr std::size_t named = 12;
  std::map<std::string, int> counts;
  int all = 0;
  bool body = kind != support::TargetKind::Spirv;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) {
    if (!body) body = line.find("OpFunction ") != line.npos;
    if (!body) continue;
    if (const std::string op = operation_of(line, kind); !op.empty()) ++counts[op], ++all;
  }
  std::vector<std::pair<std::string, int>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = fmt::format("  instructions        {}:", all);
  for (std::size_t i = 0; i < std::min(named, order.size()); ++i) {
    out += fmt::format("{} {} {}", i ? "," : "", order[i].second, order[i].first);
    all -= order[i].second;
  }
  return out + (all ? fmt::format(", {} others\n", all) : "\n");
}

std::string of_ptx(const std::string& ptx, const ir::Function& final,
                   const support::Target& target) {
  const std::string said = ptxas_report(ptx, target.ptx);
  if (said.empty())
    return "  registers           unknown: NVIDIA's ptxas is not on the PATH (CUDA toolkit); "
           "kernel.attributes() asks the driver\n";
  const int registers = number_before(said, "registers"),
            spilled = number_before(said, "bytes spill stores"),
            shared = number_before(said, "bytes smem"),
            stack = number_before(said, "bytes stack frame");
  std::string out = fmt::format("  registers           {} per thread\n", registers);
  out += fmt::format("  shared memory       {} bytes per block\n", shared);
  out +=
      fmt::format("  spills              {} bytes per thread, of a stack of {}\n", spilled, stack);
  const Gpu* const gpu = gpu_of(target.ptx.sm);
  if (!gpu) return out;
  const std::int64_t block =
      final.block[0] ? final.block[0] * final.block[1] * final.block[2] : 256;
  return out + fmt::format("  occupancy           {:.0f} % with blocks of {} threads\n",
                           100 * occupancy(*gpu, registers, shared, block), block);
}

std::string roofline(const Work& w, const support::Target& target) {
  const double bytes = w.read + w.written;
  if (bytes == 0) return "  roofline            bound by arithmetic: it moves no bytes of arrays\n";
  const Gpu* const gpu = target.kind == support::TargetKind::Ptx ? gpu_of(target.ptx.sm) : nullptr;
  // About what a core with AVX2 or AVX-512 computes and what memory gives it; functions take some
  // twenty operations each.
  constexpr double ridge_of_cpu = 10, ridge_of_gpu = 20, of_function = 20;
  const bool cpu = target.kind == support::TargetKind::Cpu;
  const double ridge = gpu   ? gpu->ridge
                       : cpu ? ridge_of_cpu
                             : ridge_of_gpu,
               intensity = (w.flops + of_function * w.functions) / bytes;
  return fmt::format(
      "  roofline            {:.3g} flops per byte: bound by {} ({} turns at about {:.3g})\n",
      intensity, intensity < ridge ? "memory" : "arithmetic",
      gpu   ? gpu->name
      : cpu ? "a CPU"
            : "a GPU",
      ridge);
}

}  // namespace

std::string report_on(const Recorded& recorded, const ir::Facts& facts,
                      const support::Target& target) {
  const Work w = Counter(recorded.module).run();
  std::string out = fmt::format("{} for {}\n", recorded.what, support::print(target));
  out += fmt::format("  of an element       {:.0f} bytes read, {:.0f} written, {:.0f} flops",
                     w.read, w.written, w.flops);
  if (w.doubles > 0) out += fmt::format(" ({:.0f} of them f64)", w.doubles);
  out +=
      fmt::format(", {:.0f} function{}{}\n", w.functions, w.functions == 1 ? "" : "s",
                  w.open ? "; a loop counts once where only the launch knows its iterations" : "");
  out += fmt::format(
      "  besides             {:.0f} of integers, {:.0f} of shared memory, {:.0f} atomics, "
      "{:.0f} barriers, {:.0f} branches\n",
      w.integers, w.shared, w.atomics, w.barriers, w.branches);
  out += roofline(w, target);
  using support::TargetKind;
  if (target.kind != TargetKind::Cpu && target.kind != TargetKind::Ptx &&
      target.kind != TargetKind::Spirv)
    return out;
  const ir::Module lowered = lower(recorded, facts, target);
  const std::string assembly =
      generate(ir::print(lowered, {.names = true, .locations = true}), target, "asm", recorded.what)
          .bytes;
  if (constexpr std::string_view gang = "# gang: "; assembly.starts_with(gang))
    out += fmt::format("  gang                {}\n",
                       assembly.substr(gang.size(), assembly.find('\n') - gang.size()));
  out += mix_of(assembly, target.kind);
  return target.kind == TargetKind::Ptx ? out + of_ptx(assembly, lowered.kernel(), target) : out;
}

}  // namespace krait::host
