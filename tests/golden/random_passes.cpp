// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random structured kernels through random orders of passes: each pass leaves a module that
// verifies and that the interpreter runs to the same memory, any NaN being one value. Every thread
// writes elements of its own, so the kernels have one result.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>

#include "ir/abi.h"
#include "ir/builder.h"
#include "ir/interp/interp.h"
#include "ir/unreachable_entries.h"
#include "ir/report.h"
#include "ir/shared_lengths.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/analysis/uniformity.h"
#include "support/seed.h"
#include "unit/random_ir.h"

namespace krait::passes {
namespace {

using namespace ir;
using support::TargetKind;

constexpr std::int64_t threads = 12, own = 2, inputs = 512;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : rng_(seed), f_(new_function("random")), b_(f_) {}

  Module make() {
    f_.fp = FpMode::Strict;
    f_.facts = {chance(2), chance(2), chance(2), chance(2)};
    const bool element_wise = chance(4);
    if (element_wise) f_.facts = {true, true, true, true};
    b_.at(f_.body);
    out_int_ = b_.new_param(f_.body, array_type(Scalar::I32, Space::Global, 1));
    out_float_ = b_.new_param(f_.body, array_type(Scalar::F32, Space::Global, 2));
    in_int_ = b_.new_param(f_.body, array_type(Scalar::I32, Space::Global, 1, false));
    in_float_ = b_.new_param(f_.body, array_type(Scalar::F32, Space::Global, 1, false));
    for (const Scalar s : {Scalar::I32, Scalar::F32, Scalar::I64, Scalar::U32})
      values_.push_back(b_.new_param(f_.body, value_type(s)));
    if (element_wise) elements();
    else threads_own();
    b_.append(Op::Return, {}, {});
    Module m;
    m.functions.push_back(std::move(f_));
    return m;
  }

 private:
  unsigned below(unsigned n) { return unsigned(rng_() % n); }
  bool chance(unsigned n) { return below(n) == 0; }

  void threads_own() {
    const ValueId block = b_.emit(Op::BlockIdx, Scalar::I64, {}),
                  size = b_.emit(Op::BlockDim, Scalar::I64, {});
    const ValueId thread = b_.emit(Op::ThreadIdx, Scalar::I64, {});
    self_ = b_.binary(Op::Add, {b_.binary(Op::Mul, {block, size}), thread});
    values_.push_back(self_);
    sum_ = b_.emit(Op::Slot, slot_type(Scalar::I32), std::array{constant(Scalar::I32, 0)});
    for (unsigned k = 1 + below(4); k > 0; --k) slot();
    statements(4 + below(10), 0, 0);
    observe(0);
    store();
    store_int(0, b_.emit(Op::Get, Scalar::I32, {sum_}));
  }
  void elements() {
    const ValueId bound = chance(2) ? b_.emit(Op::Extent, Scalar::I64, {out_int_})
                                    : constant(Scalar::I64, below(unsigned(threads * own)));
    const InstId loop = b_.append(Op::GridStride, {}, std::span(&bound, 1));
    const RegionId r = b_.new_region(loop);
    self_ = b_.new_param(r, value_type(Scalar::I64));
    b_.at(r);
    single_element_ = true;
    values_.push_back(self_);
    sum_ = b_.emit(Op::Slot, slot_type(Scalar::I32), std::array{constant(Scalar::I32, 0)});
    statements(2 + below(6), 3, 0);
    observe(0);
    store_int(0, b_.emit(Op::Get, Scalar::I32, {sum_}));
    b_.append(Op::Continue, {}, {});
    b_.at(f_.body);
  }

