// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose code is given as text in the languages of devices. They have a module, too, with
// their parameters and no operation, so that arguments are laid out and checked as of other
// kernels; the code generator gets both.
#pragma once

#include <string>
#include <vector>

#include "support/target.h"

namespace krait::host {

struct Recorded;

struct RawText {
  support::TargetKind target;  // which takes the language
  std::string entry, text;
};

struct RawKernel {
  std::vector<RawText> texts;
  /// All that it is, for keys.
  std::string identity() const;
};

/// The text for a target, null for a kernel that was recorded. Throws error{usage} that tells what
/// is given and what the target takes.
const RawText* raw_text_for(const Recorded& recorded, const support::Target& target);

}  // namespace krait::host
