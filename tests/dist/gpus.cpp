// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_gpus_on_gpus nccl | one_gpu | wrong_library | choices
// How messages of GPUs' arrays are carried, and what happens if NCCL fails: on pretended GPUs and a
// made-up NCCL (KRAIT_NCCL).
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <krait/dist/algorithms.h>

#include "devices/devices.h"
#include "dist/carrier.h"
#include "dist/checks.h"
#include "dist/nccl.h"
namespace kr = krait;

namespace {

using dist_test::error_of;
using kr::dist::block, kr::dist::whole;
const std::string where = "pretended GPUs";

/// Sets a variable for a scope.
class With {
 public:
  With(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~With() { unsetenv(name_); }

 private:
  const char* name_;
};

/// Communicators that were neither ended nor aborted.
int left_over() {
  void* const library = dlopen(std::getenv("KRAIT_NCCL"), RTLD_NOW | RTLD_NOLOAD);
  const auto count = reinterpret_cast<int (*)()>(dlsym(library, "made_up_communicators"));
  return count ? count() : -1;
}

void exchange_often(kr::dist::world& ranks, int times = 20) {
  kr::dist::array<double> x(ranks, {30}, kr::dist::halo(1).periodic());
  auto y = kr::dist::like(x);
  kr::dist::fill(x, [](auto i) { return kr::cast<double>(i); });
  for (int k = 0; k < times; ++k) {
    kr::dist::stencil([](auto at) { return at(-1) + at(0) + at(1); }, x, y);
    EXPECT(kr::sum(y) == 3 * 435);
  }
}
/// Kernels in a stream of the program's, which read what the exchange before brought.
void in_a_stream(kr::dist::world& ranks) {
  kr::dist::array<std::int64_t> x(ranks, {30}, kr::dist::halo(1).periodic());
  auto y = kr::dist::like(x);
  kr::dist::fill(x, [](auto i) { return i; });
  const auto add = kr::kernel([](kr::view<const std::int64_t> in, kr::view<std::int64_t> out) {
    const auto i = kr::cast<std::int64_t>(kr::grid<1>()) + 1;
    kr::if_(i < in.extent(0) - 1, [&] { out(i) = in(i - 1) + in(i) + in(i + 1); });
  });
  const kr::stream own(ranks.device());
  std::int64_t sum = 435;
  for (int k = 0; k < 20; ++k, sum *= 3) {
    kr::dist::exchange(x);
    add.launch({1, 64, own}, x.local(), y.local());
    std::swap(x, y);
  }
  EXPECT(kr::sum(x) == sum);
}
std::string error_in(int ranks, void (*body)(kr::dist::world&)) {
  const std::string text = error_of([&] { kr::dist::run(ranks, body); });
  EXPECT(left_over() == 0);
  return text;
}
bool has(const std::string& text, const char* part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) std::fprintf(stderr, "not \"%s\": %s\n", part, text.c_str());
  return found;
}

/// Sums along an axis that every rank has one part of.
template <class Elem>
void sums(kr::dist::world& ranks) {
  const int n = 1000, p = ranks.size();
  const auto right = [&](const auto& sum, int rows, int factor) {
    const std::vector<Elem> got = sum.local().to_host();
    bool all = got.size() == std::size_t(n);
    for (int j = 0; j < n && all; ++j)
      all = got[std::size_t(j)] == Elem(factor * (rows * (rows - 1) / 2 + rows * (j % 50)));
    return all;
  };
  for (const int rows : {p, 3 * p + 1, p - 1}) {
    kr::dist::array<Elem, 2> x(ranks, {rows, n}, {block, whole});
    kr::dist::array<Elem, 2> rim(ranks, {rows, n}, {block, whole}, kr::dist::halo(0, 2));
    kr::dist::fill(x, [](auto i, auto j) { return kr::cast<Elem>(i + j % 50); });
    kr::dist::fill(rim, [](auto i, auto j) { return kr::cast<Elem>(i + j % 50); });
    EXPECT(right(kr::sum(x, kr::axis(0)), rows, 1));
    EXPECT(right(kr::sum(rim, kr::axis(0)), rows, 1));
    EXPECT(right(kr::sum(x + x, kr::axis(0)), rows, 2));
  }
}

/// Messages that are queued in the device's streams, as processes have them: the last error.
std::string error_of_queued(int calls) {
  using kr::dist::Nccl, kr::dist::NcclId;
  std::string why;
  const kr::dist::NcclTable* const table = kr::dist::nccl_table(why);
  if (!table) return why;
  NcclId id;
  table->new_id(&id);
  std::string said[2];
  const auto rank = [&](int r) {
    const auto until = [](const auto& done) {
      while (!done()) std::this_thread::yield();
    };
    const kr::device on = kr::device::find(("cuda:" + std::to_string(r)).c_str());
    said[r] = error_of([&] {
      Nccl nccl(*table, *krait::host::handle(on).device, id, r, 2, std::chrono::milliseconds(500));
      until([&] { return nccl.ready(); });
      kr::array<double> own(kr::shape<1>(1000), on), other(kr::shape<1>(1000), on);
      other = -1.0;
      for (int k = 1; k <= calls; ++k) {
        own = double(k + r);
        nccl.exchange({{own.address(), 8000, 1 - r}}, {{other.address(), 8000, 1 - r}});
        until([&] { return nccl.ready(); });
        nccl.pass(true);
        // The program waits for its device, where Krait sees no time limit.
        const std::vector<double> got = other.to_host();
        until([&] { return nccl.arrived(Nccl::most_ahead); });
        EXPECT(got.front() == k + 1 - r && got.back() == k + 1 - r);
      }
      until([&] { return nccl.arrived(0); });
      nccl.close();
      until([&] { return nccl.ready(); });
    });
  };
  std::thread second(rank, 1);
  rank(0), second.join();
  return said[0] == "no error" ? said[1] : said[0];
}

void of_nccl() {
  EXPECT(error_of_queued(20) == "no error");
  {
    const With wrong("MADE_UP_NCCL", "stall 3");
    const auto began = std::chrono::steady_clock::now();
    EXPECT(has(error_of_queued(20),
               "NCCL: no answer for 0.5 s (KRAIT_DIST_TIMEOUT) while the program waited for its "
               "device"));
    EXPECT(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2500));
  }
  EXPECT(error_in(3, [](kr::dist::world& ranks) {
           exchange_often(ranks);
           in_a_stream(ranks);
           sums<float>(ranks), sums<double>(ranks), sums<std::int32_t>(ranks);
           sums<std::int64_t>(ranks), sums<std::uint32_t>(ranks), sums<std::uint64_t>(ranks);
           sums<kr::f16>(ranks);
         }) == "no error");
  EXPECT(has(error_in(2,
                      [](kr::dist::world& ranks) {
                        exchange_often(ranks, 3);
                        if (ranks.rank() == 1) throw std::runtime_error("no more of this");
                        exchange_often(ranks);
                      }),
             "rank 1 failed: no more of this"));
  // While rank 0 waits for NCCL.
  EXPECT(has(error_in(2,
                      [](kr::dist::world& ranks) {
                        kr::dist::array<double> x(ranks, {30}, kr::dist::halo(1));
                        kr::dist::exchange(x);
                        if (ranks.rank() == 1) throw std::runtime_error("no more of this");
                        kr::dist::exchange(x);
                      }),
             "kr::dist::exchange (call 4): rank 1 failed: no more of this"));
  {
    const With wrong("MADE_UP_NCCL", "error 3");
    const std::string said = error_in(2, [](kr::dist::world& ranks) { exchange_often(ranks); });
    EXPECT(has(said, "rank 1 failed: ") && has(said, ": ncclCommGetAsyncError of ") &&
           has(said, ": remote process exited or there was a network error"));
  }
  {
    const With wrong("MADE_UP_NCCL", "stall 3"), soon("KRAIT_DIST_TIMEOUT", "0.5");
    const auto began = std::chrono::steady_clock::now();
    EXPECT(has(error_in(2, [](kr::dist::world& ranks) { exchange_often(ranks); }),
               "no answer for 0.5 s (KRAIT_DIST_TIMEOUT): rank 1 waits in "));
    EXPECT(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2500));
  }
  {
    // Threads wait in the exchange, before the program waits for its device.
    const With wrong("MADE_UP_NCCL", "stall 2"), soon("KRAIT_DIST_TIMEOUT", "0.5");
    const auto began = std::chrono::steady_clock::now();
    EXPECT(has(error_in(2,
                        [](kr::dist::world& ranks) {
                          kr::dist::array<double> x(ranks, {30}, kr::dist::halo(1));
                          for (int k = 0; k < 3; ++k) kr::dist::exchange(x);
                          (void)x.local().to_host();
                          (void)kr::sum(x);
                        }),
               "no answer for 0.5 s (KRAIT_DIST_TIMEOUT): rank 1 waits in "));
    EXPECT(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2500));
  }
  {
    const With wrong("MADE_UP_NCCL", "start");
    EXPECT(error_in(2, [](kr::dist::world& ranks) { exchange_often(ranks); }) == "no error");
    const With wish("KRAIT_DIST_GPU", "nccl");
    EXPECT(has(error_in(2, [](kr::dist::world& ranks) { exchange_often(ranks); }),
               "KRAIT_DIST_GPU=nccl: rank 0: NCCL does not start: NCCL_DEBUG=WARN tells more"));
  }
  for (const char* const word : {"mpi", "gpu"}) {
    const With wish("KRAIT_DIST_GPU", word);
    EXPECT(has(error_in(2, [](kr::dist::world& ranks) { exchange_often(ranks); }),
               *word == 'm' ? "KRAIT_DIST_GPU=mpi: rank 0 is a thread, not a process of MPI"
                            : "KRAIT_DIST_GPU is \"gpu\", but must be nccl, mpi or host"));
  }
  // A connection that never comes: the last test, since its thread keeps the communicator.
  const With wrong("MADE_UP_NCCL", "hang 4"), soon("KRAIT_DIST_TIMEOUT", "0.5");
  EXPECT(has(error_of([] {
               kr::dist::run(2, [](kr::dist::world& ranks) {
                 kr::dist::array<double, 2> x(ranks, {2, 30}, {block, whole});
                 x = 1.0;
                 for (int k = 0; k < 4; ++k) kr::sum(x, kr::axis(0));
                 exchange_often(ranks);
               });
             }),
             "no answer for 0.5 s (KRAIT_DIST_TIMEOUT): rank 1 waits in "));
  EXPECT(left_over() == 1);
}

