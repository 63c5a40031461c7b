// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of .npy files, which numpy.savez writes.
#pragma once

#include <mutex>

#include "files/arrays.h"
#include "files/zip_table.h"

namespace krait::files {

/// Throws error{device} where libzip is missing.
const ZipTable& zip_table();

class Archive {
 public:
  /// Of a file. Throws error{usage} where it is no archive.
  explicit Archive(const std::string& path);
  /// Of bytes, which stay the caller's; `path` stands in messages.
  Archive(std::string_view bytes, std::string path);
  ~Archive();
  Archive(const Archive&) = delete;

  struct Member {
    std::string name;  // without ".npy"
    std::uint64_t index, size, compressed_size;
    std::uint16_t method;
  };
  const std::vector<Member>& members() const { return members_; }
  const Member* find(std::string_view name) const;
  file_array load(const Member& member, const file_request& as) const;
  /// Calls `use` with the bytes of a member. They are bounded by those of the archive, and their
  /// checksum is right when it returns.
  void read(const Member& member, const std::function<void(Source&)>& use) const;
  const std::string& path() const { return path_; }

 private:
  void open(ZipSource* source, ZipError& error);

  const ZipTable& zip_;
  std::string path_;
  std::uint64_t bytes_ = 0;
  Zip* zip_file_ = nullptr;
  std::vector<Member> members_;
  mutable std::mutex mutex_;  // an archive has one position in its file
};

}  // namespace krait::files
