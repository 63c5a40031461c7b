// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_ir.h"

#include <array>
#include <random>

#include "ir/builder.h"

namespace krait::test {
namespace {

using namespace ir;

constexpr std::array called_params{Scalar::F32, Scalar::I64};
constexpr std::array called_results{Scalar::F32, Scalar::Bool};

/// Function 1 of a module: some flow, and a call of function 2.
Function called_function(const Function& kernel) {
  Function f = new_function("a \"quoted\\ name\n");
  f.inherit(kernel);
  f.called = true, f.results = {called_results.begin(), called_results.end()};
  Builder b(f);
  const ValueId x = b.new_param(f.body, value_type(called_params[0])),
                n = b.new_param(f.body, value_type(called_params[1]));
  b.at(f.body);
  const ValueId small = b.compare(Op::Lt, {n, b.constant(Scalar::I64, 7)});
  const InstId branch = b.append(Op::If, {}, std::span(&small, 1));
  const RegionId yes = b.new_region(branch), no = b.new_region(branch);
  const ValueId chosen = b.add_result(branch, value_type(Scalar::F32));
  b.at(yes);
  const InstId call = b.append(Op::Call, {}, std::span(&x, 1), 2);
  const ValueId called = b.add_result(call, value_type(Scalar::F32));
  b.append(Op::Yield, {}, std::span(&called, 1));
  b.at(no);
  b.append(Op::Yield, {}, std::span(&x, 1));
  b.at(f.body);
  const ValueId yields[] = {chosen, small};
  b.append(Op::Yield, {}, yields);
  return f;
}

Function rare_function(const Function& kernel) {
  Function f = new_function("rare");
  f.inherit(kernel);
  f.called = f.rare = true, f.results = {Scalar::F32};
  Builder b(f);
  const ValueId x = b.new_param(f.body, value_type(Scalar::F32));
  b.at(f.body);
  const ValueId y = b.binary(Op::Mul, {x, x});
  b.append(Op::Yield, {}, std::span(&y, 1));
  return f;
}

class Generator {
 public:
  /// `calls`: with calls of the module's function 1, which the caller adds.
  Generator(std::uint32_t seed, Function& f, bool calls)
      : rng_(seed), f_(f), b_(f), calls_(calls) {}

  void run(unsigned size) {
    header();
    for (unsigned i = below(3); i > 0; --i) shared();
    region(f_.body, size, none, 0);
  }

 private:
  unsigned below(unsigned n) { return unsigned(rng_() % n); }
  Scalar scalar() { return all_scalars[below(std::size(all_scalars))]; }
  Scalar integer() {
    for (;;)
      if (const Scalar s = scalar(); is_int(s)) return s;
  }
  Scalar scalar_of(const OpInfo& row) {
    for (;;) {
      const Scalar s = scalar();
      if (takes(row, s)) return s;
    }
  }

  void header() {
    f_.fp = FpMode(below(4));
    f_.facts = {below(2) == 0, below(2) == 0, below(2) == 0, below(2) == 0};
    if (below(2)) f_.facts.set_block(1 + below(40), 1 + below(40), 1 + below(4));
    f_.checked = below(2) == 0;
    if (below(3) == 0) f_.bounds = {below(1025), below(4), below(256)};
    f_.flat = !f_.checked && below(3) == 0;
    if (below(2)) f_.block = {1 + below(64), 1 + below(4), 1};
    if (below(4) == 0) f_.cluster = {2, 1, 1};
    for (unsigned l = below(4); l > 0; --l)
      f_.locations.push_back({"dir/file " + std::to_string(below(3)) + ".cpp", below(100)});
    for (unsigned p = 2 + below(5); p > 0; --p) {
      if (below(2)) values_.push_back(b_.new_param(f_.body, value_type(scalar())));
      else if (below(5))
        arrays_.push_back(b_.new_param(
            f_.body, array_type(scalar(), Space::Global, 1 + below(4), below(3) != 0)));
      else
        arrays_.push_back(b_.new_param(
            f_.body, array_type(Scalar::Void, Space::Global, 1 + below(2), true, 8 + below(40))));
    }
    b_.at(f_.body);
  }

