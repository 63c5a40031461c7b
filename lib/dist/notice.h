// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank tells the others beside its messages: of one size, so that a receive for it can wait
// at any time.
#pragma once

#include <cstdint>

namespace krait::dist {

struct Notice {
  enum class Kind : std::uint8_t { Failure, Waiting };
  Kind kind = Kind::Failure;
  std::uint8_t error = 0;  // of a failure: error::kind_type
  std::int32_t rank = 0;
  std::uint64_t call = 0;
  char text[496] = {};
};
static_assert(sizeof(Notice) == 512);

}  // namespace krait::dist
