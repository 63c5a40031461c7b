// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense and sparse linear algebra: forms of PolyBench, SHOC and the CUDA samples.
#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work gemm(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<float> alpha, kr::view<const float, 2> a, kr::view<const float, 2> b,
         kr::value<float> beta, kr::view<float, 2> c) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < c.extent(0) && j < c.extent(1), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(a.extent(1))) sum += a(i, k) * b(k, j);
          c(i, j) = beta * c(i, j) + alpha * sum;
        });
      },
      {.name = "gemm"});
  const int n = size(576, 1920);
  auto a = upload<float, 2>(numbers(n * n, -1, 1, 1), n, n),
       b = upload<float, 2>(numbers(n * n, -1, 1, 2), n, n);
  auto c = make_array<float, 2>(n, n);
  return {[=] { kernel.launch(cover2(n, n), 1.5f, *a, *b, 0.5f, *c); },
          CORPUS_PEER(peer_gemm, 1.5f, raw(a), raw(b), 0.5f, raw(c), n),
          output(c, numbers(n * n, -1, 1, 3))};
}

Work gemver(Size size) {
  static const auto rank_two = kr::kernel([](kr::view<const double, 2> a, kr::view<const double> u1,
                                             kr::view<const double> v1, kr::view<const double> u2,
                                             kr::view<const double> v2, kr::view<double, 2> out) {
    auto [j, i] = kr::grid<2>();
    kr::if_(i < a.extent(0) && j < a.extent(1),
            [&] { out(i, j) = a(i, j) + u1[i] * v1[j] + u2[i] * v2[j]; });
  });
  static const auto transposed =
      kr::kernel([](kr::value<double> beta, kr::view<const double, 2> a, kr::view<const double> y,
                    kr::view<const double> z, kr::view<double> x) {
        auto i = kr::grid();
        kr::if_(i < x.size(), [&] {
          kr::var sum = 0.0;
          for (auto j : kr::range(y.size())) sum += a(j, i) * y[j];
          x[i] = beta * sum + z[i];
        });
      });
  static const auto product = kr::kernel([](kr::value<double> alpha, kr::view<const double, 2> a,
                                            kr::view<const double> x, kr::view<double> w) {
    auto i = kr::grid();
    kr::if_(i < w.size(), [&] {
      kr::var sum = 0.0;
      for (auto j : kr::range(x.size())) sum += a(i, j) * x[j];
      w[i] = alpha * sum;
    });
  });
  const int n = size(1500, 10000);
  const auto vector = [&](unsigned seed) { return upload(numbers<double>(n, 0, 1, seed)); };
  auto a = upload<double, 2>(numbers<double>(n * n), n, n), ahat = make_array<double, 2>(n, n);
  auto u1 = vector(2), v1 = vector(3), u2 = vector(4), v2 = vector(5), y = vector(6), z = vector(7);
  auto x = make_array<double>(n), w = make_array<double>(n);
  return {[=] {
            rank_two.launch(cover2(n, n), *a, *u1, *v1, *u2, *v2, *ahat);
            transposed.forall(n)(0.7, *ahat, *y, *z, *x);
            product.forall(n)(1.3, *ahat, *x, *w);
          },
          CORPUS_PEER(peer_gemver, 1.3, 0.7, raw(a), raw(u1), raw(v1), raw(u2), raw(v2), raw(y),
                      raw(z), raw(ahat), raw(x), raw(w), n),
          output(w), 1e-9};
}

Work mvt(Size size) {
  static const auto rows = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<const float> y, kr::view<float> x) {
        auto i = kr::grid();
        kr::if_(i < x.size(), [&] {
          kr::var sum = 0.0f;
          for (auto j : kr::range(y.size())) sum += a(i, j) * y[j];
          x[i] = sum;
        });
      },
      {.name = "mvt_rows"});
  static const auto columns = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<const float> y, kr::view<float> x) {
        auto i = kr::grid();
        kr::if_(i < x.size(), [&] {
          kr::var sum = 0.0f;
          for (auto j : kr::range(y.size())) sum += a(j, i) * y[j];
          x[i] = sum;
        });
      },
      {.name = "mvt_columns"});
  const int n = size(2000, 16000);
  auto a = upload<float, 2>(numbers(n * n), n, n);
  auto y1 = upload(numbers(n, 0, 1, 2)), y2 = upload(numbers(n, 0, 1, 3)),
       x1 = make_array<float>(n), x2 = make_array<float>(n);
  return {[=] { rows.forall(n)(*a, *y1, *x1), columns.forall(n)(*a, *y2, *x2); },
          CORPUS_PEER(peer_mvt, raw(a), raw(y1), raw(y2), raw(x1), raw(x2), n),
          output(x1) + output(x2)};
}

