// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and conversions, mutable locals, elements, arrays and the words of the block; functions on
// plain values against the same functions in a kernel.
#include <cmath>
#include <limits>

#include "trace_fixture.h"

namespace {

using namespace trace_test;

template <class Type, class Expression>
constexpr bool has_type = std::is_same_v<std::remove_cvref_t<Expression>, kr::value<Type>>;

TEST(trace_types, usual_arithmetic_conversions) {
  record([](kr::value<bool> b, kr::value<signed char> c, kr::value<unsigned short> us,
            kr::value<int> i, kr::value<unsigned> u, kr::value<std::int64_t> l, kr::value<float> f,
            kr::value<double> d, kr::value<kr::f16> h) {
    static_assert(has_type<int, decltype(b + b)> && has_type<int, decltype(c + c)> &&
                  has_type<int, decltype(us * c)>);
    static_assert(has_type<unsigned, decltype(i + u)> && has_type<long, decltype(u + l)> &&
                  has_type<float, decltype(f + l)>);
    static_assert(has_type<double, decltype(f + d)> && has_type<double, decltype(f * 2.0)> &&
                  has_type<float, decltype(2 * f)>);
    static_assert(has_type<long long, decltype(l + 1LL)> &&
                  has_type<unsigned long, decltype(l + 1UL)>);
    static_assert(has_type<kr::f16, decltype(h + h)> && has_type<kr::f16, decltype(h * 2)> &&
                  has_type<float, decltype(h + f)>);
    static_assert(has_type<int, decltype(b & b)> && has_type<bool, decltype(b == b)> &&
                  has_type<bool, decltype(!i)>);
    static_assert(has_type<int, decltype(c << l)> && has_type<int, decltype(-c)> &&
                  has_type<int, decltype(~us)>);
    static_assert(has_type<int, decltype(+b)> && has_type<float, decltype(-f)> &&
                  has_type<kr::f16, decltype(-h)>);
    static_assert(has_type<double, decltype(kr::sqrt(i))> &&
                  has_type<float, decltype(kr::max(f, 0))>);
    static_assert(has_type<short, decltype(kr::min(kr::value<short>(1), kr::value<short>(2)))>);
    static_assert(std::is_same_v<decltype(kr::sqrt(2)), double> &&
                  std::is_same_v<decltype(kr::max(1, 2.0f)), float>);
    static_assert(has_type<double, decltype(kr::pow(i, 2))> &&
                  has_type<float, decltype(kr::fma(f, 2, i))>);
    static_assert(has_type<int, decltype(kr::popcount(l))> &&
                  has_type<unsigned, decltype(kr::bit_reverse(u))>);
  });
}

TEST(trace_types, implicit_conversions_widen) {
  using kr::value;
  static_assert(std::is_convertible_v<value<float>, value<double>> &&
                std::is_convertible_v<value<int>, value<float>>);
  static_assert(std::is_convertible_v<value<int>, value<long>> &&
                std::is_convertible_v<value<long long>, value<long>>);
  static_assert(!std::is_convertible_v<value<double>, value<float>> &&
                !std::is_convertible_v<value<float>, value<int>>);
  static_assert(!std::is_convertible_v<value<long>, value<int>> &&
                !std::is_convertible_v<value<int>, value<bool>>);
  static_assert(std::is_convertible_v<int, value<float>> &&
                !std::is_convertible_v<double, value<float>>);
  static_assert(std::is_constructible_v<value<float>, value<double>> &&
                std::is_constructible_v<value<float>, double>);
  static_assert(std::is_convertible_v<kr::ref<float>, value<float>> &&
                std::is_convertible_v<kr::var<float>, value<double>>);
  static_assert(std::is_convertible_v<kr::view<float, 2>, kr::view<const float, 2>>);
  static_assert(!std::is_convertible_v<kr::view<const float>, kr::view<float>>);
  static_assert(std::is_trivially_copyable_v<kr::view<float>> &&
                std::is_trivially_destructible_v<kr::value<int>>);
}

TEST(trace_types, functions_of_values_take_elements) {
  std::vector<float> out(2);
  run_one(
      [](kr::view<float> y) {
        const auto twice = [](kr::value<float> v) { return v + v; };
        const auto any = []<class Type>(kr::value<Type> v) { return v * v; };
        kr::var k = 3;
        y[0] = twice(y[1]) + twice(k);
        y[1] = any(y[0]);
      },
      out);
  EXPECT_EQ(out, (std::vector{6.0f, 36.0f}));
}

TEST(trace_types, plain_constants_need_no_capture) {
  std::vector<int> out(1);
  const int n = 5;
  run_one(
      [](kr::view<int> y) {
        kr::var k = n;
        k = k + n;
        k += n;
        for (auto i : kr::range(n)) k += i & n;
        kr::if_(n, [&] { k = kr::max(k, n); });
        y[0] = kr::select(k > n, k, n) + kr::cast<int>(n);
      },
      out);
  EXPECT_EQ(out[0], 15 + (0 + 1 + 0 + 1 + 4) + 5);
}

// ---- mutable locals -----------------------------------------------------------------------------

TEST(trace_var, copies_are_new_locals) {
  std::vector<int> out(6);
  run_one(
      [](kr::view<int> y) {
        kr::var a = 1;
        kr::var b = a;
        kr::var c = std::move(a);
        auto d = a;
        b += 10, c += 100, d += 1000;
        kr::value before(a);
        a = 5;
        std::swap(b, c);
        kr::swap(c, d);
        y[0] = a, y[1] = b, y[2] = c, y[3] = d, y[4] = before;
        kr::var<float> table[2][2];
        table[1][0] = 3;
        y[5] = table[0][0] + table[1][0];
      },
      out);
  EXPECT_EQ(out, (std::vector{5, 101, 1001, 11, 1, 3}));
}

TEST(trace_var, assignments_convert_as_in_cpp) {
  std::vector<int> out(8);
  run_one(
      [](kr::view<int> y) {
        kr::var k = 7;
        k = 2.9;
        y[0] = k;
        k = kr::value(-3.7f);
        y[1] = k;
        k *= 1.5;
        y[2] = k;
        kr::var<unsigned char> byte = 250;
        byte += 10;
        y[3] = byte;
        y[4] = byte++;
        y[5] = ++byte;
        byte <<= 9;
        y[6] = byte;
        kr::var<bool> flag = 4;
        y[7] = flag;
      },
      out);
  EXPECT_EQ(out, (std::vector{2, -3, -4, 4, 4, 6, 0, 1}));
}

TEST(trace_ref, loads_where_the_subscript_stands) {
  std::vector<int> out{1, 2, 3, 4};
  run_one(
      [](kr::view<int> y) {
        auto t = y[0];
        y[0] = 10;
        y[1] = t;
        kr::swap(y[2], y[3]);
        y[2]++;
        ++y[3];
        kr::var i = 0;
        y[i++] += 5;
        y[3] = y[3] = y[3] + i;
      },
      out);
  EXPECT_EQ(out, (std::vector{15, 1, 5, 5}));
}

TEST(trace_ref, ranks_and_extents) {
  std::vector<int> out(24);
  const auto recorded = record([](kr::view<int, 3> y) {
    for (auto i : kr::range(y.extent(0)))
      for (auto j : kr::range(y.extent(1)))
        for (auto k : kr::range(y.extent(2)))
          y(i, j, k) = kr::cast<int>((i * y.extent(1) + j) * y.extent(2) + k + y.size());
  });
  krait::ir::Argument a = argument(out);
  a.extents = {2, 3, 4, 0}, a.strides = {12, 4, 1, 0};
  ASSERT_EQ(krait::ir::interpret(recorded->module, {}, std::span(&a, 1)), "");
  for (int i = 0; i < 24; ++i) EXPECT_EQ(out[std::size_t(i)], i + 24);
}

// ---- the block ----------------------------------------------------------------------------------

TEST(trace_block, shared_memory_of_a_branch_is_the_blocks) {
  EXPECT_EQ(canonical_text([](kr::view<int> out) {
              kr::if_(out.size() > 4, [&] {
                const auto tile = kr::shared<int, 4>();
                tile[0] = 1;
                out[0] = tile[0];
              });
            }),
            R"(kir 1
kernel fp(native) (%0: view<i32, 1>) {
  %1: i64 = extent %0 {0}
  %2: i64 = const 4
  %3: bool = gt %1, %2
  %4: shared<i32, 1> = shared {4}
  if %3 {
    %5: i64 = const 0
    %6: i32 = const 1
    store.i32 %4, %5, %6
    %7: i64 = const 0
    %8: i64 = const 0
    %9: i32 = load %4, %8
    store.i32 %0, %7, %9
    yield
  }
  return
}
)");
}

TEST(trace_block, positions_by_name_alone) {
  std::vector<int> out(2 * 3 * 4 * 5), same(out.size());
  const auto recorded = record([](kr::view<int> y, kr::view<int> called) {
    const auto i = kr::block_idx.x * kr::block_dim.x + kr::thread_idx.x;
    const auto row = kr::thread_idx.y;
    const kr::value<std::int64_t> rows = kr::block_dim.y;
    const auto width = kr::grid_dim.x * kr::block_dim.x;
    kr::if_(kr::thread_idx.z < 1 && kr::grid_dim.z == 1, [&] {
      y[(kr::block_idx.y * rows + row) * width + i] = kr::cast<int>(kr::block_idx.y * 100 + i);
    });
    const auto [x, z] = kr::grid<2>();
    kr::var first = kr::block_idx.z;
    first += kr::thread_idx.x;
    kr::if_(kr::block_idx.x, [&] { first = x; });
    called[z * width + x] = kr::cast<int>(kr::block_idx().y * 100 + first);
  });
  krait::ir::Launch launch;
  launch.grid[0] = 2, launch.grid[1] = 3, launch.block[0] = 4, launch.block[1] = 5;
  run(*recorded, launch, out, same);
  EXPECT_EQ(out, same);
  EXPECT_EQ(out[9], 1);
}

TEST(trace_block, shared_memory_and_barriers) {
  std::vector<int> out(64);
  const auto recorded = record([](kr::view<int> y) {
    const auto tile = kr::shared<int, 4, 8>();
    const auto more = kr::dynamic_shared<int>(32);
    const auto own = kr::local<int, 2>();
    const auto t = kr::thread_idx().x, b = kr::block_idx().x * kr::block_dim().x;
    tile(t / 8, t % 8) = kr::cast<int>(t);
    more[t] = 100;
    own[1] += 7;
    kr::syncthreads();
    y[b + t] = tile(3 - t / 8, 7 - t % 8) + more[31 - t] + own[1] + kr::syncthreads_count(t < 5) +
               kr::select(kr::syncthreads_or(t == 3), 1000, 0) +
               kr::select(kr::syncthreads_and(t == 3), 5000, 0);
    kr::fence(kr::scope::block);
    kr::syncwarp();
  });
  krait::ir::Launch launch;
  launch.grid[0] = 2, launch.block[0] = 32;
  run(*recorded, launch, out);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[std::size_t(i)], 31 - i % 32 + 107 + 5 + 1000);
}

