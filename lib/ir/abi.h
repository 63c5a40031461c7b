// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument block: how a kernel's arguments lie in memory, identical on every target
// (design 3.11). Each item has its natural alignment. A scalar is itself (bool: one byte 0/1). An
// aggregate by value is its bytes, aligned to 16 (a map of tiles: 64). A view is its address (u64),
// then its extents (u32 where facts.small, else i64), then its strides in elements (i64; omitted
// where facts.contiguous). Behind them the first extents (i64) of the shared arrays that are sized
// at launch, in the order of the text.
#pragma once

#include "ir/ir.h"
#include "support/blobs/envelope.h"

namespace krait::ir {

using support::ArgumentLayout;
using support::ArgumentSlot;
ArgumentLayout argument_layout(const Function& kernel);
/// What a launcher gives code of a recorded kernel, whatever passes added: the recording's
/// parameters under these facts, and hidden ones and lengths as `code` lists them. Code that takes
/// other arguments (support::difference) is not the recording's.
ArgumentLayout given_layout(const Function& recorded, const Facts& facts,
                            const ArgumentLayout& code);

/// What a lowered kernel's code tells its launcher, whatever the target. The generator adds what is
/// its own, and the code.
support::Envelope envelope_of(const Function& kernel, support::TargetKind target);

}  // namespace krait::ir