Work atax(Size size) {
  static const auto forward = kr::kernel(
      [](auto a, auto x, auto t) {
        for (auto i : kr::grid_stride(a.extent(0))) {
          kr::var sum = 0.0;
          for (auto j : kr::range(a.extent(1))) sum += a(i, j) * x[j];
          t[i] = sum;
        }
      },
      {.name = "atax_forward"});
  static const auto back = kr::kernel(
      [](auto a, auto t, auto y) {
        for (auto j : kr::grid_stride(a.extent(1))) {
          kr::var sum = 0.0;
          for (auto i : kr::range(a.extent(0))) sum += a(i, j) * t[i];
          y[j] = sum;
        }
      },
      {.name = "atax_back"});
  const int m = size(1400, 10000), n = size(1600, 12000);
  const auto by_rows = size(kr::launch_config{64, 128}, cover(m)),
             by_columns = size(kr::launch_config{64, 128}, cover(n));
  auto a = upload<double, 2>(numbers<double>(m * n), m, n);
  auto x = upload(numbers<double>(n, 0, 1, 2)), t = make_array<double>(m),
       y = make_array<double>(n);
  return {[=] { forward.launch(by_rows, *a, *x, *t), back.launch(by_columns, *a, *t, *y); },
          CORPUS_PEER(peer_atax, raw(a), raw(x), raw(t), raw(y), m, n), output(y), 1e-9};
}

Work two_mm(Size size) {
  static const auto first = kr::kernel(
      [](kr::value<float> alpha, kr::view<const float, 2> a, kr::view<const float, 2> b,
         kr::view<float, 2> t) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < t.extent(0) && j < t.extent(1), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(a.extent(1))) sum += alpha * a(i, k) * b(k, j);
          t(i, j) = sum;
        });
      },
      {.name = "2mm_first"});
  static const auto second = kr::kernel(
      [](kr::value<float> beta, kr::view<const float, 2> t, kr::view<const float, 2> c,
         kr::view<const float, 2> d0, kr::view<float, 2> d) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < d.extent(0) && j < d.extent(1), [&] {
          kr::var sum = beta * d0(i, j);
          for (auto k : kr::range(t.extent(1))) sum += t(i, k) * c(k, j);
          d(i, j) = sum;
        });
      },
      {.name = "2mm_second"});
  const int n = size(448, 1600);
  const auto matrix = [&](unsigned seed) {
    return upload<float, 2>(numbers(n * n, 0, 1, seed), n, n);
  };
  auto a = matrix(1), b = matrix(2), c = matrix(3), d0 = matrix(4), t = make_array<float, 2>(n, n),
       d = make_array<float, 2>(n, n);
  return {[=] {
            first.launch(cover2(n, n, 16, 16), 0.1f, *a, *b, *t),
                second.launch(cover2(n, n, 16, 16), 0.5f, *t, *c, *d0, *d);
          },
          CORPUS_PEER(peer_2mm, 0.1f, 0.5f, raw(a), raw(b), raw(c), raw(t), raw(d0), raw(d), n),
          output(d)};
}

Work correlation(Size size) {
  static const auto statistics = kr::kernel(
      [](kr::view<const double, 2> data, kr::view<double> mean, kr::view<double> deviation) {
        auto j = kr::grid();
        kr::if_(j < data.extent(1), [&] {
          auto n = kr::cast<double>(data.extent(0));
          kr::var sum = 0.0;
          for (auto i : kr::range(data.extent(0))) sum += data(i, j);
          auto m = sum / n;
          kr::var squares = 0.0;
          for (auto i : kr::range(data.extent(0))) {
            auto d = data(i, j) - m;
            squares += d * d;
          }
          auto s = kr::sqrt(squares / n);
          mean[j] = m;
          deviation[j] = kr::select(s <= 0.1, 1.0, s);
        });
      },
      {.name = "correlation_statistics"});
  static const auto scale = kr::kernel(
      [](kr::view<const double, 2> data, kr::view<const double> mean,
         kr::view<const double> deviation, kr::view<double, 2> scaled) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < data.extent(0) && j < data.extent(1), [&] {
          scaled(i, j) =
              (data(i, j) - mean[j]) / (kr::sqrt(kr::cast<double>(data.extent(0))) * deviation[j]);
        });
      },
      {.name = "correlation_scale"});
  static const auto multiply = kr::kernel(
      [](kr::view<const double, 2> scaled, kr::view<double, 2> out) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i <= j && j < out.extent(1), [&] {
          kr::var sum = 0.0;
          for (auto k : kr::range(scaled.extent(0))) sum += scaled(k, i) * scaled(k, j);
          out(i, j) = sum;
          out(j, i) = sum;
        });
      },
      {.name = "correlation_multiply"});
  const int m = size(400, 2400), n = size(600, 2000);
  auto data = upload<double, 2>(numbers<double>(m * n), n, m), scaled = make_array<double, 2>(n, m),
       out = make_array<double, 2>(m, m);
  auto mean = make_array<double>(m), deviation = make_array<double>(m);
  return {[=] {
            statistics.forall(m)(*data, *mean, *deviation);
            scale.launch(cover2(m, n), *data, *mean, *deviation, *scaled);
            multiply.launch(cover2(m, m), *scaled, *out);
          },
          CORPUS_PEER(peer_correlation, raw(data), raw(mean), raw(deviation), raw(scaled), raw(out),
                      m, n),
          output(out), 1e-9};
}

