// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The third dozen of the first look, of the list in look_1.cpp and by the same rule.
//
// Drawn of those that were left: 10, 11, 28, 31, 36, 38, 40, 50, 66, 72, 73, 78.
#include <numeric>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using float3 = kr::vec<float, 3>;

// Where each line has a word first, or -1: a line per thread.
Work string_match(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> text, kr::view<const int> start,
         kr::view<const unsigned char> word, kr::view<int> first) {
        auto line = kr::grid();
        kr::if_(line < first.size(), [&] {
          auto length = kr::cast<int>(word.size());
          kr::var found = -1;
          for (auto at : kr::range(start[line], start[line + 1] - length + 1)) {
            kr::var same = 0;
            kr::while_([&] { return same < length && text[at + same] == word[same]; },
                       [&] { same += 1; });
            kr::if_(same == length, [&] {
              found = at;
              kr::break_();
            });
          }
          first[line] = found;
        });
      },
      {.name = "string_match"});
  const int lines = size(20000, 2000000);
  std::vector<int> starts(lines + 1);
  const auto lengths = integers(lines, 100, 2);
  for (int i = 0; i < lines; ++i) starts[i + 1] = starts[i] + 20 + lengths[i];
  const auto letters = [](std::size_t n, unsigned seed) {
    auto some = integers<unsigned char>(n, 4, seed);
    for (unsigned char& c : some) c = "acgt"[c];
    return some;
  };
  auto text = upload(letters(starts[lines], 1)), word = upload(letters(6, 3));
  auto start = upload(starts), first = make_array<int>(lines);
  return {[=] { kernel.launch(cover(lines), *text, *start, *word, *first); },
          CORPUS_PEER(peer_string_match, raw(text), raw(start), raw(word), raw(first), lines,
                      int(word->size())),
          output(first), 0};
}

// Of many words, which have up to 32 letters, to one: a word per thread, which keeps one row of the
// table.
Work levenshtein(Size size) {
  static constexpr int longest = 32;
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char, 2> words, kr::view<const int> lengths,
         kr::view<const unsigned char> query, kr::view<int> distance) {
        auto i = kr::grid();
        kr::if_(i < distance.size(), [&] {
          auto letters = kr::cast<int>(query.size());
          auto row = kr::local<int, longest + 1>();
          for (auto j : kr::range(letters + 1)) row[j] = j;
          for (auto k : kr::range(lengths[i])) {
            auto letter = words(i, k);
            kr::var corner = row[0];
            row[0] = k + 1;
            for (auto j : kr::range(letters)) {
              auto above = row[j + 1];
              auto replaced = corner + kr::select(letter == query[j], 0, 1);
              row[j + 1] = kr::min(kr::min(above, row[j]) + 1, replaced);
              corner = above;
            }
          }
          distance[i] = row[letters];
        });
      },
      {.name = "levenshtein"});
  const int n = size(10000, 2000000), letters = 20;
  auto words =
      upload<unsigned char, 2>(integers<unsigned char>(std::size_t(n) * longest, 10), n, longest);
  auto lengths = integers(n, longest - 3, 2);
  for (int& length : lengths) length += 4;
  auto lengths_of = upload(lengths), distance = make_array<int>(n);
  auto query = upload(integers<unsigned char>(letters, 10, 3));
  return {[=] { kernel.launch(cover(n), *words, *lengths_of, *query, *distance); },
          CORPUS_PEER(peer_levenshtein, raw(words), raw(lengths_of), raw(query), raw(distance), n,
                      letters),
          output(distance), 0};
}

