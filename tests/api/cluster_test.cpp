// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of blocks: shared memory of neighbours on every device that has them, and what others
// say.
#include <krait/pack.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;

/// Those that have clusters: sm_90 and later, and the interpreter.
std::vector<kr::device> devices() {
  std::vector<kr::device> all{kr::device::find("interpreter")};
  const auto probe =
      kr::kernel([](kr::view<int> x) { x[kr::grid()] = kr::cluster_rank(); }, {.cluster = 2});
  for (const kr::device& other : kr::devices()) {
    if (!std::string(other.id()).starts_with("cuda")) continue;
    kr::array<int> x({2}, other);
    try {
      probe.launch({2, 1}, x);
      all.push_back(other);
    } catch (const kr::error& e) {
      EXPECT_NE(std::string(e.message()).find("need a CUDA device from sm_90 on"),
                std::string::npos)
          << e.message();
    }
  }
  return all;
}

/// Counts in the shared memory of four blocks, of which each has a quarter of the bins.
TEST(Cluster, HistogramInSharedMemoryOfSeveralBlocks) {
  constexpr int blocks = 4, bins = 100, clusters = 3;
  auto count = kr::kernel(
      [](kr::view<const int> x, kr::view<int> counts) {
        auto own = kr::shared<int, bins>();
        auto t = kr::thread_idx().x;
        for (auto b : kr::range(t, bins, kr::block_dim().x)) own[b] = 0;
        kr::cluster_sync();
        for (auto i : kr::grid_stride(x.size()))
          kr::atomic(kr::cluster_shared(own, x[i] / bins)[x[i] % bins]).add(1);
        kr::cluster_sync();
        for (auto b : kr::range(t, bins, kr::block_dim().x))
          kr::atomic(counts[kr::cluster_rank() * bins + b]).add(own[b]);
      },
      {.name = "cluster_histogram", .cluster = blocks});
  std::vector<int> x(2000), expected(blocks * bins);
  unsigned state = 12345;
  for (int& v : x)
    state = state * 1664525 + 1013904223, v = int((state >> 8) % (blocks * bins)),
    ++expected[std::size_t(v)];
  for (const kr::device& on : devices()) {
    kr::array<int> in({std::int64_t(x.size())}, on), counts({blocks * bins}, on);
    in.copy_from(x), counts.copy_from(std::vector<int>(blocks * bins));
    count.launch({clusters * blocks, 96}, in, counts);
    EXPECT_EQ(std::vector<int>(counts.to_host()), expected) << on.id();
  }
}

/// Every block reads what another of its cluster wrote, whose place in a cluster of three
/// dimensions it computes.
TEST(Cluster, RanksCountXFirstInThreeDimensions) {
  auto kernel = kr::kernel(
      [](kr::view<int, 3> out, kr::value<int> shift) {
        auto n = kr::dynamic_shared<int>(kr::block_dim().x);
        auto b = kr::block_idx();
        n[kr::thread_idx().x] = kr::cast<int>(b.x + 10 * b.y + 100 * b.z);
        kr::cluster_sync();
        auto rank = (kr::cluster_rank() + shift) % kr::cluster_size();
        kr::if_(kr::thread_idx().x == 0,
                [&] { out(b.z, b.y, b.x) = kr::cluster_shared(n, rank)[kr::block_dim().x - 1]; });
        kr::cluster_sync();
      },
      {.name = "shifted", .cluster = {2, 2, 2}});
  constexpr int w = 4, h = 6, d = 2;
  for (const kr::device& on : devices())
    for (const int shift : {0, 1, 5}) {
      kr::array<int, 3> out({d, h, w}, on);
      kernel.launch({{w, h, d}, 32}, out, shift);
      const std::vector<int> got = out.to_host();
      for (int z = 0; z < d; ++z)
        for (int y = 0; y < h; ++y)
          for (int x = 0; x < w; ++x) {
            const int rank = (x % 2 + y % 2 * 2 + z % 2 * 4 + shift) % 8;
            const int from_x = x / 2 * 2 + rank % 2, from_y = y / 2 * 2 + rank / 2 % 2,
                      from_z = z / 2 * 2 + rank / 4;
            ASSERT_EQ(got[std::size_t((z * h + y) * w + x)], from_x + 10 * from_y + 100 * from_z)
                << on.id() << ", " << shift;
          }
    }
}

