// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pure operation of the table × every type × edge values and random bits, against eval. Many rows share a kernel, as a
// driver takes far longer to compile than to run one.
#include <gtest/gtest.h>

#include "harness.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Rule;
using ir::Scalar;
using ir::ValueId;

constexpr Scalar all_types[] = {Scalar::Bool, Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::I64, Scalar::U8,
                                Scalar::U16,  Scalar::U32, Scalar::U64, Scalar::F16, Scalar::F32, Scalar::F64};

std::uint64_t random_bits(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::uint64_t mask_of(Scalar s) { return ir::bits_of(s) == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << ir::bits_of(s)) - 1; }

/// Values at which operations change what they do.
std::vector<std::uint64_t> edges(Scalar s) {
  if (s == Scalar::Bool) return {0, 1};
  std::vector<std::uint64_t> out;
  const unsigned width = ir::bits_of(s);
  if (ir::is_int(s)) {
    for (std::uint64_t v : {0, 1, 2, 3, 7, 10, 31, 63, 100}) out.insert(out.end(), {v, 0 - v});
    const std::uint64_t top = std::uint64_t(1) << (width - 1);
    out.insert(out.end(),
               {top, top - 1, top + 1, std::uint64_t(width), std::uint64_t(width - 1), std::uint64_t(1) << (width / 2)});
  } else {
    const double values[] = {0.0,
                             1.0,
                             0.5,
                             1.5,
                             2.5,
                             3.5,
                             0.1,
                             2.0,
                             3.0,
                             127.5,
                             255.0,
                             256.0,
                             32767.5,
                             65504.0,
                             65519.0,
                             65520.0,
                             2147483648.0,
                             2147483647.0,
                             4294967296.0,
                             9223372036854775808.0,
                             18446744073709551616.0,
                             1e300,
                             1e-300,
                             5e-5,
                             1e-40};
    for (double v : values)
      for (double sign : {v, -v})
        out.push_back(ir::eval(Op::Cast, s, Scalar::F64, std::vector{std::bit_cast<std::uint64_t>(sign)}));
    const unsigned fraction = s == Scalar::F16 ? 10 : s == Scalar::F32 ? 23 : 52;
    const std::uint64_t sign = std::uint64_t(1) << (width - 1), infinity = (sign - 1) >> fraction << fraction;
    for (std::uint64_t v : {infinity, infinity + 1, infinity | infinity >> 1, infinity - 1, std::uint64_t(1),
                            (std::uint64_t(1) << fraction) - 1, std::uint64_t(1) << fraction})
      out.insert(out.end(), {v, v | sign});
  }
  for (std::uint64_t& v : out) v &= mask_of(s);
  return out;
}

/// All pairs of edges, then random bits. `second` chooses the pair's second element.
std::vector<std::uint64_t> inputs(Scalar s, std::size_t n, unsigned operand) {
  const std::vector<std::uint64_t> e = edges(s);
  std::vector<std::uint64_t> out(n);
  std::uint64_t state = operand * 977 + unsigned(s);
  for (std::size_t i = 0; i < n; ++i) {
    if (i < e.size() * e.size())
      out[i] = operand == 0 ? e[i / e.size()] : operand == 1 ? e[i % e.size()] : e[(i * 7 + i / 5) % e.size()];
    else if (ir::is_float(s) && i % 2) {
      // Near each other in size, where sums round and cancel.
      const unsigned fraction = s == Scalar::F16 ? 10 : s == Scalar::F32 ? 23 : 52;
      const std::uint64_t one = ((mask_of(s) >> 1) >> fraction << fraction) >> 1 >> fraction << fraction;
      const std::uint64_t r = random_bits(state);
      out[i] =
          (one + ((r >> 60) << fraction)) | (r & ((std::uint64_t(1) << fraction) - 1)) | (r >> 59 & 1) << (ir::bits_of(s) - 1);
    } else {
      out[i] = random_bits(state) & mask_of(s);
    }
  }
  return out;
}

