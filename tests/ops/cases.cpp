// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/cases.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "ir/interp/interp.h"

namespace krait::test {
namespace {

using ir::Builder;
using ir::Op;
using ir::Rule;
using ir::Scalar;
using ir::ValueId;

// No multiples of a vector's width: the last lanes run under a mask.
constexpr std::size_t lanes = 8189;        // room for all pairs of edges
constexpr std::size_t few_lanes = 1021;    // with a constant operand
constexpr std::size_t rows_a_kernel = 40;  // drivers take long to compile, more than linearly so

bool tested(const ir::OpInfo& row) { return row.family == ir::Family::Value; }

/// The operations of a rule that take the type.
template <class Fn>
void for_each_op(Scalar s, Rule rule, Fn&& fn) {
  for (unsigned n = 0; n < ir::op_count; ++n)
    if (const ir::OpInfo& row = ir::info(Op(n)); tested(row) && row.rule == rule && takes(row, s))
      fn(Op(n), row);
}

Row simple(Op op, std::string name, Scalar result, std::vector<unsigned> operands) {
  return {std::move(name), result,
          [op, result, operands](Builder& b, const std::vector<ValueId>& in) {
            std::vector<ValueId> values;
            for (unsigned k : operands) values.push_back(in[k]);
            return b.emit(op, ir::value_type(result), values);
          }};
}

std::string named(const ir::OpInfo& row, Scalar s) {
  return fmt::format("{} {}", row.name, ir::name_of(s));
}

void append_split(std::vector<Case>& out, Case whole) {
  std::vector<Row> rows = std::move(whole.rows);
  for (std::size_t at = 0; at < rows.size(); at += rows_a_kernel) {
    Case part = whole;
    if (at > 0) part.name += fmt::format("_{}", at / rows_a_kernel);
    part.rows.assign(rows.begin() + std::ptrdiff_t(at),
                     rows.begin() + std::ptrdiff_t(std::min(at + rows_a_kernel, rows.size())));
    out.push_back(std::move(part));
  }
}

/// Columns: x and y all pairs, shift counts of three types, a condition.
Case operations(Scalar s) {
  std::vector<Column> pairs = tuples(s, 2, lanes);
  Column narrow = filled(Scalar::U8, edges(Scalar::U8), lanes, 3),
         wide = filled(Scalar::I64, edges(Scalar::I64), lanes, 4);
  Case c{fmt::format("ops_{}", ir::name_of(s)),
         {s, s, Scalar::U8, Scalar::I64, Scalar::Bool},
         {pairs[0], pairs[1], narrow, wide, filled(Scalar::Bool, {}, lanes, 5)},
         {}};
  for_each_op(s, Rule::Same, [&](Op op, const ir::OpInfo& row) {
    if (row.arity == 1) c.rows.push_back(simple(op, named(row, s), s, {0}));
    if (row.arity == 2) c.rows.push_back(simple(op, named(row, s), s, {0, 1}));
  });
  for_each_op(s, Rule::Compare, [&](Op op, const ir::OpInfo& row) {
    c.rows.push_back(simple(op, named(row, s), Scalar::Bool, {0, 1}));
  });
  for_each_op(s, Rule::Test, [&](Op op, const ir::OpInfo& row) {
    c.rows.push_back(simple(op, named(row, s), Scalar::Bool, {0}));
  });
  for_each_op(s, Rule::Count, [&](Op op, const ir::OpInfo& row) {
    c.rows.push_back(simple(op, named(row, s), Scalar::I32, {0}));
  });
  for_each_op(s, Rule::Shift, [&](Op op, const ir::OpInfo& row) {
    c.rows.push_back(simple(op, named(row, s) + " by its own type", s, {0, 1}));
    c.rows.push_back(simple(op, named(row, s) + " by u8", s, {0, 2}));
    c.rows.push_back(simple(op, named(row, s) + " by i64", s, {0, 3}));
  });
  for_each_op(s, Rule::Select, [&](Op op, const ir::OpInfo& row) {
    c.rows.push_back(simple(op, named(row, s), s, {4, 0, 1}));
    c.rows.push_back(simple(op, named(row, s) + " exchanged", s, {4, 1, 0}));
  });
  return c;
}

/// Operations of three operands of one type.
Case ternary(Scalar s) {
  Case c{fmt::format("ternary_{}", ir::name_of(s)),
         {s, s, s},
         ir::is_float(s) ? fused_triples(s, 4 * lanes) : tuples(s, 3, lanes),
         {}};
  for_each_op(s, Rule::Same, [&](Op op, const ir::OpInfo& row) {
    if (row.arity == 3) c.rows.push_back(simple(op, named(row, s), s, {0, 1, 2}));
  });
  return c;
}

Case conversions(Scalar s) {
  Case c{
      fmt::format("casts_{}", ir::name_of(s)), {s}, {filled(s, conversion_edges(s), 2045, 6)}, {}};
  for (Scalar to : ir::all_scalars) {
    for_each_op(s, Rule::Convert, [&](Op op, const ir::OpInfo& row) {
      if (to != s)
        c.rows.push_back(
            simple(op, fmt::format("{} to {}", named(row, s), ir::name_of(to)), to, {0}));
    });
    for_each_op(s, Rule::Bits, [&](Op op, const ir::OpInfo& row) {
      if (to != s && takes(row, to) && ir::size_of(to) == ir::size_of(s))
        c.rows.push_back(
            simple(op, fmt::format("{} to {}", named(row, s), ir::name_of(to)), to, {0}));
    });
  }
  return c;
}

Row with_constant(Op op, const ir::OpInfo& row, Scalar s, Scalar of, Scalar result,
                  std::uint64_t bits, bool left) {
  const std::string name = left ? fmt::format("{} of {:#x} and x", named(row, s), bits)
                                : fmt::format("{} of x and {:#x}", named(row, s), bits);
  return {name, result, [=](Builder& b, const std::vector<ValueId>& in) {
            ValueId k = b.constant(of, bits);
            return left ? b.emit(op, result, {k, in[0]}) : b.emit(op, result, {in[0], k});
          }};
}

/// Code generators and drivers treat operations with a literal in ways of their own.
Case with_constants(Scalar s) {
  Case c{fmt::format("constants_{}", ir::name_of(s)),
         {s},
         {filled(s, conversion_edges(s), few_lanes, 7)},
         {}};
  const std::uint64_t top = std::uint64_t(1) << (ir::bits_of(s) - 1);
  std::vector<std::uint64_t> right;
  if (ir::is_int(s)) {
    right = {0, mask_of(s), 7, 16, top};
  } else {
    for (double x : {0.0, -0.0, 1.0, 2.0, 0.1}) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
      right.push_back(ir::eval(Op::Cast, s, Scalar::F64, {&bits, 1}));
    }
  }
  const auto both = [&](Op op, const ir::OpInfo& row, Scalar result) {
    if (row.arity != 2) return;
    for (std::uint64_t k : right) c.rows.push_back(with_constant(op, row, s, s, result, k, false));
    for (std::uint64_t k : {right[0], right[3]})
      c.rows.push_back(with_constant(op, row, s, s, result, k, true));
  };
  for_each_op(s, Rule::Same, [&](Op op, const ir::OpInfo& row) { both(op, row, s); });
  for_each_op(s, Rule::Compare, [&](Op op, const ir::OpInfo& row) { both(op, row, Scalar::Bool); });
  for_each_op(s, Rule::Shift, [&](Op op, const ir::OpInfo& row) {
    for (std::uint64_t count : {std::uint64_t(5), std::uint64_t(ir::bits_of(s)) + 3})
      c.rows.push_back(with_constant(op, row, s, Scalar::I32, s, count, false));
  });
  return c;
}

/// Comparisons of numbers that were extended, which Mesa's lavapipe once compared wrongly with
/// small constants.
Case extended_comparisons(Scalar from) {
  std::vector<Column> pairs = tuples(from, 2, lanes);
  Case c{fmt::format("extended_{}", ir::name_of(from)), {from, from}, {pairs[0], pairs[1]}, {}};
  const auto add = [&](Op op, std::string what, auto left, auto right) {
    c.rows.push_back(
        {fmt::format("{} of {} extended to i64 {}", ir::info(op).name, ir::name_of(from), what),
         Scalar::Bool, [=](Builder& b, const std::vector<ValueId>& in) {
           ValueId x = left(b, in), y = right(b, in);
           return b.compare(op, {x, y});
         }});
  };
  const auto x = [](Builder& b, const std::vector<ValueId>& in) {
    return b.cast(Scalar::I64, in[0]);
  };
  const auto y = [](Builder& b, const std::vector<ValueId>& in) {
    return b.cast(Scalar::I64, in[1]);
  };
  const auto sum = [=](Builder& b, const std::vector<ValueId>& in) {
    return b.binary(Op::Add, {x(b, in), y(b, in)});
  };
  const auto narrow_sum = [](Builder& b, const std::vector<ValueId>& in) {
    return b.cast(Scalar::I64, b.binary(Op::Add, {in[0], in[1]}));
  };
  const auto threads = [](Builder& b, const std::vector<ValueId>&) {
    return b.emit(Op::BlockDim, Scalar::I64, {});
  };
  const auto constant = [](std::int64_t k) {
    return [k](Builder& b, const std::vector<ValueId>&) {
      return b.constant(Scalar::I64, std::uint64_t(k));
    };
  };
  for_each_op(from, Rule::Compare, [&](Op op, const ir::OpInfo&) {
    for (std::int64_t k : {0, 1, -1, 5, -7, 1000}) {
      add(op, fmt::format("and {}", k), x, constant(k));
      add(op, fmt::format("with {} on the left", k), constant(k), x);
    }
    add(op, "and 2^40", x, constant(std::int64_t(1) << 40));
    add(op, "and another", x, y);
    add(op, "after a sum, and 3", sum, constant(3));
    add(op, "before a sum, and 0", narrow_sum, constant(0));
    add(op, "and the block's threads", x, threads);
  });
  return c;
}

/// Of words whose halves are bf16, with any exponent, and sums of any.
Case products_of_pairs() {
  const auto words = [](std::uint64_t seed) {
    const std::vector<std::uint64_t> halves = edges(Scalar::BF16);
    std::vector<std::uint64_t> pairs;
    for (const std::uint64_t low : halves)
      for (const std::uint64_t high : halves) pairs.push_back(high << 16 | low);
    return filled(Scalar::U32, pairs, lanes, seed);
  };
  Case c{"pairs",
         {Scalar::U32, Scalar::U32, Scalar::F32},
         {words(8), words(9), filled(Scalar::F32, edges(Scalar::F32), lanes, 10)},
         {}};
  std::reverse(c.columns[1].begin(), c.columns[1].begin() + std::ptrdiff_t(lanes / 2));
  c.rows.push_back(simple(Op::DotPairs, "dot_pairs", Scalar::F32, {0, 1, 2}));
  return c;
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (Scalar s : ir::all_scalars) {
    append_split(out, operations(s));
    append_split(out, conversions(s));
    if (s != Scalar::Bool) append_split(out, with_constants(s));
    if (s != Scalar::Bool) out.push_back(ternary(s));
  }
  out.push_back(products_of_pairs());
  for (Scalar s : {Scalar::I8, Scalar::I16, Scalar::I32, Scalar::U32})
    append_split(out, extended_comparisons(s));
  return out;
}

Built build(const Case& c, const std::vector<std::size_t>& rows, ir::FpMode fp) {
  Built out;
  out.module.functions.push_back(ir::new_function(c.name));
  ir::Function& f = out.module.kernel();
  f.fp = fp, f.facts = {true, true, true, true};
  Builder b(f);
  b.at(f.body);
  std::vector<ValueId> views, outputs, loaded;
  for (Scalar s : c.types)
    views.push_back(b.new_param(f.body, ir::array_type(s, ir::Space::Global, 1, false)));
  for (std::size_t r : rows) {
    const auto known =
        std::find_if(out.outputs.begin(), out.outputs.end(),
                     [&](const Built::Output& o) { return o.type == c.rows[r].result; });
    if (known == out.outputs.end()) {
      out.outputs.push_back({c.rows[r].result});
      outputs.push_back(
          b.new_param(f.body, ir::array_type(c.rows[r].result, ir::Space::Global, 1)));
    }
  }
  ValueId id = b.emit(Op::GlobalId, Scalar::I64, {});
  ValueId inside = b.compare(Op::Lt, {id, b.emit(Op::Extent, Scalar::I64, {views[0]})});
  const ir::InstId guard = b.append(Op::If, {}, {&inside, 1});
  out.lanes = b.new_region(guard);
  const ir::RegionId nothing = b.new_region(guard);
  b.at(out.lanes);
  for (std::size_t k = 0; k < views.size(); ++k)
    loaded.push_back(b.emit(Op::Load, c.types[k], {views[k], id}));
  for (std::size_t r : rows) {
    const Row& row = c.rows[r];
    std::size_t o = 0;
    while (out.outputs[o].type != row.result) ++o;
    ValueId value = row.record(b, loaded);
    ValueId at = b.binary(Op::Add, {id, b.constant(Scalar::I64, out.outputs[o].rows * c.lanes())});
    const ValueId operands[] = {outputs[o], at, value};
    b.append(Op::Store, ir::value_type(row.result), operands);
    out.places.push_back({o, out.outputs[o].rows++, value});
  }
  b.append(Op::Yield, {}, {});
  b.at(nothing);
  b.append(Op::Yield, {}, {});
  b.at(f.body);
  b.append(Op::Return, {}, {});
  return out;
}

Lane::Lane(const Built& built, const Case& c, std::size_t lane)
    : bits_(built.module.kernel().values.size()) {
  const ir::Function& f = built.module.kernel();
  std::array<std::uint64_t, 4> operands{};
  std::size_t column = 0;
  for (const ir::InstId id : f.regions[built.lanes].insts) {
    const ir::Inst& i = f.insts[id];
    if (i.results.empty()) continue;
    std::uint64_t& result = bits_[i.results[0]];
    if (i.op == Op::Const) result = i.imm;
    else if (i.op == Op::BlockDim) result = std::uint64_t(block);
    else if (i.op == Op::Load) {
      const std::uint64_t bits = c.columns[column][lane];
      result = c.types[column++] == Scalar::Bool ? bits != 0 : bits;
    } else {
      for (std::size_t k = 0; k < i.operands.size(); ++k) operands[k] = bits_[i.operands[k]];
      result = ir::eval(i.op, i.type.scalar, f.type_of(i.operands[0]).scalar,
                        std::span(operands.data(), i.operands.size()));
    }
  }
}

}  // namespace krait::test
