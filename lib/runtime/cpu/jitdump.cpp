// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is that of tools/perf/Documentation/jitdump-specification.txt in Linux. perf finds the
// file by a page of it that is mapped to be executed: the mapping is among what `perf record`
// keeps, and lasts as long as the process.
#include "runtime/cpu/jitdump.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <mutex>

#include "runtime/cpu/line_table.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::runtime::cpu {
namespace {

/// Numbers and texts behind each other, little-endian as the processor has them.
class Record {
 public:
  template <class T>
  Record& operator<<(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Record& operator<<(const std::string& text) {
    bytes_.append(text.c_str(), text.size() + 1);
    return *this;
  }
  Record& operator<<(std::span<const std::byte> code) {
    bytes_.append(reinterpret_cast<const char*>(code.data()), code.size());
    return *this;
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::uint64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);  // perf record -k mono
  return std::uint64_t(t.tv_sec) * 1'000'000'000 + std::uint64_t(t.tv_nsec);
}

std::string headed(std::uint32_t kind, std::string&& body) {
  Record head;
  head << kind << std::uint32_t(16 + body.size()) << now();
  return std::move(head).take() + body;
}

struct File {
  std::mutex mutex;
  int fd = -1;
  pid_t process = 0;  // a child by fork has a file of its own
  std::uint64_t kernels = 0;
};
File& file() {
  static auto* const one = new File;
  return *one;
}

[[noreturn]] void refuse(const std::string& path) {
  support::fail_usage(
      "KRAIT_PERF: {} cannot be written: {}: name a folder with room that you may write to", path,
      std::strerror(errno));
}

void write(File& f, const std::string& path, const std::string& bytes) {
  if (!support::write_all(f.fd, bytes)) refuse(path);
}

void open(File& f, const std::string& path) {
  f.fd = support::create_file(path, support::own_file);
  if (f.fd < 0) refuse(path);
  f.process = getpid();
#if defined(__x86_64__)
  constexpr std::uint32_t machine = EM_X86_64;
#else
  constexpr std::uint32_t machine = EM_AARCH64;
#endif
  Record head;
  head << std::uint32_t(0x4A695444) << std::uint32_t(1) << std::uint32_t(40) << machine
       << std::uint32_t(0) << std::uint32_t(f.process) << now() << std::uint64_t(0);
  write(f, path, std::move(head).take());
  mmap(nullptr, std::size_t(sysconf(_SC_PAGESIZE)), PROT_READ | PROT_EXEC, MAP_PRIVATE, f.fd, 0);
}

}  // namespace

void tell_perf_inject(std::span<const std::byte> code, const std::string& symbol,
                      std::span<const std::byte> object) {
  const char* const folder = support::environment_text("KRAIT_PERF");
  if (!folder) return;
  File& f = file();
  std::lock_guard lock(f.mutex);
  const std::string path = std::string(folder) + "/jit-" + std::to_string(getpid()) + ".dump";
  if (f.process != getpid()) open(f, path);
  const auto address = std::uint64_t(reinterpret_cast<std::uintptr_t>(code.data()));
  enum : std::uint32_t { Load = 0, DebugInfo = 2 };
  std::string records;
  std::vector<CodeLine> lines = lines_of(object);
  if (!lines.empty()) {
    // perf ends the table where its last entry begins: the last line's code would have none.
    lines.push_back(lines.back()), lines.back().at = code.size();
    Record r;
    r << address << std::uint64_t(lines.size());
    for (const CodeLine& l : lines)
      r << address + l.at << std::uint32_t(l.line) << std::uint32_t(0) << l.file;
    records = headed(DebugInfo, std::move(r).take());
  }
  Record r;
  r << std::uint32_t(f.process) << std::uint32_t(syscall(SYS_gettid)) << address << address
    << std::uint64_t(code.size()) << f.kernels++ << symbol << code;
  write(f, path, records + headed(Load, std::move(r).take()));
}

}  // namespace krait::runtime::cpu
