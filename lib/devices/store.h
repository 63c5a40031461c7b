// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's cache settings, read once, and its store on disk.
#pragma once

#include "cache/disk.h"

namespace krait::host {

/// From the environment, at the first call. Throws error{usage} for values that mean nothing.
const cache::Settings& cache_settings();

/// Null where nothing is kept on disk.
support::Store* store();

/// This library's build: the passes and the mathematical functions in it decide what code becomes.
/// Empty where it has none.
const std::string& library_build_id();

}  // namespace krait::host
