// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workloads of whole blocks as Krait kernels: tiles in shared memory, a histogram, a sum and a
// scan in one pass each. Sum and scan are written for warps of 32.
#pragma once

#include <krait/krait.h>

namespace bench {
namespace kr = krait;

/// C = A B for square matrices whose side is a multiple of 16; blocks of 16 x 16.
inline constexpr auto tiled_product = [](kr::view<const float, 2> a, kr::view<const float, 2> b,
                                         kr::view<float, 2> c) {
  auto ta = kr::shared<float, 16, 16>(), tb = kr::shared<float, 16, 16>();
  auto [x, y] = kr::grid<2>();
  auto tx = kr::thread_idx().x, ty = kr::thread_idx().y;
  kr::var sum = 0.0f;
  for (auto first : kr::range(0, a.extent(1), 16)) {
    ta(ty, tx) = a(y, first + tx);
    tb(ty, tx) = b(first + ty, x);
    kr::syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta(ty, k) * tb(k, tx);
    kr::syncthreads();
  }
  c(y, x) = sum;
};
inline auto make_sgemm() { return kr::kernel(tiled_product, {.name = "sgemm"}); }

/// B = A transposed, sides multiples of 32; blocks of 32 x 8 take tiles of 32 x 32.
inline constexpr auto transpose_tiles = [](kr::view<const float, 2> a, kr::view<float, 2> b) {
  auto tile = kr::shared<float, 32, 33>();
  auto tx = kr::thread_idx().x, ty = kr::thread_idx().y, x = kr::block_idx().x * 32,
       y = kr::block_idx().y * 32;
  for (int j = 0; j < 32; j += 8) tile(ty + j, tx) = a(y + ty + j, x + tx);
  kr::syncthreads();
  for (int j = 0; j < 32; j += 8) b(x + ty + j, y + tx) = tile(tx, ty + j);
};
inline auto make_transpose() { return kr::kernel(transpose_tiles, {.name = "transpose"}); }

/// Counts of the low bytes of x; blocks of 256.
inline constexpr auto histogram_of_bytes = [](kr::view<const unsigned> x,
                                              kr::view<unsigned> counts) {
  auto own = kr::shared<unsigned, 256>();
  auto t = kr::thread_idx().x;
  own[t] = 0;
  kr::syncthreads();
  for (auto i : kr::grid_stride(x.size())) kr::atomic(own[x[i] & 255]).add(1);
  kr::syncthreads();
  kr::atomic(counts[t]).add(own[t]);
};
inline auto make_histogram() { return kr::kernel(histogram_of_bytes, {.name = "histogram"}); }

/// Rows of p are x, y, z and the mass of a body, rows of `a` its acceleration and 0; the bodies are
/// a multiple of 256.
inline auto make_nbody_tiled(kr::fp mode) {
  return kr::kernel(
      [](kr::view<const float, 2> p, kr::view<float, 2> a) {
        constexpr int block = 256;
        auto tile = kr::shared<float, block, 4>();
        auto t = kr::thread_idx().x, i = kr::grid();
        auto x = p(i, 0), y = p(i, 1), z = p(i, 2);
        kr::var ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (auto first : kr::range(0, p.extent(0), block)) {
          for (int c = 0; c < 4; ++c) tile(t, c) = p(first + t, c);
          kr::syncthreads();
          for (auto j : kr::range(block / 8))
            for (int u = 0; u < 8; ++u) {
              auto at = j * 8 + u;
              auto dx = tile(at, 0) - x, dy = tile(at, 1) - y, dz = tile(at, 2) - z;
              auto inverse = kr::rsqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
              auto s = tile(at, 3) * inverse * inverse * inverse;
              ax += dx * s, ay += dy * s, az += dz * s;
            }
          kr::syncthreads();
        }
        a(i, 0) = ax, a(i, 1) = ay, a(i, 2) = az, a(i, 3) = 0.0f;
      },
      {.name = "nbody_tiled", .fp = mode});
}

/// sums[b] = the sum of what block b adds up of x; blocks of 1,024. With one block it adds up the
/// sums.
inline constexpr auto sum_by_trees = [](kr::view<const float> x, kr::view<float> sums) {
  constexpr int block = 1024;
  auto part = kr::shared<float, block>();
  auto t = kr::thread_idx().x;
  kr::var sum = 0.0f;
  for (auto i : kr::grid_stride(x.size())) sum += x[i];
  part[t] = sum;
  kr::syncthreads();
  for (int half = block / 2; half > 0; half /= 2) {
    kr::if_(t < half, [&] { part[t] += part[t + half]; });
    kr::syncthreads();
  }
  kr::if_(t == 0, [&] { sums[kr::block_idx().x] = part[0]; });
};
inline auto make_block_sum() { return kr::kernel(sum_by_trees, {.name = "block_sum"}); }

namespace detail {
/// The sum over a block of 256 in warps of 32, for every thread.
inline kr::value<float> block_sum(kr::value<float> x) {
  auto partial = kr::shared<float, 8>();
  kr::var own = x;
  for (int step = 16; step > 0; step /= 2) own += kr::warp::shfl_xor(own, step);
  auto t = kr::thread_idx().x;
  kr::if_((t & 31) == 0, [&] { partial[t >> 5] = own; });
  kr::syncthreads();
  kr::var sum = 0.0f;
  for (int w = 0; w < 8; ++w) sum += partial[w];
  return sum;
}
}  // namespace detail

/// out[0] = the sum of x, whose size is a multiple of 4; blocks of 256, as many as `partials` has
/// elements. The last block to finish adds up what the others found, so the order of additions does
/// not depend on time. `ticket` is 0 before and after.
inline constexpr auto sum_in_one_pass = [](kr::view<const float> x, kr::view<float> partials,
                                           kr::view<unsigned> ticket, kr::view<float> out) {
  constexpr int unroll = 4;
  kr::var<float> lanes[4 * unroll];
  auto groups = x.size() / 4, step = kr::gridsize();
  kr::var at = kr::grid();
  kr::while_([&] { return at + (unroll - 1) * step < groups; },
             [&] {
               for (int u = 0; u < unroll; ++u)
                 for (int c = 0; c < 4; ++c) lanes[4 * u + c] += x[(at + u * step) * 4 + c];
               at += unroll * step;
             });
  kr::while_([&] { return at < groups; },
             [&] {
               for (int c = 0; c < 4; ++c) lanes[c] += x[at * 4 + c];
               at += step;
             });
  for (int distance = 2 * unroll; distance > 0; distance /= 2)
    for (int i = 0; i < distance; ++i) lanes[i] += lanes[i + distance];
  auto sum = detail::block_sum(lanes[0]);
  auto t = kr::thread_idx().x;
  auto last = kr::shared<unsigned, 1>();
  kr::if_(t == 0, [&] {
    partials[kr::block_idx().x] = sum;
    kr::fence();
    last[0] = kr::atomic(ticket[0]).add(1);
  });
  kr::syncthreads();
  kr::if_(kr::uniform(last[0]) == kr::cast<unsigned>(kr::grid_dim().x - 1), [&] {
    kr::fence();
    kr::var total = 0.0f;
    for (auto i : kr::range(t, partials.size(), 256)) total += partials[i];
    kr::syncthreads();
    auto all = detail::block_sum(total);
    kr::if_(t == 0, [&] { out[0] = all, ticket[0] = 0; });
  });
};
inline auto make_sum() { return kr::kernel(sum_in_one_pass, {.name = "sum"}); }

/// out[i] = x[0] + … + x[i] in one pass, by looking back: Merrill and Garland, "Single-pass
/// parallel prefix scan with decoupled look-back" (2016). Blocks of 256 take 4,096 elements each. A
/// word of `states` says what its low half is: 0 nothing yet, 1 the block's own sum, 2 the sum up
/// to its end. `states` (a word a block) and `ticket` are 0 before.
inline constexpr auto scan_in_one_pass = [](kr::view<const float> x, kr::view<float> out,
                                            kr::view<std::uint64_t> states,
                                            kr::view<unsigned> ticket) {
  constexpr int rounds = 4, warps = 8;
  auto shared_number = kr::shared<unsigned, 1>();
  auto sums = kr::shared<float, warps>();
  auto prefix = kr::shared<float, 1>();
  auto t = kr::cast<int>(kr::thread_idx().x);
  auto lane = t & 31, warp = t >> 5;
  kr::if_(t == 0, [&] { shared_number[0] = kr::atomic(ticket[0]).add(1); });
  kr::syncthreads();
  auto number = kr::cast<int>(shared_number[0]);
  auto base = number * (1024 * rounds) + warp * (128 * rounds) + lane * 4;

  // Each round a warp scans 128 neighbours, four a lane; `carry` is the sum of the rounds before.
  kr::var<float> v[rounds][4];
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < 4; ++c) v[r][c] = x[base + (r * 128 + c)];
  kr::var carry = 0.0f;
  for (int r = 0; r < rounds; ++r) {
    for (int c = 1; c < 4; ++c) v[r][c] += v[r][c - 1];
    kr::var before = kr::value<float>(v[r][3]);
    for (int d = 1; d < 32; d *= 2) {
      auto below = kr::warp::shfl_up(before, d);
      before += kr::select(lane >= d, below, 0.0f);
    }
    auto exclusive = kr::select(lane > 0, kr::warp::shfl_up(before, 1), 0.0f) + carry;
    for (int c = 0; c < 4; ++c) v[r][c] += exclusive;
    carry += kr::warp::shfl(before, 31);
  }
  kr::if_(lane == 31, [&] { sums[warp] = carry; });
  kr::syncthreads();

