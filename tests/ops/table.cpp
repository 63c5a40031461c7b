// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/table.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/plugin.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

using ir::Effect;
using ir::Op;
using ir::Rule;
using ir::Scalar;

struct Target {
  char letter;
  const char* text;  // of the least capable device that Krait takes
  // What is made. What a target lacks is refused before LLVM's code generator, which takes half of
  // the time; op_matrix.cpu and .ptx go through it.
  const char* emit;
};
constexpr Target targets[] = {
    {'C', "cpu x86-64 lanes=4 parts=1 cpu=x86-64-v2", "llvm"},
    {'P', "ptx sm=75 isa=80", "llvm"},
    {'V', "spirv features=i64", "binary"},
    {'O', "spirv-cl features=i64,i16,i8", "binary"},
};

/// How a program writes the operation, where that is not kr::name(x, …).
const std::map<std::string_view, std::string_view>& spellings() {
  static const auto* const all = new std::map<std::string_view, std::string_view>{
      {"const", "2.0f"},
      {"add", "x + y"},
      {"sub", "x - y"},
      {"mul", "x * y"},
      {"div", "x / y"},
      {"rem", "x % y"},
      {"neg", "-x"},
      {"and", "x & y"},
      {"or", "x | y"},
      {"xor", "x ^ y"},
      {"not", "~x"},
      {"shl", "x << n"},
      {"shr", "x >> n"},
      {"eq", "x == y"},
      {"ne", "x != y"},
      {"lt", "x < y"},
      {"le", "x <= y"},
      {"gt", "x > y"},
      {"ge", "x >= y"},
      {"select", "kr::select(c, x, y)"},
      {"cast", "kr::cast<T>(x)"},
      {"bitcast", "kr::bitcast<T>(x)"},
      {"thread_idx", "kr::thread_idx().x"},
      {"block_idx", "kr::block_idx().x"},
      {"block_dim", "kr::block_dim().x"},
      {"grid_dim", "kr::grid_dim().x"},
      {"global_id", "kr::grid<1>()"},
      {"global_size", "kr::gridsize<1>()"},
      {"shared", "kr::shared<T, 16, 17>()"},
      {"local", "kr::local<T, 32>()"},
      {"extent", "x.extent(d)"},
      {"stride", ""},
      {"load", "x[i], kr::load_streaming(x[i])"},
      {"store", "x[i] = v, kr::store_streaming(x[i], v)"},
      {"load_vec", ""},
      {"store_vec", ""},
      {"atomic_load", "kr::atomic(x[i]).load()"},
      {"atomic_inc", "kr::atomic(x[i]).inc(last)"},
      {"atomic_dec", "kr::atomic(x[i]).dec(last)"},
      {"match_any", "kr::warp::match_any(x)"},
      {"warp_prefix_count", "kr::warp::prefix_count(condition)"},
      {"warp_reduce", "kr::warp::reduce(x, kr::combine::add)"},
      {"warp_scan", "kr::warp::inclusive_scan(x, kr::combine::add)"},
      {"atomic_add", "kr::atomic(x[i]).add(v)"},
      {"atomic_min", "kr::atomic(x[i]).min(v)"},
      {"atomic_max", "kr::atomic(x[i]).max(v)"},
      {"atomic_and", "kr::atomic(x[i]).and_(v)"},
      {"atomic_or", "kr::atomic(x[i]).or_(v)"},
      {"atomic_xor", "kr::atomic(x[i]).xor_(v)"},
      {"atomic_exchange", "kr::atomic(x[i]).exchange(v)"},
      {"atomic_cas", "kr::atomic(x[i]).compare_exchange(old, v)"},
      {"barrier", "kr::syncthreads()"},
      {"barrier_count", "kr::syncthreads_count(c)"},
      {"barrier_and", "kr::syncthreads_and(c)"},
      {"barrier_or", "kr::syncthreads_or(c)"},
      {"shared_of", "kr::cluster_shared(x, rank)"},
      {"cluster_barrier", "kr::cluster_sync()"},
      {"grid_barrier", "kr::grid_sync()"},
      {"fence", "kr::fence(kr::scope::device)"},
      {"warp_size", "kr::warp_size()"},
      {"lane_id", "kr::lane_id()"},
      {"dot_bytes", "kr::dot4(x, y, z)"},
      {"dot_mixed", "kr::dot4(x, y, z)"},
      {"dot_pairs", "kr::dot2_bf16(x, y, z)"},
      {"warp_sync", "kr::syncwarp()"},
      {"ballot", "kr::warp::ballot(c)"},
      {"warp_any", "kr::warp::any(c)"},
      {"warp_all", "kr::warp::all(c)"},
      {"shuffle", "kr::warp::shfl(x, lane)"},
      {"product", "kr::mma(x, y, sum)"},
      {"product_end", ""},
      {"word_product", ""},
      {"copy_row", ""},
      {"copy_tile", "kr::load<M, N>(x, {i, j}), as a factor of kr::mma"},
      {"copy_back", ""},
      {"copy_group", ""},
      {"copy_wait", ""},
      {"print", "kr::print(\"x={}\", x)"},
      {"fault", "kr::check(c, \"x={}\", x)"},
      {"slot", "kr::var x = v"},
      {"get", "x"},
      {"set", "x = v"},
      {"if", "kr::if_(c, [&] { … })"},
      {"clock", "kr::clock()"},
      {"nanosleep", "kr::nanosleep(n)"},
      {"poll", ""},
      {"assume", "kr::assume(c)"},
      {"switch", "kr::switch_(n).case_(1, [&] { … })"},
      {"loop", "kr::while_([&] { return c; }, [&] { … })"},
      {"for", "for (auto i : kr::range(n))"},
      {"grid_stride", "for (auto i : kr::grid_stride(n))"},
      {"yield", ""},
      {"continue", "kr::continue_()"},
      {"break", "kr::break_()"},
      {"return", "kr::return_()"},
      {"unreachable", ""},
  };
  return *all;
}

