// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/labels.h"

namespace krait::support {

std::deque<std::string>& open_labels() {
  thread_local std::deque<std::string> open;
  return open;
}

}  // namespace krait::support
