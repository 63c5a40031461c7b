// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/cooperation.h"

#include <fmt/core.h>

#include <cstring>

#include "ir/text/text.h"
#include "krait/error.h"
#include "ops/values.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Scalar;

constexpr Scalar atomic_types[] = {Scalar::I32, Scalar::U32, Scalar::I64,
                                   Scalar::U64, Scalar::F32, Scalar::F64};
constexpr std::int64_t threads = 96, blocks = 2, total = threads * blocks;

Argument array_of_bits(Scalar s, const std::vector<std::uint64_t>& bits) {
  Argument a;
  a.rank = 1, a.extents[0] = std::int64_t(bits.size());
  a.bytes.resize(bits.size() * ir::size_of(s));
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(a.bytes.data() + i * ir::size_of(s), &bits[i], ir::size_of(s));
  return a;
}
Argument zeros(Scalar s, std::int64_t n) {
  return array_of_bits(s, std::vector<std::uint64_t>(std::size_t(n)));
}

/// Small whole numbers, of which every sum is exact.
Argument small_numbers(Scalar s, std::int64_t n) {
  std::vector<std::uint64_t> bits;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t x = std::uint64_t(i * 7919 % 23);
    bits.push_back(s == Scalar::Bool ? x & 1 : ir::eval(Op::Cast, s, Scalar::U32, {&x, 1}));
  }
  return array_of_bits(s, bits);
}

Meeting meeting(std::string name, const std::string& body, ir::Launch launch,
                std::vector<Argument> arguments) {
  ir::ParseResult parsed =
      ir::parse("kir 1\nkernel @meeting fp(strict) facts(contiguous, aligned, small) " + body);
  if (parsed.error.empty()) parsed.error = ir::verify(parsed.module);
  if (!parsed.error.empty())
    throw error(error::kind_type::internal, (name + ": " + parsed.error + "\n" + body).c_str());
  parsed.module.kernel().facts.set_block(launch.block[0], launch.block[1], launch.block[2]);
  return {std::move(name), std::move(parsed.module), launch, std::move(arguments)};
}

// ---- atomics ------------------------------------------------------------------------------------

/// `%array` is global memory, or shared memory that takes the block's part of it in before and out
/// after.
std::string around_atomics(Scalar s, bool shared, std::int64_t elements,
                           const std::string& atomics) {
  const std::string_view t = ir::name_of(s);
  std::string text = fmt::format(
      "(%global: view<{0}, 1>, %x: view<{0}, 1, const>, %y: view<{0}, 1, const>, %out: view<{0}, 1>) {{\n"
      " %i: i64 = global_id {{0}}\n %thread: i64 = thread_idx {{0}}\n %a: {0} = load %x, %i\n %b: {0} = load %y, %i\n",
      t);
  if (!shared) {
    text += fmt::format(" %n: i64 = const {}\n", elements);
  } else {
    // The first threads carry the elements in and out.
    text += fmt::format(
        " %array: shared<{0}, 1> = shared {{{1}}}\n %n: i64 = const {1}\n %few: bool = lt %thread, %n\n"
        " %block: i64 = block_idx {{0}}\n %start: i64 = mul %block, %n\n %place: i64 = add %start, %thread\n"
        " if %few {{\n  %carried: {0} = load %global, %place\n  store.{0} %array, %thread, %carried\n  yield\n }}\n barrier\n",
        t, elements);
  }
  text += atomics;
  if (shared)
    text += fmt::format(
        " barrier\n if %few {{\n  %back: {0} = load %array, %thread\n  store.{0} %global, %place, %back\n  yield\n }}\n",
        t);
  return text + " return\n}\n";
}

std::string operands_of(Op op, const char* array, const char* index) {
  const std::string place = fmt::format("{}, {}", array, index);
  const unsigned values = ir::values_of_access(op);
  return values == 0 ? place : values == 1 ? place + ", %a" : place + ", %b, %a";
}

