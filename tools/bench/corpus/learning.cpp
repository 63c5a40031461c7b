// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers and classifiers: what Rodinia has of them, and the usual parts of networks.
#include <cmath>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work softmax(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> x, kr::view<float, 2> y) {
        auto row = kr::block_idx().x * (kr::block_dim().x / 32) + kr::thread_idx().x / 32;
        auto lane = kr::thread_idx().x % 32;
        kr::if_(row < x.extent(0), [&] {
          kr::var most = -1e30f;
          for (auto c : kr::range(lane, x.extent(1), 32)) most = kr::max(most, x(row, c));
          auto peak = kr::warp::reduce(most, kr::combine::max);
          kr::var sum = 0.0f;
          for (auto c : kr::range(lane, x.extent(1), 32)) sum += kr::exp(x(row, c) - peak);
          auto scale = 1.0f / kr::warp::reduce(sum, kr::combine::add);
          for (auto c : kr::range(lane, x.extent(1), 32))
            y(row, c) = kr::exp(x(row, c) - peak) * scale;
        });
      },
      {.name = "softmax"});
  const int rows = size(2000, 100000), columns = 1000;
  auto x = upload<float, 2>(numbers(rows * columns, -3, 3), rows, columns),
       y = make_array<float, 2>(rows, columns);
  return {[=] {
            kernel.launch({(rows + 3) / 4, 128}, *x, *y);
          },
          CORPUS_PEER(peer_softmax, raw(x), raw(y), rows, columns), output(y)};
}

Work layer_norm(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> x, kr::view<const float> gain, kr::view<const float> bias,
         kr::view<float, 2> y) {
        auto partial = kr::shared<float, 128>();
        auto t = kr::thread_idx().x, row = kr::block_idx().x, n = x.extent(1);
        const auto block_sum = [&](auto v) {
          partial[t] = v;
          kr::syncthreads();
          for (int half = 64; half > 0; half /= 2) {
            kr::if_(t < half, [&] { partial[t] += partial[t + half]; });
            kr::syncthreads();
          }
          auto all = partial[0];
          kr::syncthreads();
          return all;
        };
        kr::var sum = 0.0f;
        for (auto c : kr::range(t, n, 128)) sum += x(row, c);
        auto mean = block_sum(sum) / kr::cast<float>(n);
        kr::var squares = 0.0f;
        for (auto c : kr::range(t, n, 128)) {
          auto d = x(row, c) - mean;
          squares += d * d;
        }
        auto scale = kr::rsqrt(block_sum(squares) / kr::cast<float>(n) + 1e-5f);
        for (auto c : kr::range(t, n, 128))
          y(row, c) = (x(row, c) - mean) * scale * gain[c] + bias[c];
      },
      {.name = "layer_norm"});
  const int rows = size(2500, 120000), columns = 768;
  auto x = upload<float, 2>(numbers(rows * columns, -3, 3), rows, columns),
       y = make_array<float, 2>(rows, columns);
  auto gain = upload(numbers(columns, 0.5, 1.5, 2)), bias = upload(numbers(columns, -1, 1, 3));
  return {[=] {
            kernel.launch({rows, 128}, *x, *gain, *bias, *y);
          },
          CORPUS_PEER(peer_layer_norm, raw(x), raw(gain), raw(bias), raw(y), rows, columns),
          output(y)};
}

Work matvec_by_warp(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<const float> x, kr::view<float> y) {
        auto row = kr::grid() / 32;
        auto lane = kr::lane_id();
        kr::if_(row < y.size(), [&] {
          kr::var sum = 0.0f;
          for (auto c : kr::range(kr::cast<std::int64_t>(lane), x.size(), 32))
            sum += a(row, c) * x[c];
          for (int step = 16; step > 0; step /= 2) sum += kr::warp::shfl_down(sum, step);
          kr::if_(lane == 0, [&] { y[row] = sum; });
        });
      },
      {.name = "matvec_warp"});
  const int rows = size(3000, 64000), columns = size(2000, 4000);
  auto a = upload<float, 2>(numbers(rows * columns), rows, columns);
  auto x = upload(numbers(columns, 0, 1, 2)), y = make_array<float>(rows);
  return {[=] { kernel.launch(cover(rows * 32L), *a, *x, *y); },
          CORPUS_PEER(peer_matvec, raw(a), raw(x), raw(y), rows, columns), output(y)};
}