KernelArgument column(Scalar s, const std::vector<std::uint64_t>& bits) {
  KernelArgument a;
  const unsigned bytes = ir::size_of(s);
  a.data.resize(bits.size() * bytes);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(a.data.data() + i * bytes, &bits[i], bytes);
  a.extents[0] = std::int64_t(bits.size());
  a.strides[0] = 1;
  return a;
}

constexpr std::size_t lanes = 8192, block = 64;

/// A kernel under construction: each row is one operation whose results go to a part of the output of their type.
class Matrix {
 public:
  explicit Matrix(std::string name) {
    module.functions.push_back(ir::new_function(std::move(name)));
    f().fp = ir::FpMode::Strict;
    f().facts.contiguous = true;
    f().flat = true;
    b.at(f().body);
  }
  ir::Function& f() { return module.kernel(); }

  ValueId input(Scalar s, const std::vector<std::uint64_t>& bits) {
    ValueId v = b.new_param(f().body, ir::array_type(s, ir::Space::Global, 1, false));
    f_params();
    arguments.push_back(column(s, bits));
    return v;
  }
  /// All parameters first, then the body.
  void start(const std::vector<Scalar>& results) {
    for (Scalar s : results) {
      outputs.push_back({s, b.new_param(f().body, ir::array_type(s, ir::Space::Global, 1)), arguments.size(), 0});
      arguments.emplace_back();
    }
    id = b.emit(Op::GlobalId, Scalar::I64, {});
  }
  ValueId load(ValueId array, Scalar s) {
    const ValueId operands[] = {array, id};
    return b.emit(Op::Load, ir::value_type(s), operands);
  }
  void store(Scalar s, ValueId v) {
    for (Output& o : outputs) {
      if (o.type != s) continue;
      ValueId at = b.binary(Op::Add, id, b.constant(Scalar::I64, o.rows++ * lanes));
      const ValueId operands[] = {o.view, at, v};
      b.append(Op::Store, ir::value_type(s), operands);
      return;
    }
    FAIL() << "no output of this type";
  }
  void run() {
    b.append(Op::Return, {}, {});
    for (const Output& o : outputs)
      arguments[o.argument] = column(o.type, std::vector<std::uint64_t>(std::max<std::size_t>(o.rows, 1) * lanes));
    ASSERT_EQ(ir::verify(module), "");
    expect_as_interpreted(module, {{std::int64_t(lanes / block), 1, 1}, {std::int64_t(block), 1, 1}}, arguments);
  }

  ir::Module module;
  ir::Builder b{f_ref()};
  ValueId id = ir::none;
  std::vector<KernelArgument> arguments;

 private:
  struct Output {
    Scalar type;
    ValueId view;
    std::size_t argument;
    std::uint64_t rows;
  };
  void f_params() {}
  ir::Function& f_ref() {
    module.functions.reserve(1);
    return *module.functions.data();
  }
  std::vector<Output> outputs;
};

