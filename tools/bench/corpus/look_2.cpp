// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second dozen of the first look, under the rule that look_1.cpp states and from the forms that
// its draw left of the list there.
//
// Drawn: 12, 19, 23, 26, 32, 39, 42, 43, 54, 56, 64, 76.
#include <krait/complex.h>

#include <array>
#include <complex>
#include <cstdint>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using float3 = kr::vec<float, 3>;
using float4 = kr::vec<float, 4>;
using uint2 = kr::vec<unsigned, 2>;

// A flow's momentum without its pressure, by central differences of which a part is upwind. The
// index along a wall at the left is the contiguous one; the outermost cells are the walls.
Work cavity(Size size) {
  struct cell_size {
    double x, y;
  };
  static const auto horizontal = kr::kernel(
      [](kr::view<const double, 2> u, kr::view<const double, 2> v, kr::view<double, 2> f,
         kr::value<cell_size> cell, kr::value<double> dt, kr::value<double> reynolds,
         kr::value<double> mix) {
        auto [dx, dy] = cell;
        auto [down, across] = kr::grid<2>();
        auto j = down + 1, i = across + 1, n = u.extent(0) - 2;
        kr::if_(i == n, [&] {
          f(0, j) = u(0, j);
          f(n, j) = u(n, j);
        }).else_([&] {
          auto here = u(i, j), west = u(i - 1, j), east = u(i + 1, j);
          auto south = u(i, j - 1), north = u(i, j + 1);
          auto right = here + east, left = west + here;
          auto du2dx = (right * right - left * left +
                        mix * (kr::abs(right) * (here - east) - kr::abs(left) * (west - here))) /
                       (4.0 * dx);
          auto above = v(i, j) + v(i + 1, j), below = v(i, j - 1) + v(i + 1, j - 1);
          auto duvdy = (above * (here + north) - below * (south + here) +
                        mix * (kr::abs(above) * (here - north) - kr::abs(below) * (south - here))) /
                       (4.0 * dy);
          auto d2udx2 = (east - 2.0 * here + west) / (dx * dx);
          auto d2udy2 = (north - 2.0 * here + south) / (dy * dy);
          f(i, j) = here + dt * ((d2udx2 + d2udy2) / reynolds - du2dx - duvdy);
        });
      },
      {.name = "cavity_horizontal"});
  static const auto vertical = kr::kernel(
      [](kr::view<const double, 2> u, kr::view<const double, 2> v, kr::view<double, 2> g,
         kr::value<cell_size> cell, kr::value<double> dt, kr::value<double> reynolds,
         kr::value<double> mix) {
        auto [dx, dy] = cell;
        auto [down, across] = kr::grid<2>();
        auto j = down + 1, i = across + 1, n = v.extent(0) - 2;
        kr::if_(j == n, [&] {
          g(i, 0) = v(i, 0);
          g(i, n) = v(i, n);
        }).else_([&] {
          auto here = v(i, j), west = v(i - 1, j), east = v(i + 1, j);
          auto south = v(i, j - 1), north = v(i, j + 1);
          auto above = here + north, below = south + here;
          auto dv2dy = (above * above - below * below +
                        mix * (kr::abs(above) * (here - north) - kr::abs(below) * (south - here))) /
                       (4.0 * dy);
          auto right = u(i, j) + u(i, j + 1), left = u(i - 1, j) + u(i - 1, j + 1);
          auto duvdx = (right * (here + east) - left * (west + here) +
                        mix * (kr::abs(right) * (here - east) - kr::abs(left) * (west - here))) /
                       (4.0 * dx);
          auto d2vdx2 = (east - 2.0 * here + west) / (dx * dx);
          auto d2vdy2 = (north - 2.0 * here + south) / (dy * dy);
          g(i, j) = here + dt * ((d2vdx2 + d2vdy2) / reynolds - duvdx - dv2dy);
        });
      },
      {.name = "cavity_vertical"});
  const int n = size(1024, 4096), side = n + 2;
  const double step = 1.0 / n, dt = 0.2 * step, reynolds = 1000, mix = 0.9;
  auto u = upload<double, 2>(numbers<double>(std::size_t(side) * side, -1, 1), side, side);
  auto v = upload<double, 2>(numbers<double>(std::size_t(side) * side, -1, 1, 2), side, side);
  auto f = make_array<double, 2>(side, side), g = make_array<double, 2>(side, side);
  return {[=] {
            const cell_size cell{step, step};
            const kr::launch_config shape{{n / 128, n}, {128, 1}};
            horizontal.launch(shape, *u, *v, *f, cell, dt, reynolds, mix);
            vertical.launch(shape, *u, *v, *g, cell, dt, reynolds, mix);
          },
          CORPUS_PEER(peer_cavity, raw(u), raw(v), raw(f), raw(g), step, dt, reynolds, mix, n),
          output(f) + output(g)};
}

