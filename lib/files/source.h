// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are read in order, wherever they are, and the size that bounds every allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace krait::files {

class Source {
 public:
  virtual ~Source() = default;
  /// Up to so many bytes; fewer only at the end. Throws krait::error where they cannot be read.
  virtual std::size_t read(void* to, std::size_t bytes) = 0;
  /// The bytes that follow; none of a pipe, which does not know it.
  virtual std::optional<std::uint64_t> left() const = 0;
};

class FileSource final : public Source {
 public:
  /// Throws error{usage} with the system's words.
  explicit FileSource(std::string path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  std::size_t read(void* to, std::size_t bytes) override;
  std::optional<std::uint64_t> left() const override { return left_; }
  int descriptor() const { return fd_; }

 private:
  std::string path_;
  int fd_;
  std::optional<std::uint64_t> left_;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(void* to, std::size_t bytes) override {
    const std::string_view part = bytes_.substr(0, bytes);
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    bytes_.remove_prefix(part.size());
    return part.size();
  }
  std::optional<std::uint64_t> left() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// Throws error{usage}. The tool has a copy of this code, but none of support/error.h.
[[noreturn]] void refuse(const std::string& message);

/// Exactly so many bytes, or nothing where the source ends before. What is announced and not there
/// takes no memory.
std::optional<std::vector<std::byte>> read_bytes(Source& from, std::uint64_t bytes);

}  // namespace krait::files