  ValueId constant(Scalar s, std::uint64_t bits) {
    return b_.constant(s, bits & (~std::uint64_t(0) >> (64 - bits_of(s))));
  }
  ValueId value(Scalar s) {
    std::vector<ValueId> fitting;
    for (const ValueId v : values_)
      if (f_.type_of(v).scalar == s) fitting.push_back(v);
    if (!fitting.empty() && !chance(4)) return fitting[below(unsigned(fitting.size()))];
    if (s == Scalar::F32) {
      constexpr float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 0.5f, 1e-40f, 3e38f, 0.1f};
      return constant(s, std::bit_cast<std::uint32_t>(edges[below(std::size(edges))]));
    }
    constexpr std::uint64_t edges[] = {0,
                                       1,
                                       2,
                                       3,
                                       5,
                                       8,
                                       31,
                                       32,
                                       ~std::uint64_t(0),
                                       std::uint64_t(1) << 31,
                                       std::uint64_t(1) << 63};
    return constant(s, edges[below(std::size(edges))]);
  }
  void keep(ValueId v) { values_.push_back(v); }
  Scalar scalar() {
    constexpr Scalar all[] = {Scalar::I32,  Scalar::F32, Scalar::I64, Scalar::U32,
                              Scalar::Bool, Scalar::I32, Scalar::F32, Scalar::U8};
    return all[below(std::size(all))];
  }