/// Every thread has an element of its own, whose old value it keeps: all bits of operands, NaN and
/// both zeros among them.
Meeting own_elements(Op op, Scalar s, bool shared, const std::string& suffix = {}) {
  const std::string_view t = ir::name_of(s);
  std::string code =
      fmt::format(" %old: {} = {}{} {}\n store.{} %out, %i, %old\n", t, ir::info(op).name, suffix,
                  operands_of(op, shared ? "%array" : "%global", shared ? "%thread" : "%i"), t);
  std::vector<Column> bits = tuples(s, 3, std::size_t(total));
  // Compare-and-swap finds what it expects in every third element.
  for (std::size_t i = 0; i < bits[0].size(); i += 3) bits[2][i] = bits[0][i];
  return meeting(
      fmt::format("{} {} {} own{}", ir::info(op).name, t, shared ? "shared" : "global", suffix),
      around_atomics(s, shared, threads, code), {{blocks, 1, 1}, {threads, 1, 1}},
      {array_of_bits(s, bits[0]), array_of_bits(s, bits[1]), array_of_bits(s, bits[2]),
       zeros(s, total)});
}

/// Threads meet at seven elements: what is there in the end does not depend on their order.
Meeting contended(Op op, Scalar s, bool shared) {
  const std::string_view t = ir::name_of(s);
  constexpr std::int64_t elements = 7;
  std::string code = fmt::format(
      " %seven: i64 = const {1}\n %slot: i64 = rem %thread, %seven\n %bound: {0} = const {3}\n %old: {0} = {2} {4}, %slot, {5}\n",
      t, elements, ir::info(op).name, ir::is_float(s) ? "0x1.4p+3" : "10",
      shared ? "%array" : "%global", op == Op::AtomicInc || op == Op::AtomicDec ? "%bound" : "%a");
  return meeting(
      fmt::format("{} {} {} contended", ir::info(op).name, t, shared ? "shared" : "global"),
      around_atomics(s, shared, elements, code), {{blocks, 1, 1}, {threads, 1, 1}},
      {small_numbers(s, elements * blocks), small_numbers(s, total), small_numbers(s, total),
       zeros(s, total)});
}

void append_atomics(std::vector<Meeting>& out) {
  for (unsigned n = 0; n < ir::op_count; ++n) {
    const Op op = Op(n);
    if (ir::info(op).effect != ir::Effect::Atomic) continue;
    for (const Scalar s : atomic_types) {
      if (ir::is_float(s) && !ir::info(op).floats) continue;
      for (const bool shared : {false, true}) {
        out.push_back(own_elements(op, s, shared));
        if (op != Op::AtomicLoad && op != Op::AtomicExchange && op != Op::AtomicCas)
          out.push_back(contended(op, s, shared));
      }
    }
    // One operation for each way of lowering: an instruction, a loop around compare-and-swap, and
    // that itself.
    if (op != Op::AtomicLoad && op != Op::AtomicAdd && op != Op::AtomicDec && op != Op::AtomicCas)
      continue;
    for (const char* order : {".acquire", ".release", ".acq_rel", ".seq_cst"})
      for (const char* scope : {".block", "", ".system"}) {
        if (op == Op::AtomicLoad && (order[1] == 'r' || std::strcmp(order, ".acq_rel") == 0))
          continue;
        for (const bool shared : {false, true})
          out.push_back(own_elements(op, Scalar::U32, shared, std::string(order) + scope));
      }
    for (const Scalar s : {Scalar::F32, Scalar::I64})
      if (ir::info(op).floats && op != Op::AtomicLoad)
        out.push_back(own_elements(op, s, false, ".acq_rel.system"));
  }
}

// ---- warps --------------------------------------------------------------------------------------

struct WarpRow {
  Op op;
  Scalar type, result;
  std::string text;  // with %x, %c (bool) and %n (i32)
};

