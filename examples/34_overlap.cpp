// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More data than a device is to hold, in chunks: while one chunk is computed, the next is copied to the device and the last one back. Three
// streams take turns. The trace shows it in chrome://tracing and ui.perfetto.dev.
//   34_overlap [trace.json]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>

#include <krait/async.h>
#include <krait/compilation.h>
#include <krait/krait.h>
#include <krait/trace_file.h>
namespace kr = krait;

constexpr int chunks = 12, rounds = 100;
constexpr std::size_t chunk = std::size_t(1) << 18;
using number = std::uint32_t;

/// A step of Marsaglia's xorshift generator, on the host and in kernels.
constexpr auto shuffle = [](auto& v) {
  v ^= v << 13;
  v ^= v >> 17;
  v ^= v << 5;
};

/// A stream with the room on the device for one chunk.
struct lane {
  kr::stream stream;
  kr::array<number> in{chunk}, out{chunk};
};

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int main(int argc, char** argv) try {
  const auto step = kr::kernel(
      [](kr::view<const number> x, kr::view<number> y) {
        for (auto i : kr::grid_stride(y.size())) {
          kr::var v = x[i];
          for ([[maybe_unused]] auto k : kr::range(rounds)) shuffle(v);
          y[i] = v;
        }
      },
      {.name = "step"});
  kr::pinned<number> in(chunks * chunk), out(chunks * chunk);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = number(i * 2654435761u);
  std::array<lane, 3> lanes;
  step.launch({128, 256}, lanes[0].in, lanes[0].out);  // compiled before time is taken
  kr::wait_for_compilations();
  kr::synchronize();

  // One after the other.
  auto begin = std::chrono::steady_clock::now();
  for (int c = 0; c < chunks; ++c) {
    lane& only = lanes[0];
    kr::copy_async(std::span(in).subspan(std::size_t(c) * chunk, chunk), only.in, only.stream);
    step.launch({128, 256, only.stream}, only.in, only.out);
    kr::copy_async(only.out, std::span(out).subspan(std::size_t(c) * chunk, chunk), only.stream);
    only.stream.synchronize();
  }
  const double in_turn = ms_since(begin);
  std::fill(out.begin(), out.end(), number(0));

  const auto in_lanes = [&] {
    // [overlap]
    for (int c = 0; c < chunks; ++c) {
      auto& [stream, x, y] = lanes[std::size_t(c) % lanes.size()];
      const std::size_t first = std::size_t(c) * chunk;
      kr::copy_async(std::span(in).subspan(first, chunk), x, stream);   // after the earlier work of the stream
      step.launch({128, 256, stream}, x, y);
      kr::copy_async(y, std::span(out).subspan(first, chunk), stream);
    }
    for (const lane& l : lanes) l.stream.synchronize();
    // [/overlap]
  };
  begin = std::chrono::steady_clock::now();
  in_lanes();
  const double overlapped = ms_since(begin);
  if (argc > 1) {  // not while time is taken
    const kr::trace_file trace(argv[1]);
    in_lanes();
  }

  for (std::size_t i = 0; i < out.size(); ++i) {
    number expected = in[i];
    for (int k = 0; k < rounds; ++k) shuffle(expected);
    if (out[i] != expected) return std::printf("element %zu is wrong\n", i), 1;
  }
  std::printf("%d chunks of %zu KiB on %s: one after the other %.2f ms, overlapped %.2f ms\n", chunks, chunk * sizeof(number) / 1024,
              kr::device().name(), in_turn, overlapped);
  if (argc > 1) std::printf("%s shows when they were copied and computed\n", argv[1]);
} catch (const kr::error& e) {
  std::printf("%s\n", e.what());
  return 1;
}