// Each bright pixel votes for the lines through it.
Work hough(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char, 2> image, kr::view<const float> cosines,
         kr::view<const float> sines, kr::value<int> threshold, kr::view<int, 2> votes) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < image.extent(0) && x < image.extent(1), [&] {
          kr::if_(image(y, x) >= threshold, [&] {
            auto right = kr::cast<float>(x - image.extent(1) / 2);
            auto down = kr::cast<float>(y - image.extent(0) / 2);
            auto middle = votes.extent(0) / 2;
            for (auto angle : kr::range(cosines.size())) {
              auto rho = right * cosines[angle] + down * sines[angle];
              kr::atomic(votes(middle + kr::cast<int>(kr::rint(rho)), angle)).add(1);
            }
          });
        });
      },
      {.name = "hough"});
  const int w = size(640, 4096), h = size(480, 4096), angles = 180, threshold = 245;
  const int radii = 2 * int(std::hypot(w / 2, h / 2) + 1) + 1;
  std::vector<float> cosine(angles), sine(angles);
  for (int a = 0; a < angles; ++a) {
    const double radians = a * 3.14159265358979323846 / angles;
    cosine[a] = float(std::cos(radians)), sine[a] = float(std::sin(radians));
  }
  auto image = upload<unsigned char, 2>(integers<unsigned char>(std::size_t(w) * h, 256), h, w);
  auto cosines = upload(cosine), sines = upload(sine);
  auto votes = make_array<int, 2>(radii, angles);
  return {[=] {
            votes->fill(0);
            kernel.launch(cover2(w, h, 16, 16), *image, *cosines, *sines, threshold, *votes);
          },
          CORPUS_PEER(peer_hough, raw(image), raw(cosines), raw(sines), threshold, raw(votes), w, h,
                      angles, radii),
          output(votes), 1e-3};
}

// The orthonormal transform of eight numbers, from sums and differences of their opposite ends.
void dct8(kr::var<float> (&d)[8]) {
  static constexpr float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f,
                         c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
  auto s0 = d[0] + d[7], s1 = d[1] + d[6], s2 = d[2] + d[5], s3 = d[3] + d[4];
  auto t0 = d[0] - d[7], t1 = d[1] - d[6], t2 = d[2] - d[5], t3 = d[3] - d[4];
  d[0] = c4 * ((s0 + s3) + (s1 + s2));
  d[4] = c4 * ((s0 + s3) - (s1 + s2));
  d[2] = c2 * (s0 - s3) + c6 * (s1 - s2);
  d[6] = c6 * (s0 - s3) - c2 * (s1 - s2);
  d[1] = c1 * t0 + c3 * t1 + c5 * t2 + c7 * t3;
  d[3] = c3 * t0 - c7 * t1 - c1 * t2 - c5 * t3;
  d[5] = c5 * t0 - c1 * t1 + c7 * t2 + c3 * t3;
  d[7] = c7 * t0 - c5 * t1 + c3 * t2 - c1 * t3;
}

// A block has 32x16 pixels. Each thread transforms a row of eight pixels in shared memory, then a
// column.
Work dct(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out) {
        auto tile = kr::shared<float, 16, 32 + 1>();
        auto x = kr::thread_idx().x, y = 8 * kr::thread_idx().y, own = x % 8;
        auto column = 32 * kr::block_idx().x + x, row = 16 * kr::block_idx().y + y;
        kr::var<float> d[8];
        for (int i = 0; i < 8; ++i) tile(y + i, x) = in(row + i, column);
        kr::syncthreads();
        for (int i = 0; i < 8; ++i) d[i] = tile(y + own, x - own + i);
        dct8(d);
        for (int i = 0; i < 8; ++i) tile(y + own, x - own + i) = d[i];
        kr::syncthreads();
        for (int i = 0; i < 8; ++i) d[i] = tile(y + i, x);
        dct8(d);
        for (int i = 0; i < 8; ++i) out(row + i, column) = d[i];
      },
      {.name = "dct"});
  const int w = size(1536, 12288), h = size(1024, 12288);
  auto in = upload<float, 2>(numbers(std::size_t(w) * h, -128, 128), h, w);
  auto out = make_array<float, 2>(h, w);
  return {[=] {
            kernel.launch({{w / 32, h / 16}, {32, 2}}, *in, *out);
          },
          CORPUS_PEER(peer_dct, raw(in), raw(out), w, h), output(out)};
}

// The means of samples drawn with replacement: a sample per thread.
Work bootstrap(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> data, kr::value<unsigned> seed, kr::view<float> means) {
        auto i = kr::grid();
        kr::if_(i < means.size(), [&] {
          auto n = kr::cast<unsigned>(data.size());
          kr::var state = seed + 747796405u * kr::cast<unsigned>(i);
          kr::var sum = 0.0f;
          for ([[maybe_unused]] auto draw : kr::range(n)) {
            state = state * 1664525u + 1013904223u;
            sum += data[(state >> 8) % n];
          }
          means[i] = sum / kr::cast<float>(n);
        });
      },
      {.name = "bootstrap"});
  const int n = 1000, samples = size(4096, 500000);
  auto data = upload(numbers(n, 0, 10)), means = make_array<float>(samples);
  return {[=] { kernel.launch(cover(samples), *data, 12345u, *means); },
          CORPUS_PEER(peer_bootstrap, raw(data), 12345u, raw(means), n, samples), output(means)};
}

