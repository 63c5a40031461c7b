// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's identity: XXH3 of the canonical text. Equal keys mean equal text, which means equal
// kernels.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ir/text/text.h"

namespace krait::ir {

Key key(const Module& module) {
  const std::string text = print(module, {.names = false, .locations = false});
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

}  // namespace krait::ir