struct slot {
  unsigned key, payload;
};
constexpr unsigned empty_key = 0, no_match = ~0u;
/// The last step of MurmurHash3.
template <class Word>
auto mixed(Word word) {
  auto a = (word ^ (word >> 16)) * 0x85ebca6bu;
  auto b = (a ^ (a >> 13)) * 0xc2b2ae35u;
  return b ^ (b >> 16);
}

// Each row gets the payload of its key; half of them find none.
Work hash_join(Size size) {
  static const auto probe = kr::kernel(
      [](kr::view<const slot> table, kr::view<const unsigned> rows, kr::view<unsigned> joined) {
        auto i = kr::grid();
        kr::if_(i < rows.size(), [&] {
          auto key = rows[i];
          auto last = kr::cast<unsigned>(table.size() - 1);
          kr::var at = mixed(key) & last;
          kr::var<unsigned> found = no_match;
          kr::while_([&] { return table[at][&slot::key] != empty_key; },
                     [&] {
                       auto [held, payload] = table[at];
                       kr::if_(held == key, [&] {
                         found = payload;
                         kr::break_();
                       });
                       at = (at + 1u) & last;
                     });
          joined[i] = found;
        });
      },
      {.name = "hash_join"});
  const unsigned slots = size(1 << 19, 1 << 24), keys = slots / 2;
  const int n = size(1 << 20, 1 << 25);
  const auto key = [](unsigned number) { return 2654435761u * (number + 1); };
  std::vector<slot> filled(slots, {empty_key, 0});
  for (unsigned k = 0; k < keys; ++k) {
    unsigned at = mixed(key(k)) & (slots - 1);
    while (filled[at].key != empty_key) at = (at + 1) & (slots - 1);
    filled[at] = {key(k), k};
  }
  auto wanted = integers<unsigned>(n, 2L * keys);
  for (unsigned& w : wanted) w = key(w);
  auto table = upload(filled);
  auto rows = upload(wanted), joined = make_array<unsigned>(n);
  return {[=] { probe.launch(cover(n), *table, *rows, *joined); },
          CORPUS_PEER(peer_hash_join, raw<unsigned>(table), raw(rows), raw(joined), slots, n),
          output(joined), 0};
}

/// What AES-128 looks up: bytes of the S-box, the words to which they spread in a round, and the
/// words of the round keys.
struct Aes {
  static constexpr int rounds = 10;
  std::vector<unsigned char> box = std::vector<unsigned char>(256);
  std::vector<unsigned> spread = std::vector<unsigned>(4 * 256);
  std::vector<unsigned> keys = std::vector<unsigned>(4 * (rounds + 1));

  static unsigned product(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (; b; b >>= 1) {
      if (b & 1) sum ^= a;
      a = a << 1 ^ (a & 0x80 ? 0x11b : 0);
    }
    return sum;
  }
  explicit Aes(const std::array<unsigned, 4>& key) {
    const auto turned = [](unsigned byte, int by) { return (byte << by | byte >> (8 - by)) & 255; };
    for (unsigned a = 0; a < 256; ++a) {
      unsigned inverse = 0;
      while (a && product(a, inverse) != 1) ++inverse;
      unsigned to = 0x63;
      for (int by = 0; by < 5; ++by) to ^= turned(inverse, by);
      box[a] = static_cast<unsigned char>(to);
      const unsigned twice = product(to, 2),
                     column = twice | to << 8 | to << 16 | (twice ^ to) << 24;
      for (int row = 0; row < 4; ++row)
        spread[256 * row + a] = row ? column << (8 * row) | column >> (32 - 8 * row) : column;
    }
    std::copy(key.begin(), key.end(), keys.begin());
    unsigned constant = 1;
    for (std::size_t k = 4; k < keys.size(); ++k) {
      unsigned word = keys[k - 1];
      if (k % 4 == 0) {
        const unsigned next = word >> 8 | word << 24;
        word = constant;
        for (int byte = 0; byte < 4; ++byte)
          word ^= unsigned(box[next >> 8 * byte & 255]) << 8 * byte;
        constant = product(constant, 2);
      }
      keys[k] = keys[k - 4] ^ word;
    }
  }
};