std::string spelling(const ir::OpInfo& row) {
  if (const auto at = spellings().find(row.name); at != spellings().end())
    return at->second.empty() ? "" : fmt::format("`{}`", at->second);
  return fmt::format("`kr::{}({})`", row.name,
                     row.arity == 1   ? "x"
                     : row.arity == 2 ? "x, y"
                                      : "x, y, z");
}

/// Operations whose kernel has no type of its own.
bool untyped(Op op, const ir::OpInfo& row) {
  return row.rule == Rule::Id || op == Op::WarpSize || op == Op::LaneId || op == Op::Clock ||
         op == Op::Nanosleep || (row.effect == Effect::Sync && row.arity == 0);
}
bool listed(Op op, const ir::OpInfo& row) {
  return row.effect != Effect::Control && row.effect != Effect::Call && op != Op::Slot &&
         op != Op::Get && op != Op::Set && op != Op::Poll;
}

Scalar other_of_same_size(Scalar s) {
  return ir::is_signed_int(s)     ? ir::to_unsigned(s)
         : ir::is_unsigned_int(s) ? ir::to_signed(s)
         : ir::size_of(s) == 2    ? Scalar::U16
         : ir::size_of(s) == 4    ? Scalar::U32
                                  : Scalar::U64;
}

/// A kernel's statements that use the operation on values of type `t`, with the result in %r of
/// type `result` (Void: none).
struct Body {
  std::string text;
  Scalar result;
};

