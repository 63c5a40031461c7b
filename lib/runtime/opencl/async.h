// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that nobody waits for.
#pragma once

#include "runtime/async.h"

namespace krait::runtime::opencl {

class OpenClDevice;

class OpenClAsync final : public Async {
 public:
  explicit OpenClAsync(OpenClDevice& device) : device_(device) {}

  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;

 private:
  OpenClDevice& device_;
};

}  // namespace krait::runtime::opencl
