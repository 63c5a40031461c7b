// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ loop runs while a kernel is recorded, so a kernel of thousands of operations is mostly the
// same few, again and again. Equal pieces that follow one another become a loop once more:
//   the piece with 0, with 3, … with 21   becomes   for 8 { j: the piece with 3 * j }
// Pieces are equal if they have the same operations, and each operand is in all of them the same
// outer value, the piece's own value at one place, what the piece before has at one place, or a
// whole number that grows by one step. The operations that run are those of before, in their
// order. Only kernels that take long to compile are changed: a loop that a user wrote out for speed
// stays written out.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/passes.h"

namespace krait::passes {
namespace {

using namespace ir;

/// Neighbouring runs of a region's instructions that look alike: from `begin` on, each instruction
/// looks like that `period` further on, `length` times.
struct Alike {
  RegionId region;
  std::size_t begin, period, length;
};

/// Instructions [begin, begin + period * count) of a region, as pieces of which each does the same.
struct Repeats {
  RegionId region = none;
  std::size_t begin = 0, period = 0, count = 0;
  std::size_t saved = 0;  // operations
};

/// What all instructions of a piece are, those in regions behind the one that holds them.
struct Piece {
  std::vector<InstId> insts;
  std::vector<ValueId> values;  // results and regions' parameters
};

/// An operand of a piece, in all pieces.
struct Operand {
  enum Kind : std::uint8_t { Own, Same, Carried } kind = Own;
  std::uint32_t place = 0;  // Own, Carried: among the piece's values
  ValueId outer = none;     // Same; Carried: of the first piece
};

class Roller {
 public:
  Roller(Function& f, std::size_t largest, std::size_t least)
      : f_(f), b_(f), largest_(largest), least_(least) {}

  void run() {
    while (operations_under(f_, f_.body) > largest_) {
      const Repeats found = best();
      if (found.count == 0) return;
      roll(found);
    }
  }

 private:
  static constexpr std::uint32_t outside = ~std::uint32_t(0);

  static std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
    return std::rotl((h ^ x) * 0x9e3779b97f4a7c15, 29);
  }
  /// Equal for instructions that may stand at one place of two pieces; others are told apart
  /// later, too.
  std::uint64_t look_of(InstId i) const {
    const Inst& inst = f_.insts[i];
    std::uint64_t h = mix(
        std::uint64_t(inst.op) << 16 | std::uint64_t(inst.type.scalar) << 8 | inst.operands.size(),
        inst.op == Op::Const ? 0 : inst.imm);
    for (const ValueId v : inst.operands)  // no loop goes from array to array
      if (f_.type_of(v).is_array()) h = mix(h, v);
    for (const RegionId r : inst.regions) {
      h = mix(h, f_.regions[r].insts.size());
      for (const InstId inner : f_.regions[r].insts) h = mix(h, look_of(inner));
    }
    return h;
  }

  /// Of all regions the pieces that save most.
  Repeats best() {
    std::vector<Alike> all;
    for_each_region(f_, [&](RegionId r) { find_alike(r, all); });
    std::sort(all.begin(), all.end(),
              [](const Alike& x, const Alike& y) { return x.length > y.length; });
    Repeats most;
    most.saved = least_ - 1;
    looked_at_ = 0;
    for (const Alike& a : all) {
      if (size_of(a.region, a.begin, a.begin + a.length) <= most.saved) continue;
      // A run of equal looks may begin in the middle of a piece.
      for (std::size_t skipped = 0; skipped < a.period && skipped + a.period <= a.length; ++skipped)
        if (looked_at_ < most_looks) look_at(a, skipped, most);
    }
    return most;
  }
  std::size_t size_of(RegionId r, std::size_t begin, std::size_t end) const {
    std::size_t all = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const InstId i = f_.regions[r].insts[k];
      all += f_.insts[i].op != Op::Const;
      for (const RegionId inner : f_.insts[i].regions) all += operations_under(f_, inner);
    }
    return all;
  }

