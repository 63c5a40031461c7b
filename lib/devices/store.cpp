// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/store.h"

#include "support/build_id.h"
#include "support/environment.h"

namespace krait::host {

const cache::Settings& cache_settings() {
  static const auto* const settings = [] {
    auto* s = new cache::Settings(cache::settings_from_environment());
    // `krait dump --run` shows what is compiled, and hints tell of it, so everything is.
    if ((support::environment_text("KRAIT_DUMP") || support::hinting() == support::Hinting::All) &&
        s->mode != cache::Mode::Off)
      s->mode = cache::Mode::Memory;
    return s;
  }();
  return *settings;
}

support::Store* store() {
  static support::Store* const disk = [] {
    const cache::Mode mode = cache_settings().mode;
    const bool on_disk = mode == cache::Mode::ReadOnly || mode == cache::Mode::ReadWrite;
    return on_disk ? new cache::Disk(cache_settings()) : nullptr;
  }();
  return disk;
}

const std::string& library_build_id() {
  static const auto* const id =
      new std::string(support::build_id_at(reinterpret_cast<const void*>(&library_build_id)));
  return *id;
}

}  // namespace krait::host
