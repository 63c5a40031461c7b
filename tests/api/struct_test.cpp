// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain structs in kernels: found members, host layout, arguments by value, elements of views,
// padding that stays as it is.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

using float3 = kr::vec<float, 3>;
enum class kind : std::uint8_t { dust, star, hole };
enum plain_kind { one = 1, two = 2 };

struct flags {
  bool alive;
  std::int8_t level;
  kr::f16 heat;
};
struct particle {
  float3 position;
  float mass;
  flags state;
  double energy;
  kind what;
  float m[2][3];
  std::array<std::int64_t, 2> ids;
};

static_assert(kr::detail::member_count<flags> == 3 && kr::detail::member_count<particle> == 7);
static_assert(kr::detail::leaf_count<particle> == 3 + 1 + 3 + 1 + 1 + 6 + 2);

/// Bytes that no member covers hold a pattern.
std::vector<particle> patterned(std::size_t n) {
  std::vector<particle> all(n);
  std::memset(static_cast<void*>(all.data()), 0xa5, n * sizeof(particle));
  for (std::size_t i = 0; i < n; ++i) {
    particle& p = all[i];
    const auto f = float(i);
    p.position = {f, f + 1, f + 2}, p.mass = 2 * f, p.energy = 0.5 * f, p.what = kind(i % 3);
    p.state = {i % 2 == 0, std::int8_t(i), kr::f16(f)};
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 3; ++c) p.m[r][c] = f + float(10 * r + c);
    p.ids = {std::int64_t(i) << 40, -std::int64_t(i)};
  }
  return all;
}

TEST(Struct, LayoutIsTheHosts) {
  const kr::detail::leaf_list<particle> leaves;
  EXPECT_EQ(leaves.at[2].offset, offsetof(particle, position) + 8);
  EXPECT_EQ(leaves.at[3].offset, offsetof(particle, mass));
  EXPECT_EQ(leaves.at[6].offset, offsetof(particle, state) + offsetof(flags, heat));
  EXPECT_EQ(leaves.at[7].offset, offsetof(particle, energy));
  EXPECT_EQ(leaves.at[8].offset, offsetof(particle, what));
  EXPECT_EQ(leaves.at[12].offset, offsetof(particle, m) + 12);
  EXPECT_EQ(leaves.at[16].offset, offsetof(particle, ids) + 8);
}

TEST(Struct, MembersAreBoundAndNamed) {
  auto kernel = kr::kernel([](kr::view<particle> ps, kr::view<double> out) {
    for (auto i : kr::grid_stride(ps.size())) {
      auto [position, mass, state, energy, what, m, ids] = ps[i];
      out[i] = position.x + mass + kr::select(state[&flags::alive], 1.0f, 0.0f) +
               state[&flags::level] + state[&flags::heat] + energy +
               kr::select(what == kind::star, 100, 0) + m[1][2] + kr::cast<double>(ids[0] >> 40) +
               kr::cast<double>(ids[1]);
      ps[i][&particle::mass] = 1.5f * mass;
      ps[i][&particle::position].y += 1;
      ps[i][&particle::state][&flags::alive] = !state[&flags::alive];
      ps[i][&particle::what] = kind::hole;
      ps[i][&particle::m][0][1] = -1;
      ps[i][&particle::ids][1] -= 1;
    }
  });
  std::vector<particle> ps = patterned(100), expected = ps;
  std::vector<double> out(100), sums(100);
  for (std::size_t i = 0; i < ps.size(); ++i) {
    particle& p = expected[i];
    sums[i] = double(p.position.x + p.mass + (p.state.alive ? 1.0f : 0.0f) + float(p.state.level) +
                     float(p.state.heat)) +
              p.energy + (p.what == kind::star ? 100 : 0) + double(p.m[1][2]) +
              double(p.ids[0] >> 40) + double(p.ids[1]);
    p.mass *= 1.5f, p.position.y += 1, p.state.alive = !p.state.alive, p.what = kind::hole,
                                       p.m[0][1] = -1, p.ids[1] -= 1;
  }
  kernel.forall(100)(ps, out);
  EXPECT_EQ(out, sums);
  EXPECT_EQ(std::memcmp(ps.data(), expected.data(), ps.size() * sizeof(particle)), 0)
      << "a byte that is no written member changed";
}

