// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of neighbouring numbers become one load_vec at the first of them, stores one store_vec at
// the last: x[4*i], …, x[4*i + 3], and the members of an aggregate. Needs flat indices and arrays
// aligned to 16 bytes (views by the launch's facts, shared arrays always; of several dimensions,
// where their rows are multiples of 16 bytes, too). An index is split into a base and a constant,
// so that an access lies at the base times the element's size, which is a multiple of some power of
// two, plus a constant: that says which vector and which of its elements are meant. Only within one
// region, and only where no instruction between could write what is loaded, or read or write what
// is stored.
//
// On the CPU, for global and shared arrays of numbers whose elements beside each other a thread
// takes alone, neighbouring threads being further apart: each thread's piece is loaded or stored as
// a whole, wherever it begins (codegen/cpu/access/row_accesses.cpp).
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "passes/analysis/lane_steps.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

constexpr unsigned vector_bytes = 16;
// Offsets that an index is split by, and elements, are at most so large: their product is far from
// the ends of 64 bits.
constexpr std::int64_t farthest = std::int64_t(1) << 33;
constexpr std::uint32_t largest_element = 1u << 28;

class Combiner {
 public:
  /// `steps`: of the CPU; null: of a GPU, with shared arrays or without.
  Combiner(Function& f, bool shared, const std::vector<LaneStep>* steps)
      : f_(f), b_(f), shared_(shared), steps_(steps) {}

  /// Whether there was something to combine.
  bool run() {
    if (!f_.flat) return false;
    walk(f_.body);
    if (!loaded_.empty()) loaded_.apply(f_);
    return combined_;
  }

 private:
  /// A value times a number.
  struct Term {
    ValueId value;
    std::uint64_t times;
    bool operator==(const Term&) const = default;
  };
  /// What an index is a constant away from: a sum of terms of one type, which wraps in it. Where
  /// the way from it to the index passes 32 bits, `narrow` is the type in which it does so last:
  /// the index is that type's value of sum + constant, which may be 2^32 away from the sum in 64
  /// bits.
  struct Base {
    std::vector<Term> terms;  // by value, each once
    std::optional<Scalar> narrow{};
    bool operator==(const Base&) const = default;
    /// Whether the sum is a value that is there, or nothing.
    bool is_value() const { return terms.empty() || (terms.size() == 1 && terms[0].times == 1); }
    ValueId value() const { return terms.empty() ? none : terms[0].value; }
  };
  /// Accesses of one vector: by element, the instruction and its place in the region's list.
  struct Group {
    bool loads, streaming;
    Scalar type;
    unsigned length;  // elements of the longest vector
    ValueId array;
    Base base;
    Scalar index;         // the type of an access's index, which the new one gets
    std::int64_t vector;  // bytes from the base's element to the vector
    std::array<InstId, 8> insts;
    std::array<std::size_t, 8> at;
  };
  struct Index {
    Base base;
    std::int64_t offset;
  };
  struct Place {
    Base base;
    std::int64_t byte;  // from the base's element
  };

  void walk(RegionId r) {
    std::vector<Group> open;
    const std::vector<InstId> insts = f_.regions[r].insts;
    // by the place where the vector access goes
    std::vector<std::vector<Group>> made(insts.size());
    std::vector<bool> gone(insts.size(), false);
    const auto close = [&](auto&& which) {
      std::erase_if(open, [&](const Group& g) {
        if (!which(g)) return false;
        finish(g, made, gone);
        return true;
      });
    };
    for (std::size_t k = 0; k < insts.size(); ++k) {
      const Inst& inst = f_.insts[insts[k]];
      const Effect effect = info(inst.op).effect;
      if (effect == Effect::Pure || effect == Effect::Cross || inst.op == Op::Assume) continue;
      if (effect == Effect::Read)
        close([&](const Group& g) { return !g.loads && may_overlap(g.array, inst.operands[0]); });
      else if (effect == Effect::Write) close([&](const Group& g) { return conflicts(g, inst); });
      else if (effect != Effect::Slot) close([](const Group&) { return true; });
      if (inst.op == Op::Load || inst.op == Op::Store) note(open, insts[k], k);
    }
    close([](const Group&) { return true; });
    rebuild(r, insts, made, gone);
    for (const InstId i : insts)
      for (std::size_t n = 0; n < f_.insts[i].regions.size(); ++n) walk(f_.insts[i].regions[n]);
  }

