// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for unload.cpp and unload_while_waiting.cpp whose static objects have work of theirs on
// a GPU when they are destroyed. A driver that compiles in a thread of its own (lavapipe) needs the
// loader's lock for that, which the unloading thread holds.
#include <krait/krait.h>

#include <vector>

namespace kr = krait;

namespace {

const int table[] = {10, 20, 30, 40};
const auto with_table = kr::kernel([](kr::view<int> y) {
  const auto t = kr::constant(table);
  for (auto i : kr::grid_stride(y.size())) y[i] = t[i & 3];
});
const auto add_one = kr::kernel([](kr::view<int> y) {
  for (auto i : kr::grid_stride(y.size())) y[i] += 1;
});

constexpr std::size_t bytes = sizeof(int) << 20;
struct Kept {
  kr::array<int> own{1 << 20}, shared{1 << 20};
  kr::stream first, second;
  kr::event done;
};
/// Lives until the library is unloaded, but is not made while it is loaded.
Kept& kept() {
  static Kept all;
  return all;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int run_kernels(int n) {
  const kr::device on;
  if (on.memory_use().used != 0) return -1;  // what was freed last time is not counted
  Kept& all = kept();
  const std::vector<int> zeros(1 << 20);
  all.own.copy_from(zeros);
  with_table.launch({4, 32}, all.own);
  add_one.launch({4, 32, all.first}, all.shared);
  add_one.launch({4, 32, all.second}, all.shared);
  all.done.record(all.second);
  if (on.memory_use().used < std::int64_t(2 * bytes)) return -2;
  if (n == 1) {  // once waited for, else not
    const std::vector<int> y = all.own.to_host();
    if (y[0] != 10 || y[5] != 20) return -3;
  }
  return 1 + n;
}

/// Leaves static objects with nothing to do.
extern "C" __attribute__((visibility("default"))) void make_statics() {
  kept().done.record();
  kr::synchronize();
}