  void arithmetic() {
    const Scalar s = scalar();
    if (s == Scalar::Bool) {
      constexpr Op compares[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
      constexpr Op logic[] = {Op::And, Op::Or, Op::Xor};
      const Scalar t = chance(3) ? Scalar::F32 : chance(2) ? Scalar::I64 : Scalar::I32;
      if (chance(4)) return keep(b_.unary(Op::Not, value(s)));
      if (chance(2)) return keep(b_.binary(logic[below(3)], {value(s), value(s)}));
      return keep(b_.compare(compares[below(6)], {value(t), value(t)}));
    }
    if (chance(5)) return keep(b_.cast(s, value(scalar())));
    if (chance(6)) return keep(b_.emit(Op::Select, s, {value(Scalar::Bool), value(s), value(s)}));
    if (s == Scalar::F32) {
      constexpr Op floats[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max, Op::Copysign};
      constexpr Op unary[] = {Op::Neg, Op::Abs, Op::Sqrt, Op::Floor};
      return keep(chance(4) ? b_.unary(unary[below(4)], value(s))
                            : b_.binary(floats[below(7)], {value(s), value(s)}));
    }
    constexpr Op ints[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Min,
                           Op::Max, Op::And, Op::Or,  Op::Xor, Op::Shl, Op::Shr};
    constexpr Op unary[] = {Op::Neg, Op::Abs, Op::Not};
    keep(chance(6) ? b_.unary(unary[below(3)], value(s))
                   : b_.binary(ints[below(12)], {value(s), value(s)}));
  }

  void load() {
    const bool ints = chance(2);
    ValueId index = b_.cast(Scalar::I64, value(chance(2) ? Scalar::I64 : Scalar::I32));
    if (chance(3))
      index = b_.cast(Scalar::I64, b_.cast(chance(2) ? Scalar::I8 : Scalar::U8, index));
    index = b_.binary(Op::And, {index, constant(Scalar::I64, inputs - 1)});
    if (chance(2)) return load_own();
    if (chance(3)) index = b_.cast(Scalar::I32, index);
    keep(b_.emit(Op::Load, ints ? Scalar::I32 : Scalar::F32, {ints ? in_int_ : in_float_, index}));
  }
  /// What the thread itself may have written before.
  void load_own() {
    if (single_element_) return keep(b_.emit(Op::Load, Scalar::I32, {out_int_, self_}));
    const ValueId column = constant(Scalar::I64, below(unsigned(own)));
    if (chance(2)) return keep(b_.emit(Op::Load, Scalar::F32, {out_float_, self_, column}));
    const ValueId row = b_.binary(Op::Mul, {self_, constant(Scalar::I64, std::uint64_t(own))});
    keep(b_.emit(Op::Load, Scalar::I32, {out_int_, b_.binary(Op::Add, {row, column})}));
  }
  /// A condition that bounds a number, on one side or for what follows, and arithmetic that could
  /// use the bound.
  void bounded(unsigned depth, unsigned loops) {
    const ValueId x = value(Scalar::I64),
                  n = b_.emit(Op::Extent, Scalar::I64, {chance(2) ? in_int_ : out_int_});
    constexpr Op compares[] = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
    ValueId inside = b_.compare(compares[below(6)], {x, n});
    if (chance(2))
      inside = b_.binary(chance(2) ? Op::And : Op::Or,
                         {inside, b_.compare(compares[below(6)], {x, constant(Scalar::I64, 0)})});
    const InstId i = b_.append(Op::If, {}, std::span(&inside, 1));
    const auto arithmetic_on_it = [&] {
      constexpr Op ops[] = {Op::Div, Op::Rem, Op::Min, Op::Max};
      const ValueId v = b_.binary(
          ops[below(4)], {chance(2) ? x : b_.binary(Op::Sub, {x, constant(Scalar::I64, 1)}),
                          chance(2) ? n : value(Scalar::I64)});
      keep(v);
      keep(b_.compare(compares[below(6)], {v, n}));
    };
    const unsigned leaves = below(4);
    for (unsigned arm = 0; arm < 2; ++arm)
      region(i, [&](RegionId) {
        const std::size_t begin = values_.size();
        arithmetic_on_it();
        statements(1, depth + 1, loops);
        observe(begin);
        b_.append(arm != leaves ? Op::Yield : loops ? Op::Continue : Op::Return, {}, {});
      });
    arithmetic_on_it();
  }
  void store() {
    if (single_element_ || chance(2)) return store_int(below(unsigned(own)), value(Scalar::I32));
    const ValueId operands[] = {out_float_, self_, constant(Scalar::I64, below(unsigned(own))),
                                value(Scalar::F32)};
    b_.append(Op::Store, value_type(Scalar::F32), operands);
  }
  void store_int(std::uint64_t column, ValueId v) {
    ValueId index = self_;
    if (!single_element_)
      index = b_.binary(Op::Add,
                        {b_.binary(Op::Mul, {self_, constant(Scalar::I64, std::uint64_t(own))}),
                         constant(Scalar::I64, column)});
    const ValueId operands[] = {out_int_, index, v};
    b_.append(Op::Store, value_type(Scalar::I32), operands);
  }
  /// Lets the values since `begin` show in the result.
  void observe(std::size_t begin) {
    for (std::size_t k = begin; k < values_.size(); ++k) {
      if (chance(3)) continue;
      const ValueId scaled =
          b_.binary(Op::Mul, {b_.emit(Op::Get, Scalar::I32, {sum_}), constant(Scalar::I32, 31)});
      const ValueId operands[] = {sum_,
                                  b_.binary(Op::Add, {scaled, b_.cast(Scalar::I32, values_[k])})};
      b_.append(Op::Set, {}, operands);
    }
  }

  void slot() {
    const Scalar s = chance(2) ? Scalar::I32 : chance(2) ? Scalar::F32 : Scalar::I64;
    slots_.push_back(b_.emit(Op::Slot, slot_type(s), std::array{value(s)}));
  }
  void use_slot() {
    if (slots_.empty()) return slot();
    const ValueId v = slots_[below(unsigned(slots_.size()))];
    const Scalar s = f_.type_of(v).scalar;
    if (chance(2)) return keep(b_.emit(Op::Get, s, {v}));
    const ValueId operands[] = {v, value(s)};
    b_.append(Op::Set, {}, operands);
  }

  void statements(unsigned count, unsigned depth, unsigned loops) {
    for (; count > 0; --count) {
      switch (below(depth < 3 ? 13 : 8)) {
        case 0:
        case 1:
        case 2:
        case 3: arithmetic(); break;
        case 4: load(); break;
        case 5: use_slot(); break;
        case 6: use_slot(); break;
        case 7: store(); break;
        case 8:
        case 9: branch(depth, loops); break;
        case 10: counted(depth, loops); break;
        case 11: bounded(depth, loops); break;
        default: loop(depth, loops); break;
      }
    }
  }

  template <class Fill>
  void region(InstId owner, Fill&& fill) {
    const RegionId home = b_.region();
    const std::size_t values = values_.size(), slots = slots_.size();
    const RegionId r = b_.new_region(owner);
    b_.at(r);
    fill(r);
    values_.resize(values);
    slots_.resize(slots);
    b_.at(home);
  }
  void branch(unsigned depth, unsigned loops) {
    const bool is_switch = chance(4);
    const ValueId c = value(is_switch ? Scalar::I32 : Scalar::Bool);
    const Scalar s = scalar();
    const InstId i = b_.append(is_switch ? Op::Switch : Op::If, {}, std::span(&c, 1));
    if (is_switch) f_.insts[i].list = {1, -1};
    const unsigned arms = is_switch ? 3 : 2;
    const bool result = chance(2);
    const unsigned leaves = chance(3) ? below(arms) : arms;
    for (unsigned arm = 0; arm < arms; ++arm)
      region(i, [&](RegionId) {
        const std::size_t begin = values_.size();
        statements(below(4), depth + 1, loops);
        observe(begin);
        if (arm == leaves)
          b_.append(loops == 0 || chance(5) ? Op::Return
                    : chance(2)             ? Op::Break
                                            : Op::Continue,
                    {}, {});
        else if (result) {
          const ValueId v = value(s);
          b_.append(Op::Yield, {}, std::span(&v, 1));
        } else b_.append(Op::Yield, {}, {});
      });
    if (result) keep(b_.add_result(i, value_type(s)));
  }
  void counted(unsigned depth, unsigned loops) {
    const ValueId count = constant(chance(2) ? Scalar::U32 : Scalar::U64, below(4));
    const InstId i = b_.append(Op::For, {}, std::span(&count, 1));
    region(i, [&](RegionId r) {
      const std::size_t begin = values_.size();
      keep(b_.new_param(r, f_.type_of(count)));
      statements(1 + below(5), depth + 1, loops + 1);
      observe(begin);
      b_.append(Op::Continue, {}, {});
    });
  }
  /// while (k < 3): k counts in a slot of its own.
  void loop(unsigned depth, unsigned loops) {
    const ValueId k =
        b_.emit(Op::Slot, slot_type(Scalar::I32), std::array{constant(Scalar::I32, 0)});
    const InstId i = b_.append(Op::Loop, {}, {});
    region(i, [&](RegionId) {
      const ValueId now = b_.emit(Op::Get, Scalar::I32, {k});
      const ValueId more = b_.compare(Op::Lt, {now, constant(Scalar::I32, 3)});
      const InstId guard = b_.append(Op::If, {}, std::span(&more, 1));
      region(guard, [&](RegionId) { b_.append(Op::Yield, {}, {}); });
      region(guard, [&](RegionId) { b_.append(Op::Break, {}, {}); });
      const ValueId operands[] = {k, b_.binary(Op::Add, {now, constant(Scalar::I32, 1)})};
      b_.append(Op::Set, {}, operands);
      const std::size_t begin = values_.size();
      keep(now);
      statements(1 + below(5), depth + 1, loops + 1);
      observe(begin);
      b_.append(Op::Continue, {}, {});
    });
  }

  std::mt19937 rng_;
  Function f_;
  Builder b_;
  ValueId out_int_{}, out_float_{}, in_int_{}, in_float_{}, self_{}, sum_{};
  bool single_element_ = false;
  std::vector<ValueId> values_, slots_;
};

struct Memory {
  std::vector<std::int32_t> ints = std::vector<std::int32_t>(threads * own, 77);
  std::vector<float> floats = std::vector<float>(threads * own, 0.5f);
  std::string fault;
};

Memory run(const Module& m, std::uint32_t seed) {
  Memory out;
  std::vector<std::int32_t> in_int(inputs);
  std::vector<float> in_float(inputs);
  std::mt19937 rng(seed);
  for (auto& x : in_int) x = std::int32_t(rng());
  for (auto& x : in_float) x = std::bit_cast<float>(std::uint32_t(rng()));
  const auto view = [](auto& data, const std::array<std::int64_t, ir::max_rank>& extents,
                       const std::array<std::int64_t, ir::max_rank>& strides) {
    return Argument{0, reinterpret_cast<std::byte*>(data.data()), extents, strides};
  };
  const Argument arguments[] = {view(out.ints, {threads * own}, {1}),
                                view(out.floats, {threads, own}, {own, 1}),
                                view(in_int, {inputs}, {1}),
                                view(in_float, {inputs}, {1}),
                                {rng() % 7},
                                {std::bit_cast<std::uint32_t>(float(rng() % 9) - 4)},
                                {rng() % 5},
                                {rng() & 0xffffffff}};
  out.fault = interpret(m, Launch{{3, 1, 1}, {4, 1, 1}, 4}, arguments, {.max_steps = 2'000'000});
  return out;
}

bool same(const Memory& a, const Memory& b) {
  if (a.fault != b.fault || a.ints != b.ints) return false;
  for (std::size_t k = 0; k < a.floats.size(); ++k) {
    const bool nan = a.floats[k] != a.floats[k] && b.floats[k] != b.floats[k];
    if (!nan &&
        std::bit_cast<std::uint32_t>(a.floats[k]) != std::bit_cast<std::uint32_t>(b.floats[k]))
      return false;
  }
  return true;
}

TEST(RandomPasses, KeepWhatTheInterpreterComputes) {
  std::vector<Pass> exact;
  for_each_pass([&](const Pass& pass) {
    if (pass.exact) exact.push_back(pass);
  });
  for (std::uint32_t seed = test::first_seed(), end = seed + 1000; seed != end; ++seed) {
    Module m = Generator(seed).make();
    ASSERT_EQ(verify(m), "") << print(m);
    const Memory expected = run(m, seed);
    ASSERT_EQ(expected.fault, "") << print(m);
    std::mt19937 rng(seed);
    std::string order;
    for (unsigned n = 0; n < 12; ++n) {
      const Pass& pass = exact[rng() % exact.size()];
      const std::string before = print(m);
      pass.run(m);
      order += std::string(pass.name) + " ";
      ASSERT_EQ(verify(m), "") << "seed " << seed << ", " << order << "\n"
                               << before << "\n"
                               << print(m);
      ASSERT_TRUE(same(run(m, seed), expected)) << "seed " << seed << ", " << order << "\n"
                                                << before << "\n"
                                                << print(m);
    }
  }
}

TEST(RandomPasses, ThePipelineKeepsWhatTheInterpreterComputes) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 300; seed != end; ++seed) {
    const Module recorded = Generator(seed).make();
    const Memory expected = run(recorded, seed);
    for (const TargetKind target : {TargetKind::Cpu, TargetKind::Ptx, TargetKind::Spirv}) {
      Module m = recorded;
      ASSERT_EQ(run_pipeline(m, {target}, true), "");
      ASSERT_TRUE(same(run(m, seed), expected)) << "seed " << seed << "\n"
                                                << print(recorded) << "\n"
                                                << print(m);
    }
  }
}