Work relu_bias(Size size) {
  static const auto relu = kr::vectorize([](auto x, auto bias) { return kr::max(x + bias, 0.0f); },
                                         {.name = "relu_bias"});
  const int rows = size(4000, 100000), columns = 1000;
  auto x = upload<float, 2>(numbers(rows * columns, -1, 1), rows, columns),
       y = make_array<float, 2>(rows, columns);
  auto bias = upload(numbers(columns, -1, 1, 2));
  return {[=] { relu.into (*y)(*x, *bias); },
          CORPUS_PEER(peer_relu_bias, raw(x), raw(bias), raw(y), rows, columns), output(y), 1e-6};
}

Work embedding(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> table, kr::view<const int> words, kr::view<float, 2> out) {
        auto i = kr::block_idx().x;
        for (auto c : kr::range(kr::thread_idx().x, table.extent(1), kr::block_dim().x))
          out(i, c) = table(words[i], c);
      },
      {.name = "embedding"});
  const int entries = size(30000, 300000), width = 192, count = size(16000, 600000);
  auto table = upload<float, 2>(numbers(entries * width), entries, width),
       out = make_array<float, 2>(count, width);
  auto words = upload(integers(count, entries));
  return {[=] {
            kernel.launch({count, 64}, *table, *words, *out);
          },
          CORPUS_PEER(peer_embedding, raw(table), raw(words), raw(out), width, count), output(out),
          0};
}

Work attention(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> q, kr::view<const float, 2> k, kr::view<const float, 2> v,
         kr::view<float, 2> out) {
        constexpr int width = 64, block = 128;
        auto scores = kr::dynamic_shared<float>(k.extent(0));
        auto partial = kr::shared<float, block>();
        auto query = kr::shared<float, width>();
        auto t = kr::thread_idx().x, row = kr::block_idx().x, n = k.extent(0);
        kr::if_(t < width, [&] { query[t] = q(row, t); });
        kr::syncthreads();
        kr::var most = -1e30f;
        for (auto j : kr::range(t, n, block)) {
          kr::var dot = 0.0f;
          for (auto c : kr::range(width)) dot += query[c] * k(j, c);
          scores[j] = dot * 0.125f;
          most = kr::max(most, dot * 0.125f);
        }
        partial[t] = most;
        kr::syncthreads();
        for (int half = block / 2; half > 0; half /= 2) {
          kr::if_(t < half, [&] { partial[t] = kr::max(partial[t], partial[t + half]); });
          kr::syncthreads();
        }
        auto peak = partial[0];
        kr::syncthreads();
        kr::var sum = 0.0f;
        for (auto j : kr::range(t, n, block)) {
          auto e = kr::exp(scores[j] - peak);
          scores[j] = e;
          sum += e;
        }
        partial[t] = sum;
        kr::syncthreads();
        for (int half = block / 2; half > 0; half /= 2) {
          kr::if_(t < half, [&] { partial[t] += partial[t + half]; });
          kr::syncthreads();
        }
        kr::if_(t < width, [&] {
          kr::var all = 0.0f;
          for (auto j : kr::range(n)) all += scores[j] * v(j, t);
          out(row, t) = all / partial[0];
        });
      },
      {.name = "attention"});
  const int rows = size(256, 4096), keys = 512, width = 64;
  const auto matrix = [&](int r, unsigned seed) {
    return upload<float, 2>(numbers(r * width, -1, 1, seed), r, width);
  };
  auto q = matrix(rows, 1), k = matrix(keys, 2), v = matrix(keys, 3),
       out = make_array<float, 2>(rows, width);
  return {[=] {
            kernel.launch({rows, 128}, *q, *k, *v, *out);
          },
          CORPUS_PEER(peer_attention, raw(q), raw(k), raw(v), raw(out), rows, keys), output(out),
          1e-3};
}

