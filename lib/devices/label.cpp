// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/label.h"

#include <new>

#include "devices/nvtx.h"
#include "devices/tracing.h"
#include "support/error.h"
#include "support/labels.h"

namespace krait {

label::label(const char* name) {
  if (!name) support::fail_usage("a label needs a name, not a null pointer");
  const std::string& own = support::open_labels().emplace_back(name);
  if (host::tracing() || host::nvtx()) span_ = new (std::nothrow) host::HostSpan("", own);
}

label::~label() {
  delete static_cast<host::HostSpan*>(span_);
  support::open_labels().pop_back();
}

void mark(const char* name) {
  if (!name) support::fail_usage("a mark needs a name, not a null pointer");
  host::note_moment(name);
  if (const host::Nvtx* tool = host::nvtx()) tool->mark(name);
}

}  // namespace krait