/// What a C++ loop around a part of a random kernel would have recorded: some instructions once
/// more, and again. Some of their constants grow, and some of their operands are what the part
/// before has made.
void repeat_a_part(Function& f, std::mt19937& rng) {
  const auto below = [&](std::size_t n) { return rng() % std::uint32_t(n); };
  std::vector<RegionId> regions;
  for_each_region(f, [&](RegionId r) {
    if (f.regions[r].insts.size() > 2) regions.push_back(r);
  });
  if (regions.empty()) return;
  const RegionId r = regions[below(regions.size())];
  const std::vector<InstId> insts = std::exchange(f.regions[r].insts, {});
  const std::size_t n = insts.size() - 1, begin = below(n), end = begin + 1 + below(n - begin);
  const unsigned times = 2 + unsigned(below(5)), step = unsigned(below(3)),
                 handed = unsigned(below(3));
  std::vector<ValueId> outer, made;
  for (std::size_t k = begin; k < end; ++k) {
    for (const ValueId v : f.insts[insts[k]].operands)
      if (f.type_of(v).is_value()) outer.push_back(v);
    for (const ValueId v : f.insts[insts[k]].results)
      if (f.type_of(v).is_value()) made.push_back(v);
  }
  std::vector<std::pair<ValueId, ValueId>> hands;  // the outer value and what stands for it then
  for (unsigned k = 0; k < handed && !outer.empty() && !made.empty(); ++k) {
    const ValueId from = outer[below(outer.size())], to = made[below(made.size())];
    if (std::find(made.begin(), made.end(), from) == made.end() && f.type_of(from) == f.type_of(to))
      hands.emplace_back(from, to);
  }
  f.regions[r].insts.assign(insts.begin(), insts.begin() + std::ptrdiff_t(end));
  Builder b(f);
  b.at(r);
  std::vector<ValueId> map;
  for (unsigned time = 1; time < times; ++time) {
    std::vector<ValueId> next(f.values.size(), none);
    for (const auto& [from, to] : hands) next[from] = map.empty() ? to : map[to];
    for (std::size_t k = begin; k < end; ++k) {
      const InstId copy = clone_inst(f, insts[k], b, next);
      Inst& inst = f.insts[copy];
      if (inst.op == Op::Const && is_int(inst.type.scalar) && step != 0 && k % 2 == 0)
        inst.imm = (inst.imm + time * step) & mask_of(inst.type.scalar);
    }
    map = std::move(next);
  }
  f.regions[r].insts.insert(f.regions[r].insts.end(), insts.begin() + std::ptrdiff_t(end),
                            insts.end());
  // What follows reads the last part.
  const bool reads_last = below(2) != 0;
  for (std::size_t k = end; k < insts.size() && reads_last; ++k)
    for (ValueId& v : f.insts[insts[k]].operands)
      if (v < map.size() && map[v] != none && std::find(made.begin(), made.end(), v) != made.end())
        v = map[v];
}

