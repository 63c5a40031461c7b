// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies of f32 keep their bounds where fma takes subnormal numbers for zero, as NVIDIA's
// Vulkan driver does: each fma that expand_math lets flush is made to, and the whole interpreted,
// mostly near and below the smallest normal number.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "reference.h"
#include "ulp.h"

namespace krait::accuracy {
namespace {

using ir::Op;
using ir::Scalar;

/// Every fma marked as fast flushes operands and result.
class Flusher {
 public:
  explicit Flusher(ir::Function& f) : f_(f), b_(f) {}
  long run() {
    walk(f_.body);
    results_.apply(f_);
    return flushed_;
  }

 private:
  void walk(ir::RegionId r) {
    for (const ir::InstId i : passes::take_insts(f_, r)) {
      b_.at(r);
      const ir::Inst inst = f_.insts[i];
      if (inst.op == Op::Fma && inst.fast) {
        ++flushed_;
        const ir::ValueId fused =
            b_.emit(Op::Fma, Scalar::F32,
                    {flush(inst.operands[0]), flush(inst.operands[1]), flush(inst.operands[2])});
        results_.replace(inst.results[0], flush(fused));
        continue;
      }
      f_.regions[r].insts.push_back(i);
      for (const ir::RegionId inner : inst.regions) walk(inner);
    }
  }
  ir::ValueId flush(ir::ValueId v) {
    const ir::ValueId small =
        b_.compare(Op::Lt, {b_.unary(Op::Abs, v), b_.constant(Scalar::F32, 0x00800000)});
    return b_.emit(Op::Select, Scalar::F32,
                   {small, b_.binary(Op::Copysign, {b_.constant(Scalar::F32, 0), v}), v});
  }

  ir::Function& f_;
  ir::Builder b_;
  ir::Substitution results_;
  long flushed_ = 0;
};

std::vector<float> arguments(const Reference& f, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> out;
  for (int i = 0; i < 4096; ++i) {
    const auto bits = std::uint32_t(random.next());
    const unsigned kind = seed % 2 ? unsigned(i) % 4 : unsigned(i) / 4 % 4;  // all pairs of kinds
    const std::uint32_t below = kind == 1   ? 0x00800000
                                : kind == 2 ? 0x02000000
                                            // subnormal ones, those near, and farther
                                            : 0x10000000;
    out.push_back(kind ? std::bit_cast<float>(bits % below | (bits & 0x80000000))
                       : float(f.low + (f.high - f.low) * random.unit()));
  }
  return out;
}

ir::Argument argument(std::vector<float>& data) {
  ir::Argument a;
  a.data = reinterpret_cast<std::byte*>(data.data());
  a.extents[0] = std::int64_t(data.size());
  a.strides[0] = 1;
  return a;
}

class Flushing : public testing::TestWithParam<Reference> {};

TEST_P(Flushing, keeps_the_bound) {
  const Reference& f = GetParam();
  std::string text =
      "kir 1\nkernel @k fp(native) (%0: view<f32, 1, const>, %1: view<f32, 1, const>, %2: view<f32, 1>) {\n";
  text += "%3: i64 = global_id {0}\n%4: f32 = load %0, %3\n%5: f32 = load %1, %3\n%6: f32 = " +
          std::string(f.name) + " %4";
  text += std::string(f.arity == 2 ? ", %5" : "") + "\nstore.f32 %2, %3, %6\nreturn\n}\n";
  ir::ParseResult parsed = ir::parse(text);
  ASSERT_EQ(parsed.error, "");
  passes::expand_math(parsed.module, passes::expand_all, true);
  ASSERT_EQ(ir::verify(parsed.module), "");
  long flushed = 0;
  for (ir::Function& function : parsed.module.functions) flushed += Flusher(function).run();
  ASSERT_EQ(ir::verify(parsed.module), "");
  const bool exact = f.bound32 == 0;  // what has no error to spare does without
  EXPECT_EQ(flushed > 0, !exact && std::string(f.name) != "rsqrt") << flushed;

  std::vector<float> x = arguments(f, 1), y = arguments(f, 2), out(x.size());
  const ir::Argument given[] = {argument(x), argument(y), argument(out)};
  ir::Launch launch;
  launch.grid = {std::int64_t(x.size()) / 64, 1, 1};
  launch.block = {64, 1, 1};
  ASSERT_EQ(ir::interpret(parsed.module, launch, given), "");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error =
        error32(f, x[i], y[i], out[i], f.wide(double(x[i]), double(y[i])), f.bound32);
    ASSERT_LE(error, f.bound32) << f.name << std::hexfloat << " of " << x[i] << ", " << y[i] << ": "
                                << out[i];
  }
}

std::string name_of(const testing::TestParamInfo<Reference>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Functions, Flushing,
                         testing::ValuesIn(references().begin(), references().end()), name_of);

}  // namespace
}  // namespace krait::accuracy