/// A thread's own array by two names: what is written by one is read by the other, by wide accesses
/// too.
TEST(Cluster, OneArrayByTwoNames) {
  auto kernel = kr::kernel(
      [](kr::view<float> out) {
        auto own = kr::shared<float, 128>();
        auto t = kr::thread_idx().x;
        auto same = kr::cluster_shared(own, kr::cluster_rank());
        for (int k = 0; k < 4; ++k) own[4 * t + k] = 1.0f;
        kr::var sum = own[4 * t + 1];
        for (int k = 0; k < 4; ++k) same[4 * t + k] = kr::cast<float>(t) + float(k);
        for (int k = 0; k < 4; ++k) sum += own[4 * t + k];
        for (int k = 0; k < 4; ++k) own[4 * t + k] = 0.5f;
        for (int k = 0; k < 4; ++k) sum += same[4 * t + k];
        out[kr::grid()] = sum;
        kr::cluster_sync();
      },
      {.name = "two_names", .cluster = 2});
  for (const kr::device& on : devices()) {
    kr::array<float> out({64}, on);
    kernel.launch({2, 32}, out);
    const std::vector<float> got = out.to_host();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], 1 + 4 * float(i % 32) + 6 + 2) << on.id();
  }
}

TEST(Cluster, SumsOfAllBlocksByEach) {
  constexpr int blocks = 8, threads = 64;
  auto kernel = kr::kernel(
      [](kr::view<const float> x, kr::view<float> out) {
        auto part = kr::shared<float, threads, 2>();
        auto t = kr::thread_idx().x;
        part(t, 0) = x[kr::grid()];
        part(t, 1) = -x[kr::grid()];
        kr::cluster_sync();
        kr::var sum = 0.0f;
        for (auto b : kr::range(kr::cluster_size())) {
          auto other = kr::cluster_shared(part, kr::cast<int>(b));
          sum += other(t, 0) - other(other.extent(0) - 1 - t, other.extent(1) - 1);
        }
        out[kr::grid()] = sum;
        kr::cluster_sync();
      },
      {.name = "sums", .cluster = blocks});
  std::vector<float> x(2 * blocks * threads);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float((i * 37) % 101);
  for (const kr::device& on : devices()) {
    kr::array<float> in({std::int64_t(x.size())}, on), out({std::int64_t(x.size())}, on);
    in.copy_from(x);
    kernel.launch({2 * blocks, threads}, in, out);
    const std::vector<float> got = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t first = i / (blocks * threads) * blocks * threads, t = i % threads;
      float sum = 0;
      for (std::size_t b = 0; b < blocks; ++b)
        sum += x[first + b * threads + t] + x[first + b * threads + threads - 1 - t];
      ASSERT_EQ(got[i], sum) << on.id();
    }
  }
}

auto first_of_next(bool begin, bool end) {
  return kr::kernel(
      [=](kr::view<int> x) {
        auto own = kr::shared<int, 1>();
        own[0] = kr::cluster_rank();
        if (begin) kr::cluster_sync();
        x[kr::grid()] = kr::cluster_shared(own, (kr::cluster_rank() + 1) % kr::cluster_size())[0];
        if (end) kr::cluster_sync();
      },
      {.name = "next", .cluster = 4});
}