TEST(RandomPasses, RepeatedPartsBecomeLoops) {
  int tried = 0, rolled = 0;
  for (std::uint32_t seed = test::first_seed(), end = seed + 1500; seed != end; ++seed) {
    Module m = Generator(seed).make();
    std::mt19937 rng(seed);
    for (unsigned n = 1 + rng() % 2; n > 0; --n) repeat_a_part(m.kernel(), rng);
    if (!verify(m).empty()) continue;
    const Memory expected = run(m, seed);
    if (!expected.fault.empty()) continue;
    ++tried;
    const std::string before = print(m);
    const auto loops = [&] {
      int found = 0;
      for_each_inst(m.kernel(),
                    [&](InstId i, RegionId) { found += is_loop(m.kernel().insts[i].op); });
      return found;
    };
    const int loops_before = loops();
    roll_repeats(m, 0, 1);
    rolled += loops() != loops_before;
    ASSERT_EQ(verify(m), "") << "seed " << seed << "\n" << before << "\n" << print(m);
    ASSERT_TRUE(same(run(m, seed), expected)) << "seed " << seed << "\n"
                                              << before << "\n"
                                              << print(m);
  }
  EXPECT_GT(tried, 1000);
  EXPECT_GT(rolled, 300);
}

/// Ends of regions under r, without those of loops within, by what they are.
std::map<Op, int> ends_under(const Function& f, RegionId r) {
  std::map<Op, int> ends;
  for (const InstId i : f.regions[r].insts) {
    const Inst& inst = f.insts[i];
    if (is_terminator(inst.op)) ++ends[inst.op];
    if (is_loop(inst.op)) continue;
    for (const RegionId inner : inst.regions)
      for (const auto& [op, n] : ends_under(f, inner)) ends[op] += n;
  }
  return ends;
}