  ValueId value(Scalar s) {
    for (unsigned tries = 0; tries < 12 && !values_.empty(); ++tries) {
      const ValueId v = values_[below(unsigned(values_.size()))];
      if (f_.type_of(v).scalar == s) return v;
    }
    const std::uint64_t bits = below(2) ? below(3) : (std::uint64_t(rng_()) << 32 | rng_());
    return keep(b_.constant(s, bits & (~std::uint64_t(0) >> (64 - bits_of(s)))));
  }
  ValueId keep(ValueId v) {
    values_.push_back(v);
    return v;
  }
  std::vector<ValueId> values_of(const std::vector<Scalar>& types) {
    std::vector<ValueId> out;
    for (const Scalar s : types) out.push_back(value(s));
    return out;
  }

  void shared() {
    const unsigned rank = 1 + below(3);
    const bool sized_at_launch = below(3) == 0;
    std::vector<ValueId> length;
    if (sized_at_launch) length.push_back(b_.emit(Op::BlockDim, Scalar::I64, {}, below(3)));
    arrays_.push_back(b_.emit(Op::Shared, array_type(scalar(), Space::Shared, rank), length));
    for (unsigned d = 0; d < rank; ++d)
      f_.insts.back().list.push_back(d == 0 && sized_at_launch ? 0 : 1 + below(9));
  }
  /// Of one of the shared arrays, where there is one.
  void shared_of() {
    for (const ValueId own : arrays_) {
      Type type = f_.type_of(own);
      if (type.space != Space::Shared || below(2)) continue;
      type.space = Space::Cluster;
      const ValueId operands[] = {own, value(Scalar::I32)};
      arrays_.push_back(b_.emit(Op::SharedOf, type, operands));
      return;
    }
  }
  void local() {
    const unsigned rank = 1 + below(2);
    arrays_.push_back(b_.emit(Op::Local, array_type(scalar(), Space::Local, rank), {}));
    for (unsigned d = 0; d < rank; ++d) f_.insts.back().list.push_back(1 + below(9));
  }

  /// Any operation that is not Custom, or dot_pairs.
  void plain() {
    const Op op = Op(below(op_count));
    const OpInfo& row = info(op);
    const Scalar s = scalar_of(row);
    std::vector<ValueId> operands;
    for (int i = 0; i < row.arity && row.rule != Rule::Select; ++i)
      operands.push_back(value(i == 1 && row.rule == Rule::Shift ? integer() : s));
    Scalar result = s;
    std::uint64_t imm = 0;
    switch (row.rule) {
      case Rule::Custom:
        if (op != Op::DotPairs) return;
        operands = values_of({Scalar::U32, Scalar::U32, Scalar::F32}), result = Scalar::F32;
        break;
      case Rule::Same:
      case Rule::Shift: break;
      case Rule::Compare:
      case Rule::Test: result = Scalar::Bool; break;
      case Rule::Select: operands = values_of({Scalar::Bool, s, s}); break;
      case Rule::Convert: result = scalar(); break;
      case Rule::Bits:
        do result = scalar_of(row);
        while (size_of(result) != size_of(s));
        break;
      case Rule::Count: result = Scalar::I32; break;
      case Rule::Id: result = Scalar::I64, imm = below(3); break;
    }
    keep(b_.emit(op, value_type(result), operands, imm));
    if (below(8) == 0) f_.insts.back().fast = true;
    f_.insts.back().loc = below(unsigned(f_.locations.size()));
  }

