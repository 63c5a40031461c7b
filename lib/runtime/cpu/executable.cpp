// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/executable.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/cpu/host.h"
#include "runtime/cpu/jitdump.h"
#include "support/blobs/envelope.h"
#include "support/error.h"

namespace krait::runtime::cpu {

Code::Code(std::span<const std::byte> blob, const std::string& kernel_name) : name_(kernel_name) {
  const auto damaged = [&](const std::string& what) {
    support::fail_device("kernel {}: its code is damaged: {}", kernel_name, what);
  };
  const support::Envelope envelope =
      support::open_or_fail(blob, support::TargetKind::Cpu, kernel_name);
  const std::string_view image = envelope.code;
  if (!envelope.get_own(facts_))
    damaged(
        fmt::format("{} bytes of facts about it, expected {}", envelope.own.size(), sizeof facts_));
  fixed_shared_ = envelope.fixed_shared;
  // Launches jump to these places and index by these numbers: damaged ones are refused here, once.
  if (facts_.entry >= image.size())
    damaged(fmt::format("its entry is at {} of {} bytes", facts_.entry, image.size()));
  if (facts_.mode > CpuMode::Together || facts_.lanes == 0 || facts_.parts == 0 ||
      facts_.rows == 0 || facts_.layers == 0)
    damaged("an unknown mode");
  if (facts_.mode == CpuMode::Range && facts_.extent >= image.size()) damaged("no extent");
  for (const CpuCopy& c : facts_.copies)
    if (c.update > CpuCopy::Update::Max ||
        (c.update != CpuCopy::Update::None && (c.bytes != 4 && c.bytes != 8)))
      damaged("an unknown update");
  if (facts_.level > host_level())
    support::fail_device("kernel {}: its code needs x86-64-v{}, this processor has v{}",
                         kernel_name, unsigned(facts_.level), unsigned(host_level()));
  if (facts_.debug != CpuCode::no_entry &&
      !is_object(std::as_bytes(
          std::span(image.substr(std::min<std::size_t>(facts_.debug, image.size()))))))
    damaged("its debug information is not an object file");
  // Written first, then executable: no page is ever both.
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  mapped_ = (image.size() + page - 1) / page * page;
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    support::fail_device("kernel {}: no memory for {} bytes of code: {}", kernel_name, mapped_,
                         std::strerror(errno));
  image_ = static_cast<std::byte*>(memory);
  std::memcpy(image_, image.data(), image.size());
  if (mprotect(image_, mapped_, PROT_READ | PROT_EXEC) != 0) {
    int reason = errno;
    munmap(image_, mapped_);
    support::fail_device("kernel {}: the system does not allow code made at run time: {}",
                         kernel_name, std::strerror(reason));
  }
  // The image ends with an object file where lines are known. Debuggers and perf learn of the code
  // only once it can run; what they throw must not leave it mapped.
  const std::size_t length = std::min<std::size_t>(facts_.debug, image.size());
  const std::span<const std::byte> code(image_, length),
      object = std::as_bytes(std::span(image.substr(length)));
  const std::string symbol = kernel_name.empty() ? "kernel" : kernel_name;
  try {
    if (debugging()) debug_.emplace(code, object, symbol);
    tell_perf_inject(code, symbol, object);
  } catch (...) {
    debug_.reset();
    munmap(image_, mapped_);
    throw;
  }
}

Code::~Code() {
  debug_.reset();
  munmap(image_, mapped_);
}

Executable::Attributes Code::attributes() const {
  Attributes a;
  a.shared_bytes = std::int64_t(fixed_shared_);
  a.max_threads = 1024;
  const bool blocks = facts_.mode != CpuMode::Grid && facts_.mode != CpuMode::Range;
  a.block_lanes = blocks && facts_.lanes > 1 ? facts_.lanes : 0;
  return a;
}

}  // namespace krait::runtime::cpu