Body body_of_custom(Op op, std::string_view name, std::string_view t, Scalar s) {
  const auto vector_of = [&](const char* format) {
    std::string list;
    for (unsigned i = 0; i < 16 / ir::size_of(s); ++i)
      list += fmt::format("{}%{}{}", i ? ", " : "", format, i);
    return list;
  };
  switch (op) {
    case Op::Const:
      return {fmt::format("%r: {} = const {}", t,
                          s == Scalar::Bool ? "true"
                          : ir::is_float(s) ? "0x1p+0"
                                            : "1"),
              s};
    case Op::Shared:
    case Op::Local:
      return {fmt::format("%a: {}<{}, 1> = {} {{32}}\n store.{} %a, %n, %x\n %r: {} = load %a, %m",
                          name, t, name, t, t),
              s};
    case Op::SharedOf:
      return {
          fmt::format(
              "%a: shared<{0}, 1> = shared {{32}}\n %b: cluster<{0}, 1> = shared_of %a, %n\n store.{0} %b, %n, %x\n %r: {0} = "
              "load %b, %m",
              t),
          s};
    case Op::Extent:
    case Op::Stride: return {fmt::format("%r: i64 = {} %in {{0}}", name), Scalar::I64};
    case Op::Load: return {fmt::format("%r: {} = load %in, %n", t), s};
    case Op::Store: return {fmt::format("store.{} %in, %n, %x", t), Scalar::Void};
    case Op::LoadVec: {
      std::string results;
      for (unsigned i = 0; i < 16 / ir::size_of(s); ++i)
        results += fmt::format("{}%v{}: {}", i ? ", " : "", i, t);
      return {fmt::format("{} = load_vec %in, %n\n store_vec.{} %in, %m, {}", results, t,
                          vector_of("v")),
              Scalar::Void};
    }
    case Op::StoreVec: {
      std::string values;
      for (unsigned i = 0; i < 16 / ir::size_of(s); ++i)
        values += i % 2 ? ", %x" : i ? ", %y" : "%y";
      return {fmt::format("store_vec.{} %in, %n, {}", t, values), Scalar::Void};
    }
    case Op::AtomicLoad: return {fmt::format("%r: {} = atomic_load %in, %n", t), s};
    case Op::AtomicInc:
    case Op::AtomicDec:
    case Op::AtomicAdd:
    case Op::AtomicMin:
    case Op::AtomicMax:
    case Op::AtomicAnd:
    case Op::AtomicOr:
    case Op::AtomicXor:
    case Op::AtomicExchange: return {fmt::format("%r: {} = {} %in, %n, %x", t, name), s};
    case Op::AtomicCas: return {fmt::format("%r: {} = atomic_cas %in, %n, %x, %y", t), s};
    case Op::BarrierCount: return {"%r: i32 = barrier_count %x", Scalar::I32};
    case Op::DotPairs:
      return {s == Scalar::F32
                  ? "%v: u32 = bitcast %x\n %w: u32 = bitcast %y\n %r: f32 = dot_pairs %v, %w, %z"
                  : "",
              s};
    case Op::Ballot: return {"%r: u64 = ballot %x", Scalar::U64};
    case Op::MatchAny: return {"%r: u64 = match_any %x", Scalar::U64};
    case Op::WarpPrefixCount: return {"%r: i32 = warp_prefix_count %x", Scalar::I32};
    case Op::WarpReduce:
    case Op::WarpScan: return {fmt::format("%r: {} = {} %x {{0}}", t, name), s};
    case Op::Shuffle: return {fmt::format("%r: {} = shuffle %x, %n", t), s};
    case Op::WarpSize:
    case Op::LaneId: return {fmt::format("%r: i32 = {}", name), Scalar::I32};
    case Op::Clock: return {"%r: i64 = clock", Scalar::I64};
    case Op::Nanosleep: return {"%s: u32 = cast %n\n nanosleep %s", Scalar::Void};
    case Op::Assume: return {"assume %x", Scalar::Void};
    case Op::Barrier:
    case Op::ClusterBarrier:
    case Op::GridBarrier:
    case Op::WarpSync: return {std::string(name), Scalar::Void};
    case Op::Fence: return {"fence {1}", Scalar::Void};
    case Op::Print:
    case Op::Fault: return {fmt::format("{} %x {{\"x={{}}\"}}", name), Scalar::Void};
    default: return {};
  }
}