std::vector<WarpRow> warp_rows() {
  std::vector<WarpRow> out;
  for (const Op op : {Op::Ballot, Op::WarpAny, Op::WarpAll})
    out.push_back({op, Scalar::Bool, op == Op::Ballot ? Scalar::U64 : Scalar::Bool,
                   fmt::format("{} %x", ir::info(op).name)});
  out.push_back({Op::WarpPrefixCount, Scalar::Bool, Scalar::I32, "warp_prefix_count %x"});
  for (const Scalar s : ir::all_scalars) {
    out.push_back({Op::Shuffle, s, s, "shuffle %x, %n"});
    out.push_back({Op::MatchAny, s, Scalar::U64, "match_any %x"});
    for (unsigned by = 0; by < 6; ++by) {
      if (s == Scalar::Bool || (ir::is_float(s) && ir::info(ir::combining[by]).bools)) continue;
      out.push_back({Op::WarpReduce, s, s, fmt::format("warp_reduce %x {{{}}}", by)});
      out.push_back({Op::WarpScan, s, s, fmt::format("warp_scan %x {{{}}}", by)});
    }
  }
  return out;
}

/// Called by all lanes, by some under a condition, and by those that are left after others
/// returned.
Meeting warp_meeting(const WarpRow& row, const ir::Launch& launch, bool exact) {
  const std::string_view t = ir::name_of(row.type), r = ir::name_of(row.result);
  // A shuffle that names a lane which is not active gives nothing certain.
  const char* divergent = row.op == Op::Shuffle ? "%l" : "%n";
  std::string use = row.text;
  if (const auto at = use.find("%n"); at != use.npos) use.replace(at, 2, divergent);
  const std::string text = fmt::format(
      "(%in: view<{0}, 1, const>, %lanes: view<i32, 1, const>, %out: view<{1}, 1>) {{\n"
      " %tx: i64 = thread_idx {{0}}\n %ty: i64 = thread_idx {{1}}\n %bx: i64 = block_dim {{0}}\n %row: i64 = mul %ty, %bx\n"
      " %t: i64 = add %row, %tx\n %by: i64 = block_dim {{1}}\n %size: i64 = mul %bx, %by\n %b: i64 = block_idx {{0}}\n"
      " %start: i64 = mul %b, %size\n %i: i64 = add %start, %t\n"
      " %x: {0} = load %in, %i\n %any: i32 = load %lanes, %i\n %l: i32 = lane_id\n %one: i32 = const 1\n %three: i64 = const 3\n"
      " %left: i64 = sub %size, %t\n %t32: i32 = cast %t\n %first: i32 = sub %t32, %l\n"
      " %size32: i32 = cast %size\n %here: i32 = sub %size32, %first\n %w: i32 = warp_size\n %full: i32 = min %here, %w\n"
      " %n0: i32 = rem %any, %full\n %n: i32 = abs %n0\n"
      " %all: {1} = {2}\n store.{1} %out, %i, %all\n"
      " %bit: i32 = and %any, %one\n %zero: i32 = const 0\n %odd: bool = ne %bit, %zero\n"
      " %grid: i64 = grid_dim {{0}}\n %step: i64 = mul %grid, %size\n %i2: i64 = add %i, %step\n"
      " if %odd {{\n  %some: {1} = {3}\n  store.{1} %out, %i2, %some\n  yield\n }}\n"
      " %rest: i64 = rem %i, %three\n %zero64: i64 = const 0\n %third: bool = eq %rest, %zero64\n if %third {{\n  return\n }}\n"
      " %i3: i64 = add %i2, %step\n %others: {1} = {3}\n store.{1} %out, %i3, %others\n return\n}}\n",
      t, r, row.text, use);
  const std::int64_t n = launch.grid[0] * launch.block[0] * launch.block[1];
  std::vector<std::uint64_t> lanes;
  for (std::int64_t i = 0; i < n; ++i)
    lanes.push_back(std::uint64_t(i * 2654435761 >> 7) & 0xffffffff);
  Argument in = small_numbers(row.type, n);
  // all sizes, so that the order of additions shows; infinities and NaN stay out: a NaN's bits are
  // nobody's
  if (!exact) {
    std::vector<std::uint64_t> bits = filled(row.type, {}, std::size_t(n), 12);
    const std::uint64_t half = std::uint64_t(1) << (ir::bits_of(row.type) - 2);
    for (std::uint64_t& b : bits)
      b = ir::is_float(row.type) ? b & ~half : row.type == Scalar::Bool ? b & 1 : b;
    in = array_of_bits(row.type, bits);
  }
  return meeting(fmt::format("{} {} {} in blocks of {} x {}{}", ir::info(row.op).name, t, row.text,
                             launch.block[0], launch.block[1], exact ? "" : " of all bits"),
                 text, launch, {in, array_of_bits(Scalar::I32, lanes), zeros(row.result, 3 * n)});
}