Work doitgen(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const double, 3> a, kr::view<const double, 2> c4, kr::view<double, 3> out) {
        auto [k, j, i] = kr::grid<3>();
        kr::if_(k < out.extent(2) && j < out.extent(1) && i < out.extent(0), [&] {
          kr::var sum = 0.0;
          for (auto s : kr::range(a.extent(2))) sum += a(i, j, s) * c4(s, k);
          out(i, j, k) = sum;
        });
      },
      {.name = "doitgen"});
  const int r = size(80, 400), q = size(60, 240), p = 128;
  auto a = upload<double, 3>(numbers<double>(r * q * p), r, q, p),
       out = make_array<double, 3>(r, q, p);
  auto c4 = upload<double, 2>(numbers<double>(p * p, 0, 1, 2), p, p);
  return {[=] {
            kernel.launch({{p / 32, q / 2, r}, {32, 2, 1}}, *a, *c4, *out);
          },
          CORPUS_PEER(peer_doitgen, raw(a), raw(c4), raw(out), r, q, p), output(out), 1e-9};
}

Work gesummv(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<float> alpha, kr::value<float> beta, kr::view<const float, 2> a,
         kr::view<const float, 2> b, kr::view<const float> x, kr::view<float> y) {
        auto i = kr::grid();
        kr::if_(i >= y.size(), [] { kr::return_(); });
        kr::var first = 0.0f, second = 0.0f;
        for (auto j : kr::range(x.size())) {
          first += a(i, j) * x[j];
          second += b(i, j) * x[j];
        }
        y[i] = alpha * first + beta * second;
      },
      {.name = "gesummv"});
  const int n = size(1800, 14000);
  auto a = upload<float, 2>(numbers(n * n, 0, 1, 1), n, n),
       b = upload<float, 2>(numbers(n * n, 0, 1, 2), n, n);
  auto x = upload(numbers(n, 0, 1, 3)), y = make_array<float>(n);
  return {[=] { kernel.launch(cover(n), 0.3f, 0.6f, *a, *b, *x, *y); },
          CORPUS_PEER(peer_gesummv, 0.3f, 0.6f, raw(a), raw(b), raw(x), raw(y), n), output(y)};
}

struct Sparse {
  std::vector<int> start{0}, column;
};
Sparse sparse(int rows, int columns, int least, int most) {
  const auto counts = integers(std::size_t(rows), most - least + 1, 5);
  Sparse s;
  for (int c : counts) s.start.push_back(s.start.back() + least + c);
  s.column = integers(std::size_t(s.start.back()), columns, 6);
  return s;
}

Work spmv_by_thread(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const int> start, kr::view<const int> column, kr::view<const float> value,
         kr::view<const float> x, kr::view<float> y) {
        auto row = kr::grid();
        kr::if_(row < y.size(), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(start[row], start[row + 1])) sum += value[k] * x[column[k]];
          y[row] = sum;
        });
      },
      {.name = "spmv_thread"});
  const int rows = size(150000, 4000000);
  const Sparse s = sparse(rows, rows, 4, 28);
  auto start = upload(s.start), column = upload(s.column);
  auto value = upload(numbers(s.column.size())), x = upload(numbers(rows, 0, 1, 2)),
       y = make_array<float>(rows);
  return {[=] { kernel.forall(rows)(*start, *column, *value, *x, *y); },
          CORPUS_PEER(peer_spmv, raw(start), raw(column), raw(value), raw(x), raw(y), rows),
          output(y)};
}

