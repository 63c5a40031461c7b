// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code a device runs that was made for another target than its own: on another machine,
// before it was known.
#pragma once

#include "support/target.h"

namespace krait::support {

/// Whether code for `code` runs on a device of the target `device`, with the results that the
/// device's own code has.
bool runs(const Target& code, const Target& device);
/// Which of two targets whose code a device runs has the better code: true where `a` does.
bool is_better(const Target& a, const Target& b);

/// For drivers that nobody knows yet: with what goes around the faults of all of them, and does not
/// count on roundings of large doubles.
Target for_all_drivers(const Target& target);

}  // namespace krait::support
