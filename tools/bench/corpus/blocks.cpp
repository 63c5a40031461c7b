// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, scans, counts and sorting: blocks that share memory, and atomics.
#include <algorithm>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work reduction(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> in, kr::view<float> sums) {
        auto part = kr::shared<float, 256>();
        auto t = kr::thread_idx().x;
        kr::var sum = 0.0f;
        for (auto i : kr::grid_stride(in.size())) sum += in[i];
        part[t] = sum;
        kr::syncthreads();
        for (int half = 128; half > 0; half /= 2) {
          kr::if_(t < half, [&] { part[t] += part[t + half]; });
          kr::syncthreads();
        }
        kr::if_(t == 0, [&] { sums[kr::block_idx().x] = part[0]; });
      },
      {.name = "reduction"});
  const int n = size(8000000, 256000000), blocks = size(128, 2048);
  auto in = upload(numbers(n)), sums = make_array<float>(blocks), total = make_array<float>(1);
  return {[=] {
            kernel.launch({blocks, 256}, *in, *sums), kernel.launch({1, 256}, *sums, *total);
          },
          CORPUS_PEER(peer_reduction, raw(in), raw(total), n, blocks), output(total), 1e-3};
}

Work scan(Size size) {
  static const auto within = kr::kernel(
      [](kr::view<const int> in, kr::view<int> out, kr::view<int> sums) {
        auto line = kr::shared<int, 2, 256>();  // Hillis and Steele, with two buffers
        auto t = kr::thread_idx().x, i = kr::grid();
        kr::var from = 0;
        line(0, t) = kr::select(
            i < in.size(), [&] { return in[i]; }, [] { return 0; });
        kr::syncthreads();
        kr::var step = 1;
        kr::while_([&] { return step < 256; },
                   [&] {
                     kr::if_(t >= step, [&] {
                       line(1 - from, t) = line(from, t) + line(from, t - step);
                     }).else_([&] { line(1 - from, t) = line(from, t); });
                     from = 1 - from;
                     step *= 2;
                     kr::syncthreads();
                   });
        kr::if_(i < in.size(), [&] { out[i] = line(from, t); });
        kr::if_(t == 255, [&] { sums[kr::block_idx().x] = line(from, t); });
      },
      {.name = "scan_within"});
  static const auto add = kr::kernel(
      [](kr::view<int> out, kr::view<const int> sums) {
        auto i = kr::grid(), b = kr::block_idx().x;
        kr::if_(b > 0 && i < out.size(), [&] { out[i] += sums[b - 1]; });
      },
      {.name = "scan_add"});
  const int n = 256 * 256 * size(40, 256), blocks = n / 256, upper = blocks / 256;
  auto in = upload(integers(n, 10)), out = make_array<int>(n), sums = make_array<int>(blocks),
       scanned = make_array<int>(blocks);
  auto tops = make_array<int>(upper), top = make_array<int>(upper), rest = make_array<int>(1);
  return {[=] {
            within.launch({blocks, 256}, *in, *out, *sums);
            within.launch({upper, 256}, *sums, *scanned, *tops);
            within.launch({1, 256}, *tops, *top, *rest);
            add.launch({upper, 256}, *scanned, *top);
            add.launch({blocks, 256}, *out, *scanned);
          },
          CORPUS_PEER(peer_scan, raw(in), raw(out), n), output(out), 0};
}

Work histogram_global(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> in, kr::view<unsigned> counts) {
        for (auto i : kr::grid_stride(in.size())) kr::atomic(counts[in[i]]).add(1u);
      },
      {.name = "histogram_global"});
  const int n = size(1000000, 4000000), blocks = size(64, 1024);
  auto in = upload(integers<unsigned char>(n, 256));
  auto counts = make_array<unsigned>(256), zeros = upload(std::vector<unsigned>(256));
  return {[=] {
            counts->copy_from(*zeros), kernel.launch({blocks, 256}, *in, *counts);
          },
          CORPUS_PEER(peer_histogram_global, raw(in), raw(counts), n, blocks), output(counts), 0};
}

Work scatter_add(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const int> where, kr::view<const float> value, kr::view<float> sums) {
        auto i = kr::grid();
        kr::if_(i < where.size(), [&] { kr::atomic(sums[where[i]]).add(value[i]); });
      },
      {.name = "scatter_add"});
  const int n = size(600000, 40000000), cells = size(50000, 1000000);
  auto where = upload(integers(n, cells));
  auto value = upload(numbers(n)), sums = make_array<float>(cells),
       zeros = upload(std::vector<float>(cells));
  return {[=] { sums->copy_from(*zeros), kernel.forall(n)(*where, *value, *sums); },
          CORPUS_PEER(peer_scatter_add, raw(where), raw(value), raw(sums), n, cells), output(sums)};
}