TEST(Cluster, TheInterpreterSeesBlocksThatAreNotThere) {
  const kr::device on = kr::device::find("interpreter");
  kr::array<int> x({8}, on);
  first_of_next(true, true).launch({8, 1}, x);
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3, 0, 1, 2, 3, 0}));
  expect_usage(
      {"cluster: {} {} of block {}, which has not begun: let all blocks reach kr::cluster_sync() first{}",
       " of block 1, which", ", block (0, 0, 0)"},
      [&] {
        first_of_next(false, true).launch({8, 1}, x);
      });
  expect_usage(
      {"cluster: {} {} of block {}, which has ended: let all blocks reach kr::cluster_sync() before they end{}",
       " of block 0, which", ", block (3, 0, 0)"},
      [&] {
        first_of_next(true, false).launch({8, 1}, x);
      });
  auto races = kr::kernel(
      [](kr::view<int> out) {
        auto own = kr::shared<int, 1>();
        own[0] = 1;
        kr::cluster_sync();
        auto next = kr::cluster_shared(own, (kr::cluster_rank() + 1) % 2);
        next[0] = 2;
        out[kr::grid()] = own[0];
        kr::cluster_sync();
      },
      {.name = "races", .cluster = 2});
  expect_usage({"kernel races", "data race: store to the shared array of "}, [&] {
    races.launch({2, 1}, x);
  });
  auto some =
      kr::kernel([](kr::view<int>) { kr::if_(kr::block_idx().x != 5, [] { kr::cluster_sync(); }); },
                 {.name = "some", .cluster = 4});
  expect_usage({"cluster_barrier: 1 of 4 blocks do not arrive, block (4, 0, 0)"}, [&] {
    some.launch({8, 1}, x);
  });
}

TEST(Cluster, RanksThatNoBlockHas) {
  const auto of = [](bool checked) {
    return kr::kernel(
        [](kr::view<int> x, kr::value<int> rank) {
          auto own = kr::shared<int, 1>();
          own[0] = 7;
          kr::cluster_sync();
          x[kr::grid()] = kr::cluster_shared(own, rank)[0];
          kr::cluster_sync();
        },
        {.name = "ranks", .checked = checked, .cluster = 2});
  };
  kr::array<int> x({2}, kr::device::find("interpreter"));
  expect_usage({"cluster: {} {} of block {}, of {} in the cluster{}",
                "cluster: load from the shared array of ", " of block 2, of 2 in the cluster"},
               [&] {
                 of(false).launch({2, 1}, x, 2);
               });
  expect_usage({" of block -1, of 2 in the cluster"}, [&] { of(false).launch({2, 1}, x, -1); });
  for (const kr::device& on : devices()) {
    kr::array<int> y({2}, on);
    expect_usage({"kernel ranks", "cluster: block {}, of {} in the cluster", "cluster_test.cpp:"},
                 [&] {
                   of(true).launch({2, 1}, y, 2);
                   kr::synchronize();
                 });
    of(true).launch({2, 1}, y, 1);
    EXPECT_EQ(std::vector<int>(y.to_host()), (std::vector<int>{7, 7})) << on.id();
  }
}

TEST(Cluster, LaunchesThatDoNotFit) {
  kr::array<int> x({8}, kr::device::find("interpreter"));
  auto kernel = first_of_next(true, true);
  const char* const message =
      "kernel next ({}): the kernel has clusters of 4 x 1 x 1 blocks: launch it with a block and a grid of whole clusters";
  expect_usage({message}, [&] { kernel.launch({6, 1}, x); });
  expect_usage({message}, [&] { kernel.forall(8)(x); });
  for (const kr::dims cluster : {kr::dims(9), kr::dims(4, 4), kr::dims(-1), kr::dims(2, 0)}) {
    auto wrong =
        kr::kernel([](kr::view<int> y) { y[0] = 1; }, {.name = "wrong", .cluster = cluster});
    expect_usage(
        {"kernel wrong", "kernel wrong ({}): a cluster has 1 to {} blocks, not {} x {} x {}"}, [&] {
          wrong.launch({36, 1}, x);
        });
  }
  expect_library_works();
}

