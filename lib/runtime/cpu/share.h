// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process' share of its node's processors, where a launcher has started several ranks there.
#pragma once

#include <string>

namespace krait::runtime::cpu {

/// The ranks on this node that the launcher's variables name; 1 without a launcher.
unsigned ranks_of_node();

/// The threads of one of so many ranks, which may use `own` of the node's processors: its even
/// share. A launcher that binds ranks to processors has given each its own, or several ranks one
/// socket.
unsigned threads_of_rank(unsigned own, unsigned of_node, unsigned ranks);

/// What the user should know of such a rank, or nothing.
std::string unused_processors(unsigned own, unsigned of_node, unsigned ranks);

/// The threads of this process. The first rank of a node says what it should know.
unsigned threads_of_process();

}  // namespace krait::runtime::cpu