TEST(trace_block, atomics) {
  std::vector<int> out{0, 0, 50, -50, 0xff, 0, 0, 9};
  std::vector<int> old(32);
  const auto recorded = record([](kr::view<int> y, kr::view<int> before) {
    const auto t = kr::cast<int>(kr::grid());
    before[t] = kr::atomic(y[0]).add(t);
    kr::atomic(y[1]).sub(1);
    kr::atomic(y[2]).min(t);
    kr::atomic(y[3]).max(t);
    kr::atomic(y[4]).and_(~(1 << (t & 3)));
    kr::atomic(y[5]).or_(1u << t);
    kr::atomic(y[6]).xor_(t);
    kr::atomic(y[7]).compare_exchange(9, t + 100);
    kr::atomic(y[7]).exchange(3);
  });
  krait::ir::Launch launch;
  launch.block[0] = 32;
  run(*recorded, launch, out, old);
  EXPECT_EQ(out, (std::vector{496, -32, 0, 31, 0xf0, -1, 0, 3}));
}

TEST(trace_block, warp) {
  std::vector<int> out(32 * 8);
  const auto recorded = record([](kr::view<int, 2> y) {
    const auto lane = kr::lane_id();
    y(lane, 0) = kr::cast<int>(kr::popcount(kr::warp::ballot(lane < 5)));
    y(lane, 1) = kr::select(kr::warp::any(lane == 3) && !kr::warp::all(lane == 3), 1, 0);
    y(lane, 2) = kr::warp::shfl(lane * 2, lane + 1);
    y(lane, 3) = kr::warp::shfl_up(lane, 3);
    y(lane, 4) = kr::warp::shfl_down(lane, 3);
    y(lane, 5) = kr::warp::shfl_xor(lane, 5);
    y(lane, 6) = kr::warp::broadcast(lane, 9);
    y(lane, 7) = kr::uniform(kr::warp_size());
  });
  krait::ir::Launch launch;
  launch.block[0] = 32;
  krait::ir::Argument a = argument(out);
  a.extents = {32, 8, 0, 0}, a.strides = {8, 1, 0, 0};
  ASSERT_EQ(krait::ir::interpret(recorded->module, launch, std::span(&a, 1)), "");
  for (int lane = 0; lane < 32; ++lane) {
    const std::vector<int> row(out.begin() + lane * 8, out.begin() + lane * 8 + 8);
    EXPECT_EQ(row, (std::vector{5, 1, (lane + 1) % 32 * 2, lane < 3 ? lane : lane - 3,
                                lane > 28 ? lane : lane + 3, lane ^ 5, 9, 32}));
  }
}