/// Empty where the operation does not take the type.
Body body_of(Op op, Scalar s) {
  const ir::OpInfo& row = ir::info(op);
  const std::string_view name = row.name, t = ir::name_of(s);
  if (s != Scalar::Void && !takes(row, s)) return {};
  switch (row.rule) {
    case Rule::Same:
      return {fmt::format("%r: {} = {} {}", t, name,
                          row.arity == 1   ? "%x"
                          : row.arity == 2 ? "%x, %y"
                                           : "%x, %y, %z"),
              s};
    case Rule::Compare: return {fmt::format("%r: bool = {} %x, %y", name), Scalar::Bool};
    case Rule::Test: return {fmt::format("%r: bool = {} %x", name), Scalar::Bool};
    case Rule::Shift: return {fmt::format("%r: {} = {} %x, %n", t, name), s};
    case Rule::Select: return {fmt::format("%r: {} = {} %c, %x, %y", t, name), s};
    case Rule::Convert: {
      const Scalar from = s == Scalar::I32 ? Scalar::F32 : Scalar::I32;
      return {fmt::format("%k: {} = cast %x\n %m2: {} = cast %k\n %r: {} = {} %m2, %y",
                          ir::name_of(from), t, t, s == Scalar::Bool ? "xor" : "add"),
              s};
    }
    case Rule::Bits:
      return {fmt::format("%r: {} = bitcast %x", ir::name_of(other_of_same_size(s))),
              other_of_same_size(s)};
    case Rule::Count: return {fmt::format("%r: i32 = {} %x", name), Scalar::I32};
    case Rule::Id: return {fmt::format("%r: i64 = {} {{0}}", name), Scalar::I64};
    case Rule::Custom: return body_of_custom(op, name, t, s);
  }
  return {};
}

std::optional<ir::Module> sample(Op op, Scalar s) {
  const Body body = body_of(op, s);
  if (body.text.empty()) return {};
  const std::string_view t = s == Scalar::Void ? "i32" : ir::name_of(s);
  std::string text = fmt::format(
      "kir 1\nkernel @sample fp(strict) facts(contiguous, aligned, small) {}(%x: {}, %y: {}, %z: {}, %c: bool, %n: i32, %m: i32, "
      "%in: view<{}, 1>",
      op == Op::SharedOf || op == Op::ClusterBarrier ? "cluster(2, 1, 1) " : "", t, t, t, t);
  if (body.result != Scalar::Void)
    text += fmt::format(", %out: view<{}, 1>",
                        body.result == Scalar::Bool ? "i32" : ir::name_of(body.result));
  text += ") {\n " + body.text + "\n";
  if (body.result == Scalar::Bool) text += " %s: i32 = cast %r\n store.i32 %out, %n, %s\n";
  else if (body.result != Scalar::Void)
    text += fmt::format(" store.{} %out, %n, %r\n", ir::name_of(body.result));
  ir::ParseResult parsed = ir::parse(text + " return\n}\n");
  if (!parsed.error.empty())
    throw error(error::kind_type::internal,
                (std::string(ir::info(op).name) + ": " + parsed.error + "\n" + text).c_str());
  // not an operation of this type: atomics on i8
  if (!ir::verify(parsed.module).empty()) return {};
  return parsed.module;
}

struct Support {
  std::string cell;                  // "CPV", "CPV f64"; empty: no such operation
  std::vector<std::string> missing;  // "O: why it is refused"
};