Work nearest_four(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> points, kr::view<const float, 2> queries, kr::view<int, 2> out) {
        auto q = kr::grid();
        kr::if_(q < queries.extent(0), [&] {
          kr::var<float> best[4];
          kr::var<int> who[4];
          for (auto& b : best) b = 1e30f;
          auto x = queries(q, 0), y = queries(q, 1), z = queries(q, 2);
          for (auto p : kr::range(points.extent(0))) {
            auto dx = points(p, 0) - x, dy = points(p, 1) - y, dz = points(p, 2) - z;
            auto d = dx * dx + dy * dy + dz * dz;
            kr::if_(d < best[3], [&] {
              best[3] = d, who[3] = kr::cast<int>(p);
              for (int k = 3; k > 0; --k)
                kr::if_(best[k] < best[k - 1], [&] {
                  kr::swap(best[k], best[k - 1]);
                  kr::swap(who[k], who[k - 1]);
                });
            });
          }
          for (int k = 0; k < 4; ++k) out(q, k) = who[k];
        });
      },
      {.name = "nearest_four"});
  const int points = size(1500, 2000), queries = size(3000, 300000);
  auto p = upload<float, 2>(numbers(points * 3), points, 3),
       q = upload<float, 2>(numbers(queries * 3, 0, 1, 2), queries, 3);
  auto out = make_array<int, 2>(queries, 4);
  return {[=] { kernel.forall(queries)(*p, *q, *out); },
          CORPUS_PEER(peer_nearest_four, raw(p), raw(q), raw(out), points, queries), output(out),
          1e-3};
}

Work matrices4(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 3> a, kr::view<const float, 3> b, kr::view<float, 3> c) {
        auto m = kr::grid();
        kr::if_(m < c.extent(0), [&] {
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
              kr::var sum = 0.0f;
              for (int k = 0; k < 4; ++k) sum += a(m, i, k) * b(m, k, j);
              c(m, i, j) = sum;
            }
        });
      },
      {.name = "matrices4"});
  const int n = size(120000, 5000000);
  auto a = upload<float, 3>(numbers(n * 16), n, 4, 4),
       b = upload<float, 3>(numbers(n * 16, 0, 1, 2), n, 4, 4), c = make_array<float, 3>(n, 4, 4);
  return {[=] { kernel.forall(n)(*a, *b, *c); },
          CORPUS_PEER(peer_matrices4, raw(a), raw(b), raw(c), n), output(c)};
}

Work eigen3(Size size) {
  struct symmetric {
    float xx, xy, xz, yy, yz, zz;
  };
  static const auto kernel = kr::kernel(
      [](kr::view<const symmetric> in, kr::view<kr::vec<float, 3>> out) {
        auto i = kr::grid();
        kr::if_(i < in.size(), [&] {
          auto [xx, xy, xz, yy, yz, zz] = in[i];
          auto mean = (xx + yy + zz) / 3.0f;
          auto off = xy * xy + xz * xz + yz * yz;
          auto dx = xx - mean, dy = yy - mean, dz = zz - mean;
          auto p = kr::sqrt((dx * dx + dy * dy + dz * dz + 2.0f * off) / 6.0f);
          auto determinant =
              dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
          auto r = kr::clamp(determinant / (2.0f * p * p * p), -1.0f, 1.0f);
          auto phi = kr::acos(r) / 3.0f;
          auto first = mean + 2.0f * p * kr::cos(phi),
               third = mean + 2.0f * p * kr::cos(phi + 2.0943952f);
          out[i] = kr::make_vec(first, 3.0f * mean - first - third, third);
        });
      },
      {.name = "eigen3"});
  const int n = size(200000, 24000000);
  const auto values = numbers(std::size_t(n) * 6, -1, 1);
  std::vector<symmetric> matrices(n);
  std::memcpy(matrices.data(), values.data(), values.size() * sizeof(float));
  auto in = upload(matrices);
  auto out = make_array<kr::vec<float, 3>>(n);
  return {[=] { kernel.forall(n)(*in, *out); },
          CORPUS_PEER(peer_eigen3, raw<float>(in), raw<float>(out), n), output<float>(out), 1e-3};
}

