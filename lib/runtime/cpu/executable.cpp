// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/executable.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/cpu/host.h"
#include "support/error.h"

namespace krait::runtime::cpu {

Code::Code(std::span<const std::byte> blob, const std::string& kernel_name) {
  auto damaged = [&](const char* what) {
    support::fail_device("kernel {}: its CPU code is damaged: {}", kernel_name, what);
  };
  if (blob.size() < sizeof header_) damaged("shorter than its header");
  std::memcpy(&header_, blob.data(), sizeof header_);
  if (header_.magic != CpuBlobHeader::signature || header_.header_bytes != sizeof header_) damaged("another format");
  const bool fits = blob.size() - sizeof header_ == header_.image_bytes && header_.entry < header_.image_bytes;
  if (!fits) damaged("sizes that do not fit");
  if (header_.mode > CpuMode::Block || header_.lanes == 0 || header_.parts == 0 || header_.rows == 0 || header_.layers == 0) damaged("an unknown mode");
  if (header_.mode == CpuMode::Range && header_.extent >= header_.image_bytes) damaged("no extent");
  for (const CpuCopy& c : header_.copies)
    if (c.update > CpuCopy::Update::Max || (c.update != CpuCopy::Update::None && (c.bytes != 4 && c.bytes != 8))) damaged("an unknown update");
  if (header_.level > host_level())
    support::fail_device("kernel {}: its code needs x86-64-v{}, this processor has v{}", kernel_name, unsigned(header_.level),
                         unsigned(host_level()));
  const auto page = std::size_t(sysconf(_SC_PAGESIZE));
  mapped_ = (header_.image_bytes + page - 1) / page * page;
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    support::fail_device("kernel {}: no memory for {} bytes of code: {}", kernel_name, mapped_, std::strerror(errno));
  image_ = static_cast<std::byte*>(memory);
  std::memcpy(image_, blob.data() + sizeof header_, header_.image_bytes);
  if (mprotect(image_, mapped_, PROT_READ | PROT_EXEC) != 0) {
    int reason = errno;
    munmap(image_, mapped_);
    support::fail_device("kernel {}: the system does not allow code made at run time: {}", kernel_name, std::strerror(reason));
  }
  if (debugging()) debug_.emplace(std::span<const std::byte>(image_, header_.image_bytes), kernel_name.empty() ? "kernel" : kernel_name);
}

Code::~Code() {
  debug_.reset();
  munmap(image_, mapped_);
}

Executable::Attributes Code::attributes() const {
  Attributes a;
  a.shared_bytes = header_.shared_bytes;
  a.max_threads = 1024;
  return a;
}

}  // namespace krait::runtime::cpu