/// What ranks that differ are told.
void of_choices() {
  using namespace kr::dist::detail;
  const auto of = [](std::uint8_t wish, int version, const char* hardware, bool says) {
    Offer o;
    o.wish = wish, o.version = version, o.says = o.may = says;
    std::strcpy(o.hardware, hardware), std::strcpy(o.why, "made up");
    return o;
  };
  const auto error = [](const Offer& a, const Offer& b) {
    return error_of([&] { chosen(std::vector{a, b}); });
  };
  const auto choice = [](const Offer& a, const Offer& b) { return chosen(std::vector{a, b}); };
  EXPECT(error(of(3, 1, "a", false), of(0, 1, "b", false)) ==
         "KRAIT_DIST_GPU is nccl on rank 0, but not set on rank 1: set it alike on all");
  EXPECT(choice(of(0, 1, "a", true), of(0, 1, "b", true)).carrier == Carrier::Nccl);
  EXPECT(choice(of(1, 1, "a", true), of(1, 1, "b", true)).carrier == Carrier::Host);
  EXPECT(choice(of(2, 1, "a", true), of(2, 1, "b", true)).carrier == Carrier::Mpi);
  const Choice other = choice(of(0, 1, "a", true), of(0, 2, "b", true));
  EXPECT(other.carrier == Carrier::Mpi &&
         other.why == "rank 0 has version 1 of NCCL, rank 1 has 2");
  EXPECT(choice(of(0, 1, "a", true), of(0, 0, "b", false)).why == "rank 1: made up");
  EXPECT(choice(of(0, 1, "a", true), of(0, 0, "b", false)).carrier == Carrier::Host);
  const auto cpu = std::move(kr::runtime::cpu_devices().devices.at(0));
  const kr::dist::NcclTable* table = nullptr;
  EXPECT(offer_of(*cpu, "cpu", true, table).why == std::string("cpu does not belong to CUDA"));
  EXPECT(text_of(Carrier::Nccl) == std::string("by NCCL") &&
         text_of(Carrier::Mpi) == std::string("by MPI from GPU to GPU"));
}