// ---- plain values against a kernel --------------------------------------------------------------

template <class Type>
bool same(Type x, Type y) {
  if constexpr (kr::detail::is_float_v<Type>)
    if (kr::detail::is_nan(x) && kr::detail::is_nan(y)) return true;
  return kr::detail::bits_of(x) == kr::detail::bits_of(y);
}

template <class Type>
std::vector<Type> hard_numbers() {
  using limits = std::numeric_limits<Type>;
  if constexpr (std::is_integral_v<Type>)
    return {Type(0),   Type(1),       Type(-1),      Type(2),
            Type(37),  limits::min(), limits::max(), Type(limits::max() - 1),
            Type(0x5a)};
  else
    return {Type(0),
            -Type(0),
            Type(1),
            Type(-1),
            Type(0.5),
            Type(-0.5),
            Type(1.5),
            Type(2.5),
            Type(-2.5),
            limits::infinity(),
            -limits::infinity(),
            limits::quiet_NaN(),
            limits::denorm_min(),
            limits::max(),
            limits::lowest(),
            Type(1e-30),
            Type(3.7),
            Type(0.49999997),
            Type(8388609)};
}

template <class Type>
std::vector<Type> outputs(const auto& apply, std::vector<Type>& x, std::vector<Type>& y,
                          std::size_t columns) {
  std::vector<Type> out(x.size() * columns);
  const auto recorded =
      record([&](kr::view<const Type> from, kr::view<const Type> other, kr::view<Type> to) {
        const auto i = kr::grid();
        auto at = i * static_cast<std::int64_t>(columns);
        std::int64_t column = 0;
        apply(kr::value<Type>(from[i]), kr::value<Type>(other[i]),
              [&](const auto& result) { to[at + column++] = result; });
      });
  krait::ir::Launch launch;
  launch.block[0] = static_cast<std::int64_t>(x.size());
  run(*recorded, launch, x, y, out);
  return out;
}

