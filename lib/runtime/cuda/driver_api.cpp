// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/driver_api.h"
#include "support/environment.h"
#include "support/places.h"

#include <dlfcn.h>
#include <unistd.h>

namespace krait::runtime::cuda {
namespace {

struct Opened {
  DriverApi api;
  bool usable = false;
  std::string why;
};

Opened open_driver() {
  Opened o;
  // Without a GPU the library is not loaded.
  if (access("/dev/nvidiactl", F_OK) != 0) {
    o.why = "no NVIDIA driver: /dev/nvidiactl does not exist";
    return o;
  }
  if (const char* const why_not = support::why_no_drivers()) {
    o.why = why_not;
    return o;
  }
  std::string said;
  void* const library = support::open_library("libcuda.so.1", said);
  if (!library) {
    o.why =
        "an NVIDIA device is present, but libcuda.so.1 cannot be opened: "
        "install the user-space part of the driver";
    return o;
  }
  const char* missing = nullptr;
#define X(name, symbol, parameters)                                            \
  o.api.name = reinterpret_cast<Result(*) parameters>(dlsym(library, symbol)); \
  if (!o.api.name && !missing) missing = symbol;
  KRAIT_CUDA_ENTRY_POINTS(X)
#undef X
  // Newer drivers' functions may be missing: what needs them says so, or has another form.
  o.api.tile_map =
      reinterpret_cast<decltype(o.api.tile_map)>(dlsym(library, "cuTensorMapEncodeTiled"));
  if (missing) {
    o.why = std::string("the NVIDIA driver is too old: it has no ") + missing +
            " (CUDA 11.4 or newer is needed)";
    return o;
  }
  if (const Result r = o.api.init(0)) {
    o.why = "the NVIDIA driver does not start: " + text_of(o.api, r);
    return o;
  }
  constexpr int captures_early_launches = 12040;
  int version = 0;
  if (o.api.driver_version(&version) == 0 && version >= captures_early_launches)
    o.api.launch_early =
        reinterpret_cast<decltype(o.api.launch_early)>(dlsym(library, "cuLaunchKernelEx"));
  o.usable = true;
  return o;
}

}  // namespace

const DriverApi* driver(std::string* why) {
  static const auto* const opened = new Opened(open_driver());
  if (why) *why = opened->why;
  return opened->usable ? &opened->api : nullptr;
}

std::string text_of(const DriverApi& api, Result r) {
  const char *name = nullptr, *text = nullptr;
  api.error_name(r, &name), api.error_text(r, &text);
  return std::string(name ? name : "CUDA error " + std::to_string(r)) +
         (text ? std::string(": ") + text : "");
}

}  // namespace krait::runtime::cuda