TEST(Cluster, KernelsOfPacksKeepThem) {
  const std::string file = (std::filesystem::temp_directory_path() /
                            ("krait_clusters_" + std::to_string(getpid()) + ".kpack"))
                               .string();
  kr::pack(file.c_str(), {.targets = "sm_90"}, first_of_next(true, true));
  const auto kernel = kr::load_pack(file.c_str()).get<void(kr::view<int>)>("next");
  for (const kr::device& on : devices()) {
    kr::array<int> x({8}, on);
    kernel.launch({8, 1}, x);
    EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3, 0, 1, 2, 3, 0})) << on.id();
    expect_usage({"the kernel has clusters of 4 x 1 x 1 blocks"}, [&] {
      kernel.launch({6, 1}, x);
    });
  }
  std::filesystem::remove(file);
}

TEST(Cluster, WordsOutOfPlace) {
  kr::array<int> x({8}, kr::device::find("interpreter"));
  const auto expect = [&](const char* text, auto lambda, kr::dims cluster) {
    auto kernel = kr::kernel(lambda, {.name = "misplaced", .cluster = cluster});
    expect_usage({text}, [&] { kernel.launch({4, 1}, x); });
  };
  const kr::dims none{0, 0, 0};
  const char* const message =
      "{} in a kernel without clusters: give it the option cluster, as in kr::kernel(f, {.cluster = 2})";
  expect(
      "cluster_sync() in a kernel without clusters: give it the option cluster, as in kr::kernel(f, {.cluster = 2})",
      [](kr::view<int>) { kr::cluster_sync(); }, none);
  expect(
      message, [](kr::view<int> y) { y[0] = kr::cluster_size(); }, none);
  expect(
      message, [](kr::view<int> y) { y[0] = kr::cluster_rank(); }, none);
  expect(
      message, [](kr::view<int> y) { y[0] = kr::cluster_shared(kr::shared<int, 4>(), 0)[0]; },
      none);
  expect(
      "cluster_shared takes an array of kr::shared or kr::dynamic_shared",
      [](kr::view<int> y) { y[0] = kr::cluster_shared(y, 0)[0]; }, 2);
  expect(
      "grid_sync() in a kernel with clusters: clusters run one after another if not all fit",
      [](kr::view<int>) { kr::grid_sync(); }, 2);
  auto inner = kr::function([](kr::view<int> own) { return kr::cluster_shared(own, 0)[0]; });
  expect(
      "cluster_shared inside a kr::function: read the elements in the kernel, and pass them",
      [&](kr::view<int> y) { y[0] = inner(kr::shared<int, 4>()); }, 2);
}

TEST(Cluster, CodeAndDevicesThatHaveNone) {
  auto kernel = first_of_next(true, true);
  kr::array<int> there({8}, kr::device::find("interpreter"));
  kernel.launch({8, 1}, there);
  const std::string ptx(kernel.ptx("sm_90").data());
  for (const char* part : {".reqnctapercluster 4", "mapa.u64", "barrier.cluster.arrive.aligned",
                           "barrier.cluster.wait.aligned"})
    EXPECT_NE(ptx.find(part), ptx.npos) << part << "\n" << ptx;
  const auto refused = [&](const auto& inspect) {
    expect_error(
        kr::error::kind_type::compile,
        {"kernel next has clusters of blocks, which need a CUDA device from sm_90 on, or the interpreter. Without the option cluster, pass data between blocks through a view, in two launches or with kr::grid_sync()."},
        inspect);
  };
  refused([&] { kernel.ptx("sm_89"); });
  refused([&] { kernel.spirv(); });
  refused([&] { kernel.wgsl(); });
  kr::array<int> x({8}, kr::device::find("cpu"));
  refused([&] { kernel.launch({8, 1}, x); });
  expect_library_works();
}

}  // namespace