// A thread per column of four bytes, four threads per block of 16.
Work aes(Size size) {
  static const auto encrypt = kr::kernel(
      [](kr::view<const unsigned, 2> text, kr::view<const unsigned, 2> keys,
         kr::view<const unsigned, 2> spread, kr::view<const unsigned char> box,
         kr::view<unsigned, 2> out, kr::value<int> rounds) {
        auto state = kr::shared<unsigned, 4>();
        auto t = kr::thread_idx().y;
        auto block = kr::block_idx().y * kr::grid_dim().x + kr::block_idx().x;
        auto byte = [&](int row) { return (state[(t + row) % 4] >> (8 * row)) & 255u; };
        state[t] = text(block, t) ^ keys(0, t);
        kr::syncthreads();
        for (auto round : kr::range(1, rounds)) {
          kr::var column = keys(round, t);
          for (int row = 0; row < 4; ++row) column ^= spread(row, byte(row));
          kr::syncthreads();
          state[t] = column;
          kr::syncthreads();
        }
        kr::var column = keys(rounds, t);
        for (int row = 0; row < 4; ++row) column ^= kr::cast<unsigned>(box[byte(row)]) << (8 * row);
        out(block, t) = column;
      },
      {.name = "aes"});
  const int w = size(1024, 8192), h = w, n = w / 4 * (h / 4);
  const Aes tables({0x16157e2b, 0xa6d2ae28, 0x8815f7ab, 0x3c4fcf09});
  auto text = upload<unsigned, 2>(integers<unsigned>(std::size_t(n) * 4, 1L << 32), n, 4);
  auto keys = upload<unsigned, 2>(tables.keys, Aes::rounds + 1, 4),
       spread = upload<unsigned, 2>(tables.spread, 4, 256);
  auto box = upload(tables.box);
  auto out = make_array<unsigned, 2>(n, 4);
  return {
      [=] {
        encrypt.launch({{w / 4, h / 4}, {1, 4}}, *text, *keys, *spread, *box, *out, Aes::rounds);
      },
      CORPUS_PEER(peer_aes, raw(text), raw(keys), raw(spread), raw(box), raw(out), n, Aes::rounds),
      output(out), 0};
}

// Eight bytes per thread.
Work xtea(Size size) {
  static const auto encrypt = kr::kernel(
      [](kr::value<std::array<unsigned, 4>> key, kr::view<const uint2> text, kr::view<uint2> out) {
        auto i = kr::grid();
        kr::if_(i < text.size(), [&] {
          kr::var v = text[i];
          kr::var sum = 0u;
          for ([[maybe_unused]] auto cycle : kr::range(32)) {
            v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + key[sum & 3u]);
            sum += 0x9e3779b9u;
            v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + key[(sum >> 11) & 3u]);
          }
          out[i] = v;
        });
      },
      {.name = "xtea"});
  const int n = size(200000, 16000000);
  const std::array<unsigned, 4> key{0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210};
  std::vector<uint2> words(n);
  const auto random = integers<unsigned>(std::size_t(n) * 2, 1L << 32);
  for (int i = 0; i < n; ++i) words[i] = {random[2 * i], random[2 * i + 1]};
  auto text = upload(words), out = make_array<uint2>(n);
  return {[=] { encrypt.launch(cover(n), key, *text, *out); },
          CORPUS_PEER(peer_xtea, key.data(), raw<unsigned>(text), raw<unsigned>(out), n),
          output<unsigned>(out), 0};
}

