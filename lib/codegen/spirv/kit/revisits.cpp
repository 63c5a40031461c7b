// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/kit/revisits.h"

#include <algorithm>
#include <vector>

#include "ir/walk.h"

namespace krait::codegen::spirv {
namespace {

using namespace ir;

class Finder {
 public:
  Finder(const Function& f, const Calls& calls, Revisits& found)
      : f_(f), calls_(calls), found_(found) {
    walk(f.body);
  }

 private:
  /// Bytes behind a value's element of an array; without the value, any of them.
  struct Place {
    ValueId array = none, index = none;
    std::int64_t from = 0, to = 0;
  };

  void walk(RegionId r) {
    for (const InstId id : f_.regions[r].insts) {
      const Inst& i = f_.insts[id];
      const Effect effect = info(i.op).effect;
      if (effect == Effect::Sync) written_.clear(), ++barriers_;
      else if (i.op == Op::Call) called(i);
      else if (effect == Effect::Read || effect == Effect::Write || effect == Effect::Atomic)
        touch(place(i), effect != Effect::Read);
      const std::size_t written = written_.size(), touched = touched_.size();
      const unsigned barriers = barriers_;
      for (const RegionId inner : i.regions) walk(inner);
      // Trips of grid_stride have elements of their own.
      if (i.op == Op::Loop || i.op == Op::For)
        next_trip(i, barriers == barriers_ ? written : 0, touched, barriers);
    }
  }

  /// What a trip has written since its last barrier, against what the next one touches before its
  /// first.
  void next_trip(const Inst& loop, std::size_t written, std::size_t touched, unsigned barriers) {
    std::vector<bool> own(f_.values.size());  // other values in the next trip
    const auto mark = [&](const std::vector<ValueId>& values) {
      for (const ValueId v : values) own[v] = true;
    };
    mark(f_.regions[loop.regions[0]].params);
    for_each_inst(f_, loop.regions[0], [&](InstId k, RegionId) {
      mark(f_.insts[k].results);
      for (const RegionId region : f_.insts[k].regions) mark(f_.regions[region].params);
    });
    for (std::size_t w = written; w < written_.size(); ++w) {
      Place& place = written_[w];
      if (place.index < own.size() && own[place.index]) place.index = none;
      for (std::size_t t = touched; t < touched_.size() && touched_[t].barriers == barriers; ++t)
        meet(place, touched_[t].place);
    }
  }

  Place place(const Inst& i) const {
    const Type& t = f_.type_of(i.operands[0]);
    const std::int64_t first = std::int64_t(i.imm), element = t.index_bytes();
    Scalar s = i.type.scalar;
    std::int64_t count = 1;
    if (!i.results.empty())
      s = f_.type_of(i.results[0]).scalar, count = std::int64_t(i.results.size());
    else if (i.op == Op::StoreVec) count = std::int64_t(i.operands.size()) - 2;
    Place p{i.operands[0], i.operands[1], first, first + count * size_of(s)};
    // x + constant: bytes behind the element x.
    while (!f_.is_const(p.index)) {
      const Inst* const d = f_.def(p.index);
      if (!d || d->op != Op::Add) return p;
      const bool right = f_.is_const(d->operands[1]);
      if (!right && !f_.is_const(d->operands[0])) return p;
      move(p, element, d->operands[right]);
      p.index = d->operands[!right];
    }
    move(p, element, p.index);
    p.index = constant_;
    return p;
  }
  void move(Place& p, std::int64_t element, ValueId constant) const {
    const unsigned unused = 64 - bits_of(f_.type_of(constant).scalar);
    const std::int64_t by = element * (std::int64_t(f_.const_bits(constant) << unused) >> unused);
    p.from += by, p.to += by;
  }

  bool may_meet(const Place& a, const Place& b) const {
    const Space space = f_.type_of(a.array).space;
    if (a.array != b.array &&
        (space != f_.type_of(b.array).space || space != Space::Global || f_.facts.disjoint))
      return false;
    return a.array != b.array || a.index == none || a.index != b.index ||
           (a.from < b.to && b.from < a.to);
  }

  void meet(const Place& a, const Place& b) {
    const Space space = f_.type_of(a.array).space;
    bool& found = space == Space::Shared  ? found_.shared
                  : space == Space::Local ? found_.local
                                          : found_.global;
    found = found || may_meet(a, b);
  }
  void touch(const Place& p, bool writes) {
    if (found_.in(f_.type_of(p.array).space)) return;
    for (const Place& w : written_) meet(w, p);
    if (writes) written_.push_back(p);
    touched_.push_back({p, barriers_});
  }

  void called(const Inst& i) {
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const Place any{i.operands[k], none, 0, 0};
      if (f_.type_of(any.array).is_array() && (calls_.reads(i, k) || calls_.writes(i, k)))
        touch(any, calls_.writes(i, k));
    }
  }

  static constexpr ValueId constant_ = none - 1;  // the index of elements whose place is known
  const Function& f_;
  const Calls& calls_;
  Revisits& found_;
  struct Touched {
    Place place;
    unsigned barriers;  // that came before
  };
  std::vector<Place> written_;  // since the last barrier
  std::vector<Touched> touched_;
  unsigned barriers_ = 0;
};

}  // namespace

Revisits::Revisits(const Module& module, const Calls& calls) {
  for (const Function& f : module.functions) Finder(f, calls, *this);
}

}  // namespace krait::codegen::spirv
