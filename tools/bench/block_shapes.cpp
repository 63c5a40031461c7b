// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a block's shape costs on the CPU: kernels whose threads meet, each in blocks of about 256
// threads of many shapes, with equal work.
//   bench_shapes [--rounds N] [--only TEXT] [--shape TEXT]     TEXT: a part of the kernels' names; a shape as in the heading
// A row a kernel: ms of one thread's processor time for each shape, the smallest of interleaved
// rounds, and the worst over the best; below, what the first launch took longer. Results are
// checked against those of the first shape.
#include <krait/krait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <span>

namespace kr = krait;

namespace {

struct Shape {
  int w, h, d;
  int threads() const { return w * h * d; }
};
constexpr Shape shapes[] = {{256, 1, 1}, {128, 2, 1}, {64, 4, 1},  {32, 8, 1},  {16, 16, 1},
                            {8, 32, 1},  {4, 64, 1},  {2, 128, 1}, {1, 256, 1}, {4, 8, 8},
                            {1, 16, 16}, {1, 1, 256}, {3, 85, 1},  {5, 50, 1},  {7, 36, 1}};
constexpr int side = 2000,
              // elements of an image's rows and columns; products that an element of the matrix
              // product sums up
    depth = 16;

using Image = kr::array<float, 2>;
using In = kr::view<const float, 2>;
using Out = kr::view<float, 2>;

/// A thread of a block that covers w x (h * d) elements of an image.
struct Place {
  kr::value<int> tx, ty, x, y, thread;  // in the block, in the image; numbered x first
  kr::value<bool> inside;
};
Place place(Shape s) {
  auto t = kr::thread_idx();
  auto b = kr::block_idx();
  kr::value<int> tx = kr::cast<int>(t.x), ty = kr::cast<int>(t.z) * s.h + kr::cast<int>(t.y);
  kr::value<int> x = kr::cast<int>(b.x) * s.w + tx, y = kr::cast<int>(b.y) * (s.h * s.d) + ty;
  return {tx, ty, x, y, ty * s.w + tx, kr::value<bool>((x < side) & (y < side))};
}
/// The same, from the launch: not known when the kernel is recorded.
kr::value<int> thread_of_launch() {
  auto t = kr::thread_idx(), n = kr::block_dim();
  return kr::cast<int>((t.z * n.y + t.y) * n.x + t.x);
}

/// Each element and the mean of its neighbours, in a tile with a halo.
auto stencil(Shape s) {
  return kr::kernel(
      [s](In in, Out out) {
        const int width = s.w + 2, rows = s.h * s.d;
        auto tile = kr::dynamic_shared<float>(width * (rows + 2));
        Place p = place(s);
        auto at = (p.ty + 1) * width + p.tx + 1;
        kr::if_(p.inside, [&] {
          tile[at] = in(p.y, p.x);
          kr::if_((p.tx == 0) & (p.x > 0), [&] { tile[at - 1] = in(p.y, p.x - 1); });
          kr::if_((p.tx == s.w - 1) & (p.x < side - 1), [&] { tile[at + 1] = in(p.y, p.x + 1); });
          kr::if_((p.ty == 0) & (p.y > 0), [&] { tile[at - width] = in(p.y - 1, p.x); });
          kr::if_((p.ty == rows - 1) & (p.y < side - 1),
                  [&] { tile[at + width] = in(p.y + 1, p.x); });
        });
        kr::syncthreads();
        kr::if_((p.x > 0) & (p.x < side - 1) & (p.y > 0) & (p.y < side - 1), [&] {
          out(p.y, p.x) = 0.5f * tile[at] + 0.125f * (tile[at - 1] + tile[at + 1] +
                                                      tile[at - width] + tile[at + width]);
        });
      },
      {.name = "stencil"});
}

/// A tile is read in rows and written in rows.
auto transpose(Shape s) {
  return kr::kernel(
      [s](In in, Out out) {
        const int rows = s.h * s.d;
        auto tile = kr::dynamic_shared<float>(s.w * (rows + 1));
        Place p = place(s);
        kr::if_(p.inside, [&] { tile[p.tx * (rows + 1) + p.ty] = in(p.y, p.x); });
        kr::syncthreads();
        auto across = p.thread % rows, down = p.thread / rows;
        auto x = p.y - p.ty + across, y = p.x - p.tx + down;
        kr::if_((x < side) & (y < side), [&] { out(y, x) = tile[down * (rows + 1) + across]; });
      },
      {.name = "transpose"});
}

/// A tile of the product of two matrices, 16 columns and as many rows as the block has threads for,
/// 16 columns and rows at a time.
auto product(Shape s) {
  return kr::kernel(
      [s](In a, In b, Out c) {
        const int tile = 16, rows = s.threads() / tile;
        auto ta = kr::shared<float, 16, 16>(), tb = kr::shared<float, 16, 16>();
        auto t = thread_of_launch();
        auto tx = t % tile, ty = t / tile;
        auto x = kr::cast<int>(kr::block_idx().x) * tile + tx,
             y = kr::cast<int>(kr::block_idx().y) * rows + ty;
        auto last = kr::min(y, side - 1);
        kr::var sum = 0.0f;
        for (auto first : kr::range(0, depth, tile)) {
          kr::if_(ty < rows, [&] { ta(ty, tx) = a(last, kr::cast<int>(first) + tx); });
          for (auto row : kr::range(ty, tile, rows))
            tb(row, tx) = b(kr::cast<int>(first) + kr::cast<int>(row), x);
          kr::syncthreads();
          for (int k = 0; k < tile; ++k) sum += ta(kr::min(ty, tile - 1), k) * tb(k, tx);
          kr::syncthreads();
        }
        kr::if_((ty < rows) & (y < side), [&] { c(y, x) = sum; });
      },
      {.name = "product"});
}

/// The block's sum by a tree, written by all of its threads.
auto reduce(Shape s) {
  return kr::kernel(
      [s](In in, Out out) {
        auto part = kr::dynamic_shared<float>(256);
        Place p = place(s);
        kr::if_(p.thread + s.threads() < 256, [&] { part[p.thread + s.threads()] = 0.0f; });
        part[p.thread] = kr::select(
            p.inside, [&] { return kr::value<float>(in(p.y, p.x)); },
            [&] { return kr::value<float>(0.0f); });
        kr::syncthreads();
        for (int half = 128; half > 0; half /= 2) {
          kr::if_(p.thread < half, [&] { part[p.thread] += part[p.thread + half]; });
          kr::syncthreads();
        }
        kr::if_(p.inside, [&] { out(p.y, p.x) = part[0]; });
      },
      {.name = "reduce"});
}

/// Sums of all threads up to each, twice as far in each step (Hillis and Steele). The block's
/// threads lie in one row of the data.
auto scan(Shape) {
  return kr::kernel(
      [](kr::view<const float> in, kr::view<float> out) {
        auto part = kr::dynamic_shared<float>(512);
        auto t = thread_of_launch();
        auto i =
            kr::block_idx().x * (kr::block_dim().x * kr::block_dim().y * kr::block_dim().z) + t;
        part[t] = kr::select(
            i < in.size(), [&] { return kr::value<float>(in[i]); },
            [&] { return kr::value<float>(0.0f); });
        kr::syncthreads();
        int from = 0;
        for (int step = 1; step < 256; step *= 2, from ^= 256) {
          part[t + (from ^ 256)] =
              part[t + from] + kr::select(
                                   t >= step,
                                   [&] { return kr::value<float>(part[t + from - step]); },
                                   [&] { return kr::value<float>(0.0f); });
          kr::syncthreads();
        }
        kr::if_(i < in.size(), [&] { out[i] = part[t + from]; });
      },
      {.name = "scan"});
}

/// Forces between bodies, a tile of them at a time.
auto bodies(Shape s) {
  return kr::kernel(
      [s](kr::view<const float> px, kr::view<const float> py, kr::view<float> force) {
        auto x = kr::dynamic_shared<float>(s.threads()), y = kr::dynamic_shared<float>(s.threads());
        auto t = thread_of_launch();
        auto i = kr::cast<int>(kr::block_idx().x) * s.threads() + t;
        auto n = kr::cast<int>(px.size());
        auto own = kr::min(i, n - 1);
        auto x0 = kr::value<float>(px[own]), y0 = kr::value<float>(py[own]);
        kr::var sum = 0.0f;
        for (auto first : kr::range(0, n / 4, s.threads())) {
          auto j = kr::min(kr::cast<int>(first) + t, n - 1);
          x[t] = px[j], y[t] = py[j];
          kr::syncthreads();
          for (auto k : kr::range(s.threads())) {
            auto dx = x[k] - x0, dy = y[k] - y0;
            sum += dx / (dx * dx + dy * dy + 1e-3f);
          }
          kr::syncthreads();
        }
        kr::if_(i < n, [&] { force[i] = sum; });
      },
      {.name = "bodies"});
}

/// No barriers: the place in the image by block and thread, as CUDA programs have it.
auto blend(Shape) {
  return kr::kernel(
      [](In in, Out out) {
        auto t = kr::thread_idx(), b = kr::block_idx(), n = kr::block_dim();
        auto x = b.x * n.x + t.x, y = (b.y * n.z + t.z) * n.y + t.y;
        kr::if_((x < in.extent(1)) & (y < in.extent(0)),
                [&] { out(y, x) = kr::sqrt(in(y, x) * 0.75f + 0.25f); });
      },
      {.name = "blend"});
}

double time_of(const std::function<void()>& run) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
  };
  const double start = now();
  run();
  return now() - start;
}