TEST(Struct, WholeElementsAreCopiedWithoutTheirPadding) {
  auto kernel = kr::kernel([](kr::view<const particle> from, kr::view<particle> to) {
    for (auto i : kr::grid_stride(to.size())) {
      kr::var p = from[i];
      p[&particle::energy] += 1;
      p[&particle::m][1][1] = 8;
      auto& [position, mass, state, energy, what, m, ids] = p;
      mass = energy;
      to[i] = p;
    }
  });
  const std::vector<particle> from = patterned(33);
  std::vector<particle> to(33);
  std::memset(static_cast<void*>(to.data()), 0x5a, to.size() * sizeof(particle));
  kernel.forall(33)(from, to);
  for (std::size_t i = 0; i < to.size(); ++i) {
    EXPECT_EQ(to[i].position.z, from[i].position.z);
    EXPECT_EQ(to[i].mass, float(from[i].energy + 1));
    EXPECT_EQ(to[i].energy, from[i].energy + 1);
    EXPECT_EQ(to[i].state.alive, from[i].state.alive);
    EXPECT_EQ(to[i].state.heat.bits(), from[i].state.heat.bits());
    EXPECT_EQ(to[i].what, from[i].what);
    EXPECT_EQ(to[i].m[1][1], 8.0f);
    EXPECT_EQ(to[i].m[1][2], from[i].m[1][2]);
    EXPECT_EQ(to[i].ids, from[i].ids);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&to[i]);
    EXPECT_EQ(bytes[offsetof(particle, what) + 1], 0x5a) << "padding";
  }
}

struct settings {
  float gain;
  plain_kind which;
  bool add;
  kr::vec<int, 2> shift;
  std::uint16_t table[5];
};

TEST(Struct, ArgumentsByValue) {
  const settings s{2.5f, two, true, {3, -4}, {10, 20, 30, 40, 50}};
  const auto body = [](kr::value<settings> given, kr::view<float> out) {
    for (auto i : kr::grid_stride(out.size())) {
      auto [gain, which, add, shift, table] = given;
      out[i] = gain * kr::cast<float>(i) + which + kr::select(add, shift.x, shift.y) + table[i % 5];
    }
  };
  const auto expect = [&](const std::vector<float>& out, const settings& with) {
    for (std::size_t i = 0; i < out.size(); ++i)
      EXPECT_EQ(out[i], with.gain * float(i) + float(with.which) +
                            float(with.add ? with.shift.x : with.shift.y) +
                            float(with.table[i % 5]));
  };
  auto declared = kr::kernel(body);
  auto generic = kr::kernel([body](auto given, auto to) { body(given, to); });
  std::vector<float> out(20);
  declared.forall(20)(s, out);
  expect(out, s);
  settings other = s;
  other.add = false, other.table[4] = 0;
  generic.forall(20)(other, out);
  expect(out, other);
  generic.forall(20)(s, out);
  expect(out, s);
}