  bool may_overlap(ValueId a, ValueId b) const {
    if (a == b) return true;
    const Type &x = f_.type_of(a), &y = f_.type_of(b);
    const auto shared = [](const Type& t) {
      return t.space == Space::Shared || t.space == Space::Cluster;
    };
    if (f_.in_clusters() && shared(x) && shared(y)) return true;
    return x.space == Space::Global && y.space == Space::Global && !f_.facts.disjoint;
  }

  Place place(const Inst& access) const {
    const Index index = split(access.operands[1]);
    return {index.base, index.offset * std::int64_t(f_.type_of(access.operands[0]).elem_bytes) +
                            std::int64_t(access.imm)};
  }
  /// Bytes that the base's element is a multiple of, at most a vector's.
  unsigned alignment(ValueId array, const Base& base) const {
    if (steps_) return vector_bytes;
    int zeros = 4;
    for (const Term& t : base.terms)
      zeros = std::min(zeros, std::countr_zero(f_.type_of(array).elem_bytes) +
                                  std::countr_zero(t.times) + trailing_zeros(t.value));
    return std::min(1u << zeros, vector_bytes);
  }

  /// A store that the group's accesses may not move across: to memory that may be theirs, but not
  /// to another element of the array at the same base.
  bool conflicts(const Group& g, const Inst& store) const {
    if (!may_overlap(g.array, store.operands[0])) return false;
    if (store.op != Op::Store || store.operands[0] != g.array) return true;
    const Place other = place(store);
    if (other.base != g.base) return true;
    const std::int64_t size = size_of(g.type), end = other.byte + size_of(store.type.scalar);
    for (unsigned e = 0; e < g.length; ++e) {
      const std::int64_t at = g.vector + e * size;
      if (at < end && other.byte < at + size && (g.loads || g.insts[e] != none)) return true;
    }
    return false;
  }

  bool is_candidate(const Inst& inst) const {
    const Type& t = f_.type_of(inst.operands[0]);
    const Scalar s = inst.type.scalar;
    if (steps_)
      return (t.space == Space::Global || t.space == Space::Shared) && t.elem_bytes == size_of(s) &&
             (is_int(s) || is_float(s)) && apart(inst.operands[1], t);
    const bool aligned =
        t.space == Space::Global ? f_.facts.aligned : t.space == Space::Shared && shared_;
    return aligned && (is_int(s) || is_float(s)) && inst.imm % size_of(s) == 0 &&
           t.elem_bytes % size_of(s) == 0 && t.elem_bytes <= largest_element;
  }
  /// Whether neighbouring threads are so far apart that no vector has the elements of two.
  bool apart(ValueId index, const Type& array) const {
    const LaneStep& step = (*steps_)[index];
    return step.kind == LaneStep::Kind::Step
               ? std::abs(step.step) * array.elem_bytes >= 2 * vector_bytes
               : step.kind != LaneStep::Kind::Same;
  }
  void note(std::vector<Group>& open, InstId i, std::size_t k) const {
    const Inst& inst = f_.insts[i];
    if (!is_candidate(inst)) return;
    const ValueId array = inst.operands[0];
    const Scalar s = inst.type.scalar;
    const Place at = place(inst);
    const unsigned n = std::min(alignment(array, at.base) / size_of(s), 8u);
    if (n < 2) return;
    const std::int64_t vector = at.byte & -std::int64_t(n * size_of(s));
    const auto element = std::size_t(at.byte - vector) / size_of(s);
    const bool loads = inst.op == Op::Load;
    auto g = std::find_if(open.begin(), open.end(), [&](const Group& o) {
      return o.loads == loads && o.streaming == inst.streaming && o.type == s && o.array == array &&
             o.base == at.base && o.vector == vector;
    });
    if (g == open.end()) {
      open.push_back({loads,
                      inst.streaming,
                      s,
                      n,
                      array,
                      at.base,
                      f_.type_of(inst.operands[1]).scalar,
                      vector,
                      {},
                      {}});
      g = open.end() - 1;
      g->insts.fill(none);
    }
    if (g->insts[element] != none) return;
    g->insts[element] = i, g->at[element] = k;
  }