  /// Distances at which pieces of text come again, and how far the text goes on alike. Longer
  /// pieces find the periods of outer loops, which hold short ones several times.
  void find_alike(RegionId r, std::vector<Alike>& all) const {
    const std::vector<InstId>& insts = f_.regions[r].insts;
    const std::size_t n = insts.size() - 1;  // the terminator stays
    std::vector<std::uint64_t> look(n);
    for (std::size_t k = 0; k < n; ++k) look[k] = look_of(insts[k]);
    std::unordered_map<std::size_t, std::size_t> times;  // by distance
    for (std::size_t window = 1; window <= n / 2; window *= 4) {
      std::unordered_map<std::uint64_t, std::size_t> last;
      for (std::size_t k = 0; k + window <= n; ++k) {
        std::uint64_t h = 0;
        for (std::size_t j = 0; j < std::min(window, most_compared); ++j)
          h = mix(h, look[k + j * window / std::min(window, most_compared)]);
        const auto [at, first] = last.try_emplace(h, k);
        if (!first) times[k - at->second] += window, at->second = k;
      }
    }
    std::vector<std::pair<std::size_t, std::size_t>> often;
    for (const auto& [distance, count] : times) often.emplace_back(count, distance);
    std::sort(often.rbegin(), often.rend());
    if (often.size() > most_distances) often.resize(most_distances);
    for (const auto& [count, distance] : often) {
      std::size_t length = 0;
      for (std::size_t k = 0; k + distance <= n; ++k) {
        if (k + distance < n && look[k] == look[k + distance]) {
          ++length;
          continue;
        }
        if (length >= distance) all.push_back({r, k - length, distance, length});
        length = 0;
      }
    }
  }

  void look_at(const Alike& a, std::size_t skipped, Repeats& most) {
    const std::size_t begin = a.begin + skipped;
    const std::size_t count =
        equal_pieces({a.region, begin, a.period, 0}, (a.length - skipped) / a.period + 1);
    if (count < 2) return;
    const std::size_t left_out = size_of(a.region, begin, begin + a.period) * (count - 1),
                      added = 3 * counters();  // a cast, a product and a sum each
    const std::size_t saved = left_out > added ? left_out - added : 0;
    if (saved > most.saved) most = {a.region, begin, a.period, count, saved};
  }

  /// Appends an instruction to a piece. False for what no loop may hold: what leaves it, arrays,
  /// what threads do together.
  bool add(InstId i, Piece& to, int loops) {
    const Inst& inst = f_.insts[i];
    const Effect effect = info(inst.op).effect;
    const bool fits = effect == Effect::Pure || effect == Effect::Read || effect == Effect::Write ||
                      effect == Effect::Atomic || effect == Effect::Slot ||
                      effect == Effect::Control || effect == Effect::Call;
    const bool together = is_tile_operation(inst.op);
    const bool leaves = is_terminator(inst.op) && inst.op != Op::Yield &&
                        (loops == 0 || (inst.op != Op::Break && inst.op != Op::Continue));
    if (!fits || together || leaves) return false;
    to.insts.push_back(i);
    to.values.insert(to.values.end(), inst.results.begin(), inst.results.end());
    for (const ValueId v : inst.results)
      if (f_.type_of(v).is_array()) return false;
    for (const RegionId r : inst.regions) {
      const Region& region = f_.regions[r];
      to.values.insert(to.values.end(), region.params.begin(), region.params.end());
      for (const InstId inner : region.insts)
        if (!add(inner, to, loops + is_loop(inst.op))) return false;
    }
    return true;
  }
  bool take_piece(const Repeats& r, std::size_t number, Piece& to) {
    const std::vector<InstId>& insts = f_.regions[r.region].insts;
    const std::size_t begin = r.begin + number * r.period;
    bool fits = true;
    for (std::size_t k = begin; k < begin + r.period && fits; ++k) fits = add(insts[k], to, 0);
    looked_at_ += to.insts.size();
    if (!fits) return false;
    for (std::size_t k = 0; k < to.values.size(); ++k)
      piece_of_[to.values[k]] = std::uint32_t(number), place_of_[to.values[k]] = std::uint32_t(k);
    placed_.insert(placed_.end(), to.values.begin(), to.values.end());
    return true;
  }