/// KRAIT_NCCL names a library that is something else.
void of_wrong_library() {
  kr::dist::run(2, [](kr::dist::world& ranks) { exchange_often(ranks); });
  const With wish("KRAIT_DIST_GPU", "nccl");
  EXPECT(
      has(error_of([] { kr::dist::run(2, [](kr::dist::world& ranks) { exchange_often(ranks); }); }),
          "KRAIT_DIST_GPU=nccl: rank 0: libz.so.1 has no ncclGetVersion: NCCL 2.13 or later is "
          "needed"));
}

/// KRAIT_DEVICE=cuda:0: all ranks are there.
void of_one_gpu() {
  kr::dist::run(2, [](kr::dist::world& ranks) { exchange_often(ranks), in_a_stream(ranks); });
  const With wish("KRAIT_DIST_GPU", "nccl");
  EXPECT(
      has(error_of([] { kr::dist::run(2, [](kr::dist::world& ranks) { exchange_often(ranks); }); }),
          "KRAIT_DIST_GPU=nccl: ranks 0 and 1 are on one GPU, which NCCL does not allow"));
}

}  // namespace

int main(int, char** argv) {
  try {
    const std::string_view mode = argv[1];
    if (mode == "nccl") of_nccl();
    else if (mode == "one_gpu") of_one_gpu();
    else if (mode == "wrong_library") of_wrong_library();
    else of_choices();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::printf("%d checks, %d failures\n", dist_test::checks, dist_test::failures);
  return dist_test::failures != 0;
}
