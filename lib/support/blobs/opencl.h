// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of OpenCL, in an envelope (envelope.h): the words of a SPIR-V 1.0 module. The envelope's
// own facts are an OpenClCode and behind it an OpenClParameter for each item that the kernel takes.
//
// The module's one specialisation constant (bool) says that no thread has more than one trip of a
// grid_stride loop. The launcher writes it into the words, as drivers before OpenCL 2.2 have no
// call for that.
#pragma once

#include <cstdint>

namespace krait::support {

struct OpenClParameter {
  enum Kind : std::uint32_t {
    Value,  // `bytes` from `offset` of the argument block (ir/abi.h)
    // two parameters: the memory with the address at `offset`, and where in it the address is, in
    // bytes (u64)
    View,
    Bytes,  // memory with `bytes` from `offset`
    // local memory for the shared array that is number `offset` of those sized at launch, at least
    // `bytes`
    Shared,
  } kind = Value;
  std::uint32_t offset = 0, bytes = 0;
};

/// What the launcher must know beside what all targets say.
struct OpenClCode {
  std::uint32_t local_bytes = 0;  // a thread's arrays
  std::uint32_t one_trip = 0;     // the word of the specialisation constant's instruction
  std::uint32_t fast = 0;         // 1: in fast mode
};

}  // namespace krait::support