  kr::if_(warp == 0, [&] {
    kr::var own = 0.0f;
    for (int w = 0; w < warps; ++w) own += sums[w];
    auto word = [](auto kind, auto value) {
      return kr::cast<std::uint64_t>(kr::bitcast<unsigned>(value)) | kr::cast<std::uint64_t>(kind)
                                                                         << 32;
    };
    kr::if_(lane == 0, [&] {
      kr::atomic(states[number]).exchange(word(kr::select(number == 0, 2u, 1u), own));
    });
    kr::var before = 0.0f;
    kr::var at = number - 1;
    kr::while_([&] { return at >= 0; },
               [&] {
                 auto place = at - lane;
                 auto state = kr::select(
                     place >= 0,
                     [&] { return kr::value<std::uint64_t>(kr::atomic(states[place]).or_(0)); },
                     [&] { return kr::value<std::uint64_t>(std::uint64_t(2) << 32); });
                 auto kind = kr::cast<unsigned>(state >> 32);
                 kr::if_(kr::warp::all(kind != 0u), [&] {
                   auto whole = kr::cast<unsigned>(kr::warp::ballot(kind == 2u));
                   auto first = kr::ctz(whole);
                   kr::var part = kr::select(lane <= first,
                                             kr::bitcast<float>(kr::cast<unsigned>(state)), 0.0f);
                   for (int step = 16; step > 0; step /= 2) part += kr::warp::shfl_xor(part, step);
                   before += part;
                   at = kr::select(whole != 0u, -1, at - 32);
                 });
               });
    kr::if_(lane == 0, [&] {
      kr::if_(number > 0, [&] { kr::atomic(states[number]).exchange(word(2u, before + own)); });
      prefix[0] = before;
    });
  });
  kr::syncthreads();
  kr::var lead = kr::value<float>(prefix[0]);
  for (int w = 0; w < warps - 1; ++w) lead += kr::select(w < warp, sums[w], 0.0f);
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < 4; ++c) out[base + (r * 128 + c)] = v[r][c] + lead;
};
inline auto make_scan() { return kr::kernel(scan_in_one_pass, {.name = "scan"}); }

/// Zeroes both.
inline constexpr auto scan_clear = [](kr::view<std::uint64_t> states, kr::view<unsigned> ticket) {
  for (auto i : kr::grid_stride(states.size())) states[i] = 0;
  kr::if_(kr::grid() == 0, [&] { ticket[0] = 0; });
};
inline auto make_scan_clear() { return kr::kernel(scan_clear, {.name = "scan_clear"}); }

/// Scans a fixed number of elements, a multiple of 4,096.
class Scan {
 public:
  Scan(std::int64_t n, kr::device on)
      : blocks_(n / 4096), states_(kr::shape<1>(blocks_), on), ticket_(kr::shape<1>(1), on) {}

  void operator()(const kr::array<float>& x, kr::array<float>& out) {
    clear_.launch({64, 256}, states_, ticket_);
    scan_.launch({blocks_, 256}, x, out, states_, ticket_);
  }

 private:
  std::int64_t blocks_;
  kr::array<std::uint64_t> states_;
  kr::array<unsigned> ticket_;
  decltype(make_scan_clear()) clear_ = make_scan_clear();
  decltype(make_scan()) scan_ = make_scan();
};

}  // namespace bench