  /// How many of `most` pieces one loop can be, at least 2, or 0. Leaves in pieces_, operands_ and
  /// steps_ what they are.
  std::size_t equal_pieces(const Repeats& r, std::size_t most) {
    for (const ValueId v : placed_) piece_of_[v] = outside;
    placed_.clear();
    piece_of_.resize(f_.values.size(), outside), place_of_.resize(f_.values.size());
    pieces_.assign(1, {}), operands_.clear();
    if (!take_piece(r, 0, pieces_[0])) return 0;
    for (const InstId i : pieces_[0].insts)
      for (const ValueId v : f_.insts[i].operands)
        operands_.push_back(piece_of_[v] == 0 ? Operand{Operand::Own, place_of_[v], none}
                                              : Operand{Operand::Same, 0, v});
    steps_.assign(pieces_[0].insts.size(), 0);
    std::size_t count = 1;
    for (; count < most; ++count) {
      Piece next;
      if (!take_piece(r, count, next) || !goes_on(next, count)) break;
      pieces_.push_back(std::move(next));
    }
    // A value that is used behind its piece is known in the last one alone.
    for (std::size_t before = 0; count >= 2 && count != before;) {
      before = count;
      count = used_until(r, count);
    }
    if (count < 2 || !can_carry() || places_vary()) return 0;
    pieces_.resize(count);
    return count;
  }
  /// Whether the piece does what the first does.
  bool goes_on(const Piece& next, std::size_t number) {
    const Piece& first = pieces_[0];
    if (next.insts.size() != first.insts.size() || next.values.size() != first.values.size())
      return false;
    for (std::size_t k = 0; k < first.values.size(); ++k)
      if (f_.type_of(first.values[k]) != f_.type_of(next.values[k])) return false;
    std::vector<Operand> operands = operands_;
    std::vector<std::uint64_t> steps = steps_;
    std::size_t at = 0;
    for (std::size_t k = 0; k < first.insts.size(); ++k) {
      const Inst &x = f_.insts[first.insts[k]], &y = f_.insts[next.insts[k]];
      if (!is_like(x, y)) return false;
      if (x.op == Op::Const && !counts_on(x, y, number, steps[k])) return false;
      for (const ValueId v : y.operands)
        if (!is_operand(operands[at++], v, number)) return false;
    }
    operands_ = std::move(operands), steps_ = std::move(steps);
    return true;
  }
  bool is_like(const Inst& x, const Inst& y) const {
    if (x.op != y.op || x.type != y.type || x.operands.size() != y.operands.size() ||
        x.results.size() != y.results.size() || x.regions.size() != y.regions.size())
      return false;
    for (std::size_t k = 0; k < x.regions.size(); ++k) {
      const Region &a = f_.regions[x.regions[k]], &b = f_.regions[y.regions[k]];
      if (a.insts.size() != b.insts.size() || a.params.size() != b.params.size()) return false;
    }
    Attributes of_x = x, of_y = y;
    if (x.op == Op::Const) of_x.imm = of_y.imm = 0;
    return of_x == of_y;
  }
  static bool counts_on(const Inst& x, const Inst& y, std::size_t number, std::uint64_t& step) {
    const Scalar s = x.type.scalar;
    if (x.imm == y.imm) return number == 1 || step == 0;
    const auto first = counted(s, x.imm), now = counted(s, y.imm);
    if (!first || !now) return false;
    const std::uint64_t mask = mask_of(counter_of(s)), distance = (*now - *first) & mask;
    if (number == 1) step = distance;
    return distance == ((step * number) & mask);
  }
  /// The integers that a constant is counted in. Floats: those of a range in which all are exact.
  static Scalar counter_of(Scalar s) { return is_float(s) ? Scalar::I32 : s; }
  static std::optional<std::uint64_t> counted(Scalar s, std::uint64_t bits) {
    if (is_int(s)) return bits;
    if (s != Scalar::F32 && s != Scalar::F64) return {};
    const double x = s == Scalar::F64 ? std::bit_cast<double>(bits)
                                      : double(std::bit_cast<float>(std::uint32_t(bits)));
    constexpr double exact = 1 << 20;
    if (!(x >= -exact && x <= exact) || x != double(std::int32_t(x)) || (x == 0 && std::signbit(x)))
      return {};
    return std::uint32_t(std::int32_t(x));
  }
  bool is_operand(Operand& o, ValueId v, std::size_t number) const {
    if (o.kind == Operand::Own) return piece_of_[v] == number && place_of_[v] == o.place;
    const bool before = piece_of_[v] == number - 1;
    if (number == 1 && v != o.outer && before && f_.type_of(v) == f_.type_of(o.outer))
      o.kind = Operand::Carried, o.place = place_of_[v];
    return o.kind == Operand::Same ? v == o.outer : before && place_of_[v] == o.place;
  }