void append_warps(std::vector<Meeting>& out, int warp) {
  for (const WarpRow& row : warp_rows()) {
    if (row.type == Scalar::Bool || row.type == Scalar::I32 || row.type == Scalar::F16)
      out.push_back(warp_meeting(row, {{2, 1, 1}, {96, 1, 1}, warp}, true));
    out.push_back(warp_meeting(row, {{2, 1, 1}, {50, 1, 1}, warp}, false));
    if (row.type == Scalar::F32 || row.type == Scalar::U64)
      out.push_back(warp_meeting(row, {{1, 1, 1}, {12, 5, 1}, warp}, false));
  }
}

// ---- blocks -------------------------------------------------------------------------------------

void append_blocks(std::vector<Meeting>& out) {
  constexpr std::int64_t sizes[] = {1, 20, 32, 96, 130};
  for (const std::int64_t block : sizes) {
    const ir::Launch launch{{3, 1, 1}, {block, 1, 1}};
    const std::int64_t n = 3 * block;
    for (const char* op : {"barrier_count", "barrier_and", "barrier_or"}) {
      const bool count = std::strcmp(op, "barrier_count") == 0;
      std::string text =
          "(%in: view<i32, 1, const>, %out: view<i32, 1>) {\n %i: i64 = global_id {0}\n %x: i32 = load %in, %i\n"
          " %n: i64 = extent %out {0}\n %zero: i32 = const 0\n";
      // True for some, for all, for none.
      for (const auto& [test, at] : {std::pair("gt", 0), {"ge", 1}, {"lt", 2}})
        text += fmt::format(
            " %c{0}: bool = {1} %x, %zero\n %r{0}: {2} = {3} %c{0}\n %v{0}: i32 = {4} %r{0}\n %k{0}: i64 = const {5}\n"
            " %p{0}: i64 = add %i, %k{0}\n store.i32 %out, %p{0}, %v{0}\n",
            at, test, count ? "i32" : "bool", op, count ? "abs" : "cast", at * n);
      out.push_back(meeting(fmt::format("{} bool in blocks of {}", op, block),
                            text + " return\n}\n", launch,
                            {small_numbers(Scalar::I32, n), zeros(Scalar::I32, 3 * n)}));
    }
  }
  for (const Scalar s : ir::all_scalars)
    // neighbours' elements, twice, so that a barrier that is missing shows
    for (const std::int64_t block : sizes) {
      const ir::Launch launch{{3, 1, 1}, {block, 1, 1}};
      const std::int64_t n = 3 * block;
      const std::string text = fmt::format(
          "(%in: view<{0}, 1, const>, %out: view<{0}, 1>) {{\n %tile: shared<{0}, 2> = shared {{2, 130}}\n %t: i64 = thread_idx "
          "{{0}}\n"
          " %i: i64 = global_id {{0}}\n %n: i64 = block_dim {{0}}\n %one: i64 = const 1\n %zero: i64 = const 0\n %x: {0} = load "
          "%in, %i\n"
          " store.{0} %tile, %zero, %t, %x\n barrier\n %last: i64 = sub %n, %one\n %other: i64 = sub %last, %t\n"
          " %y: {0} = load %tile, %zero, %other\n store.{0} %tile, %one, %t, %y\n fence {{0}}\n barrier\n %next: i64 = add %t, "
          "%one\n"
          " %around: i64 = rem %next, %n\n %z: {0} = load %tile, %one, %around\n store.{0} %out, %i, %z\n return\n}}\n",
          ir::name_of(s));
      out.push_back(meeting(fmt::format("shared {} in blocks of {}", ir::name_of(s), block), text,
                            launch, {small_numbers(s, n), zeros(s, n)}));
    }
}

}  // namespace

std::vector<Meeting> all_meetings(int warp) {
  std::vector<Meeting> out;
  append_atomics(out);
  append_warps(out, warp);
  append_blocks(out);
  return out;
}

}  // namespace krait::test