Work spmv_by_warp(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const int> start, kr::view<const int> column, kr::view<const double> value,
         kr::view<const double> x, kr::view<double> y) {
        auto row = kr::grid() / 32, lane = kr::grid() % 32;
        kr::if_(row < y.size(), [&] {
          kr::var sum = 0.0;
          for (auto k : kr::range(start[row] + lane, start[row + 1], 32))
            sum += value[k] * x[column[k]];
          auto total = kr::warp::reduce(sum, kr::combine::add);
          kr::if_(lane == 0, [&] { y[row] = total; });
        });
      },
      {.name = "spmv_warp"});
  const int rows = size(10000, 300000);
  const Sparse s = sparse(rows, rows, 100, 300);
  auto start = upload(s.start), column = upload(s.column);
  auto value = upload(numbers<double>(s.column.size())), x = upload(numbers<double>(rows, 0, 1, 2)),
       y = make_array<double>(rows);
  return {[=] { kernel.launch(cover(rows * 32L), *start, *column, *value, *x, *y); },
          CORPUS_PEER(peer_spmv_long, raw(start), raw(column), raw(value), raw(x), raw(y), rows),
          output(y), 1e-9};
}

Work sgemm_tiled(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<const float, 2> b, kr::view<float, 2> c) {
        constexpr int tile = 16;
        auto ta = kr::shared<float, tile, tile>(), tb = kr::shared<float, tile, tile>();
        auto tx = kr::thread_idx().x, ty = kr::thread_idx().y;
        auto row = kr::block_idx().y * tile + ty, column = kr::block_idx().x * tile + tx;
        kr::var sum = 0.0f;
        for (auto t : kr::range(a.extent(1) / tile)) {
          ta(ty, tx) = a(row, t * tile + tx);
          tb(ty, tx) = b(t * tile + ty, column);
          kr::syncthreads();
          for (auto k : kr::range(tile)) sum += ta(ty, k) * tb(k, tx);
          kr::syncthreads();
        }
        c(row, column) = sum;
      },
      {.name = "sgemm_tiled"});
  const int n = size(640, 2048);
  auto a = upload<float, 2>(numbers(n * n, -1, 1, 1), n, n),
       b = upload<float, 2>(numbers(n * n, -1, 1, 2), n, n);
  auto c = make_array<float, 2>(n, n);
  return {[=] {
            kernel.launch({{n / 16, n / 16}, {16, 16}}, *a, *b, *c);
          },
          CORPUS_PEER(peer_sgemm, raw(a), raw(b), raw(c), n), output(c)};
}

Work transpose_tiled(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out) {
        auto tile = kr::shared<float, 32, 33>();
        auto tx = kr::thread_idx().x, ty = kr::thread_idx().y;
        auto x = kr::block_idx().x * 32 + tx, y = kr::block_idx().y * 32 + ty;
        for (int j = 0; j < 32; j += 8) tile(ty + j, tx) = in(y + j, x);
        kr::syncthreads();
        auto ox = kr::block_idx().y * 32 + tx, oy = kr::block_idx().x * 32 + ty;
        for (int j = 0; j < 32; j += 8) out(oy + j, ox) = tile(tx, ty + j);
      },
      {.name = "transpose_tiled"});
  const int rows = size(2048, 12288), columns = size(1536, 10240);
  auto in = upload<float, 2>(numbers(std::size_t(rows) * columns), rows, columns),
       out = make_array<float, 2>(columns, rows);
  return {[=] {
            kernel.launch({{columns / 32, rows / 32}, {32, 8}}, *in, *out);
          },
          CORPUS_PEER(peer_transpose, raw(in), raw(out), rows, columns), output(out), 0};
}

}  // namespace

void add_linear(Registry& all) {
  const char* theme = "linear";
  all.insert(all.end(), {{1, "gemm", theme, gemm},
                         {2, "gemver", theme, gemver},
                         {3, "mvt", theme, mvt},
                         {4, "atax", theme, atax},
                         {5, "2mm", theme, two_mm},
                         {6, "correlation", theme, correlation},
                         {7, "doitgen", theme, doitgen},
                         {8, "gesummv", theme, gesummv},
                         {9, "spmv by thread", theme, spmv_by_thread},
                         {10, "spmv by warp", theme, spmv_by_warp},
                         {11, "sgemm tiled", theme, sgemm_tiled},
                         {12, "transpose tiled", theme, transpose_tiled}});
}

}  // namespace corpus