  /// Of the first `count` pieces those up to the first with a value that is used behind it: by what
  /// follows the pieces, or from count on by those that are none.
  std::size_t used_until(const Repeats& r, std::size_t count) {
    used_.assign(pieces_[0].values.size(), false);
    std::size_t until = count;
    const std::vector<InstId>& insts = f_.regions[r.region].insts;
    const auto use = [&](ValueId v) {
      if (piece_of_[v] == outside || piece_of_[v] >= count) return;
      until = std::min<std::size_t>(until, piece_of_[v] + 1);
      if (piece_of_[v] + 1 == count) used_[place_of_[v]] = true;
    };
    // A value is seen in its own region and below, behind its instruction.
    for (std::size_t k = r.begin + r.period * count; k < insts.size(); ++k)
      for_each_operand(f_, insts[k], use);
    return until;
  }
  /// Whether what pieces hand on are numbers, with one value at first.
  bool can_carry() {
    carried_.assign(pieces_[0].values.size(), none);
    for (const Operand& o : operands_) {
      if (o.kind != Operand::Carried) continue;
      if (carried_[o.place] != none && carried_[o.place] != o.outer) return false;
      carried_[o.place] = o.outer;
    }
    for (std::size_t k = 0; k < carried_.size(); ++k)
      if ((carried_[k] != none || used_[k]) && !f_.type_of(pieces_[0].values[k]).is_value())
        return false;
    return true;
  }
  /// Whether an array of the thread has an index that differs from piece to piece: with a constant
  /// one its elements may live in registers.
  bool places_vary() const {
    std::vector<bool> varies(f_.values.size(), false);
    std::size_t at = 0;
    for (std::size_t k = 0; k < pieces_[0].insts.size(); ++k) {
      const Inst& inst = f_.insts[pieces_[0].insts[k]];
      bool one = steps_[k] != 0;
      for (std::size_t j = 0; j < inst.operands.size(); ++j, ++at) {
        const ValueId v = inst.operands[j];
        const Inst* const array = f_.def(inst.operands[0]);
        if (varies[v] && is_access(inst.op) && j > 0 && array && array->op == Op::Local)
          return true;
        one = one || varies[v];
      }
      if (is_pure(inst.op))
        for (const ValueId v : inst.results) varies[v] = one;
    }
    return false;
  }

  /// How many different numbers the loop has to count.
  std::size_t counters() const {
    std::set<std::tuple<Scalar, std::uint64_t, std::uint64_t>> all;
    for (std::size_t k = 0; k < steps_.size(); ++k)
      if (const Inst& constant = f_.insts[pieces_[0].insts[k]]; steps_[k] != 0)
        all.emplace(constant.type.scalar, constant.imm, steps_[k]);
    return all.size();
  }

