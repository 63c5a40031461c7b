// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code blob in executable memory.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/backend.h"
#include "runtime/cpu/debug.h"
#include "support/cpu_blob.h"

namespace krait::runtime::cpu {

class Code final : public Executable {
 public:
  /// Throws device where the blob is not one, or needs features that the processor lacks.
  Code(std::span<const std::byte> blob, const std::string& kernel_name);
  ~Code() override;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  Attributes attributes() const override;
  int suggested_block() const override { return 256; }

  const CpuBlobHeader& header() const { return header_; }
  CpuEntry entry() const { return reinterpret_cast<CpuEntry>(image_ + header_.entry); }
  CpuExtent extent() const { return reinterpret_cast<CpuExtent>(image_ + header_.extent); }

 private:
  CpuBlobHeader header_;
  std::byte* image_ = nullptr;
  std::size_t mapped_ = 0;
  std::optional<DebugEntry> debug_;  // gone before the code is
};

/// Runs a launch on the pool; returns when it is done.
void launch(const Code& code, const LaunchRequest& request);

}  // namespace krait::runtime::cpu