struct Suite {
  int rounds = 7;
  std::string only, shape;

  static std::string name_of(Shape s) {
    return std::to_string(s.w) + "," + std::to_string(s.h) +
           (s.d > 1 ? "," + std::to_string(s.d) : "");
  }
  std::vector<Shape> wanted() const {
    std::vector<Shape> all;
    for (Shape s : shapes)
      if (shape.empty() || shape == name_of(s)) all.push_back(s);
    return all;
  }

  /// `start(shape)` gives a launch; `result` what it leaves, compared where `compares`.
  template <class Start>
  void row(const char* name, Start start, std::span<const float> result, bool compares = true) {
    if (std::string(name).find(only) == std::string::npos) return;
    std::vector<std::function<void()>> runs;
    std::vector<double> best, first;
    std::vector<float> expected;
    for (Shape s : wanted()) {
      runs.push_back(start(s));
      const double cold = time_of(runs.back());
      best.push_back(time_of(runs.back()));
      first.push_back(cold - best.back());
      if (!compares) continue;
      if (expected.empty()) expected.assign(result.begin(), result.end());
      for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(result[i] - expected[i]) <= 1e-3f * std::fabs(expected[i]) + 1e-3f)) {
          std::printf("%s in {%d, %d, %d}: element %zu is %g, not %g\n", name, s.w, s.h, s.d, i,
                      double(result[i]), double(expected[i]));
          std::exit(1);
        }
    }
    for (int r = 0; r < rounds; ++r)
      for (std::size_t i = 0; i < runs.size(); ++i) best[i] = std::min(best[i], time_of(runs[i]));
    std::printf("%-10s", name);
    for (double ms : best) std::printf(" %8.2f", ms);
    std::printf(
        " %7.2f\n%-10s",
        *std::max_element(best.begin(), best.end()) / *std::min_element(best.begin(), best.end()),
        "  first");
    for (double ms : first) std::printf(" %8.0f", ms);
    std::printf("\n");
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  setenv("KRAIT_NUM_THREADS", "1", 1);
  Suite suite;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--rounds")) suite.rounds = std::atoi(argv[i + 1]);
    else if (!std::strcmp(argv[i], "--only")) suite.only = argv[i + 1];
    else if (!std::strcmp(argv[i], "--shape")) suite.shape = argv[i + 1];
  }
  const kr::device cpu = kr::device::cpu();
  std::vector<float> numbers(side * side);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 0.1f + float(std::uint32_t(i) * 2654435761u >> 8) * (1.f / 16777216);
  Image a({side, side}, cpu), b({side, side}, cpu), out({side, side}, cpu);
  a.copy_from(numbers), b.copy_from(numbers);
  const auto flat = kr::to_device(numbers, cpu);
  kr::array<float> sums(kr::shape<1>(side * side), cpu);
  const auto x = kr::to_device(std::vector<float>(numbers.begin(), numbers.begin() + 8192), cpu);
  const auto y =
      kr::to_device(std::vector<float>(numbers.begin() + 8192, numbers.begin() + 16384), cpu);
  kr::array<float> force(kr::shape<1>(8192), cpu);
  const auto span = [](auto& array) {
    return std::span<const float>(reinterpret_cast<const float*>(array.address()),
                                  std::size_t(array.size()));
  };

  const auto over_image = [](Shape s) {
    return kr::launch_config({(side + s.w - 1) / s.w, (side + s.h * s.d - 1) / (s.h * s.d)},
                             {s.w, s.h, s.d});
  };
  const auto over_row = [](Shape s, int n) {
    return kr::launch_config({(n + s.threads() - 1) / s.threads()}, {s.w, s.h, s.d});
  };
  const auto over_tiles = [](Shape s) {
    const int rows = s.threads() / 16;
    return kr::launch_config({side / 16, (side + rows - 1) / rows}, {s.w, s.h, s.d});
  };
  const auto keep = [](auto f) { return std::make_shared<decltype(f)>(std::move(f)); };

  std::printf("%-10s", "ms");
  for (Shape s : suite.wanted()) std::printf(" %8s", Suite::name_of(s).c_str());
  std::printf("   worst/best\n");
  suite.row(
      "stencil",
      [&](Shape s) { return [&, s, f = keep(stencil(s))] { f->launch(over_image(s), a, out); }; },
      span(out));
  suite.row(
      "transpose",
      [&](Shape s) { return [&, s, f = keep(transpose(s))] { f->launch(over_image(s), a, out); }; },
      span(out));
  suite.row(
      "product",
      [&](Shape s) {
        return [&, s, f = keep(product(s))] { f->launch(over_tiles(s), a, b, out); };
      },
      span(out));
  suite.row(
      "reduce",
      [&](Shape s) { return [&, s, f = keep(reduce(s))] { f->launch(over_image(s), a, out); }; },
      span(out), false);
  suite.row(
      "scan",
      [&](Shape s) {
        return [&, s, f = keep(scan(s))] { f->launch(over_row(s, side * side), flat, sums); };
      },
      span(sums), false);
  suite.row(
      "bodies",
      [&](Shape s) {
        return [&, s, f = keep(bodies(s))] { f->launch(over_row(s, 8192), x, y, force); };
      },
      span(force), false);
  suite.row(
      "blend",
      [&](Shape s) { return [&, s, f = keep(blend(s))] { f->launch(over_image(s), a, out); }; },
      span(out));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
