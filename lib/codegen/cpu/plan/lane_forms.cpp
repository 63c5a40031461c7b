// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/lane_forms.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace krait::codegen::cpu {

using ir::Op;

namespace {

/// Bounds of positions are at most so large, so that products of two do not overflow.
constexpr unsigned most_bits = 58;
/// Of extents and positions where the launch's facts say that they are small.
constexpr unsigned small_bits = 31;
/// What constants are at most, to be each lane's own: others are equal numbers.
constexpr std::int64_t most = near_lanes;

std::uint64_t power_of_two_in(std::uint64_t n) { return n & (0 - n); }

/// x * y, or 0 where that is beyond most_bits.
std::uint64_t product(std::uint64_t x, std::uint64_t y) {
  const bool fits = std::bit_width(x) + std::bit_width(y) <= int(most_bits);
  return fits ? x * y : 0;
}

std::int64_t floor_of(std::int64_t x, std::int64_t by) { return x / by - (x % by < 0); }

/// How far down x is known: so many numbers from its equal one on make one quotient by `by`.
std::uint64_t known_multiple(const LaneForm& x, std::uint64_t by) {
  return std::gcd(x.multiple, by);  // by, where that is 0
}

}  // namespace

bool LaneForm::equal() const {
  return std::all_of(lanes.begin(), lanes.end(), [&](auto lane) { return lane == lanes[0]; });
}

LaneForms::LaneForms(const ir::Function& f, const Shape& shape, ir::InstId range_loop)
    : f_(&f),
      shape_(shape),
      sweeps_(is_block(shape.layout) && range_loop != ir::none),
      forms_(f.values.size()) {
  if (shape.layout != Layout::Range || range_loop == ir::none || shape.gang() == 1) return;
  const ir::Inst& loop = f.insts[range_loop];
  const ir::Inst* bound = f.def(loop.operands[0]);
  const bool extent = bound && bound->op == Op::Extent && f.facts.small;
  forms_[f.regions[loop.regions[0]].params[0]] =
      along(0, shape_.gang(), std::uint64_t(1) << (extent ? small_bits : most_bits));
}

auto LaneForms::equal(std::uint64_t multiple, std::uint64_t below) const -> Form {
  return LaneForm{std::vector<std::int64_t>(shape_.gang(), 0), multiple, below};
}

auto LaneForms::along(unsigned dim, std::uint64_t multiple, std::uint64_t below) const -> Form {
  LaneForm r{{}, multiple, below};
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) r.lanes.push_back(shape_.place(lane)[dim]);
  return r;
}

/// What a gang's first thread_idx is a multiple of.
std::uint64_t LaneForms::thread_multiple(unsigned dim) const {
  const std::uint64_t gang = dim == 0 ? shape_.width() : dim == 1 ? shape_.rows : shape_.layers;
  const ir::Brick& brick = f_->facts.brick;
  // A column that 32 threads hold whole is no longer than the bricks say.
  const bool column =
      dim == 1 && brick.x && brick.width() * brick.y < ir::Brick::threads && shape_.rows >= brick.y;
  const bool fixed = f_->block[dim] && std::uint64_t(f_->block[dim]) <= gang;
  return fixed || column || (dim == 0 && shape_.is_brick()) ? 0 : gang;
}

auto LaneForms::position(const ir::Inst& inst) const -> Form {
  const auto dim = unsigned(inst.imm);
  const std::uint64_t any = std::uint64_t(1) << (f_->facts.small ? small_bits : most_bits),
                      threads = 1024 + 1;  // of a block, along a dimension
  if (inst.op == Op::LaneId) {
    Form lanes = equal(0, ir::Brick::threads);
    std::iota(lanes->lanes.begin(), lanes->lanes.end(), 0);
    return shape_.gang() <= ir::Brick::threads && is_block(shape_.layout) ? lanes : Form{};
  }
  if (inst.op != Op::ThreadIdx && inst.op != Op::GlobalId && inst.op != Op::BlockIdx &&
      inst.op != Op::BlockDim && inst.op != Op::GridDim)
    return {};
  if (!is_block(shape_.layout)) {
    if (dim == 0 && inst.op == Op::GlobalId) return along(0, shape_.gang(), any);
    return dim == 0 ? Form{} : equal(1, any);
  }
  const std::uint64_t block = f_->block[dim]                     ? std::uint64_t(f_->block[dim])
                              : dim == 0 && f_->facts.whole_rows ? ir::Brick::threads
                                                                 : 1;
  if (inst.op == Op::BlockDim) return equal(block, threads);
  if (inst.op == Op::BlockIdx || inst.op == Op::GridDim) return equal(1, any);
  if (shape_.layout != Layout::Rows || (sweeps_ && dim == 0)) return {};
  const std::uint64_t first = thread_multiple(dim);
  return inst.op == Op::ThreadIdx ? along(dim, first, threads)
                                  : along(dim, std::gcd(first, block), any);
}