template <class Type>
void compare(const auto& apply) {
  std::vector<Type> x, y;
  for (const Type a : hard_numbers<Type>())
    for (const Type b : hard_numbers<Type>()) x.push_back(a), y.push_back(b);
  std::size_t columns = 0;
  apply(x[0], y[0], [&](auto) { ++columns; });
  const auto out = outputs<Type>(apply, x, y, columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t column = 0;
    apply(x[i], y[i], [&](auto expected) {
      const Type want = kr::cast<Type>(expected), got = out[i * columns + column];
      EXPECT_TRUE(same(want, got)) << "column " << column << " of " << +x[i] << ", " << +y[i]
                                   << ": " << +got << " not " << +want;
      ++column;
    });
  }
}

constexpr auto float_functions = [](auto x, auto y, const auto& out) {
  out(kr::sqrt(x)), out(kr::floor(x)), out(kr::ceil(x)), out(kr::trunc(x)), out(kr::rint(x)),
      out(kr::round(x));
  out(kr::min(x, y)), out(kr::max(x, y)), out(kr::abs(x)), out(kr::copysign(x, y)),
      out(kr::isnan(x)), out(kr::isinf(y));
  out(kr::fma(x, y, x)), out(x + y), out(x - y), out(x * y), out(x / y), out(-x), out(x < y),
      out(x != y);
  out(kr::cast<int>(x)), out(kr::cast<unsigned char>(x)), out(kr::cast<kr::f16>(x)),
      out(kr::cast<bool>(x));
};
TEST(trace_functions, plain_and_traced_floats_agree) {
  compare<float>(float_functions);
  compare<double>(float_functions);
}

