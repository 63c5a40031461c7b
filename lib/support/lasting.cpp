// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/detail/lasting.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace krait::detail {
namespace {

struct Kept {
  const void* library;
  void* object;
  void (*destroy)(void*);
};
/// Leaked, as it is used by libraries that end later than this one.
struct All {
  std::mutex mutex;
  std::vector<Kept> kept;
  std::atomic<bool> process_ends{false};
};
All& all() {
  static auto& one = *new All;
  return one;
}
// Libraries and the program run their destructors after all handlers of exit.
[[maybe_unused]] const int registered = std::atexit([] { all().process_ends = true; });

/// Where the library of that address begins.
const void* library_of(const void* inside) {
  Dl_info info{};
  return dladdr(inside, &info) ? info.dli_fbase : nullptr;
}

}  // namespace

void keep_while_loaded(const void* inside, void* object, void (*destroy)(void*)) {
  const void* const library = library_of(inside);
  const std::lock_guard lock(all().mutex);
  all().kept.push_back({library, object, destroy});
}

void destroy_kept(const void* inside) noexcept {
  if (all().process_ends) return;
  const void* const library = library_of(inside);
  for (;;) {
    Kept last{};
    {
      const std::lock_guard lock(all().mutex);
      std::vector<Kept>& kept = all().kept;
      const auto at = std::find_if(kept.rbegin(), kept.rend(),
                                   [&](const Kept& k) { return k.library == library; });
      if (at == kept.rend()) return;
      last = *at;
      kept.erase(std::prev(at.base()));
    }
    last.destroy(last.object);  // outside of the lock: it may use another library
  }
}

}  // namespace krait::detail