Work sad(Size size) {
  // For each block of 8 x 8 pixels, the displacement within ±6 where the earlier frame fits best.
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char, 2> now, kr::view<const unsigned char, 2> before,
         kr::view<int, 2> best) {
        auto [bx, by] = kr::grid<2>();
        kr::if_(by < best.extent(0) && bx < best.extent(1), [&] {
          kr::var least = 1 << 30, where = 0;
          for (auto dy : kr::range(-6, 7))
            for (auto dx : kr::range(-6, 7)) {
              auto y0 = 8 * by + dy, x0 = 8 * bx + dx;
              kr::if_(y0 < 0 || x0 < 0 || y0 + 8 > now.extent(0) || x0 + 8 > now.extent(1),
                      [] { kr::continue_(); });
              kr::var sum = 0;
              for (auto y : kr::range(8))
                for (auto x : kr::range(8))
                  sum +=
                      kr::abs(kr::cast<int>(now(8 * by + y, 8 * bx + x)) - before(y0 + y, x0 + x));
              kr::if_(sum < least, [&] {
                least = sum;
                where = (dy + 6) * 13 + dx + 6;
              });
            }
          best(by, bx) = where;
        });
      },
      {.name = "sad"});
  const int w = size(480, 7680), h = size(320, 4320);
  auto now = upload<unsigned char, 2>(integers<unsigned char>(w * h, 256, 1), h, w),
       before = upload<unsigned char, 2>(integers<unsigned char>(w * h, 256, 2), h, w);
  auto best = make_array<int, 2>(h / 8, w / 8);
  return {[=] { kernel.launch(cover2(w / 8, h / 8, 16, 4), *now, *before, *best); },
          CORPUS_PEER(peer_sad, raw(now), raw(before), raw(best), w, h), output(best), 0};
}

Work histogram_shared(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> in, kr::view<unsigned> counts) {
        auto mine = kr::shared<unsigned, 256>();
        auto t = kr::thread_idx().x;
        mine[t] = 0;
        kr::syncthreads();
        for (auto i : kr::grid_stride(in.size())) kr::atomic(mine[in[i]]).add(1u);
        kr::syncthreads();
        kr::atomic(counts[t]).add(mine[t]);
      },
      {.name = "histogram_shared"});
  const int n = size(4000000, 128000000), blocks = size(64, 1024);
  auto in = upload(integers<unsigned char>(n, 256));
  auto counts = make_array<unsigned>(256), zeros = upload(std::vector<unsigned>(256));
  return {[=] {
            counts->copy_from(*zeros), kernel.launch({blocks, 256}, *in, *counts);
          },
          CORPUS_PEER(peer_histogram, raw(in), raw(counts), n, blocks), output(counts), 0};
}

Work bitonic(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> in, kr::view<float> out) {
        constexpr int block = 256;
        auto own = kr::shared<float, block>();
        auto t = kr::cast<int>(kr::thread_idx().x);
        auto i = kr::grid();
        own[t] = in[i];
        kr::syncthreads();
        for (int size = 2; size <= block; size *= 2)
          for (int stride = size / 2; stride > 0; stride /= 2) {
            auto other = t ^ stride;
            kr::if_(other > t, [&] {
              auto a = own[t], b = own[other];
              kr::if_((a > b) == ((t & size) == 0), [&] {
                own[t] = b;
                own[other] = a;
              });
            });
            kr::syncthreads();
          }
        out[i] = own[t];
      },
      {.name = "bitonic"});
  const int blocks = size(1000, 200000), n = blocks * 256;
  auto in = upload(numbers(n)), out = make_array<float>(n);
  return {[=] {
            kernel.launch({blocks, 256}, *in, *out);
          },
          CORPUS_PEER(peer_sort_blocks, raw(in), raw(out), blocks), output(out), 0};
}

Work compaction(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const int> in, kr::view<int> out, kr::view<int> count, kr::value<int> bound) {
        auto i = kr::grid();
        kr::if_(i < in.size(), [&] {
          auto keep = in[i] < bound;
          auto votes = kr::warp::ballot(keep);
          auto lane = kr::lane_id();
          kr::var base = 0;
          kr::if_(lane == 0, [&] { base = kr::atomic(count[0]).add(kr::popcount(votes)); });
          auto first = kr::warp::shfl(base, 0);
          kr::if_(keep, [&] { out[first + kr::popcount(votes & ((1u << lane) - 1u))] = in[i]; });
        });
      },
      {.name = "compaction"});
  const int n = 1 << size(21, 24);
  auto in = upload(integers(n, 1000)), out = make_array<int>(n), count = make_array<int>(1);
  Output sorted = output(out);  // the order of the warps is open
  const auto read = sorted.read;
  sorted.read = [read] {
    const auto all = std::static_pointer_cast<kr::host_array<int>>(read());
    std::sort(all->begin(), all->end());
    return all;
  };
  auto zero = upload(std::vector<int>(1));
  return {[=] { count->copy_from(*zero), kernel.launch(cover(n), *in, *out, *count, 300); },
          CORPUS_PEER(peer_compaction, raw(in), raw(out), raw(count), 300, n),
          sorted + output(count), 0};
}

}  // namespace

void add_blocks(Registry& all) {
  const char* theme = "blocks";
  all.insert(all.end(), {{61, "reduction", theme, reduction},
                         {62, "scan", theme, scan},
                         {63, "histogram, global", theme, histogram_global},
                         {64, "scatter add", theme, scatter_add},
                         {65, "sad", theme, sad},
                         {66, "histogram, shared", theme, histogram_shared},
                         {67, "bitonic sort", theme, bitonic},
                         {68, "compaction", theme, compaction}});
}

}  // namespace corpus
