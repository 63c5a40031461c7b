// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/dsl.md: what stands between `// [name]` and `// [/name]` is quoted there (docs_snippets.cpp holds it to that),
// and runs here on the interpreter.
#include "krait/cluster.h"
#include "krait/function.h"
#include "krait/native.h"
#include "krait/volatile.h"
#include "trace_fixture.h"

namespace {

using namespace trace_test;

TEST(dsl_snippets, first) {
  // [first]
  const auto saxpy = [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  };
  // [/first]
  std::vector<float> in{1, 2, 3}, out{10, 20, 30};
  run_one(saxpy, 2.0f, in, out);
  EXPECT_EQ(out, (std::vector{12.0f, 24.0f, 36.0f}));
}

TEST(dsl_snippets, values) {
  std::vector<float> out{4, 0};
  run_one([](kr::view<float> y) {
    // [values]
    auto v = y[0] + 1;     // value<float>: immutable
    kr::var sum = 0.0f;    // var<float>: mutable
    sum += v;
    kr::var copy = sum;    // a new local with the current value
    sum = 7;
    y[1] = copy + sum;     // 5 + 7
    // [/values]
  }, out);
  EXPECT_EQ(out[1], 12);
}

TEST(dsl_snippets, conversions) {
  std::vector<int> out(3);
  run_one([](kr::view<int> y, kr::value<float> f) {
    // [conversions]
    kr::value<double> wide = f;                  // implicit: widens
    kr::value<int> narrow = kr::cast<int>(wide); // explicit: may lose something
    kr::var<int> k = f;                          // var, assignment and stores convert as C++ does
    y[0] = narrow + k;
    y[1] = kr::bitcast<int>(f);
    // [/conversions]
  }, out, 2.75f);
  EXPECT_EQ(out, (std::vector{4, 0x40300000, 0}));
}

TEST(dsl_snippets, vectors) {
  std::vector<kr::vec<float, 3>> out{{0, 3, 4}};
  run_one([](kr::view<kr::vec<float, 3>> points, kr::value<int> i) {
    // [vectors]
    auto p = points[i];                             // of a kr::view<kr::vec<float, 3>>
    kr::var v = kr::vec{0.0f, 1.0f, 0.0f};
    v += 0.5f * kr::normalize(p);
    v.x = kr::dot(v, p);
    points[i] = kr::cross(v, kr::swizzle<"zyx">(p));
    points[i].y = kr::select(kr::all(v < p), 1.0f, v[2]);
    // [/vectors]
  }, out, 0);
  EXPECT_FLOAT_EQ(out[0].x, 1.3f * 0 - 0.4f * 3);
  EXPECT_FLOAT_EQ(out[0].y, 0.4f);
  EXPECT_FLOAT_EQ(out[0].z, (3 * 1.3f + 4 * 0.4f) * 3 - 1.3f * 4);
}

// [structs]
struct particle { kr::vec<float, 3> position; float mass; int hits[2]; };
constexpr auto move = [](kr::view<particle> particles, kr::value<particle> sun, kr::value<int> i) {
  auto [position, mass, hits] = particles[i];
  particles[i][&particle::position] = position + sun[&particle::position];
  particles[i][&particle::hits][1] += 1;
  kr::var p = particles[i];
  p[&particle::mass] *= 2.0f;
  particles[i + 1] = p;
};
// [/structs]
TEST(dsl_snippets, structs) {
  std::vector<particle> particles{{{1, 2, 3}, 4, {5, 6}}, {{}, 0, {}}};
  run_one(move, particles, particle{{10, 20, 30}, 1, {}}, 0);
  EXPECT_EQ(particles[0].mass, 4);
  EXPECT_EQ(particles[0].hits[1], 7);
  EXPECT_EQ(particles[1].position.z, 33);
  EXPECT_EQ(particles[1].mass, 8);
  EXPECT_EQ(particles[1].hits[1], 7);
}

TEST(dsl_snippets, called) {
  std::vector<float> out{3, 4};
  run_one([](kr::view<float> y) {
    // [called]
    auto norm = kr::function([](auto a, auto b) { return kr::sqrt(a * a + b * b); });
    auto advance = kr::function([](kr::var<float>& at, kr::value<float> by, kr::view<float> trace) {
      kr::if_(by == 0, [] { kr::return_(); });      // leaves the function
      at += by;                                     // the caller's variable
      trace[0] = at;
    });
    auto split = kr::function([](kr::value<int> n) { return std::tuple(n / 10, n % 10); });
    kr::var position = norm(y[0], y[1]);
    advance(position, 2.0f, y);
    auto [tens, ones] = split(42);
    // [/called]
    y[1] = position + tens + ones;
  }, out);
  EXPECT_EQ(out, (std::vector{7.0f, 13.0f}));
}

TEST(dsl_snippets, branches) {
  std::vector<float> out{-3};
  run_one([](kr::view<float> y) {
    auto v = y[0];
    // [branches]
    kr::if_(v > 0, [&] { y[0] = 1; })
        .elif_(v < 0, [&] { y[0] = -1; })
        .else_([&] { y[0] = 0; });
    auto bounded = kr::select(v < 1, v, 1.0f);                              // both sides are computed
    auto root = kr::select(v > 0, [&] { return kr::sqrt(v); }, bounded);    // a lambda runs only if it is chosen
    // [/branches]
    y[0] = y[0] * 10 + root;
  }, out);
  EXPECT_EQ(out[0], -13);
}

TEST(dsl_snippets, loops) {
  std::vector<int> in{5, 1, -1, 9}, out(3);
  run_one([](kr::view<const int> x, kr::view<int> y) {
    // [loops]
    kr::var sum = 0;
    for (auto i : kr::range(x.size())) {
      kr::if_(x[i] < 0, [&] { kr::break_(); });
      sum += x[i];
    }
    for (auto i : kr::range(9, -1, -3)) y[1] += i;   // 9, 6, 3, 0
    kr::var k = 1;
    kr::while_([&] { return k < sum; }, [&] { k *= 2; });
    // [/loops]
    y[0] = sum, y[2] = k;
  }, in, out);
  EXPECT_EQ(out, (std::vector{6, 18, 8}));
}

TEST(dsl_snippets, switches) {
  std::vector<int> out{3};
  run_one([](kr::view<int> y) {
    auto v = y[0];
    // [switches]
    kr::switch_(v)
        .case_(1, [&] { y[0] = 10; })
        .case_(2, 3, [&] { y[0] = 20; })
        .default_([&] { y[0] = 0; });
    // [/switches]
  }, out);
  EXPECT_EQ(out[0], 20);
}

TEST(dsl_snippets, logic) {
  std::vector<int> in{4}, out(1);
  run_one([](kr::view<const int> x, kr::view<int> y, kr::value<std::int64_t> i) {
    // [logic]
    kr::if_(i < x.size() && x[i] > 0, [&] { y[0] = x[i]; });   // x[i] is loaded only if i is inside
    // [/logic]
    y[0] += 1;
  }, in, out, std::int64_t{7});
  EXPECT_EQ(out[0], 1);
}

TEST(dsl_snippets, unrolling) {
  std::vector<float> in{1, 2, 3, 4}, out(1);
  run_one([](kr::view<const float> x, kr::view<float> y) {
    // [unrolling]
    constexpr int taps = 4;
    kr::var sum = 0.0f;
    for (int t = 0; t < taps; ++t) sum += x[t];     // C++: four additions are recorded
    if (taps > 3) sum *= 0.5f;                      // C++: decided while recording
    // [/unrolling]
    y[0] = sum;
  }, in, out);
  EXPECT_EQ(out[0], 5);
}

// [functions]
kr::value<float> luminance(kr::value<float> r, kr::value<float> g, kr::value<float> b) {
  return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}
constexpr auto clamp = [](auto v, auto low, auto high) { return kr::min(kr::max(v, low), high); };
// [/functions]

TEST(dsl_snippets, functions) {
  std::vector<float> out{1, 1, 1};
  run_one([](kr::view<float> y) { y[0] = clamp(luminance(y[0], y[1], y[2]) * 5, 0, 2); }, out);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(clamp(7, 0, 2), 2);
}

TEST(dsl_snippets, block) {
  std::vector<float> out(64, 1);
  const auto recorded = record([](kr::view<float> y) {
    // [block]
    auto tile = kr::shared<float, 32>();
    auto t = kr::thread_idx().x;
    tile[t] = y[kr::grid()];
    kr::syncthreads();
    for (int half = 16; half > 0; half /= 2) {
      kr::if_(t < half, [&] { tile[t] += tile[t + half]; });
      kr::syncthreads();
    }
    kr::if_(t == 0, [&] { kr::atomic(y[0]).add(tile[0]); });
    // [/block]
  });
  krait::ir::Launch launch;
  launch.grid[0] = 2, launch.block[0] = 32;
  run(*recorded, launch, out);
  EXPECT_EQ(out[0], 1 + 32 + 32);
}

TEST(dsl_snippets, cluster) {
  std::vector<int> data(512), counted(512, 0);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = int(i * 7 % 512);
  kr::detail::recording_options options;
  options.cluster[0] = 2, options.cluster[1] = options.cluster[2] = 1;
  const auto count = [](kr::view<int> x, kr::view<int> counts) {
    auto t = kr::thread_idx().x;
    // [cluster]
    auto own = kr::shared<int, 256>();                       // the cluster counts in 256 * kr::cluster_size() bins
    own[t] = 0;
    kr::cluster_sync();                                      // all blocks have begun and stored their zeros
    for (auto i : kr::grid_stride(x.size())) kr::atomic(kr::cluster_shared(own, x[i] / 256)[x[i] % 256]).add(1);
    kr::cluster_sync();                                      // no block ends before all are done
    kr::atomic(counts[kr::cluster_rank() * 256 + t]).add(own[t]);
    // [/cluster]
  };
  const auto recorded = record(count, options);
  krait::ir::Launch launch;
  launch.grid[0] = 4, launch.block[0] = 256;
  run(*recorded, launch, data, counted);
  EXPECT_EQ(counted, std::vector<int>(512, 1));
}

TEST(dsl_snippets, grid_sync) {
  std::vector<float> data(64, 1), between(64);
  const auto recorded = record([](kr::view<float> x, kr::view<float> y, kr::value<int> rounds) {
    // [grid_sync]
    for (auto round : kr::range(rounds)) {
      for (auto i : kr::grid_stride(x.size())) y[i] = x[i] + x[(i + 1) % x.size()];
      kr::grid_sync();                                       // all of y is written
      for (auto i : kr::grid_stride(x.size())) x[i] = 0.5f * y[i] + kr::cast<float>(round);
      kr::grid_sync();
    }
    // [/grid_sync]
  });
  krait::ir::Launch launch;
  launch.grid[0] = 4, launch.block[0] = 8;
  run(*recorded, launch, data, between, 3);
  EXPECT_EQ(data[5], 1 + 0 + 1 + 2);
}

TEST(dsl_snippets, native) {
  std::vector<float> out{4, 0};
  run_one([](kr::view<float> y) {
    // [native]
    auto root = kr::function([](kr::value<float> v) { return 1 / kr::sqrt(v); }, {.ptx = "rsqrt.approx.f32 $0, $1;"});
    y[1] = root(y[0]) + kr::inline_asm<float>("fma.rn.f32 $0, $1, $1, $2;", [](auto v, auto w) { return kr::fma(v, v, w); }, y[0], 1.0f);
    // [/native]
  }, out);
  EXPECT_EQ(out[1], 17.5f);
}

TEST(dsl_snippets, volatile) {
  std::vector<int> out(1);
  run_one([](kr::view<int> x) {
    // [volatile]
    kr::volatile_view flags(x);
    kr::while_([&] { return flags.load(0) == 0; }, [&] { flags.store(1, 0); });
    // [/volatile]
  }, out);
  EXPECT_EQ(out[0], 1);
}

TEST(dsl_snippets, packed) {
  std::vector<int> data(70), kept(70), counts(1);
  for (int i = 0; i < 70; ++i) data[std::size_t(i)] = i * 7 % 11 - 4;
  const auto recorded = record([](kr::view<const int> x, kr::view<int> y, kr::view<int> count) {
    // [packed]
    kr::var n = 0;
    for (auto i : kr::range(0, kr::cast<int>(x.size()), kr::warp_size())) {
      auto own = i + kr::lane_id();
      kr::if_(own < kr::cast<int>(x.size()), [&] { n += kr::warp::packed_store(y, n, x[own], x[own] > 0); });
      n = kr::warp::reduce(n, kr::combine::max);  // of lanes that had an element
    }
    // [/packed]
    kr::if_(kr::lane_id() == 0, [&] { count[0] = n; });
  });
  krait::ir::Launch launch;
  launch.block[0] = 32;
  run(*recorded, launch, data, kept, counts);
  std::vector<int> wanted;
  for (const int v : data)
    if (v > 0) wanted.push_back(v);
  EXPECT_EQ(std::size_t(counts[0]), wanted.size());
  wanted.resize(kept.size());
  EXPECT_EQ(kept, wanted);
}

TEST(dsl_snippets, warp) {
  std::vector<unsigned> data(64), counts(4), sums(64);
  for (unsigned i = 0; i < 64; ++i) data[i] = i * 7 % 4;
  const auto recorded = record([](kr::view<const unsigned> x, kr::view<unsigned> bins, kr::view<unsigned> first) {
    // [warp]
    auto bin = x[kr::grid()];
    auto same = kr::warp::match_any(bin);                    // bit i is set if lane i has this bin too
    kr::if_(kr::ctz(same) == kr::lane_id(), [&] {            // the lowest of them adds for all
      kr::atomic(bins[bin]).add(kr::popcount(same));
    });
    auto before = kr::warp::exclusive_scan(bin);             // the sum over the lanes below
    auto most = kr::warp::reduce(bin, kr::combine::max);     // the same in every lane
    // [/warp]
    first[kr::grid()] = before * 10 + most;
  });
  krait::ir::Launch launch;
  launch.block[0] = 64;
  run(*recorded, launch, data, counts, sums);
  EXPECT_EQ(counts, (std::vector{16u, 16u, 16u, 16u}));
  unsigned sum = 0;
  for (unsigned i = 0; i < 64; ++i) {
    if (i == 32) sum = 0;
    EXPECT_EQ(sums[i], sum * 10 + 3);
    sum += data[i];
  }
}

TEST(dsl_snippets, atomics) {
  std::vector<int> values(32), flags(1), found(32);
  const auto recorded = record([](kr::view<int> data, kr::view<int> flag, kr::view<int> seen) {
    auto i = kr::thread_idx().x;
    // [atomics]
    data[i] = 7;
    kr::atomic(flag[0]).add(1, kr::order::release);               // earlier writes are visible to a thread that acquires this
    auto ready = kr::atomic(flag[0]).load(kr::order::acquire);
    auto ticket = kr::atomic(flag[0]).inc(99);                    // 0, 1, … 99, 0: counts and wraps
    // [/atomics]
    seen[i] = kr::select(ready > 0 && ticket > 0, data[i], 0);
  });
  krait::ir::Launch launch;
  launch.block[0] = 32;
  run(*recorded, launch, values, flags, found);
  EXPECT_EQ(found, std::vector<int>(32, 7));
  EXPECT_EQ(flags[0], 64);
}

TEST(dsl_snippets, streaming) {
  std::vector<float> from(64, 2.0f), to(64);
  const auto recorded = record([](kr::view<const float> x, kr::view<float> y) {
    // [streaming]
    for (auto i : kr::grid_stride(y.size())) kr::store_streaming(y[i], 0.5f * kr::load_streaming(x[i]));
    // [/streaming]
  });
  run(*recorded, krait::ir::Launch{}, from, to);
  EXPECT_EQ(to, std::vector<float>(64, 1.0f));
}

TEST(dsl_snippets, random) {
  std::vector<float> out(8 * 3);
  const auto recorded = record([](kr::view<float> y) {
    constexpr int seed = 42;
    // [random]
    auto i = kr::grid();
    for (auto draw : kr::range(2)) {
      auto random = kr::philox(seed, i, draw);           // four words: a function of seed, stream and draw
      auto u = random.uniform_float(0);                  // in [0, 1), from the first word
      auto die = random.below(1, 6) + 1u;                // 1 to 6, from the second
      auto [a, b] = random.normal_float(1);              // from the last two
      y[i] = y[i] + u * kr::cast<float>(die) + a * b;
    }
    // [/random]
  });
  krait::ir::Module m = recorded->module;
  m.kernel().fp = krait::ir::FpMode::Strict;
  ASSERT_EQ(krait::passes::run_pipeline(m, {krait::support::TargetKind::Interpreter}), "");
  krait::ir::Launch launch;
  launch.block[0] = 24;
  const krait::ir::Argument argument_of_out[] = {argument(out)};
  ASSERT_EQ(krait::ir::interpret(m, launch, argument_of_out), "");
  for (int i = 0; i < 24; ++i) {  // the host computes the same
    float sum = 0;
    for (int draw = 0; draw < 2; ++draw) {
      const auto random = kr::philox(42, i, draw);
      const auto [a, b] = random.normal_float(1);
      sum = sum + random.uniform_float(0) * float(random.below(1, 6) + 1u) + a * b;
    }
    EXPECT_EQ(out[std::size_t(i)], sum);
  }
}

TEST(dsl_snippets, generators) {
  std::vector<kr::xoroshiro_state> held(4);
  kr::fill_xoroshiro_states(held, 7);
  const auto before = held;
  std::vector<float> out(4);
  const auto recorded = record([](kr::view<kr::xoroshiro_state> states, kr::view<float> y) {
    constexpr int seed = 42;
    // [generators]
    auto i = kr::thread_idx().x;
    kr::xoroshiro random(states[i]);                     // a state of Numba's create_xoroshiro128p_states
    auto noise = random.uniform_float();
    auto words = kr::threefry(seed, i);                  // as philox, but without multiplications
    auto u = kr::sobol(i, 0).uniform_float(), v = kr::sobol(i, 1).uniform_float();
    y[i] = noise + words.uniform_float(0) + u * v;
    states[i] = random.state();                          // the next launch continues here
    // [/generators]
  });
  krait::ir::Launch launch;
  launch.block[0] = 4;
  run(*recorded, launch, held, out);
  for (int i = 0; i < 4; ++i) {
    kr::xoroshiro random(before[std::size_t(i)]);
    const float u = kr::sobol(i, 0).uniform_float(), v = kr::sobol(i, 1).uniform_float();
    EXPECT_EQ(out[std::size_t(i)], random.uniform_float() + kr::threefry(42, i).uniform_float(0) + u * v);
    EXPECT_TRUE(held[std::size_t(i)] == random.state());
  }
}

TEST(dsl_snippets, hints) {
  std::vector<int> out{-3, 1, -2, 7};
  run_one([](kr::view<int> x) {
    const auto n = x.size();
    for (auto i : kr::range(n)) {
      // [hints]
      kr::assume(n % 4 == 0);                                    // a promise
      kr::if_(kr::unlikely(x[i] < 0), [&] { x[i] = 0; });        // a hint
      // [/hints]
    }
  }, out);
  EXPECT_EQ(out, (std::vector<int>{0, 1, 0, 7}));
}

TEST(dsl_snippets, clock) {
  std::vector<float> out(1);
  std::vector<std::int64_t> counted(1);
  run_one([](kr::view<float> y, kr::view<std::int64_t> cycles) {
    kr::var sum = 1.0f;
    // [clock]
    auto start = kr::clock();
    for (auto i : kr::range(100)) sum = kr::sqrt(sum + kr::cast<float>(i));
    y[0] = sum;
    cycles[0] = kr::clock() - start;
    // [/clock]
  }, out, counted);
  EXPECT_EQ(counted[0], 1);  // in the interpreter reads are counted
}

TEST(dsl_snippets, traps) {
  std::vector<float> out{1, 2, 3};
  run_one([](kr::view<float> y) {
    const bool flag = true;
    auto v = y[0];
    // [traps]
    auto a = flag ? v : kr::value(0.f);            // not `flag ? v : 0.f`: the sides need one type
    auto t = y[1];                                 // a copy of the element, not a reference to it
    y[1] = t + a;                                  // assign to y[1] itself
    auto next = y[2];
    auto sum = t + next;                           // give operands with side effects names: C++ does not order them
    // [/traps]
    y[2] = sum;
  }, out);
  EXPECT_EQ(out, (std::vector{1.0f, 3.0f, 5.0f}));
}

}  // namespace
