// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pure operation at every type on lanes, on edge values and random ones, against the interpreter. The kernels come from the
// table of operations.
#include <random>

#include <fmt/format.h>

#include "fixture.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Rule;
using ir::Scalar;

constexpr Scalar all_types[] = {Scalar::Bool, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64,
                                Scalar::F16, Scalar::F32, Scalar::F64};

std::vector<std::uint64_t> edges(Scalar s) {
  if (s == Scalar::Bool) return {0, 1};
  if (s == Scalar::F16) return {0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3800, 0x4248, 0x4500, 0x3e00, 0x4100};
  if (s == Scalar::F32)
    return {0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f000000,
            0x40200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x42fe0000, 0x43000000, 0xc3000000, 0x477fefff, 0x477ff000, 0x33000000,
            0x33000001, 0x33800000, 0x387fc000, 0x38801000, 0x4effffff, 0x4b000001};
  if (s == Scalar::F64)
    return {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 1, 0xfffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
            0xfff0000000000000, 0x7ff8000000000000, 0x3fe0000000000000, 0x4004000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000,
            0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3e60000000000000, 0x3e60000000000001, 0x3f0ffc0000000000,
            0x3ff0000010000000, 0x3ff0020000000001, 0x3ff0020000000000, 0x47efffffefffffff, 0x36a0000000000000};
  unsigned bits = ir::bits_of(s);
  std::uint64_t top = std::uint64_t(1) << (bits - 1), mask = top | (top - 1);
  std::vector<std::uint64_t> v = {0, 1, 2, 3, 7, 10, 100, top, top - 1, top + 1, mask, mask - 1, bits, bits - 1, bits + 1};
  for (std::uint64_t& x : v) x &= mask;
  return v;
}

std::vector<std::uint64_t> values(Scalar s, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> e = edges(s), out;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t x = random();
    unsigned kind = unsigned(random() % 4);
    if (kind < 2) x = e[x % e.size()];
    else if (s == Scalar::F32 && kind == 2) x = std::bit_cast<std::uint32_t>(float(std::int64_t(x % 2001) - 1000) * 0.37f);
    else if (s == Scalar::F64 && kind == 2) x = std::bit_cast<std::uint64_t>(double(std::int64_t(x % 2001) - 1000) * 0.37);
    else if (ir::is_int(s) && kind == 2) x %= 50;
    unsigned bits = ir::bits_of(s);
    if (bits < 64) x &= (std::uint64_t(1) << bits) - 1;
    // Only canonical NaNs: bitcast passes payloads on.
    if (s == Scalar::F16 && (x & 0x7fff) > 0x7c00) x = 0x7e00;
    if (s == Scalar::F32 && (x & 0x7fffffff) > 0x7f800000) x = 0x7fc00000;
    if (s == Scalar::F64 && (x << 1) > 0xffe0000000000000) x = 0x7ff8000000000000;
    out.push_back(x);
  }
  return out;
}

Arg column(Scalar s, const std::vector<std::uint64_t>& v) {
  Arg a;
  a.type = s;
  a.array = true;
  a.data.resize(v.size() * ir::size_of(s));
  for (std::size_t i = 0; i < v.size(); ++i) std::memcpy(&a.data[i * ir::size_of(s)], &v[i], ir::size_of(s));
  a.extents = {std::int64_t(v.size())};
  return a;
}

/// A kernel that computes r[i] = op(a[i], b[i], …) for every row at once.
struct Row {
  Op op;
  Scalar result;
  std::vector<Scalar> operands;
};