TEST(Struct, ElementWise) {
  struct pair {
    float low, high;
  };
  const auto order =
      kr::vectorize([](auto x, auto y) { return kr::value<pair>(kr::min(x, y), kr::max(x, y)); });
  const std::vector<float> x{1, 5, 3}, y{2, 4, 3};
  const std::vector<pair> pairs = order(x, y);
  EXPECT_EQ(pairs[1].low, 4.0f);
  EXPECT_EQ(pairs[1].high, 5.0f);
  const auto width =
      kr::vectorize([](kr::value<pair> p) { return p[&pair::high] - p[&pair::low]; });
  EXPECT_EQ(width(pairs), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(width(pair{1, 10}), 9.0f);
  const pair single = order(3.0f, 2.0f);
  EXPECT_EQ(single.low, 2.0f);
}

TEST(Struct, EnumerationsKeepTheirType) {
  std::vector<kind> kinds{kind::dust, kind::star, kind::hole};
  const auto next = kr::vectorize([](auto k) {
    return kr::select(k == kind::hole, kind::dust, kr::cast<kind>(kr::cast<int>(k) + 1));
  });
  EXPECT_EQ(next(kinds), (std::vector<kind>{kind::star, kind::hole, kind::dust}));
  EXPECT_EQ(next(kind::star), kind::hole);
  auto kernel = kr::kernel([](kr::view<const kind> in, kr::view<int> out, kr::value<kind> wanted) {
    for (auto i : kr::grid_stride(out.size())) {
      kr::var which = in[i];
      kr::switch_(which).case_(kind::dust, [&] { out[i] = 1; }).case_(kind::star, kind::hole, [&] {
        out[i] = 2;
      });
      kr::if_(which == wanted, [&] { out[i] += 10; });
      kr::if_(which > kind::star, [&] { out[i] += 100; });
    }
  });
  std::vector<int> out(3);
  kernel.forall(3)(kinds, out, kind::star);
  EXPECT_EQ(out, (std::vector<int>{1, 12, 102}));
  const auto sum = kr::vectorize([](auto k, auto n) { return k + n; });
  EXPECT_EQ(sum(two, 40), 42);  // an unscoped enumeration is promoted, as in C++
}

TEST(Struct, SharedAndLocalArrays) {
  auto kernel = kr::kernel([](kr::view<particle> ps) {
    auto tile = kr::shared<particle, 16>();
    auto own = kr::local<flags, 3>();
    const auto t = kr::thread_idx().x;
    tile[t] = ps[t];
    own[t % 3] = ps[t][&particle::state];
    own[1][&flags::level] += 1;
    kr::syncthreads();
    ps[t][&particle::mass] = tile[15 - t][&particle::mass];
    ps[t][&particle::what] = tile[15 - t][&particle::what];
    ps[t][&particle::state] = own[t % 3];
    ps[t][&particle::m][1][0] = tile[(t + 1) % 16][&particle::m][1][2];
  });
  std::vector<particle> ps = patterned(16), expected = ps;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::vector<particle> old = patterned(16);
    expected[i].mass = old[15 - i].mass, expected[i].what = old[15 - i].what;
    if (i % 3 == 1) expected[i].state.level += 1;
    expected[i].m[1][0] = old[(i + 1) % 16].m[1][2];
  }
  kernel.launch({1, 16}, ps);
  EXPECT_EQ(std::memcmp(ps.data(), expected.data(), ps.size() * sizeof(particle)), 0);
}

TEST(Struct, AtomicsOnMembers) {
  struct cell {
    char name[3];
    int count;
    float weight;
  };
  auto kernel = kr::kernel([](kr::view<cell> cells) {
    const auto i = kr::grid();
    kr::atomic(cells[i % 2][&cell::count]).add(1);
    kr::atomic(cells[0][&cell::weight]).max(kr::cast<float>(i));
  });
  std::vector<cell> cells{{"a", 5, 0}, {"b", 6, 0}};
  kernel.launch({4, 32}, cells);
  EXPECT_EQ(cells[0].count, 69);
  EXPECT_EQ(cells[1].count, 70);
  EXPECT_EQ(cells[0].weight, 127.0f);
  EXPECT_STREQ(cells[1].name, "b");
}

TEST(Struct, ManyDimensionsAndStrides) {
  auto kernel = kr::kernel([](kr::view<flags, 2> f) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < f.extent(0) && x < f.extent(1),
            [&, x = x, y = y] { f(y, x)[&flags::level] = kr::cast<std::int8_t>(10 * y + x); });
  });
  kr::array<flags, 2> f({3, 5});
  f.copy_from(std::vector<flags>(15, flags{true, 0, kr::f16(1)}));
  kernel.launch({{1, 1}, {8, 4}}, f);
  const std::vector<flags> back = f.to_host();
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_EQ(back[std::size_t(5 * y + x)].level, 10 * y + x);
  EXPECT_TRUE(back[7].alive);
}

TEST(Struct, HundredsByValue) {
  struct table {
    float entries[200];
  };
  auto t = std::make_unique<table>();
  for (int i = 0; i < 200; ++i) t->entries[i] = float(i * i % 77);
  auto kernel = kr::kernel([](kr::value<table> all, kr::view<float> to) {
    to[0] = all[&table::entries][199] + all[&table::entries][3];
  });
  std::vector<float> out(1);
  kernel.launch({1, 1}, *t, out);
  EXPECT_EQ(out[0], t->entries[199] + 9);
}

struct mixed {
  std::uint8_t kind;
  float weights[4][3];
  std::array<particle, 5> bodies;
  std::int16_t counts[7];
  bool flags[3];
};