  std::vector<ValueId> place(ValueId array) {
    std::vector<ValueId> out{array};
    for (unsigned i = f_.flat ? 1 : f_.type_of(array).rank; i > 0; --i)
      out.push_back(value(integer()));
    return out;
  }
  void access() {
    if (arrays_.empty()) return;
    const ValueId array = arrays_[below(unsigned(arrays_.size()))];
    const Type t = f_.type_of(array);
    if (t.space != Space::Cluster && below(6) == 0)
      return void(keep(b_.emit(below(2) ? Op::Extent : Op::Stride, value_type(Scalar::I64),
                               std::span(&array, 1), below(t.rank))));
    const Scalar s = t.scalar == Scalar::Void ? scalar() : t.scalar;
    const std::uint64_t offset =
        t.scalar == Scalar::Void ? below(t.elem_bytes - size_of(s) + 1) : 0;
    std::vector<ValueId> operands = place(array);
    if (below(2)) return void(keep(b_.emit(Op::Load, value_type(s), operands, offset)));
    if (!t.writable) return;
    if (t.space != Space::Local && size_of(s) >= 4 && below(6) == 0) {
      keep(b_.emit(Op::AtomicLoad, value_type(s), operands, offset));
      f_.insts.back().order = below(2) ? Order::Acquire : Order::Relaxed;
      return;
    }
    const Op atomic = Op(unsigned(Op::AtomicAdd) + below(10));
    const bool can =
        t.space != Space::Local && size_of(s) >= 4 && (is_float(s) ? info(atomic).floats : true);
    operands.push_back(value(s));
    if (!can || below(2)) return void(b_.append(Op::Store, value_type(s), operands, offset));
    if (atomic == Op::AtomicCas) operands.push_back(value(s));
    keep(b_.emit(atomic, value_type(s), operands, offset));
    f_.insts.back().order = Order(below(5)), f_.insts.back().scope = Scope(below(3));
  }
  void vectors() {
    if (arrays_.empty()) return;
    const ValueId array = arrays_[below(unsigned(arrays_.size()))];
    const Type t = f_.type_of(array);
    if (t.scalar < Scalar::I8) return;
    std::vector<ValueId> operands{array, value(integer())};
    const unsigned n = size_of(t.scalar) == 8 ? 2 : 4;
    if (below(2)) {
      const InstId i = b_.append(Op::LoadVec, {}, operands);
      for (unsigned k = 0; k < n; ++k) keep(b_.add_result(i, value_type(t.scalar)));
    } else if (t.writable) {
      for (unsigned k = 0; k < n; ++k) operands.push_back(value(t.scalar));
      b_.append(Op::StoreVec, value_type(t.scalar), operands);
    }
  }
  void slots() {
    if (slots_.empty() || below(4) == 0) {
      const Scalar s = scalar();
      const ValueId first = value(s);
      slots_.push_back(b_.emit(Op::Slot, slot_type(s), std::span(&first, 1)));
      return;
    }
    const ValueId slot = slots_[below(unsigned(slots_.size()))];
    const Scalar s = f_.type_of(slot).scalar;
    if (below(2)) return void(keep(b_.emit(Op::Get, s, {slot})));
    const ValueId operands[] = {slot, value(s)};
    b_.append(Op::Set, {}, operands);
  }
  void block_and_warp() {
    switch (below(15)) {
      case 0:
        b_.append(below(8)           ? Op::Barrier
                  : f_.in_clusters() ? Op::ClusterBarrier
                                     : Op::GridBarrier,
                  {}, {});
        if (f_.in_clusters()) shared_of();
        break;
      case 1: keep(b_.emit(Op::BarrierCount, Scalar::I32, {value(Scalar::Bool)})); break;
      case 2: b_.append(Op::Fence, {}, {}, below(3)); break;
      case 3: keep(b_.emit(Op::WarpSize, Scalar::I32, {})); break;
      case 4: keep(b_.emit(Op::LaneId, Scalar::I32, {})); break;
      case 5: b_.append(Op::WarpSync, {}, {}); break;
      case 6: keep(b_.emit(Op::Ballot, Scalar::U64, {value(Scalar::Bool)})); break;
      case 7: {
        const Scalar s = scalar();
        const ValueId x = value(s);
        keep(b_.emit(Op::Shuffle, s, {x, value(Scalar::I32)}));
        break;
      }
      case 8: {
        std::vector<ValueId> operands;
        std::string text = below(2) ? "a \"text\" \\ with {{}}\n; x.cpp:1" : "";
        for (unsigned n = below(4); n > 0; --n) operands.push_back(value(scalar())), text += " {}";
        f_.insts[b_.append(below(2) ? Op::Print : Op::Fault, {}, operands)].text = text;
        break;
      }
      case 10: keep(b_.emit(Op::Clock, Scalar::I64, {})); break;
      case 11: {
        const bool waits = below(2);
        const ValueId x = value(waits ? Scalar::U32 : Scalar::Bool);
        b_.append(!waits ? Op::Assume : below(2) ? Op::Poll : Op::Nanosleep, {}, std::span(&x, 1));
        break;
      }
      case 12: keep(b_.emit(Op::WarpPrefixCount, Scalar::I32, {value(Scalar::Bool)})); break;
      case 9: keep(b_.emit(Op::MatchAny, Scalar::U64, {value(scalar())})); break;
      default: {
        Scalar s = scalar();
        if (s == Scalar::Bool) s = Scalar::U32;
        const Op op = below(2) ? Op::WarpReduce : Op::WarpScan;
        keep(b_.emit(op, s, {value(s)}, below(is_float(s) ? 3 : 6)));
      }
    }
  }

  void call() {
    const InstId i =
        b_.append(Op::Call, {}, values_of({called_params.begin(), called_params.end()}), 1);
    results(i, {called_results.begin(), called_results.end()});
  }