void run_rows(const std::vector<Row>& rows, std::size_t n, unsigned seed) {
  std::string params, body;
  std::vector<Arg> args;
  unsigned next = 0;
  std::vector<std::string> lines;
  auto view = [&](Scalar s, bool constant) {
    params += fmt::format("{}%{}: view<{}, 1{}>", next ? ", " : "", next, ir::name_of(s), constant ? ", const" : "");
    return next++;
  };
  std::vector<std::vector<unsigned>> arrays;
  for (const Row& row : rows) {
    std::vector<unsigned> ids;
    for (Scalar s : row.operands) {
      ids.push_back(view(s, true));
      args.push_back(column(s, values(s, n, seed++ * 7919u + 13)));
    }
    ids.push_back(view(row.result, false));
    args.push_back(column(row.result, std::vector<std::uint64_t>(n, 0)));
    arrays.push_back(ids);
  }
  unsigned extent = next++, index = next++;
  body += fmt::format("  %{}: i64 = extent %0 {{0}}\n  grid_stride %{} {{\n  ^(%{}: i64):\n", extent, extent, index);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& row = rows[r];
    std::string operands;
    for (std::size_t k = 0; k < row.operands.size(); ++k) {
      body += fmt::format("    %{}: {} = load %{}, %{}\n", next, ir::name_of(row.operands[k]), arrays[r][k], index);
      operands += fmt::format("{}%{}", k ? ", " : "", next++);
    }
    body += fmt::format("    %{}: {} = {} {}\n", next, ir::name_of(row.result), ir::info(row.op).name, operands);
    body += fmt::format("    store.{} %{}, %{}, %{}\n", ir::name_of(row.result), arrays[r].back(), index, next++);
  }
  std::string kernel = fmt::format("kernel @ops fp(strict) ({}) {{\n{}    continue\n  }}\n  return\n}}\n", params, body);
  check(kernel, line(1, 32), args);
}

bool has_type(const ir::OpInfo& info, Scalar s) {
  return s == Scalar::Bool ? info.bools : ir::is_float(s) ? info.floats : info.ints;
}

void run_class(bool (*wanted)(Op)) {
  unsigned seed = 1;
  for (unsigned o = 0; o < ir::op_count; ++o) {
    Op op = Op(o);
    const ir::OpInfo& info = ir::info(op);
    if (info.math || info.effect != ir::Effect::Pure || info.rule == Rule::Custom || info.rule == Rule::Id || !wanted(op)) continue;
    std::vector<Row> rows;
    for (Scalar s : all_types) {
      if (!has_type(info, s)) continue;
      switch (info.rule) {
        case Rule::Same: rows.push_back({op, s, std::vector<Scalar>(std::size_t(info.arity), s)}); break;
        case Rule::Compare: rows.push_back({op, Scalar::Bool, {s, s}}); break;
        case Rule::Test: rows.push_back({op, Scalar::Bool, {s}}); break;
        case Rule::Shift: rows.push_back({op, s, {s, s}}), rows.push_back({op, s, {s, Scalar::U8}}), rows.push_back({op, s, {s, Scalar::I64}}); break;
        case Rule::Select: rows.push_back({op, s, {Scalar::Bool, s, s}}); break;
        case Rule::Convert:
          for (Scalar to : all_types)
            if (to != s) rows.push_back({op, to, {s}});
          break;
        case Rule::Bits:
          for (Scalar to : all_types)
            if (to != s && to != Scalar::Bool && s != Scalar::Bool && ir::size_of(to) == ir::size_of(s)) rows.push_back({op, to, {s}});
          break;
        case Rule::Count: rows.push_back({op, Scalar::I32, {s}}); break;
        case Rule::Id: case Rule::Custom: break;
      }
    }
    for (std::size_t first = 0; first < rows.size(); first += 16) {
      std::vector<Row> some(rows.begin() + std::ptrdiff_t(first), rows.begin() + std::ptrdiff_t(std::min(first + 16, rows.size())));
      SCOPED_TRACE(std::string(info.name));
      run_rows(some, 333, seed += 100);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(CpuOps, Same) {
  run_class([](Op op) { return ir::info(op).rule == Rule::Same; });
}
TEST(CpuOps, Convert) {
  run_class([](Op op) { return ir::info(op).rule == Rule::Convert || ir::info(op).rule == Rule::Bits; });
}
TEST(CpuOps, Others) {
  run_class([](Op op) {
    Rule r = ir::info(op).rule;
    return r != Rule::Same && r != Rule::Convert && r != Rule::Bits;
  });
}

}  // namespace
}  // namespace krait::test