Work backprop_layer(Size size) {
  static const auto forward = kr::kernel(
      [](kr::view<const float> in, kr::view<const float, 2> weights, kr::view<float> out) {
        auto j = kr::grid();
        kr::if_(j < out.size(), [&] {
          kr::var sum = weights(0, j);
          for (auto k : kr::range(in.size())) sum += weights(k + 1, j) * in[k];
          out[j] = 1.0f / (1.0f + kr::exp(-sum));
        });
      },
      {.name = "backprop_forward"});
  static const auto adjust = kr::kernel(
      [](kr::view<const float> in, kr::view<const float> out, kr::view<const float> target,
         kr::view<const float, 2> weights, kr::view<float, 2> adjusted) {
        auto [j, k] = kr::grid<2>();
        kr::if_(j < out.size() && k < weights.extent(0), [&] {
          auto delta = out[j] * (1.0f - out[j]) * (target[j] - out[j]);
          auto activation = kr::select(
              k == 0, [] { return 1.0f; }, [&] { return in[k - 1]; });
          adjusted(k, j) = weights(k, j) + 0.3f * delta * activation;
        });
      },
      {.name = "backprop_adjust"});
  const int inputs = size(3000, 4000), outputs = size(1200, 30000);
  auto in = upload(numbers(inputs)), target = upload(numbers(outputs, 0, 1, 2)),
       out = make_array<float>(outputs);
  auto weights =
           upload<float, 2>(numbers((inputs + 1) * outputs, -0.01, 0.01, 3), inputs + 1, outputs),
       adjusted = make_array<float, 2>(inputs + 1, outputs);
  return {[=] {
            forward.forall(outputs)(*in, *weights, *out);
            adjust.launch(cover2(outputs, inputs + 1, 16, 16), *in, *out, *target, *weights,
                          *adjusted);
          },
          CORPUS_PEER(peer_backprop, raw(in), raw(target), raw(weights), raw(out), raw(adjusted),
                      inputs, outputs),
          output(adjusted) + output(out)};
}

Work kmeans(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> points, kr::view<const float, 2> centres, kr::view<int> member) {
        auto i = kr::grid();
        kr::if_(i < points.extent(0), [&] {
          kr::var best = 1e30f;
          kr::var who = 0;
          for (auto c : kr::range(kr::cast<int>(centres.extent(0)))) {
            kr::var distance = 0.0f;
            for (auto f : kr::range(points.extent(1))) {
              auto d = points(i, f) - centres(c, f);
              distance += d * d;
            }
            kr::if_(distance < best, [&] { best = distance, who = c; });
          }
          member[i] = who;
        });
      },
      {.name = "kmeans"});
  const int n = size(40000, 2000000), features = 16, clusters = 12;
  auto points = upload<float, 2>(numbers(n * features), n, features),
       centres = upload<float, 2>(numbers(clusters * features, 0, 1, 2), clusters, features);
  auto member = make_array<int>(n);
  return {[=] { kernel.forall(n)(*points, *centres, *member); },
          CORPUS_PEER(peer_kmeans, raw(points), raw(centres), raw(member), n, features, clusters),
          output(member), 1e-3};
}

Work nn_distances(Size size) {
  struct place {
    float latitude, longitude;
  };
  static const auto kernel = kr::kernel(
      [](kr::view<const place> places, kr::view<float> distance, kr::value<place> from) {
        for (auto i : kr::grid_stride(places.size())) {
          auto [latitude, longitude] = places[i];
          auto [lat, lon] = from;
          distance[i] =
              kr::sqrt((lat - latitude) * (lat - latitude) + (lon - longitude) * (lon - longitude));
        }
      },
      {.name = "nn_distances"});
  const int n = size(3000000, 70000000);
  const auto shape = size(kr::launch_config{128, 256}, cover(n));
  const auto values = numbers(2 * std::size_t(n), 0, 90);
  std::vector<place> all(n);
  std::memcpy(all.data(), values.data(), values.size() * sizeof(float));
  auto places = upload(all);
  auto distance = make_array<float>(n);
  return {[=] {
            kernel.launch(shape, *places, *distance, place{30, 60});
          },
          CORPUS_PEER(peer_nn, raw<float>(places), raw(distance), 30.f, 60.f, n), output(distance)};
}

}  // namespace

void add_learning(Registry& all) {
  const char* theme = "learning";
  all.insert(all.end(), {{23, "softmax", theme, softmax},
                         {24, "layer norm", theme, layer_norm},
                         {25, "matvec by warp", theme, matvec_by_warp},
                         {26, "relu and bias", theme, relu_bias},
                         {27, "embedding", theme, embedding},
                         {28, "attention row", theme, attention},
                         {29, "nearest four", theme, nearest_four},
                         {30, "4x4 matrices", theme, matrices4},
                         {31, "3x3 eigenvalues", theme, eigen3},
                         {32, "backprop layer", theme, backprop_layer},
                         {33, "kmeans", theme, kmeans},
                         {34, "nn distances", theme, nn_distances}});
}

}  // namespace corpus
