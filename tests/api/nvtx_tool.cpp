// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that listens by NVTX and prints what it hears. It wants marks and ranges, and looks at all
// that a program has to give.
#include <cstdint>
#include <cstdio>
#include <initializer_list>

namespace {

using Function = void (*)();
struct Callbacks {
  std::size_t bytes;
  int (*table_of)(int module, Function*** table, unsigned* size);
};
struct Version {
  std::size_t bytes;
  std::uint32_t version, reserved;
  void (*tell)(std::uint32_t);
};
enum { Core = 1, Core2 = 5, Sync = 6, MarkA = 2, PushA = 9, Pop = 11 };

void mark(const char* name) { std::printf("mark %s\n", name); }
int push(const char* name) { return std::printf("push %s\n", name); }
int pop() { return std::printf("pop\n"); }

}  // namespace

extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(
    const void* (*exported)(std::uint32_t)) {
  const auto* const version = static_cast<const Version*>(exported(3));
  const auto* const callbacks = static_cast<const Callbacks*>(exported(1));
  if (!version || version->bytes != sizeof(Version) || version->version != 3 || exported(2))
    return 0;
  if (!callbacks || callbacks->bytes < sizeof(Callbacks)) return 0;
  version->tell(3);
  Function** table = nullptr;
  unsigned size = 0;
  for (const int module : {0, Sync + 1})
    if (callbacks->table_of(module, &table, &size)) return 0;
  for (int module = Core; module <= Sync; ++module) {
    if (!callbacks->table_of(module, &table, &size) || table[0] || table[size]) return 0;
    for (unsigned f = 1; f < size; ++f)
      if (!table[f]) return 0;
    if (module == Core) {
      *table[MarkA] = reinterpret_cast<Function>(mark);
      *table[PushA] = reinterpret_cast<Function>(push);
      *table[Pop] = reinterpret_cast<Function>(pop);
    }
  }
  return 1;
}
