// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program's side of NVTX declares in nvtxTypes.h of github.com/NVIDIA/NVTX, as far as tools
// ask for it.
#include "devices/nvtx.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "devices/fork_gate.h"
#include "devices/tracing.h"
#include "support/environment.h"

namespace krait::host {
namespace {

using Function = void (*)();

/// Functions by module and number; the tool sets those that it wants to be called. All modules have
/// their table, as tools may take it for granted; only some of the first one's functions are
/// called.
constexpr unsigned modules = 7, core = 1;
constexpr std::array<unsigned, modules> sizes{0, 16, 9, 15, 7, 16, 7};
enum { MarkA = 2, RangePushA = 9, RangePop = 11 };
Function functions[modules][16];
Function* tables[modules][17];  // the last is null

struct Callbacks {
  std::size_t bytes = sizeof(Callbacks);
  int (*table_of)(int module, Function*** table, unsigned* size) = [](int module, Function*** table,
                                                                      unsigned* size) {
    if (module < int(core) || module >= int(modules)) return 0;
    if (size) *size = sizes[unsigned(module)];
    if (table) *table = tables[module];
    return 1;
  };
};
struct Version {
  std::size_t bytes = sizeof(Version);
  std::uint32_t version = 3, reserved = 0;
  void (*tell)(std::uint32_t) = [](std::uint32_t) {};
};
const Callbacks callbacks;
const Version version;

const void* exported(std::uint32_t what) {
  constexpr std::uint32_t callbacks_id = 1, version_id = 3;
  return what == callbacks_id ? &callbacks
         : what == version_id ? static_cast<const void*>(&version)
                              : nullptr;
}

const Nvtx* load(const char* library) noexcept {
  for (unsigned m = core; m < modules; ++m)
    for (unsigned f = 1; f < sizes[m]; ++f) tables[m][f] = &functions[m][f];
  void* const tool = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!tool) return nullptr;
  const auto begin = reinterpret_cast<int (*)(const void* (*)(std::uint32_t))>(
      dlsym(tool, "InitializeInjectionNvtx2"));
  if (!begin || !begin(exported)) return nullptr;
  static Nvtx them{[](const char*) {}, [](const char*) { return 0; }, [] { return 0; }};
  const auto take = [](auto& to, unsigned number) {
    if (const Function f = functions[core][number])
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(f);
  };
  take(them.mark, MarkA), take(them.push, RangePushA), take(them.pop, RangePop);
  return &them;
}

const char* const library = support::environment_text("NVTX_INJECTION64_PATH");
[[maybe_unused]] const bool listens = library && (anyone_listens = true);

}  // namespace

const Nvtx* nvtx() noexcept {
  if (!library) return nullptr;
  const BehindForkGate behind;
  static const Nvtx* const them = load(library);
  return them;
}

}  // namespace krait::host