TEST(RandomPasses, OneExitLeavesOneWayOut) {
  int changed = 0;
  for (std::uint32_t seed = test::first_seed(), end = seed + 300; seed != end; ++seed) {
    Module m = Generator(seed).make();
    const Memory expected = run(m, seed);
    const std::string before = print(m);
    one_exit(m);
    ASSERT_EQ(verify(m), "") << print(m);
    ASSERT_TRUE(same(run(m, seed), expected)) << "seed " << seed << "\n"
                                              << before << "\n"
                                              << print(m);
    for (const Function& f : m.functions) {
      EXPECT_LE(ends_under(f, f.body)[Op::Return], 1) << print(m);
      for_each_inst(f, [&](InstId i, RegionId) {
        if (!is_loop(f.insts[i].op)) return;
        std::map<Op, int> ends = ends_under(f, f.insts[i].regions[0]);
        EXPECT_LE(ends[Op::Break], 1) << print(m);
        EXPECT_LE(ends[Op::Continue], 1) << print(m);
        EXPECT_EQ(ends[Op::Return], 0) << print(m);
      });
    }
    const std::string once = print(m);
    changed += once != before;
    one_exit(m);
    EXPECT_EQ(print(m), once) << "seed " << seed;
  }
  EXPECT_GT(changed, 30);
}