// A vector per block, in steps of radix 4 as far as they go.
Work walsh(Size size) {
  static constexpr int points = 2048, threads = points / 4;
  static const auto transform = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out) {
        auto data = kr::shared<float, points>();
        auto vector = kr::block_idx().x, t = kr::thread_idx().x;
        for (int k = 0; k < points; k += threads) data[t + k] = in(vector, t + k);
        int stride = points / 4;
        for (; stride > 0; stride /= 4) {
          auto low = t % stride, first = (t - low) * 4 + low;
          kr::syncthreads();
          auto d0 = data[first], d1 = data[first + stride], d2 = data[first + 2 * stride],
               d3 = data[first + 3 * stride];
          auto even = d0 + d2, even_less = d0 - d2, odd = d1 + d3, odd_less = d1 - d3;
          data[first] = even + odd;
          data[first + stride] = even - odd;
          data[first + 2 * stride] = even_less + odd_less;
          data[first + 3 * stride] = even_less - odd_less;
        }
        kr::syncthreads();
        for (int k = 0; k < points / 2; k += threads) {
          auto first = 2 * (t + k);
          auto a = data[first], b = data[first + 1];
          data[first] = a + b;
          data[first + 1] = a - b;
        }
        kr::syncthreads();
        for (int k = 0; k < points; k += threads) out(vector, t + k) = data[t + k];
      },
      {.name = "walsh"});
  const int n = size(1024, 65536);
  auto in = upload<float, 2>(numbers(std::size_t(n) * points, -1, 1), n, points);
  auto out = make_array<float, 2>(n, points);
  return {[=] {
            transform.launch({n, threads}, *in, *out);
          },
          CORPUS_PEER(peer_walsh, raw(in), raw(out), n, points), output(out)};
}

/// A price whose variance is random, too.
struct heston_model {
  float spot, strike, rate, variance, speed, mean, spread, correlation;
};

// A path per thread, with its own xorshift generator. Where a step makes the variance negative, the
// next one takes 0 for it.
Work heston(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<heston_model> model, kr::value<int> steps, kr::value<float> dt,
         kr::view<float> payoff) {
        auto i = kr::grid();
        kr::if_(i < payoff.size(), [&] {
          auto [spot, strike, rate, start, speed, mean, spread, correlation] = model;
          kr::var state = mixed(kr::cast<unsigned>(i) + 1u);
          auto uniform = [&] {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            return (kr::cast<float>(state >> 8) + 0.5f) * 0x1p-24f;
          };
          auto rest = kr::sqrt(1.0f - correlation * correlation);
          kr::var log_price = kr::log(spot), variance = start;
          for ([[maybe_unused]] auto step : kr::range(steps)) {
            auto u = uniform(), turn = uniform();
            auto radius = kr::sqrt(-2.0f * kr::log(u));
            auto [sine, cosine] = kr::sincos(6.2831853f * turn);
            auto z = radius * cosine, own = correlation * z + rest * radius * sine;
            auto now = kr::max(variance, 0.0f);
            auto deviation = kr::sqrt(now * dt);
            log_price += (rate - 0.5f * now) * dt + deviation * z;
            variance += speed * (mean - now) * dt + spread * deviation * own;
          }
          auto price = kr::exp(log_price);
          payoff[i] = kr::exp(-rate * dt * kr::cast<float>(steps)) * kr::max(price - strike, 0.0f);
        });
      },
      {.name = "heston"});
  const int n = size(4096, 500000), steps = size(50, 200);
  const heston_model model{100, 100, 0.03f, 0.04f, 1.5f, 0.04f, 0.3f, -0.6f};
  const float dt = 1.0f / float(steps);
  auto payoff = make_array<float>(n);
  return {[=] { kernel.launch(cover(n, 128), model, steps, dt, *payoff); },
          CORPUS_PEER(peer_heston, &model.spot, steps, dt, raw(payoff), n), output(payoff), 1e-3};
}

