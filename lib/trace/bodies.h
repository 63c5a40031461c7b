// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise bodies of the function being recorded, which return_(value) leaves.
#pragma once

#include "trace/recorder.h"

namespace krait::trace {

detail::body_scope begin_body(Recorder& r, void (*result)(void*, detail::node), void* context);
void end_body(Recorder& r, const detail::body_scope& scope);
void leave_body(Recorder& r, detail::node result);
/// Of a function without result.
void leave_body(Recorder& r);
/// After a loop that return_(value) may have left.
void leave_after_loop(Recorder& r);

}  // namespace krait::trace