  std::vector<Scalar> some_types() {
    std::vector<Scalar> out;
    for (unsigned n = below(3); n > 0; --n) out.push_back(scalar());
    return out;
  }
  void results(InstId i, const std::vector<Scalar>& types) {
    for (const Scalar s : types) keep(b_.add_result(i, value_type(s)));
  }

  void branch(unsigned size, InstId loop, unsigned depth) {
    const RegionId here = b_.region();
    const bool is_switch = below(3) == 0;
    const ValueId selector = value(is_switch ? Scalar::I32 : Scalar::Bool);
    const std::vector<Scalar> types = some_types();
    const InstId i = b_.append(is_switch ? Op::Switch : Op::If, {}, std::span(&selector, 1));
    if (!is_switch) f_.insts[i].expected = Expected(below(3));
    const unsigned regions = is_switch ? 1 + below(4) : 2;
    for (unsigned c = 0; is_switch && c + 1 < regions; ++c)
      f_.insts[i].list.push_back(std::int64_t(c * 7) - 9);
    yields_.push_back(types);
    for (unsigned r = 0; r < regions; ++r)
      region(b_.new_region(i), below(size + 1), loop, depth + 1);
    yields_.pop_back();
    b_.at(here);
    results(i, types);
  }
  void loop(unsigned size, unsigned depth) {
    const RegionId here = b_.region();
    const Op op = Op(unsigned(Op::Loop) + below(3));
    const std::vector<Scalar> types = some_types();
    std::vector<ValueId> operands = values_of(types);
    if (op == Op::For)
      operands.insert(operands.begin(), value(below(2) ? Scalar::U32 : Scalar::U64));
    if (op == Op::GridStride) operands.insert(operands.begin(), value(Scalar::I64));
    const InstId i = b_.append(op, {}, operands);
    const RegionId body = b_.new_region(i);
    const std::size_t outer = values_.size();
    for (const ValueId v : operands) keep(b_.new_param(body, Type(f_.type_of(v))));
    carried_.push_back(types);
    region(body, size, i, depth + 1);
    carried_.pop_back();
    values_.resize(outer);
    b_.at(here);
    results(i, types);
  }

  void region(RegionId r, unsigned size, InstId loop, unsigned depth) {
    const std::size_t values = values_.size(), slots_before = slots_.size(),
                      arrays = arrays_.size();
    b_.at(r);
    for (; size > 0; --size) {
      const unsigned choice = below(20);
      if (choice < 9) plain();
      else if (choice < 12) access();
      else if (choice < 13) vectors();
      else if (choice < 15) slots();
      else if (choice < 16) block_and_warp();
      else if (choice < 17) local();
      else if (calls_ && below(3) == 0) call();
      else if (depth < 4 && choice < 18) this->loop(size / 2, depth);
      else if (depth < 4) branch(size / 2, loop, depth);
    }
    end(r, loop);
    values_.resize(values), slots_.resize(slots_before), arrays_.resize(arrays);
  }
  void end(RegionId r, InstId loop) {
    const InstId parent = f_.regions[r].parent;
    if (below(10) == 0) return void(b_.append(Op::Return, {}, {}));
    if (below(20) == 0) return void(b_.append(Op::Unreachable, {}, {}));
    const bool in_loop_body = parent != none && is_loop(f_.insts[parent].op);
    if (loop != none && (in_loop_body || below(3) == 0)) {
      const std::vector<ValueId> operands = values_of(carried_.back());
      b_.append(below(2) ? Op::Continue : Op::Break, {}, operands);
    } else if (parent == none) {
      b_.append(Op::Return, {}, {});
    } else {
      const std::vector<ValueId> operands = values_of(yields_.back());
      b_.append(Op::Yield, {}, operands);
    }
  }

  std::mt19937 rng_;
  Function& f_;
  Builder b_;
  std::vector<ValueId> values_, slots_, arrays_;
  bool calls_;
  std::vector<std::vector<Scalar>> carried_, yields_;
};

}  // namespace

ir::Module random_module(std::uint32_t seed, unsigned size) {
  ir::Module m;
  m.functions.push_back(ir::new_function("random_" + std::to_string(seed)));
  const bool calls = seed % 7 == 0;
  Generator(seed, m.functions[0], calls).run(size);
  if (calls) {
    m.functions.push_back(called_function(m.kernel()));
    m.functions.push_back(rare_function(m.kernel()));
  }
  return m;
}

}  // namespace krait::test