// Each cell lists its particles in the order in which they come.
Work cell_lists(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float4> positions, kr::value<float3> origin, kr::value<float> width,
         kr::value<int> side, kr::view<int> counts, kr::view<int, 2> lists) {
        auto i = kr::grid();
        kr::if_(i < positions.size(), [&] {
          auto place = (kr::swizzle<"xyz">(positions[i]) - origin) / width;
          auto at = kr::clamp(kr::cast<int>(kr::floor(place)), 0, side - 1);
          auto cell = (at.z * side + at.y) * side + at.x;
          auto before = kr::atomic(counts[cell]).add(1);
          kr::if_(before < lists.extent(1), [&] { lists(cell, before) = kr::cast<int>(i); });
        });
      },
      {.name = "cell_lists"});
  const int n = size(500000, 8000000), side = size(64, 128), room = size(16, 32),
            cells = side * side * side;
  const float width = 2.0f / float(side);
  const auto random = numbers(std::size_t(n) * 3, -1, 1);
  std::vector<float4> particles(n);
  for (std::size_t i = 0; i < particles.size(); ++i)
    particles[i] = {random[3 * i], random[3 * i + 1], random[3 * i + 2], 1};
  auto positions = upload(particles);
  auto counts = make_array<int>(cells);
  auto lists = make_array<int, 2>(cells, room);
  Output listed = output(lists);
  // Which particle comes first is left to chance.
  listed.read = [=, read = listed.read] {
    auto host = read();
    int* all = static_cast<kr::host_array<int>*>(host.get())->data();
    for (int c = 0; c < cells; ++c) std::sort(all + c * room, all + (c + 1) * room);
    return host;
  };
  return {[=] {
            counts->fill(0);
            kernel.launch(cover(n), *positions, float3{-1, -1, -1}, width, side, *counts, *lists);
          },
          CORPUS_PEER(peer_cell_lists, raw<float>(positions), -1.0f, width, side, raw(counts),
                      raw(lists), room, n),
          output(counts) + listed, 0};
}

// Four links of each site of a lattice, each by its own matrix: a thread per element of a product.
Work su3(Size size) {
  using complex = std::complex<double>;
  static const auto kernel = kr::kernel(
      [](kr::view<const complex, 4> a, kr::view<const complex, 3> b, kr::view<complex, 4> c) {
        auto thread = kr::grid();
        auto site = thread / 36;
        kr::if_(site < a.extent(0), [&] {
          auto link = thread % 36 / 9, row = thread % 9 / 3, column = thread % 3;
          kr::var sum = complex(0);
          for (int m = 0; m < 3; ++m) sum += a(site, link, row, m) * b(link, m, column);
          c(site, link, row, column) = sum;
        });
      },
      {.name = "su3"});
  const int side = size(16, 32), n = side * side * side * side;
  const auto complexes = [](std::size_t count, unsigned seed) {
    const auto parts = numbers<double>(2 * count, -1, 1, seed);
    std::vector<complex> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = {parts[2 * i], parts[2 * i + 1]};
    return all;
  };
  auto a = upload<complex, 4>(complexes(std::size_t(n) * 36, 1), n, 4, 3, 3);
  auto b = upload<complex, 3>(complexes(36, 2), 4, 3, 3);
  auto c = make_array<complex, 4>(n, 4, 3, 3);
  return {[=] { kernel.launch(cover(36L * n), *a, *b, *c); },
          CORPUS_PEER(peer_su3, raw<double>(a), raw<double>(b), raw<double>(c), n),
          output<double>(c)};
}

// Points of a square that fall into the circle become pairs of Gaussian numbers, which are counted
// by the larger one. Each thread begins its part of one sequence of random numbers.
Work gaussian_pairs(Size size) {
  static constexpr std::uint64_t factor = 1220703125, seed = 271828183,
                                 below = std::uint64_t(1) << 46;
  static const auto kernel = kr::kernel(
      [](kr::value<int> batch, kr::value<std::uint64_t> jump, kr::view<int> counts,
         kr::view<double> sums) {
        kr::var<std::uint64_t> x = seed, power = jump;
        kr::var part = kr::grid();
        kr::while_([&] { return part > 0; },
                   [&] {
                     kr::if_(part % 2 == 1, [&] { x = x * power % below; });
                     power = power * power % below;
                     part /= 2;
                   });
        auto uniform = [&] {
          x = x * factor % below;
          return 2.0 * (kr::cast<double>(x) * 0x1p-46) - 1.0;
        };
        auto count = kr::local<int, 10>();
        kr::var sum_x = 0.0, sum_y = 0.0;
        for ([[maybe_unused]] auto k : kr::range(batch)) {
          auto a = uniform(), b = uniform();
          auto square = a * a + b * b;
          kr::if_(square <= 1.0, [&] {
            auto scale = kr::sqrt(-2.0 * kr::log(square) / square);
            auto gx = a * scale, gy = b * scale;
            count[kr::cast<int>(kr::max(kr::abs(gx), kr::abs(gy)))] += 1;
            sum_x += gx;
            sum_y += gy;
          });
        }
        for (auto l : kr::range(10)) kr::atomic(counts[l]).add(count[l]);
        kr::atomic(sums[0]).add(sum_x);
        kr::atomic(sums[1]).add(sum_y);
      },
      {.name = "gaussian_pairs"});
  const int batch = size(256, 1024), parts = size(2048, 131072);
  std::uint64_t jump = 1;
  for (int k = 0; k < 2 * batch; ++k) jump = jump * factor % below;
  auto counts = make_array<int>(10);
  auto sums = make_array<double>(2);
  return {[=] {
            counts->fill(0);
            sums->fill(0);
            kernel.launch({parts / 128, 128}, batch, jump, *counts, *sums);
          },
          CORPUS_PEER(peer_gaussian_pairs, batch, parts, raw(counts), raw(sums)),
          output(counts) + output(sums)};
}

