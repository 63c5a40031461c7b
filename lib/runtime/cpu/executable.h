// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code in executable memory.
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
  /// Throws device where the bytes are no envelope of the CPU's code, or it needs features that the
  /// processor lacks.
  Code(std::span<const std::byte> blob, const std::string& kernel_name);
  ~Code() override;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  Attributes attributes() const override;
  void name_loops(std::vector<LoopPlace> places) override { loops_ = std::move(places); }
  /// Of a loop that waits.
  LoopPlace loop(std::size_t number) const {
    return number < loops_.size() ? loops_[number] : LoopPlace{};
  }

  const CpuCode& facts() const { return facts_; }
  const std::string& name() const { return name_; }
  std::size_t fixed_shared() const { return fixed_shared_; }
  CpuEntry entry() const { return reinterpret_cast<CpuEntry>(image_ + facts_.entry); }
  CpuExtent extent() const { return reinterpret_cast<CpuExtent>(image_ + facts_.extent); }

 private:
  std::string name_;  // for messages
  std::vector<LoopPlace> loops_;
  CpuCode facts_;
  std::size_t fixed_shared_ = 0;
  std::byte* image_ = nullptr;
  std::size_t mapped_ = 0;
  std::optional<DebugEntry> debug_;  // gone before the code is
};

/// CpuLaunch::helpers.
const void* const* helpers();
/// Runs a launch on the pool; returns when it is done.
void launch(const Code& code, const LaunchRequest& request);

}  // namespace krait::runtime::cpu