/// A value that may have a form: one it was found to have, or that of a number that is equal.
auto LaneForms::of(ir::ValueId v, const passes::Uniformity& known) const -> Form {
  const ir::Type& type = f_->type_of(v);
  if (type.is_array() || !ir::is_int(type.scalar) || ir::bits_of(type.scalar) < 32) return {};
  if (forms_[v]) return forms_[v];
  return known.varying(v) ? Form{} : equal(1, 0);
}

auto LaneForms::sum(const LaneForm& x, const LaneForm& y, bool add) -> Form {
  LaneForm r = x;
  bool positive = x.below && y.below;
  for (std::size_t lane = 0; lane < r.lanes.size(); ++lane) {
    r.lanes[lane] += add ? y.lanes[lane] : -y.lanes[lane];
    positive = positive && r.lanes[lane] >= 0;
  }
  r.multiple = std::gcd(x.multiple, y.multiple);
  r.below = positive && (add || y.multiple == 0) ? x.below + (add ? y.below : 0) : 0;
  return r;
}

auto LaneForms::scaled(const LaneForm& x, std::uint64_t by) -> Form {
  LaneForm r = x;
  for (std::int64_t& lane : r.lanes) lane *= std::int64_t(by);
  r.multiple = product(x.multiple, by);
  if (x.multiple && !r.multiple) r.multiple = power_of_two_in(by);
  r.below = product(x.below, by);
  return r;
}

/// Modulo a power of two, or of an exact number modulo any. What is known of the equal number
/// suffices where it is a multiple of `by`, or where no lane passes the multiple that it is.
auto LaneForms::rest(const LaneForm& x, std::uint64_t by) -> Form {
  const auto step = std::int64_t(known_multiple(x, by));
  LaneForm r{x.lanes, std::uint64_t(step) == by ? 0 : std::uint64_t(step), by};
  const std::int64_t first = floor_of(x.lanes[0], step);
  for (std::int64_t& lane : r.lanes) {
    const std::int64_t whole = floor_of(lane, step);
    if (r.multiple && whole != first) return {};
    lane -= whole * step;
  }
  return r;
}

auto LaneForms::quotient(const LaneForm& x, std::uint64_t by) -> Form {
  const auto step = std::int64_t(known_multiple(x, by));
  const bool even = std::uint64_t(step) == by;
  LaneForm r{x.lanes, even ? x.multiple / by : 1, x.below / by + 1};
  const std::int64_t first = floor_of(x.lanes[0], step);
  for (std::int64_t& lane : r.lanes) {
    const std::int64_t whole = floor_of(lane, step);
    if (!even && whole != first) return {};
    lane = even ? whole : 0;
  }
  return r;
}

/// Or and xor below what the equal number is a multiple of.
auto LaneForms::bitwise(const LaneForm& x, const LaneForm& y, Op op) -> Form {
  if (x.multiple && y.multiple) return {};
  const LaneForm& high = x.multiple ? x : y;
  LaneForm r = high;
  std::int64_t highest = 0;
  for (std::size_t lane = 0; lane < r.lanes.size(); ++lane) {
    const std::int64_t a = x.lanes[lane], b = y.lanes[lane];
    if (a < 0 || b < 0) return {};
    highest = std::max(highest, a | b);
    r.lanes[lane] = op == Op::Or ? a | b : a ^ b;
  }
  const std::uint64_t bits = std::bit_ceil(std::uint64_t(highest) + 1);
  if (power_of_two_in(high.multiple) < bits && high.multiple) return {};
  if (r.below) r.below += bits;
  return r;
}