// A into orthonormal columns and a triangle, three launches per column.
Work gram_schmidt(Size size) {
  static const auto length = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<float, 2> r, kr::value<int> k) {
        kr::if_(kr::grid() == 0, [&] {
          kr::var sum = 0.0f;
          for (auto i : kr::range(a.extent(0))) sum += a(i, k) * a(i, k);
          r(k, k) = kr::sqrt(sum);
        });
      },
      {.name = "gram_schmidt_length"});
  static const auto scale = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<const float, 2> r, kr::view<float, 2> q,
         kr::value<int> k) {
        auto i = kr::grid();
        kr::if_(i < a.extent(0), [&] { q(i, k) = a(i, k) / r(k, k); });
      },
      {.name = "gram_schmidt_scale"});
  static const auto project = kr::kernel(
      [](kr::view<float, 2> a, kr::view<float, 2> r, kr::view<const float, 2> q, kr::value<int> k) {
        auto j = kr::grid();
        kr::if_(j > k && j < a.extent(1), [&] {
          kr::var sum = 0.0f;
          for (auto i : kr::range(a.extent(0))) sum += q(i, k) * a(i, j);
          r(k, j) = sum;
          for (auto i : kr::range(a.extent(0))) a(i, j) -= q(i, k) * sum;
        });
      },
      {.name = "gram_schmidt_project"});
  const int m = size(512, 2048), n = size(192, 1024);
  const auto start = numbers(std::size_t(m) * n, -1, 1);
  auto initial = upload<float, 2>(start, m, n), a = upload<float, 2>(start, m, n);
  auto r = make_array<float, 2>(n, n), q = make_array<float, 2>(m, n);
  return {[=] {
            a->copy_from(*initial);
            for (int k = 0; k < n; ++k) {
              length.launch({1, 256}, *a, *r, k);
              scale.launch(cover(m), *a, *r, *q, k);
              project.launch(cover(n), *a, *r, *q, k);
            }
          },
          CORPUS_PEER(peer_gram_schmidt, raw(initial), raw(a), raw(r), raw(q), m, n),
          output(r) + output(q), 1e-3};
}

// One number a step goes in and one comes out; the cell has five hidden ones.
Work lstm(Size size) {
  static constexpr int hidden = 5;
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> x, kr::view<const float, 2> in_weight,
         kr::view<const float, 3> weight, kr::view<const float, 2> bias,
         kr::view<const float> out_weight, kr::view<const float> out_bias, kr::view<float, 2> y) {
        auto sequence = kr::grid();
        kr::var<float> h[hidden], c[hidden];
        auto sigmoid = [](auto v) { return 1.0f / (1.0f + kr::exp(-v)); };
        for (auto t : kr::range(x.extent(1))) {
          auto now = x(sequence, t);
          auto sum = [&](int gate, int j) {
            kr::var all = in_weight(gate, j) * now;
            for (int i = 0; i < hidden; ++i) all += h[i] * weight(gate, j, i);
            return all + bias(gate, j);
          };
          kr::var<float> in[hidden], forget[hidden], out[hidden], change[hidden];
          for (int j = 0; j < hidden; ++j) in[j] = sigmoid(sum(0, j));
          for (int j = 0; j < hidden; ++j) forget[j] = sigmoid(sum(1, j));
          for (int j = 0; j < hidden; ++j) out[j] = sigmoid(sum(2, j));
          for (int j = 0; j < hidden; ++j) change[j] = kr::tanh(sum(3, j));
          kr::var result = out_bias[0];
          for (int j = 0; j < hidden; ++j) {
            c[j] = c[j] * forget[j] + change[j] * in[j];
            h[j] = kr::tanh(c[j]) * out[j];
            result += h[j] * out_weight[j];
          }
          y(sequence, t) = result;
        }
      },
      {.name = "lstm"});
  const int n = size(2048, 65536), steps = size(32, 256);
  auto x = upload<float, 2>(numbers(std::size_t(n) * steps, -1, 1), n, steps);
  auto in_weight = upload<float, 2>(numbers(4 * hidden, -1, 1, 2), 4, hidden);
  auto weight = upload<float, 3>(numbers(4 * hidden * hidden, -1, 1, 3), 4, hidden, hidden);
  auto bias = upload<float, 2>(numbers(4 * hidden, -1, 1, 4), 4, hidden);
  auto out_weight = upload(numbers(hidden, -1, 1, 5)), out_bias = upload(numbers(1, -1, 1, 6));
  auto y = make_array<float, 2>(n, steps);
  return {
      [=] {
        kernel.launch({n / 256, 256}, *x, *in_weight, *weight, *bias, *out_weight, *out_bias, *y);
      },
      CORPUS_PEER(peer_lstm, raw(x), raw(in_weight), raw(weight), raw(bias), raw(out_weight),
                  raw(out_bias), raw(y), n, steps),
      output(y)};
}