  /// v = base + offset; constants that are not far have no base.
  Index split(ValueId v) const {
    Index index{};
    ValueId root = v;
    const auto pass = [&] {
      if (!index.base.narrow && bits_of(f_.type_of(root).scalar) == 32)
        index.base.narrow = f_.type_of(root).scalar;
    };
    pass();
    for (const Inst* d = f_.def(v); d && d->op != Op::Const; d = f_.def(root)) {
      const bool step = d->op == Op::Add && f_.is_const(d->operands[1]);
      const bool cast =
          d->op == Op::Cast && bits_of(d->type.scalar) >= 32 && is_wide_int(d->operands[0]);
      if (!step && !cast) break;
      if (step && !move(index, d->operands[1])) break;
      root = d->operands[0];
      pass();
    }
    gather(index, root, 1);
    auto& terms = index.base.terms;
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return a.value < b.value; });
    if (index.base.narrow)
      index.offset = terms.empty() ? as_int(*index.base.narrow, std::uint64_t(index.offset))
                                   : std::int32_t(index.offset);
    return index;
  }
  /// Adds v times a number.
  void gather(Index& index, ValueId v, std::uint64_t times, int depth = 8) const {
    const Inst* d = f_.def(v);
    const auto factor = [&] {
      return d->op == Op::Shl ? std::uint64_t(1) << shift_of(*d) : f_.const_bits(d->operands[1]);
    };
    if (d && d->op == Op::Const && move(index, v, times)) return;
    if (d && d->op == Op::Add && depth > 0) {
      for (const ValueId part : d->operands) gather(index, part, times, depth - 1);
    } else if (d && depth > 0 && (d->op == Op::Mul || d->op == Op::Shl) &&
               f_.is_const(d->operands[1]) && is_sum(d->operands[0])) {
      gather(index, d->operands[0], times * factor(), depth - 1);
    } else {
      auto& terms = index.base.terms;
      const auto same =
          std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.value == v; });
      if (same == terms.end()) terms.push_back({v, times});
      else same->times += times;
    }
  }
  bool is_sum(ValueId v) const { return f_.def(v) && f_.def(v)->op == Op::Add; }
  unsigned shift_of(const Inst& shl) const {
    return unsigned(f_.const_bits(shl.operands[1]) % bits_of(shl.type.scalar));
  }
  /// Adds a constant to the offset, or leaves it where that is too far.
  bool move(Index& index, ValueId constant, std::uint64_t times = 1) const {
    const std::int64_t number = as_int(f_.type_of(constant).scalar, f_.const_bits(constant));
    if (number < -farthest || number > farthest || times > largest_element) return false;
    const std::int64_t by = number * std::int64_t(times);
    if (by < -farthest || by > farthest || std::abs(index.offset + by) > farthest) return false;
    index.offset += by;
    return true;
  }
  bool is_wide_int(ValueId v) const {
    return is_int(f_.type_of(v).scalar) && bits_of(f_.type_of(v).scalar) >= 32;
  }

  /// Low bits of v that are 0 for certain.
  int trailing_zeros(ValueId v, int depth = 8) const {
    const Inst* d = f_.def(v);
    if (!d || depth == 0) return 0;
    const auto of = [&](unsigned operand) {
      return trailing_zeros(d->operands[operand], depth - 1);
    };
    switch (d->op) {
      case Op::Const: return std::countr_zero(d->imm);
      case Op::Shl: return f_.is_const(d->operands[1]) ? of(0) + int(shift_of(*d)) : of(0);
      case Op::Mul: return of(0) + of(1);
      case Op::And: return std::max(of(0), of(1));
      case Op::Add:
      case Op::Sub:
      case Op::Or: return std::min(of(0), of(1));
      case Op::Cast: return is_wide_int(d->operands[0]) ? of(0) : 0;
      case Op::Extent: return zeros_of_row(*d);
      default: return 0;
    }
  }

  /// Of the last extent of a view whose rows are multiples of a vector.
  int zeros_of_row(const Inst& extent) const {
    const Type& view = f_.type_of(extent.operands[0]);
    if (!f_.facts.aligned_rows || view.space != Space::Global || view.rank < 2 ||
        extent.imm != view.rank - 1u)
      return 0;
    return std::max(0, std::countr_zero(vector_bytes) - std::countr_zero(view.elem_bytes));
  }

  /// The longest runs of a group that make a vector: all of it, or its halves. On GPUs a load may
  /// take one element of four that nothing asked for along, where it is a member of the same
  /// aggregate: x, y and z of a color are one load, not two.
  void finish(const Group& g, std::vector<std::vector<Group>>& made,
              std::vector<bool>& gone) const {
    const unsigned n = g.length, least = !steps_   ? 2
                                         : g.loads ? vector_bytes / 2 / size_of(g.type)
                                                   : n;
    for (unsigned size = n; size >= std::max(least, 2u); size /= 2)
      for (unsigned first = 0; first < n; first += size) {
        Group part = g;
        part.length = size, part.vector += first * size_of(g.type);
        part.insts.fill(none);
        unsigned missing = 0;
        std::size_t low = made.size(), high = 0;
        for (unsigned e = first; e < first + size; ++e) {
          if (g.insts[e] == none || gone[g.at[e]]) ++missing;
          else {
            part.insts[e - first] = g.insts[e], part.at[e - first] = g.at[e];
            low = std::min(low, g.at[e]), high = std::max(high, g.at[e]);
          }
        }
        if (missing > 0 &&
            !(missing == 1 && size == 4 && g.loads && !steps_ && within_element(part)))
          continue;
        made[g.loads ? low : high].push_back(part);
        for (unsigned e = first; e < first + size; ++e)
          if (g.insts[e] != none) gone[g.at[e]] = true;
      }
  }
  bool within_element(const Group& g) const {
    const std::int64_t element_bytes = f_.type_of(g.array).elem_bytes;
    return offset_in_element(g, element_bytes) + g.length * size_of(g.type) <= element_bytes;
  }
  /// A vector may begin within an aggregate.
  static std::int64_t offset_in_element(const Group& g, std::int64_t element_bytes) {
    const std::int64_t offset = g.vector % element_bytes;
    return offset < 0 ? offset + element_bytes : offset;
  }

  void rebuild(RegionId r, const std::vector<InstId>& insts,
               const std::vector<std::vector<Group>>& made, const std::vector<bool>& gone) {
    f_.regions[r].insts.clear();
    b_.at(r);
    for (std::size_t k = 0; k < insts.size(); ++k) {
      for (const Group& g : made[k]) emit(g);
      if (!gone[k]) f_.regions[r].insts.push_back(insts[k]);
    }
  }
  void emit(const Group& g) {
    combined_ = true;
    const Inst& near = f_.insts[nearest(g)];
    b_.location(near.loc);
    const std::int64_t element_bytes = f_.type_of(g.array).elem_bytes,
                       offset = offset_in_element(g, element_bytes);
    const ValueId index = index_of(g, near.operands[1], (g.vector - offset) / element_bytes);
    const Type element = value_type(g.type);
    std::vector<ValueId> operands{g.array, index};
    for (std::size_t e = 0; e < g.length && !g.loads; ++e)
      operands.push_back(f_.insts[g.insts[e]].operands[2]);
    const InstId wide =
        b_.append(g.loads ? Op::LoadVec : Op::StoreVec, element, operands, std::uint64_t(offset));
    f_.insts[wide].streaming = g.streaming;
    for (std::size_t e = 0; e < g.length && g.loads; ++e) {
      const ValueId loaded = b_.add_result(wide, element);
      if (g.insts[e] != none) loaded_.replace(f_.insts[g.insts[e]].results[0], loaded);
    }
  }

  /// The access in whose place the vector's comes.
  InstId nearest(const Group& g) const {
    InstId best = none;
    std::size_t at = 0;
    for (std::size_t e = 0; e < g.length; ++e)
      if (g.insts[e] != none && (best == none || (g.loads ? g.at[e] < at : g.at[e] > at)))
        best = g.insts[e], at = g.at[e];
    return best;
  }
  /// The element that is so far from a group's base. Where the base is no value, it is found from
  /// the index of the access that is replaced in place.
  ValueId index_of(const Group& g, ValueId near, std::int64_t whole) {
    ValueId from = g.base.value();
    std::optional<Scalar> narrow = g.base.narrow;
    if (!g.base.is_value()) {
      from = near;
      whole -= split(from).offset;
      if (whole == 0) return b_.cast(g.index, from);
      if (narrow) from = b_.cast(*narrow, from);
    }
    const Scalar type = from == none ? g.index : f_.type_of(from).scalar;
    ValueId index = from;
    if (from == none || whole != 0) index = b_.constant(type, std::uint64_t(whole) & mask_of(type));
    if (from != none && whole != 0) index = b_.binary(Op::Add, {from, index});
    if (from != none && narrow) index = b_.cast(*narrow, index);
    return b_.cast(g.index, index);
  }

  Function& f_;
  Builder b_;
  const bool shared_;
  bool combined_ = false;
  const std::vector<LaneStep>* const steps_;  // by ValueId
  Substitution loaded_;
};

}  // namespace

void combine_accesses(Module& m, bool shared) {
  for (Function& f : m.functions) Combiner(f, shared, nullptr).run();
}

void combine_pieces(Module& m) {
  const std::vector<std::vector<LaneStep>> steps = find_lane_steps(m);
  bool combined = false;
  for (std::size_t n = 0; n < m.functions.size(); ++n)
    combined = Combiner(m.functions[n], false, &steps[n]).run() || combined;
  if (combined)
    for (Function& each : m.functions) each.facts.pieces = true;
}

}  // namespace krait::passes