  void roll(const Repeats& r) {
    equal_pieces(r, r.count);
    const std::vector<InstId> insts = take_insts(f_, r.region);
    const auto first = insts.begin() + std::ptrdiff_t(r.begin),
               second = first + std::ptrdiff_t(r.period),
               behind = first + std::ptrdiff_t(r.period * r.count);
    f_.regions[r.region].insts.assign(insts.begin(), first);
    b_.at(r.region), b_.location(f_.insts[insts[r.begin]].loc);

    // What a piece takes from the one before, and what is used behind the last, the loop carries.
    // A value that is only used behind begins as 0, which nobody sees.
    std::vector<std::uint32_t> handed;  // places of what is carried
    std::vector<ValueId> operands{b_.constant(Scalar::U64, r.count)};
    for (std::uint32_t k = 0; k < carried_.size(); ++k) {
      if (carried_[k] == none && !used_[k]) continue;
      handed.push_back(k);
      const Scalar s = f_.type_of(pieces_[0].values[k]).scalar;
      operands.push_back(carried_[k] != none ? carried_[k] : b_.constant(s, 0));
    }
    const InstId loop = b_.append(Op::For, Type{}, operands);
    const RegionId body = b_.new_region(loop);
    const ValueId index = b_.new_param(body, value_type(Scalar::U64));
    std::vector<ValueId> param_of(carried_.size(), none);
    Substitution results;
    for (const std::uint32_t k : handed) {
      const Type type = f_.type_of(pieces_[0].values[k]);
      param_of[k] = b_.new_param(body, type);
      results.replace(pieces_.back().values[k], b_.add_result(loop, type));
    }
    append(r.region, behind, insts.end());
    results.apply(f_);

    // The first piece becomes the body; the others are in no list any more.
    b_.at(body);
    const Substitution constants = constants_by(index);
    std::size_t at = 0;
    for (const InstId i : pieces_[0].insts)
      for (ValueId& v : f_.insts[i].operands) {
        const Operand& o = operands_[at++];
        v = o.kind == Operand::Carried ? param_of[o.place] : constants(v);
      }
    append(body, first, second);
    std::vector<ValueId> next;
    for (const std::uint32_t k : handed) next.push_back(constants(pieces_[0].values[k]));
    b_.append(Op::Continue, Type{}, next);
  }
  using Place = std::vector<InstId>::const_iterator;
  void append(RegionId r, Place begin, Place end) {
    std::vector<InstId>& insts = f_.regions[r].insts;
    insts.insert(insts.end(), begin, end);
  }
  /// What stands for the constants of the first piece that are others in the next ones.
  Substitution constants_by(ValueId index) {
    Substitution by;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (steps_[k] == 0) continue;
      const Inst constant = f_.insts[pieces_[0].insts[k]];
      const Scalar s = constant.type.scalar, counter = counter_of(s);
      const std::uint64_t first = *counted(s, constant.imm);
      ValueId v = b_.cast(counter, index);
      if (steps_[k] != 1) v = b_.binary(Op::Mul, {v, b_.constant(counter, steps_[k])});
      if (first != 0) v = b_.binary(Op::Add, {v, b_.constant(counter, first)});
      by.replace(constant.results[0], b_.cast(s, v));
    }
    return by;
  }

  static constexpr std::size_t most_distances = 64, most_compared = 64;
  static constexpr std::size_t most_looks = std::size_t(1) << 22;  // a tenth of a second
  Function& f_;
  Builder b_;
  std::size_t largest_, least_, looked_at_ = 0;
  std::vector<std::uint32_t> piece_of_, place_of_;  // by value
  std::vector<ValueId> placed_;                     // that are in a piece now
  std::vector<Piece> pieces_;
  std::vector<Operand> operands_;     // of the first piece's instructions, in order
  std::vector<std::uint64_t> steps_;  // by instruction of the piece: a constant's, from one to next
  std::vector<ValueId> carried_;      // by value of the piece: what it begins with, or none
  std::vector<bool> used_;            // by value of the piece: by what follows the last one
};

}  // namespace

void roll_repeats(Module& m, std::size_t largest, std::size_t least) {
  for (Function& f : m.functions) Roller(f, largest, least).run();
}

}  // namespace krait::passes