// Points move to the weighted mean of those around them, which come through shared memory.
Work mean_shift(Size size) {
  static constexpr int tile = 64;
  static const auto step = kr::kernel(
      [](kr::view<const float3> points, kr::view<float3> moved, kr::value<float> radius2,
         kr::value<float> sigma) {
        auto near = kr::shared<float3, tile>();
        auto t = kr::thread_idx().x, i = kr::grid(), n = points.size();
        kr::var own = float3{0, 0, 0}, sum = float3{0, 0, 0};
        kr::var total = 0.0f;
        kr::if_(i < n, [&] { own = points[i]; });
        for (auto first : kr::range(0, n, tile)) {
          kr::if_(first + t < n, [&] { near[t] = points[first + t]; });
          kr::syncthreads();
          for (auto k : kr::range(kr::min(n - first, tile))) {
            auto other = near[k];
            auto away = own - other;
            auto distance2 = kr::dot(away, away);
            kr::if_(distance2 <= radius2, [&] {
              auto weight = kr::exp(-distance2 / (2.0f * sigma * sigma));
              sum += weight * other;
              total += weight;
            });
          }
          kr::syncthreads();
        }
        kr::if_(i < n, [&] { moved[i] = sum / total; });
      },
      {.name = "mean_shift"});
  const int n = size(1000, 30000), iterations = 2;
  const float radius2 = 60, sigma = 4;
  const auto random = numbers(std::size_t(n) * 3, -10, 10);
  std::vector<float3> start(n);
  for (int i = 0; i < n; ++i) {
    const float centre = 30.0f * float(i % 3);
    start[i] = {centre + random[3 * i], centre + random[3 * i + 1], centre + random[3 * i + 2]};
  }
  auto initial = upload(start), points = upload(start), next = make_array<float3>(n);
  return {[=] {
            points->copy_from(*initial);
            for (int k = 0; k < iterations; k += 2) {
              step.launch(cover(n, tile), *points, *next, radius2, sigma);
              step.launch(cover(n, tile), *next, *points, radius2, sigma);
            }
          },
          CORPUS_PEER(peer_mean_shift, raw<float>(initial), raw<float>(points), raw<float>(next), n,
                      iterations, radius2, sigma),
          output<float>(points), 1e-3};
}

}  // namespace

void add_look_2(Registry& all) {
  all.insert(all.end(), {{85, "cavity", "fluids", cavity, 2},
                         {86, "hash join", "databases", hash_join, 2},
                         {87, "AES", "ciphers", aes, 2},
                         {88, "XTEA", "ciphers", xtea, 2},
                         {89, "Walsh transform", "transforms", walsh, 2},
                         {90, "Heston", "finance", heston, 2},
                         {91, "cell lists", "particles", cell_lists, 2},
                         {92, "SU(3)", "linear", su3, 2},
                         {93, "Gaussian pairs", "statistics", gaussian_pairs, 2},
                         {94, "Gram-Schmidt", "linear", gram_schmidt, 2},
                         {95, "LSTM", "learning", lstm, 2},
                         {96, "mean shift", "statistics", mean_shift, 2}});
}

}  // namespace corpus
