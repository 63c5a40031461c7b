// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/places.h"

#include <dlfcn.h>

namespace krait::support {

std::array<std::string, 3> places_of(const std::string& file) {
  Dl_info info{};
  std::string beside;
  if (dladdr(reinterpret_cast<void*>(&places_of), &info) && info.dli_fname) beside = info.dli_fname;
  beside.resize(beside.rfind('/') + 1);
  return {beside + file, beside + "krait/" + file, beside + "../lib/" + file};
}

}  // namespace krait::support