TEST(Struct, ByValueUpTo4096Bytes) {
  struct full {
    double head;
    std::array<float, 1022> entries;
  };
  static_assert(sizeof(full) == 4096);
  auto t = std::make_unique<full>();
  t->head = 0.5;
  for (int i = 0; i < 1022; ++i) t->entries[std::size_t(i)] = float(i * i % 977);
  auto kernel = kr::kernel([](kr::value<full> all, kr::view<const int> at, kr::view<float> to) {
    for (auto i : kr::grid_stride(to.size()))
      to[i] = all[&full::entries][at[i]] + all[&full::entries][1021] +
              kr::cast<float>(all[&full::head]);
  });
  std::vector<int> at(2000);
  for (int i = 0; i < 2000; ++i) at[std::size_t(i)] = i * 31 % 1022;
  std::vector<float> out(2000);
  for (int round = 0; round < 2; ++round) {
    t->entries[5] += 100;
    kernel.forall(2000)(*t, at, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], t->entries[std::size_t(at[i])] + t->entries[1021] + 0.5f);
  }
}

TEST(Struct, BeyondTheLimitIsRefused) {
  struct large {
    float entries[1025];
  };
  auto t = std::make_unique<large>();
  auto kernel =
      kr::kernel([](kr::value<large> all, kr::view<float> to) { to[0] = all[&large::entries][0]; },
                 {.name = "greedy"});
  std::vector<float> out(1);
  expect_usage(
      {"kernel greedy", "struct_test.cpp",
       "kernel {}: 4100 bytes of numbers and structs are passed by value; the limit is 4096: pass large ones as an array"},
      [&] {
        kernel.launch({1, 1}, *t, out);
      });
}

TEST(Struct, StdArrayByValueWithTracedIndices) {
  auto kernel = kr::kernel([](kr::value<std::array<int, 3>> small,
                              kr::value<std::array<std::array<double, 8>, 4>> table,
                              kr::value<mixed> m, kr::view<double> to) {
    for (auto i : kr::grid_stride(to.size())) {
      auto body = m[&mixed::bodies][i % 5];
      auto [position, mass, state, energy, what, matrix, ids] = body;
      to[i] = small[i % 3] + small[2] + table[i % 4][i % 8] + m[&mixed::kind] +
              m[&mixed::weights][i % 4][i % 3] + position.y + mass +
              kr::select(state[&flags::alive], 1000.0, 0.0) + energy + matrix[i % 2][2] +
              kr::cast<double>(ids[i % 2]) + m[&mixed::counts][i % 7] +
              kr::select(m[&mixed::flags][i % 3], 0.25, 0.0) + kr::cast<int>(what);
    }
  });
  const std::array<int, 3> small{10, -20, 30};
  std::array<std::array<double, 8>, 4> table;
  mixed m{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 8; ++c) table[r][c] = double(100 * r + c);
  m.kind = 200;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 3; ++c) m.weights[r][c] = float(r * 3 + c) / 2;
  const std::vector<particle> bodies = patterned(5);
  for (std::size_t i = 0; i < 5; ++i) m.bodies[i] = bodies[i];
  for (int i = 0; i < 7; ++i) m.counts[i] = std::int16_t(-300 * i);
  m.flags[1] = true;
  std::vector<double> out(100);
  kernel.forall(100)(small, table, m, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const particle& p = m.bodies[i % 5];
    const double expected = small[i % 3] + small[2] + table[i % 4][i % 8] + m.kind +
                            double(m.weights[i % 4][i % 3]) + double(p.position.y) +
                            double(p.mass) + (p.state.alive ? 1000.0 : 0.0) + p.energy +
                            double(p.m[i % 2][2]) + double(p.ids[i % 2]) + m.counts[i % 7] +
                            (m.flags[i % 3] ? 0.25 : 0.0) + int(p.what);
    ASSERT_NEAR(out[i], expected, 1e-3 * std::abs(expected)) << i;
  }
}

TEST(Struct, LengthsOfSharedArraysFromAnArgument) {
  struct plan {
    float gain;
    int extents[2];
  };
  auto kernel = kr::kernel([](kr::value<plan> p, kr::view<float> to) {
    auto tile = kr::dynamic_shared<float>(p[&plan::extents][1] * 2);
    const auto t = kr::thread_idx().x;
    tile[t] = p[&plan::gain] * kr::cast<float>(t);
    kr::syncthreads();
    // an argument is equal in all threads
    kr::if_(p[&plan::extents][0] == 3, [&] { kr::syncthreads(); });
    to[t] = tile[15 - t] + kr::cast<float>(tile.size());
  });
  std::vector<float> out(16);
  kernel.launch({1, 16}, plan{2.0f, {3, 8}}, out);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], 2.0f * float(15 - i) + 16);
}