// The value of a portfolio of swaptions on paths of 80 forward rates.
Work libor(Size size) {
  static constexpr int rates = 80, steps = 40;
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> shocks, kr::view<const float> volatility,
         kr::view<const int> maturity, kr::view<const float> swap_rate, kr::value<float> delta,
         kr::view<float> value) {
        for (auto path : kr::grid_stride(value.size())) {
          auto rate = kr::local<float, rates>();
          for (auto i : kr::range(rates)) rate[i] = 0.05f;
          for (auto n : kr::range(steps)) {
            auto shock = kr::sqrt(delta) * shocks(n, path);
            kr::var drift = 0.0f;
            for (auto i : kr::range(n + 1, rates)) {
              auto vol = volatility[i - n - 1], scaled = delta * vol;
              auto before = rate[i];
              drift += scaled * before / (1.0f + delta * before);
              rate[i] = before * kr::exp(scaled * drift + vol * (shock - 0.5f * scaled));
            }
          }

          auto bonds = kr::local<float, rates - steps>(),
               annuities = kr::local<float, rates - steps>();
          kr::var bond = 1.0f, annuity = 0.0f;
          for (auto m : kr::range(rates - steps)) {
            bond /= 1.0f + delta * rate[steps + m];
            annuity += delta * bond;
            bonds[m] = bond;
            annuities[m] = annuity;
          }
          kr::var payoff = 0.0f;
          for (auto k : kr::range(maturity.size())) {
            auto m = maturity[k] - 1;
            auto swap = bonds[m] + swap_rate[k] * annuities[m] - 1.0f;
            kr::if_(swap < 0.0f, [&] { payoff -= 100.0f * swap; });
          }
          kr::var discount = 1.0f;
          for (auto n : kr::range(steps)) discount /= 1.0f + delta * rate[n];
          value[path] = discount * payoff;
        }
      },
      {.name = "libor"});
  const int paths = size(2048, 192000), blocks = size(32, 3000);
  std::vector<int> maturities;
  std::vector<float> swap_rates;
  for (const int years : {5, 10, 20, 30, 40})
    for (const float rate : {0.045f, 0.05f, 0.055f})
      maturities.push_back(years), swap_rates.push_back(rate);
  auto shocks = upload<float, 2>(numbers(std::size_t(steps) * paths, -1.7, 1.7), steps, paths);
  auto volatility = upload(numbers(rates, 0.15, 0.25, 2));
  auto maturity = upload(maturities);
  auto swap_rate = upload(swap_rates), value = make_array<float>(paths);
  return {[=] {
            kernel.launch({blocks, 64}, *shocks, *volatility, *maturity, *swap_rate, 0.25f, *value);
          },
          CORPUS_PEER(peer_libor, raw(shocks), raw(volatility), raw(maturity), raw(swap_rate),
                      0.25f, raw(value), paths, int(maturity->size())),
          output(value), 1e-3};
}

// A row of blocks per dimension. A thread goes through the points in steps of the row's threads, a
// power of two: between two of them, all lower direction numbers but one cancel out.
Work sobol(Size size) {
  static constexpr int bits = 32;
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned, 2> directions, kr::view<float, 2> out) {
        auto v = kr::shared<unsigned, bits>();
        auto t = kr::thread_idx().x, dimension = kr::block_idx().y;
        kr::if_(t < bits, [&] { v[t] = directions(dimension, t); });
        kr::syncthreads();
        auto first = kr::grid(), stride = kr::gridsize();
        auto gray = first ^ (first >> 1);
        auto log = kr::ctz(stride);
        kr::var x = 0u;
        for (auto k : kr::range(log)) kr::if_(((gray >> k) & 1) != 0, [&] { x ^= v[k]; });
        auto store = [&](auto i) {
          out(dimension, i) = kr::cast<float>(x) * (1.0f / 4294967296.0f);
        };
        kr::if_(first < out.extent(1), [&] { store(first); });
        for (auto i : kr::range(first + stride, out.extent(1), stride)) {
          x ^= v[log - 1] ^ v[kr::ctz(~((i - stride) | (stride - 1)))];
          store(i);
        }
      },
      {.name = "sobol"});
  const int n = size(65536, 4000000), dimensions = size(32, 64);
  // Any odd numbers below 2, 4, 8, … may begin a dimension's table.
  auto random = integers<unsigned>(dimensions * bits, 1L << 32);
  for (int i = 0; i < dimensions * bits; ++i) {
    const int k = i % bits;
    random[i] = (random[i] | 1u) << (bits - 1 - k);
  }
  auto directions = upload<unsigned, 2>(random, dimensions, bits);
  auto out = make_array<float, 2>(dimensions, n);
  return {[=] {
            kernel.launch({{128, dimensions}, 64}, *directions, *out);
          },
          CORPUS_PEER(peer_sobol, raw(directions), raw(out), n, dimensions), output(out)};
}