constexpr auto integer_functions = [](auto x, auto y, const auto& out) {
  out(kr::popcount(x)), out(kr::clz(x)), out(kr::ctz(x)), out(kr::bit_reverse(x)),
      out(kr::byte_swap(x));
  out(kr::min(x, y)), out(kr::max(x, y)), out(x & y), out(x | y), out(x ^ y), out(~x), out(!x),
      out(x < y);
};
TEST(trace_functions, plain_and_traced_integers_agree) {
  compare<int>(integer_functions);
  compare<unsigned>(integer_functions);
  compare<std::int64_t>(integer_functions);
  compare<std::uint64_t>(integer_functions);
  compare<unsigned char>(integer_functions);
  compare<short>(integer_functions);
  compare<int>([](auto x, auto y, const auto& out) { out(kr::mul_hi(x, y)), out(kr::abs(x)); });
  compare<std::uint64_t>(
      [](auto x, auto y, const auto& out) { out(kr::mul_hi(x, y)), out(kr::abs(x)); });
}

constexpr auto bit_functions = [](auto x, auto y, const auto& out) {
  out(kr::countl_zero(x)), out(kr::countr_zero(x)), out(kr::countl_one(x)), out(kr::countr_one(x)),
      out(kr::ffs(x));
  out(kr::bit_width(x)), out(kr::has_single_bit(x)), out(kr::bit_floor(x)), out(kr::bit_ceil(x));
  out(kr::rotl(x, y)), out(kr::rotr(x, y)), out(kr::rotl(x, 3)), out(kr::rotr(x, -70));
  out(kr::extract_bits(x, 3, 4)), out(kr::extract_bits(x, y, 5)), out(kr::extract_bits(x, 1, y)),
      out(kr::extract_bits(x, 0, 64));
  out(kr::insert_bits(x, y, 2, 5)), out(kr::insert_bits(x, y, y, 3)),
      out(kr::insert_bits(x, y, 0, y)), out(kr::insert_bits(x, 1, 0, 64));
  out(kr::byte_permute(x, y, x)), out(kr::add_sat(x, y)), out(kr::sub_sat(x, y)),
      out(kr::mad(x, y, x)), out(kr::sad(x, y, y));
};
constexpr auto sums_of_products = [](auto x, auto y, const auto& out) {
  out(kr::dot4(x, y, x)), out(kr::dot4(x, 0x80ff7f01u, y)), out(kr::dot4(0x80ff7f01u, y, x)),
      out(kr::dot4(x, -2, 1));
  const auto pair = [](auto v) { return (v & 0x83ff83ffu) | 0x38003800u; };  // of numbers
  out(kr::dot2_bf16(pair(x), pair(y), 1.5f));
};
TEST(trace_functions, plain_and_traced_sums_of_products_agree) {
  compare<int>(sums_of_products);
  compare<unsigned>(sums_of_products);
}
TEST(trace_functions, plain_and_traced_functions_of_bits_agree) {
  compare<int>(bit_functions);
  compare<unsigned>(bit_functions);
  compare<std::int64_t>(bit_functions);
  compare<std::uint64_t>(bit_functions);
  compare<signed char>(bit_functions);
  compare<unsigned char>(bit_functions);
  compare<short>(bit_functions);
  compare<unsigned short>(bit_functions);
}

TEST(trace_functions, f16_conversions_round_to_nearest_even) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto h = kr::f16::from_bits(static_cast<std::uint16_t>(bits));
    const auto x = static_cast<float>(h);
    ASSERT_EQ(std::isnan(x), (bits & 0x7fff) > 0x7c00);
    if (std::isnan(x)) continue;
    ASSERT_EQ(kr::f16(x).bits(), bits);
    // The midpoint to the next number goes to the even one; a little more or less goes to the
    // nearer one.
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const auto next = static_cast<double>(
        static_cast<float>(kr::f16::from_bits(static_cast<std::uint16_t>(bits + 1))));
    const double middle = (static_cast<double>(x) + next) / 2;
    ASSERT_EQ(kr::f16(middle).bits(), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(kr::f16(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(kr::f16(std::nextafter(middle, next * 2)).bits(), bits + 1);
  }
  EXPECT_EQ(kr::f16(65519.99).bits(), 0x7bff);
  EXPECT_EQ(kr::f16(65520.0).bits(), 0x7c00);
  EXPECT_EQ(kr::f16(-1e300).bits(), 0xfc00);
  EXPECT_EQ(kr::f16(0x1p-25).bits(), 0);
  EXPECT_EQ(kr::f16(0x1.000001p-25).bits(), 1);
}

}  // namespace