TEST(Struct, TracedIndicesIntoMembersAreWritten) {
  auto kernel = kr::kernel([](kr::view<particle> ps, kr::value<int> row) {
    for (auto i : kr::grid_stride(ps.size())) {
      ps[i][&particle::m][row][i % 3] = kr::cast<float>(100 + i);
      ps[i][&particle::m][1 - row][i % 3] *= 2;
      ps[i][&particle::ids][i % 2] += 7;
      kr::var p = ps[i];
      p[&particle::m][row][(i + 1) % 3] = p[&particle::m][row][i % 3] + 1;
      p[&particle::ids][i % 2] = p[&particle::ids][(i + 1) % 2];
      p[&particle::ids][1] -= i;
      ps[i] = p;
    }
  });
  std::vector<particle> ps = patterned(50), expected = ps;
  for (std::size_t i = 0; i < 50; ++i) {
    particle& p = expected[i];
    p.m[1][i % 3] = float(100 + i), p.m[0][i % 3] *= 2, p.ids[i % 2] += 7;
    p.m[1][(i + 1) % 3] = p.m[1][i % 3] + 1, p.ids[i % 2] = p.ids[(i + 1) % 2],
                     p.ids[1] -= std::int64_t(i);
  }
  kernel.forall(50)(ps, 1);
  EXPECT_EQ(std::memcmp(ps.data(), expected.data(), ps.size() * sizeof(particle)), 0);
}

template <class T, std::size_t N>
struct record {
  T v[N];
};

/// Whole elements of 16 to 64 bytes and more: at the thread's own place, at any other, with some
/// threads left out.
template <class T, std::size_t N>
void move_records() {
  using R = record<T, N>;
  constexpr int n = 203;  // no multiple of a gang
  auto kernel = kr::kernel(
      [](kr::view<R> own, kr::view<const R> from, kr::view<R> to, kr::view<const int> places) {
        for (auto i : kr::grid_stride(own.size())) {
          kr::var a = own[i];
          kr::var b = from[places[i]];
          for (std::size_t k = 0; k < N; ++k) a[&R::v][k] = a[&R::v][k] + b[&R::v][N - 1 - k];
          own[i] = a;
          kr::if_(a[&R::v][0] > b[&R::v][0] + T(20), [&] {
            to[places[i]] = b;
            own[i][&R::v][1] = b[&R::v][2];
          }).else_([&] { to[places[i]] = a; });
        }
      });
  std::vector<R> own(n), from(n), to(n);
  std::vector<int> places(n);
  for (int i = 0; i < n; ++i) {
    places[std::size_t(i)] = (i * 90 + 7) % n;
    for (std::size_t k = 0; k < N; ++k)
      own[std::size_t(i)].v[k] = T(i % 41 + int(k)),
      from[std::size_t(i)].v[k] = T(3 * (i % 17) + 2 * int(k));
  }
  std::vector<R> own_expected = own, to_expected = to;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = std::size_t(places[i]);
    R& a = own_expected[i];
    const R b = from[at];
    for (std::size_t k = 0; k < N; ++k) a.v[k] += b.v[N - 1 - k];
    to_expected[at] = a.v[0] > b.v[0] + T(20) ? b : a;
    if (a.v[0] > b.v[0] + T(20)) a.v[1] = b.v[2];
  }
  kernel.forall(n)(own, from, to, places);
  EXPECT_EQ(std::memcmp(own.data(), own_expected.data(), n * sizeof(R)), 0)
      << N << " of " << sizeof(T) << " bytes";
  EXPECT_EQ(std::memcmp(to.data(), to_expected.data(), n * sizeof(R)), 0)
      << N << " of " << sizeof(T) << " bytes";
}

TEST(Struct, RecordsOfManySizes) {
  move_records<float, 3>(), move_records<float, 4>(), move_records<std::int32_t, 5>(),
      move_records<float, 10>();
  move_records<std::uint32_t, 16>(), move_records<float, 17>();
  move_records<std::int64_t, 3>(), move_records<std::uint64_t, 5>(),
      move_records<std::int64_t, 8>();
  move_records<std::int16_t, 8>(), move_records<std::int16_t, 12>();
}

}  // namespace