// Three bytes per thread become four letters.
Work base64(Size size) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> in, kr::view<char> out) {
        auto letter = kr::constant(letters);
        auto i = kr::grid(), at = 3 * i, n = in.size();
        kr::if_(at < n, [&] {
          kr::var bits = kr::cast<unsigned>(in[at]) << 16;
          kr::if_(at + 1 < n, [&] { bits |= kr::cast<unsigned>(in[at + 1]) << 8; });
          kr::if_(at + 2 < n, [&] { bits |= kr::cast<unsigned>(in[at + 2]); });
          out[4 * i] = letter[bits >> 18];
          out[4 * i + 1] = letter[(bits >> 12) & 63];
          out[4 * i + 2] = kr::select(at + 1 < n, letter[(bits >> 6) & 63], '=');
          out[4 * i + 3] = kr::select(at + 2 < n, letter[bits & 63], '=');
        });
      },
      {.name = "base64"});
  const int n = size(4000000, 300000000), groups = (n + 2) / 3;
  auto in = upload(integers<unsigned char>(n, 256));
  auto out = make_array<char>(4 * groups);
  return {[=] { kernel.launch(cover(groups), *in, *out); },
          CORPUS_PEER(peer_base64, raw(in), raw(out), n), output(out), 0};
}

// Each new particle is the old one in whose part of the running sum of weights its number falls.
Work resampling(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const double> x, kr::view<const double> y, kr::view<const double> sums,
         kr::view<const double> u, kr::view<double> new_x, kr::view<double> new_y) {
        auto i = kr::grid();
        kr::if_(i < u.size(), [&] {
          kr::var index = -1;
          for (auto k : kr::range(kr::cast<int>(sums.size())))
            kr::if_(sums[k] >= u[i], [&] {
              index = k;
              kr::break_();
            });
          kr::if_(index == -1, [&] { index = kr::cast<int>(sums.size()) - 1; });
          new_x[i] = x[index];
          new_y[i] = y[index];
        });
      },
      {.name = "resampling"});
  const int n = size(5000, 50000);
  auto weights = numbers<double>(n);
  std::vector<double> running(n), wanted(n);
  std::partial_sum(weights.begin(), weights.end(), running.begin());
  for (double& s : running) s /= running.back();
  for (int i = 0; i < n; ++i) wanted[i] = (i + 0.3) / n;
  auto x = upload(numbers<double>(n, 0, 128, 2)), y = upload(numbers<double>(n, 0, 128, 3));
  auto sums = upload(running), u = upload(wanted);
  auto new_x = make_array<double>(n), new_y = make_array<double>(n);
  return {
      [=] { kernel.launch(cover(n, 512), *x, *y, *sums, *u, *new_x, *new_y); },
      CORPUS_PEER(peer_resampling, raw(x), raw(y), raw(sums), raw(u), raw(new_x), raw(new_y), n),
      output(new_x) + output(new_y), 0};
}

// The rows lie side by side, so that neighbouring threads read neighbouring elements.
Work ell(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> value, kr::view<const int, 2> column, kr::view<const int> lengths,
         kr::view<const float> x, kr::view<float> y) {
        auto row = kr::grid();
        kr::if_(row < y.size(), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(lengths[row])) sum += value(k, row) * x[column(k, row)];
          y[row] = sum;
        });
      },
      {.name = "ell"});
  const int rows = size(100000, 4000000), longest = 32;
  auto lengths = integers(rows, longest - 7, 2);
  for (int& length : lengths) length += 8;
  auto value = upload<float, 2>(numbers(std::size_t(rows) * longest, -1, 1), longest, rows);
  auto column = upload<int, 2>(integers(std::size_t(rows) * longest, rows, 3), longest, rows);
  auto lengths_of = upload(lengths);
  auto x = upload(numbers(rows, -1, 1, 4)), y = make_array<float>(rows);
  return {[=] { kernel.launch(cover(rows, 128), *value, *column, *lengths_of, *x, *y); },
          CORPUS_PEER(peer_ell, raw(value), raw(column), raw(lengths_of), raw(x), raw(y), rows),
          output(y)};
}