auto LaneForms::cast(const ir::Inst& inst, Form x) const -> Form {
  const ir::Scalar from = f_->type_of(inst.operands[0]).scalar, to = inst.type.scalar;
  if (!ir::is_int(from)) return {};
  if (ir::bits_of(to) > ir::bits_of(from) && !x->below) return {};  // sees where it wrapped
  return x;
}

/// As the type holds it; none where lanes are too far apart.
auto LaneForms::settled(Form x, ir::Scalar s) const -> Form {
  if (!x) return x;
  const unsigned whole = ir::is_signed_int(s) ? ir::bits_of(s) - 1 : ir::bits_of(s);
  if (std::bit_width(x->below) > int(most_bits) ||
      (whole < most_bits && x->below > std::uint64_t(1) << whole))
    x->below = 0;
  if (!x->below) x->multiple = power_of_two_in(x->multiple);
  for (const std::int64_t lane : x->lanes)
    if (std::abs(lane) > most) return {};
  return x;
}

auto LaneForms::result(const ir::Inst& inst, const passes::Uniformity& known) const -> Form {
  if (inst.op == Op::Const) {
    const auto bits = ir::bits_of(inst.type.scalar);
    const std::int64_t number = ir::is_signed_int(inst.type.scalar)
                                    ? std::int64_t(inst.imm << (64 - bits)) >> (64 - bits)
                                    : std::int64_t(std::min(inst.imm, std::uint64_t(1) << 62));
    const std::uint64_t below = number < 0 ? 0 : std::uint64_t(number) + 1;
    if (std::abs(number) > most) return equal(power_of_two_in(inst.imm), below);
    Form r = equal(0, below);
    std::fill(r->lanes.begin(), r->lanes.end(), number);
    return r;
  }
  if (ir::info(inst.op).family == ir::Family::Position || inst.op == Op::LaneId)
    return position(inst);
  if (inst.op == Op::Extent)
    return equal(1, std::uint64_t(1) << (f_->facts.small ? small_bits : most_bits));
  switch (inst.op) {
    case Op::Cast:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Shl:
    case Op::Shr:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Div:
    case Op::Rem: break;
    default: return {};
  }
  const Form x = of(inst.operands[0], known);
  if (!x) return {};
  if (inst.op == Op::Cast) return cast(inst, x);
  const Form y = of(inst.operands[1], known);
  if (!y) return {};
  // The constant that it is
  const auto number = [](const LaneForm& of_value) {
    return of_value.multiple == 0 && of_value.equal() && of_value.lanes[0] > 0
               ? std::uint64_t(of_value.lanes[0])
               : 0;
  };
  const std::uint64_t c = number(*y), first = number(*x);
  switch (inst.op) {
    case Op::Add:
    case Op::Sub: return sum(*x, *y, inst.op == Op::Add);
    case Op::Mul:
      if (c || first) return scaled(c ? *x : *y, c ? c : first);
      if (!x->equal() || !y->equal()) return {};
      return equal(x->lanes[0] || y->lanes[0]
                       ? 1
                       : std::max<std::uint64_t>(product(x->multiple, y->multiple), 1),
                   product(x->below, y->below));
    case Op::Shl: return c && c < 20 ? scaled(*x, std::uint64_t(1) << c) : Form{};
    case Op::Shr: return c && c < 32 && x->below ? quotient(*x, std::uint64_t(1) << c) : Form{};
    case Op::Div: return c && x->below ? quotient(*x, c) : Form{};
    case Op::Rem: return c && x->below ? rest(*x, c) : Form{};
    case Op::And: {
      if (c && std::has_single_bit(c + 1)) return rest(*x, c + 1);
      const std::int64_t above = y->multiple == 0 && y->equal() ? y->lanes[0] : 0;  // -2^n
      if (above >= 0 || !std::has_single_bit(std::uint64_t(-above))) return {};
      Form r = rest(*x, std::uint64_t(-above));
      return r && r->multiple == 0 ? sum(*x, *r, false) : Form{};
    }
    default: return bitwise(*x, *y, inst.op);
  }
}

void LaneForms::note(const ir::Inst& inst, const passes::Uniformity& known) {
  if (shape_.gang() == 1 || inst.results.size() != 1 || !inst.regions.empty() ||
      !ir::is_int(inst.type.scalar) || ir::bits_of(inst.type.scalar) < 32)
    return;
  forms_[inst.results[0]] = settled(result(inst, known), inst.type.scalar);
}

}  // namespace krait::codegen::cpu
