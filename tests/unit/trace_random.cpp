// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers, on plain values and in a kernel: the words of Philox, Threefry, xoroshiro128+ and
// Sobol's sequence as published, and numbers made of them.
#include <cmath>
#include <set>

#include "trace_fixture.h"

namespace {

using namespace trace_test;

struct Vector {
  std::uint64_t low, high, key;
  std::uint32_t words[4];
};
// Random123 1.14, tests/kat_vectors, the lines "philox4x32 10".
constexpr Vector vectors[] = {
    {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {0x85a308d3243f6a88,
     0x0370734413198a2e,
     0x299f31d0a4093822,
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(trace_random, known_answers) {
  for (const Vector& v : vectors) {
    const auto plain = kr::philox(v.key, v.low, v.high);
    std::vector<std::uint32_t> out(4);
    run_one(
        [](kr::view<std::uint32_t> y, kr::value<std::uint64_t> key, kr::value<std::uint64_t> low,
           kr::value<std::uint64_t> high) {
          const auto words = kr::philox(key, low, high);
          for (int i = 0; i < 4; ++i) y[i] = words[i];
        },
        out, v.key, v.low, v.high);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(plain[i], v.words[i]);
      EXPECT_EQ(out[std::size_t(i)], v.words[i]);
    }
  }
}

/// Runs what has mathematical functions, which the passes expand.
void interpret_strictly(krait::ir::Module m, const krait::ir::Launch& launch,
                        const std::vector<krait::ir::Argument>& arguments) {
  m.kernel().fp = krait::ir::FpMode::Strict;
  ASSERT_EQ(krait::passes::run_pipeline(m, {krait::support::TargetKind::Interpreter}), "");
  ASSERT_EQ(krait::ir::interpret(m, launch, arguments), "");
}

/// All numbers of a draw, as doubles.
constexpr auto numbers = [](const auto& words, const auto& out) {
  for (int i = 0; i < 4; ++i) out(words.uniform_float(i)), out(words.below(i, 1000));
  for (int i = 0; i < 2; ++i) {
    out(words.uniform_double(i)), out(words.long_below(i, 1'000'000'000'000));
    const auto [a, b] = words.normal_float(i);
    out(a), out(b);
  }
  const auto [a, b] = words.normal_double();
  out(a), out(b);
};
constexpr int numbers_of_a_draw = 18;

TEST(trace_random, plain_and_traced_numbers_have_the_same_bits) {
  constexpr int draws = 64;
  std::vector<double> expected, got(draws * numbers_of_a_draw);
  for (int i = 0; i < draws; ++i)
    numbers(kr::philox(7, i, 3), [&](auto x) { expected.push_back(double(x)); });
  ASSERT_EQ(expected.size(), got.size());
  const auto recorded = record([](kr::view<double> y) {
    const auto i = kr::thread_idx().x;
    int at = 0;
    numbers(kr::philox(7, i, 3),
            [&](const auto& x) { y[i * numbers_of_a_draw + at++] = kr::cast<double>(x); });
  });
  krait::ir::Launch launch;
  launch.block[0] = draws;
  interpret_strictly(recorded->module, launch, arguments_of(got));
  EXPECT_TRUE(same_value(expected, got));
}

TEST(trace_random, moments) {
  double sum = 0, squares = 0, normals = 0, normal_squares = 0, normal_fourths = 0;
  constexpr int draws = 50'000;
  unsigned counts[6] = {};
  for (int i = 0; i < draws; ++i) {
    const auto words = kr::philox(2026, i);
    for (int w = 0; w < 4; ++w) {
      const double u = words.uniform_float(w);
      ASSERT_TRUE(u >= 0 && u < 1);
      sum += u, squares += u * u;
      ++counts[words.below(w, 6)];
    }
    for (int p = 0; p < 2; ++p) {
      const auto [a, b] = words.normal_float(p);
      for (const double x : {double(a), double(b)})
        normals += x, normal_squares += x * x, normal_fourths += x * x * x * x;
    }
  }
  const double n = 4.0 * draws;  // five standard deviations of each mean
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  EXPECT_NEAR(normals / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(normal_squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(normal_fourths / n, 3, 5 * std::sqrt(96 / n));
  for (const unsigned c : counts) EXPECT_NEAR(c / n, 1.0 / 6, 5 * std::sqrt(5.0 / 36 / n));
}

TEST(trace_random, extreme_words) {
  const kr::random_words<std::uint32_t> zeros{{0, 0, 0, 0}}, ones{{~0u, ~0u, ~0u, ~0u}};
  EXPECT_EQ(zeros.uniform_float(0), 0.0f);
  EXPECT_EQ(ones.uniform_float(0), 1 - 0x1p-24f);
  EXPECT_EQ(ones.uniform_double(1), 1 - 0x1p-53);
  EXPECT_EQ(ones.below(2, 10), 9u);
  EXPECT_EQ(ones.below(2, 0), 0u);
  EXPECT_EQ(ones.long_below(0, ~0ull), ~0ull - 1);
  EXPECT_EQ(zeros.normal_float(0).first, 0);
  const auto [a, b] = ones.normal_double();
  EXPECT_TRUE(std::abs(a) < 8.6 && std::abs(b) < 8.6);
  const auto [c, d] = ones.normal_float(1);
  EXPECT_TRUE(std::abs(c) < 5.8f && std::abs(d) < 5.8f);
}

// Random123 1.14, tests/kat_vectors, the lines "threefry2x32 20" and "threefry4x32 20".
TEST(trace_random, threefry_of_two_words) {
  struct {
    std::uint64_t counter, key;
    std::uint32_t words[2];
  } const known[] = {{0, 0, {0x6b200159, 0x99ba4efe}},
                     {~0ull, ~0ull, {0x1cb996fc, 0xbb002be7}},
                     {0x85a308d3243f6a88, 0x0370734413198a2e, {0xc4923a9c, 0x483df7a0}}};
  for (const auto& k : known) {
    const auto plain = kr::threefry2x32(k.key, k.counter);
    std::vector<std::uint32_t> out(2);
    run_one(
        [](kr::view<std::uint32_t> y, kr::value<std::uint64_t> key,
           kr::value<std::uint64_t> counter) {
          const auto words = kr::threefry2x32(key, counter);
          for (int i = 0; i < 2; ++i) y[i] = words[i];
        },
        out, k.key, k.counter);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(plain[i], k.words[i]);
      EXPECT_EQ(out[std::size_t(i)], k.words[i]);
    }
  }
}

TEST(trace_random, threefry_of_four_words) {
  struct {
    std::uint64_t low, high, key, high_key;
    std::uint32_t words[4];
  } const known[] = {{0, 0, 0, 0, {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}},
                     {~0ull, ~0ull, ~0ull, ~0ull, {0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}},
                     {0x85a308d3243f6a88,
                      0x0370734413198a2e,
                      0x299f31d0a4093822,
                      0xec4e6c89082efa98,
                      {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}}};
  for (const auto& k : known) {
    const auto plain = kr::threefry(k.key, k.low, k.high, k.high_key);
    std::vector<std::uint32_t> out(4);
    run_one(
        [](kr::view<std::uint32_t> y, kr::value<std::uint64_t> key,
           kr::value<std::uint64_t> high_key, kr::value<std::uint64_t> low,
           kr::value<std::uint64_t> high) {
          const auto words = kr::threefry(key, low, high, high_key);
          for (int i = 0; i < 4; ++i) y[i] = words[i];
        },
        out, k.key, k.high_key, k.low, k.high);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(plain[i], k.words[i]);
      EXPECT_EQ(out[std::size_t(i)], k.words[i]);
    }
  }
  EXPECT_EQ(kr::threefry(7, 5)[2], kr::threefry(7, 5, 0, 0)[2]);
}

/// By numba/cuda/random.py's algorithm in Python's integers of any size:
/// create_xoroshiro128p_states(4, seed) and what the first and the last state give.
TEST(trace_random, states_of_numba) {
  struct {
    std::uint64_t seed;
    kr::xoroshiro_state first, second, last;
    std::uint64_t of_first[3], of_last[3];
  } const known[] = {{0,
                      {0xe220a8397b1dcdaf, 0xe220a8397b1dcdaf},
                      {0x12513ce25be05eb1, 0x70d189c276ba17a4},
                      {0xe8f985721a10a3ee, 0x412be3dd3c914961},
                      {0xc4415072f63b9b5e, 0xd7f110541cbd8ee6, 0xac68de60d41b5562},
                      {0x2a25694f56a1ed4f, 0x2f2c7cc882558dd0, 0x9f51a6a7be289334}},
                     {7,
                      {0x63cbe1e459320dd7, 0x63cbe1e459320dd7},
                      {0x081ef7a3b2b2c321, 0x10891eb18b0ba67c},
                      {0x4240861316e95e9f, 0x4630e0c5d6f0088e},
                      {0xc797c3c8b2641bae, 0xebb1e5f0f22c9906, 0x348191f7e7326e59},
                      {0x887166d8edd9672d, 0x53fa57a3e31cd02a, 0x1a395061d043fd20}}};
  for (const auto& k : known) {
    std::vector<kr::xoroshiro_state> states(4), behind(1);
    kr::fill_xoroshiro_states(states, k.seed);
    kr::fill_xoroshiro_states(behind, k.seed, 3);
    EXPECT_TRUE(states[0] == k.first);
    EXPECT_TRUE(states[1] == k.second);
    EXPECT_TRUE(states[3] == k.last);
    EXPECT_TRUE(behind[0] == k.last);
    std::vector<std::uint64_t> out(12);
    const auto given = states;
    // Two launches: the state goes on where the first one put it back.
    const auto recorded = record([](kr::view<kr::xoroshiro_state> from, kr::view<std::uint64_t> y) {
      const auto i = kr::thread_idx().x;
      kr::xoroshiro random(from[i]);
      y[i * 3] = random.next();
      y[i * 3 + 1] = random.next();
      y[i * 3 + 2] = random.next();
      from[i] = random.state();
    });
    krait::ir::Launch launch;
    launch.block[0] = 4;
    run(*recorded, launch, states, out);
    for (std::size_t i = 0; i < 4; ++i) {
      kr::xoroshiro plain(given[i]);
      for (std::size_t draw = 0; draw < 3; ++draw) {
        const std::uint64_t next = plain.next();
        EXPECT_EQ(out[3 * i + draw], next);
        if (i == 0) {
          EXPECT_EQ(next, k.of_first[draw]);
        }
        if (i == 3) {
          EXPECT_EQ(next, k.of_last[draw]);
        }
      }
      EXPECT_TRUE(states[i] == plain.state());
    }
  }
}

/// uint64_to_unit_float64 and 32 of numba/cuda/random.py; the moments of normal numbers.
TEST(trace_random, numbers_of_xoroshiro) {
  std::vector<kr::xoroshiro_state> states(1);
  kr::fill_xoroshiro_states(states, 0);
  kr::xoroshiro bits(states[0]), doubles(states[0]), floats(states[0]), normals(states[0]);
  double sum = 0, squares = 0;
  constexpr int draws = 100'000;
  for (int i = 0; i < draws; ++i) {
    const double expected = double(bits.next() >> 11) / 9007199254740992.0;
    ASSERT_EQ(doubles.uniform_double(), expected);
    ASSERT_EQ(floats.uniform_float(), float(expected));
    const double z = i % 2 ? double(normals.normal_float()) : normals.normal_double();
    sum += z, squares += z * z;
  }
  EXPECT_NEAR(sum / draws, 0, 5 / std::sqrt(draws));
  EXPECT_NEAR(squares / draws, 1, 5 * std::sqrt(2.0 / draws));
  // A sum of 0 is the uniform number 0, whose logarithm is not finite.
  kr::xoroshiro zero(kr::xoroshiro_state{0, 0});
  EXPECT_EQ(zero.uniform_float(), 0.0f);
  EXPECT_NEAR(zero.normal_float(), std::sqrt(-2 * std::log(0x1p-53)), 1e-5);
  kr::xoroshiro ones(kr::xoroshiro_state{~0ull, 0});
  EXPECT_EQ(ones.uniform_float(), 1.0f);  // Numba's rounds up, too
}

TEST(trace_random, plain_and_traced_numbers_of_xoroshiro_have_the_same_bits) {
  static constexpr auto all = [](auto& random, const auto& out) {
    out(random.uniform_double()), out(random.uniform_float()), out(random.normal_float()),
        out(random.normal_double());
  };
  std::vector<kr::xoroshiro_state> states(1);
  kr::fill_xoroshiro_states(states, 99);
  std::vector<double> expected, got(4);
  kr::xoroshiro plain(states[0]);
  all(plain, [&](auto x) { expected.push_back(double(x)); });
  const auto recorded = record([](kr::view<const kr::xoroshiro_state> from, kr::view<double> y) {
    kr::xoroshiro random(from[0]);
    int at = 0;
    all(random, [&](const auto& x) { y[at++] = kr::cast<double>(x); });
  });
  interpret_strictly(recorded->module, {}, arguments_of(states, got));
  EXPECT_TRUE(same_value(expected, got));
}

TEST(trace_random, points_of_sobol) {
  // The first points that Joe and Kuo's program prints for three dimensions
  // (web.maths.unsw.edu.au/~fkuo/sobol).
  constexpr double known[][3] = {{0, 0, 0},
                                 {0.5, 0.5, 0.5},
                                 {0.75, 0.25, 0.25},
                                 {0.25, 0.75, 0.75},
                                 {0.375, 0.375, 0.625},
                                 {0.875, 0.875, 0.125},
                                 {0.625, 0.125, 0.875},
                                 {0.125, 0.625, 0.375},
                                 {0.1875, 0.3125, 0.9375},
                                 {0.6875, 0.8125, 0.4375}};
  std::vector<std::uint32_t> out(10 * 40);
  const auto recorded = record([](kr::view<std::uint32_t> y) {
    const auto i = kr::thread_idx().x;
    for (int d = 0; d < 40; ++d) y[i * 40 + d] = kr::sobol(i, d).word;
  });
  krait::ir::Launch launch;
  launch.block[0] = 10;
  run(*recorded, launch, out);
  for (int i = 0; i < 10; ++i)
    for (int d = 0; d < 40; ++d) {
      const auto x = kr::sobol(i, d);
      EXPECT_EQ(out[std::size_t(i * 40 + d)], x.word);
      EXPECT_EQ(x.uniform_float(), float(x.uniform_double()));
      if (d < 3) {
        EXPECT_EQ(x.uniform_double(), known[i][d]);
      }
    }
}

/// The polynomials are primitive, no two dimensions are equal, and Sobol's property A holds in the
/// first 32 dimensions, as Joe and Kuo state: every half cube of 2^32 holds one of the first 2^32
/// points, which is a matrix of full rank.
TEST(trace_random, directions_of_sobol) {
  for (const auto& p : kr::detail::sobol_polynomials) {
    const unsigned whole = 1u << p.degree | p.coefficients << 1 | 1u;
    unsigned power = 1, order = 0;
    do {
      power <<= 1;
      if (power >> p.degree & 1) power ^= whole;
      ++order;
    } while (power != 1);
    EXPECT_EQ(order, (1u << p.degree) - 1) << whole;
    for (unsigned k = 0; k < p.degree; ++k)
      EXPECT_TRUE(p.m[k] % 2 == 1 && p.m[k] < 2u << k) << whole;
  }
  std::set<std::uint32_t> different;
  std::vector<std::uint32_t> rows;
  for (int d = 0; d < 40; ++d) {
    const kr::detail::sobol_directions directions(d);
    std::uint32_t firsts = 0, some = 0;
    for (int k = 0; k < 32; ++k)
      firsts |= (directions.v[k] >> 31) << k, some = some * 5 + directions.v[k];
    different.insert(some);
    if (d < 32) rows.push_back(firsts);
  }
  EXPECT_EQ(different.size(), 40u);
  int rank = 0;
  for (int bit = 0; bit < 32; ++bit) {
    std::size_t pivot = std::size_t(rank);
    while (pivot < 32 && !(rows[pivot] >> bit & 1)) ++pivot;
    if (pivot == 32) continue;
    std::swap(rows[std::size_t(rank)], rows[pivot]);
    for (std::size_t r = std::size_t(rank) + 1; r < 32; ++r)
      if (rows[r] >> bit & 1) rows[r] ^= rows[std::size_t(rank)];
    ++rank;
  }
  EXPECT_EQ(rank, 32);
}

TEST(trace_random, a_dimension_that_sobol_lacks) {
  for (const int dimension : {-1, 40}) {
    const std::string expected = std::string(__FILE__) + ":" + std::to_string(__LINE__ + 2);
    const std::string message =
        misuse([&](kr::view<float> y) { y[0] = kr::sobol(1, dimension).uniform_float(); });
    EXPECT_EQ(message,
              expected + ": kr::sobol has the dimensions 0 to 39: take kr::philox for more");
    EXPECT_THROW(kr::sobol(1, dimension), krait::error);
  }
}

}  // namespace