Support support(Op op, Scalar s) {
  const std::optional<ir::Module> module = sample(op, s);
  if (!module) return {};
  Support out;
  std::string features;
  for (const Target& target : targets) {
    std::string text = target.text;
    for (int attempt = 0; attempt < 8; ++attempt) {
      try {
        ir::Module lowered = *module;
        const support::Target made_for = support::parse_target(text).target;
        if (const std::string refused = passes::run_pipeline(lowered, made_for); !refused.empty())
          throw error(error::kind_type::compile, refused.c_str());
        host::generate(ir::print(lowered), made_for, target.emit, "sample");
        out.cell += target.letter;
        break;
      } catch (const error& e) {
        if (e.kind() != error::kind_type::compile) throw;
        const std::string message = e.message(), key = "needs the device feature \"";
        const std::size_t at = message.find(key);
        if (at == message.npos) {
          const std::size_t reason = message.rfind(": ");  // behind the sample's place
          out.missing.push_back(
              fmt::format("{}: {}", target.letter,
                          reason == message.npos ? message : message.substr(reason + 2)));
          break;
        }
        const std::string feature =
            message.substr(at + key.size(), message.find('"', at + key.size()) - at - key.size());
        text += "," + feature;
        if ((", " + features + ",").find(", " + feature + ",") == std::string::npos)
          features += (features.empty() ? "" : ", ") + feature;
      }
    }
  }
  if (!features.empty()) out.cell += " " + features;
  return out;
}

}  // namespace

std::string operations_table() {
  std::string meaning, typed, others;
  std::map<std::string, std::string> notes;  // operations, by why they are refused
  const auto note = [&](const Support& s, std::string_view operation) {
    for (const std::string& why : s.missing)
      if (std::string& all = notes[why];
          (", " + all + ",").find(fmt::format(", {},", operation)) == all.npos)
        all += fmt::format("{}{}", all.empty() ? "" : ", ", operation);
  };
  for (unsigned n = 0; n < ir::op_count; ++n) {
    const Op op = Op(n);
    const ir::OpInfo& row = ir::info(op);
    std::string doc(row.doc);
    for (std::size_t at = 0; (at = doc.find('|', at)) != doc.npos; at += 2) doc.insert(at, "\\");
    std::string code = spelling(row);
    for (std::size_t at = 0; (at = code.find('|', at)) != code.npos; at += 2) code.insert(at, "\\");
    meaning += fmt::format("| {} | {} | {} |\n", row.name, code, doc);
    if (!listed(op, row)) continue;
    if (untyped(op, row)) {
      const Support s = support(op, Scalar::Void);
      others += fmt::format("| {} | {} |\n", row.name, s.cell);
      note(s, row.name);
      continue;
    }
    typed += fmt::format("| {} |", row.name);
    for (Scalar t : ir::all_scalars) {
      const Support s = support(op, t);
      typed += fmt::format(" {} |", s.cell);
      note(s, row.name);
    }
    typed += "\n";
  }
  std::string head = "| operation |", rule = "|---|";
  for (Scalar t : ir::all_scalars) head += fmt::format(" {} |", ir::name_of(t)), rule += "---|";
  std::string out =
      "# Operations\n\n"
      "`op_matrix --table` makes this page from `include/krait/ops.def` and the code generators; the test `op_table` compares it "
      "with the program's output.\n"
      "An operation has the same meaning on every target; [numbers](numbers.md) has the rules.\n\n"
      "| operation | in C++ | meaning |\n|---|---|---|\n" +
      meaning +
      "\n## Support\n\n"
      "C is the CPU, P PTX from sm_75 on, V Vulkan, O OpenCL. The words after them are optional features of the device that the "
      "kernel needs. A device without\n"
      "a feature refuses the kernel, and the message names the feature. If a target has no instruction, or one that rounds "
      "otherwise, Krait uses others that give\n"
      "the same bits. An empty field means that the operation does not exist for that type.\n\n";
  out +=
      "Features of Vulkan and OpenCL devices:\n\n"
      "- `i8 i16 f16 f64`: arithmetic on the type, and storage of it\n"
      "- `a64 sa64`: 64-bit atomics in buffers, and in shared memory\n"
      "- `warp`: ballot, vote and shuffle\n"
      "- `clock`: a counter of cycles\n"
      "- `fma32`: a multiply-add that rounds once (or `f64`, which can compute it)\n\n";
  out += head + "\n" + rule + "\n" + typed + "\n| without a type | |\n|---|---|\n" + others;
  if (!notes.empty()) out += "\nRefused:\n\n";
  for (const auto& [why, operations] : notes) out += fmt::format("- {}: {}\n", why, operations);
  return out;
}

}  // namespace krait::test