class VulkanOps : public testing::TestWithParam<Scalar> {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

bool takes(const ir::OpInfo& row, Scalar s) {
  return s == Scalar::Bool ? row.bools : ir::is_int(s) ? row.ints : row.floats;
}

TEST_P(VulkanOps, AsInterpreted) {
  const Scalar s = GetParam();
  Matrix m("ops_" + std::string(name_of(s)));
  ValueId in[3];
  for (unsigned k = 0; k < 3; ++k) in[k] = m.input(s, inputs(s, lanes, k));
  ValueId shifts[2] = {m.input(Scalar::U8, inputs(Scalar::U8, lanes, 3)), m.input(Scalar::I64, inputs(Scalar::I64, lanes, 4))};
  ValueId condition = m.input(Scalar::Bool, inputs(Scalar::Bool, lanes, 5));
  std::vector<Scalar> results = {Scalar::Bool, Scalar::I32};
  if (s != Scalar::Bool && s != Scalar::I32) results.push_back(s);
  m.start(results);
  ValueId x = m.load(in[0], s), y = m.load(in[1], s), z = m.load(in[2], s);
  ValueId narrow = m.load(shifts[0], Scalar::U8), wide = m.load(shifts[1], Scalar::I64), c = m.load(condition, Scalar::Bool);
  for (unsigned n = 0; n < ir::op_count; ++n) {
    const Op op = Op(n);
    const ir::OpInfo& row = ir::info(op);
    if (row.math || row.effect != ir::Effect::Pure || !takes(row, s)) continue;
    if (op == Op::Copysign) {
      // A NaN's sign means nothing: it is not asked for.
      m.store(s, m.b.emit(op, s, {x, m.b.emit(Op::Select, s, {m.b.emit(Op::Isnan, Scalar::Bool, {y}), m.b.constant(s, 0), y})}));
    } else if (row.rule == Rule::Same) {
      const ValueId all[] = {x, y, z};
      m.store(s, m.b.emit(op, ir::value_type(s), std::span(all, std::size_t(row.arity))));
    } else if (row.rule == Rule::Compare) {
      m.store(Scalar::Bool, m.b.compare(op, x, y));
    } else if (row.rule == Rule::Test) {
      m.store(Scalar::Bool, m.b.emit(op, Scalar::Bool, {x}));
    } else if (row.rule == Rule::Shift) {
      m.store(s, m.b.emit(op, s, {x, narrow}));
      m.store(s, m.b.emit(op, s, {x, wide}));
      m.store(s, m.b.emit(op, s, {x, m.b.constant(Scalar::I32, 5)}));
    } else if (row.rule == Rule::Select) {
      m.store(s, m.b.emit(op, s, {c, x, y}));
    } else if (row.rule == Rule::Count) {
      m.store(Scalar::I32, m.b.emit(op, Scalar::I32, {x}));
    }
  }
  if (ir::is_int(s)) {
    for (Op op : {Op::Div, Op::Rem})
      for (std::uint64_t divisor : {std::uint64_t(7), std::uint64_t(0), mask_of(s)})
        m.store(s, m.b.emit(op, s, {x, m.b.constant(s, divisor)}));
  }
  m.run();
}

TEST_P(VulkanOps, CastsAsInterpreted) {
  const Scalar s = GetParam();
  Matrix m("casts_" + std::string(name_of(s)));
  ValueId in = m.input(s, inputs(s, lanes, 0));
  m.start(std::vector<Scalar>(std::begin(all_types), std::end(all_types)));
  ValueId x = m.load(in, s);
  for (Scalar to : all_types) {
    m.store(to, m.b.emit(Op::Cast, to, {x}));
    if (s != Scalar::Bool && to != Scalar::Bool && ir::size_of(to) == ir::size_of(s)) m.store(to, m.b.emit(Op::Bitcast, to, {x}));
  }
  m.run();
}

/// lavapipe once compared sign-extended numbers with small constants wrongly.
TEST_F(VulkanOps, ComparisonsOfExtendedNumbers) {
  for (Scalar from : {Scalar::I8, Scalar::I16, Scalar::I32, Scalar::U32}) {
    Matrix m("compares_" + std::string(name_of(from)));
    ValueId in = m.input(from, inputs(from, lanes, 0)), other = m.input(from, inputs(from, lanes, 1));
    m.start({Scalar::Bool});
    ValueId x = m.load(in, from), y = m.load(other, from);
    ValueId wide = m.b.cast(Scalar::I64, x), wide_y = m.b.cast(Scalar::I64, y);
    for (Op op : {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne}) {
      for (std::int64_t c : {0, 1, -1, 2, 5, -7, 100, 1000, 65536}) {
        ValueId constant = m.b.constant(Scalar::I64, std::uint64_t(c));
        m.store(Scalar::Bool, m.b.compare(op, wide, constant));
        m.store(Scalar::Bool, m.b.compare(op, constant, wide));
      }
      m.store(Scalar::Bool, m.b.compare(op, wide, wide_y));
      m.store(Scalar::Bool, m.b.compare(op, m.b.binary(Op::Add, wide, wide_y), m.b.constant(Scalar::I64, 3)));
      m.store(Scalar::Bool, m.b.compare(op, wide, m.b.cast(Scalar::I64, m.b.constant(from, 4))));
      // A constant once the pipeline is specialised.
      m.store(Scalar::Bool, m.b.compare(op, wide, m.b.emit(Op::BlockDim, Scalar::I64, {})));
      m.store(Scalar::Bool, m.b.compare(op, wide, m.b.constant(Scalar::I64, std::uint64_t(1) << 40)));
      m.store(Scalar::Bool, m.b.compare(op, m.b.cast(Scalar::I64, m.b.binary(Op::Add, x, y)), m.b.constant(Scalar::I64, 0)));
    }
    m.run();
  }
}

/// Operands of every size, with sums that cancel, nearly cancel, overflow and become subnormal.
void fused_multiply_add(std::uint64_t seed) {
  std::vector<std::uint64_t> column_of[3];
  std::uint64_t state = seed;
  const std::vector<std::uint64_t> e = edges(Scalar::F64);
  for (std::size_t n = 0; n < lanes; ++n) {
    auto number = [&](int from, int to) {
      const std::uint64_t r = random_bits(state);
      const auto exponent = std::uint64_t(1023 + from + int(r >> 53) % (to - from));
      return (r >> 52 & 1) << 63 | exponent << 52 | (random_bits(state) >> 12);
    };
    // Products in the middle, about the largest number, about the smallest, far below.
    constexpr int ranges[][2] = {{-400, 400}, {480, 520}, {-540, -500}, {-700, -400}, {-1022, 1023}};
    const auto [from, to] = ranges[n / 4 % 5];
    const std::uint64_t x = number(from, to), y = n % 7 == 0 ? random_bits(state) >> 13 : number(from, to);
    const std::uint64_t product = ir::eval(Op::Mul, Scalar::F64, Scalar::F64, std::vector{x, y});
    std::uint64_t z = product ^ std::uint64_t(1) << 63;
    if (n % 4 == 1) z += random_bits(state) % 5;
    if (n % 4 == 2)
      z = (z & std::uint64_t(1) << 63) | ((z << 1 >> 53) - 54 + random_bits(state) % 108) << 52 | (random_bits(state) >> 12);
    if (n % 4 == 3) z = random_bits(state) >> (random_bits(state) % 2 ? 0 : 12);
    column_of[0].push_back(n % 11 == 0 ? e[n / 11 % e.size()] : x);
    column_of[1].push_back(n % 13 == 0 ? e[n / 13 % e.size()] : y);
    column_of[2].push_back(n % 5 == 0 ? e[n / 5 % e.size()] : z);
  }
  Matrix m("fma_f64");
  ValueId in[3];
  for (unsigned k = 0; k < 3; ++k) in[k] = m.input(Scalar::F64, column_of[k]);
  m.start({Scalar::F64});
  m.store(Scalar::F64,
          m.b.emit(Op::Fma, Scalar::F64, {m.load(in[0], Scalar::F64), m.load(in[1], Scalar::F64), m.load(in[2], Scalar::F64)}));
  m.run();
}

TEST_F(VulkanOps, FusedMultiplyAddOfDoubles) {
  for (std::uint64_t seed : {99, 100, 101, 102}) fused_multiply_add(seed);
}

INSTANTIATE_TEST_SUITE_P(Types, VulkanOps, testing::ValuesIn(all_types),
                         [](const auto& of) { return std::string(name_of(of.param)); });

}  // namespace
}  // namespace krait::test