/// Entries of the tables that the body does not reach mean nothing to anybody.
TEST(RandomPasses, LookOnlyAtWhatTheBodyReaches) {
  for (std::uint32_t seed = 0; seed < 80; ++seed) {
    const Module made = seed % 2 ? test::random_module(seed) : Generator(seed).make();
    Module littered = made;
    add_unreachable_entries(littered);
    ASSERT_EQ(verify(littered), "");
    ASSERT_EQ(print(littered), print(made));
    EXPECT_EQ(check_barriers(littered), check_barriers(made));
    EXPECT_EQ(report_sites(littered).size(), report_sites(made).size());
    EXPECT_EQ(argument_layout(littered.kernel()).size, argument_layout(made.kernel()).size);
    std::string wrong, wrong_littered;
    EXPECT_EQ(SharedLengths(littered.kernel(), wrong_littered).words(),
              SharedLengths(made.kernel(), wrong).words());
    EXPECT_EQ(wrong_littered, wrong);
    if (seed % 2 == 0) {
      EXPECT_TRUE(same(run(littered, seed), run(made, seed)));
    }
    for_each_pass([&](const Pass& pass) {
      Module clean = made, dirty = littered;
      pass.run(clean), pass.run(dirty);
      ASSERT_EQ(verify(dirty), "") << "seed " << seed << ", " << pass.name << "\n" << print(made);
      ASSERT_EQ(print(dirty), print(clean)) << "seed " << seed << ", " << pass.name << "\n"
                                            << print(made);
    });
    for (const TargetKind target :
         {TargetKind::Interpreter, TargetKind::Cpu, TargetKind::Ptx, TargetKind::Spirv}) {
      Module clean = made, dirty = littered;
      ASSERT_EQ(run_pipeline(clean, {target}, false), run_pipeline(dirty, {target}, true));
      ASSERT_EQ(print(dirty), print(clean)) << "seed " << seed << "\n" << print(made);
    }
  }
}

/// Modules that use every operation, and compute nothing meaningful.
TEST(RandomPasses, LeaveModulesOfAllOperationsValid) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 300; seed != end; ++seed) {
    const Module made = test::random_module(seed);
    Module in_turn = made;
    for_each_pass([&](const Pass& pass) {
      Module alone = made;
      pass.run(alone);
      ASSERT_EQ(verify(alone), "") << "seed " << seed << ", " << pass.name << "\n" << print(made);
      pass.run(in_turn);
      ASSERT_EQ(verify(in_turn), "") << "seed " << seed << ", in turn to " << pass.name << "\n"
                                     << print(made);
    });
    EXPECT_EQ(uniformity(made).values.size(), made.kernel().values.size());
  }
}

}  // namespace
}  // namespace krait::passes
