// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a thread's kr::label scopes, for what is launched inside.
#pragma once

#include <deque>
#include <string>

namespace krait::support {

/// Of this thread, the outermost first. A name stays where it is until its scope ends.
std::deque<std::string>& open_labels();

}  // namespace krait::support