// A row per thread; four neighbours share a row of blocks.
Work block_rows(Size size) {
  static constexpr int side = 4;
  static const auto kernel = kr::kernel(
      [](kr::view<const int> start, kr::view<const int> column, kr::view<const float, 3> value,
         kr::view<const float> x, kr::view<float> y) {
        auto row = kr::grid();
        kr::if_(row < y.size(), [&] {
          auto of_blocks = row / side, within = row % side;
          kr::var sum = 0.0f;
          for (auto b : kr::range(start[of_blocks], start[of_blocks + 1])) {
            auto first = column[b] * side;
            for (int c = 0; c < side; ++c) sum += value(b, within, c) * x[first + c];
          }
          y[row] = sum;
        });
      },
      {.name = "block_rows"});
  const int block_rows = size(30000, 1500000), n = block_rows * side;
  std::vector<int> starts(block_rows + 1);
  const auto more = integers(block_rows, 9);
  for (int r = 0; r < block_rows; ++r) starts[r + 1] = starts[r] + 4 + more[r];
  const int blocks = starts[block_rows];
  auto start = upload(starts), column = upload(integers(blocks, block_rows, 2));
  auto value =
      upload<float, 3>(numbers(std::size_t(blocks) * side * side, -1, 1), blocks, side, side);
  auto x = upload(numbers(n, -1, 1, 3)), y = make_array<float>(n);
  return {
      [=] { kernel.launch(cover(n), *start, *column, *value, *x, *y); },
      CORPUS_PEER(peer_block_rows, raw(start), raw(column), raw(value), raw(x), raw(y), block_rows),
      output(y)};
}

// Puts two zeros before each of ten bits.
kr::value<unsigned> spread(kr::value<unsigned> bits) {
  auto a = (bits | (bits << 16)) & 0x030000ffu;
  auto b = (a | (a << 8)) & 0x0300f00fu;
  auto c = (b | (b << 4)) & 0x030c30c3u;
  return (c | (c << 2)) & 0x09249249u;
}

// Of points in a box.
Work morton(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float3> points, kr::value<float3> low, kr::value<float3> scale,
         kr::view<unsigned> codes) {
        auto i = kr::grid();
        kr::if_(i < points.size(), [&] {
          auto p = kr::clamp((points[i] - low) * scale, 0.0f, 1023.0f);
          auto x = kr::cast<unsigned>(p.x), y = kr::cast<unsigned>(p.y),
               z = kr::cast<unsigned>(p.z);
          codes[i] = (spread(x) << 2) | (spread(y) << 1) | spread(z);
        });
      },
      {.name = "morton"});
  const int n = size(1000000, 64000000);
  const auto places = numbers(std::size_t(n) * 3, -10, 10);
  std::vector<float3> at(n);
  std::memcpy(static_cast<void*>(at.data()), places.data(), places.size() * sizeof(float));
  const float3 low{-10, -10, -10}, scale{51.2f, 51.2f, 51.2f};
  auto points = upload(at);
  auto codes = make_array<unsigned>(n);
  return {[=] { kernel.launch(cover(n), *points, low, scale, *codes); },
          CORPUS_PEER(peer_morton, raw<float>(points), &low.x, &scale.x, raw(codes), n),
          output(codes)};
}

}  // namespace

void add_look_3(Registry& all) {
  all.insert(all.end(), {{97, "string match", "sequences", string_match, 3},
                         {98, "Levenshtein", "sequences", levenshtein, 3},
                         {99, "Hough", "images", hough, 3},
                         {100, "DCT 8x8", "images", dct, 3},
                         {101, "bootstrap", "statistics", bootstrap, 3},
                         {102, "LIBOR", "finance", libor, 3},
                         {103, "Sobol", "statistics", sobol, 3},
                         {104, "base64", "codes", base64, 3},
                         {105, "resampling", "statistics", resampling, 3},
                         {106, "ELL product", "linear", ell, 3},
                         {107, "block rows", "linear", block_rows, 3},
                         {108, "Morton codes", "geometry", morton, 3}});
}

}  // namespace corpus
