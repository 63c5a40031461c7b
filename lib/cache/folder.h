// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a cache folder: reading what is the user's own, writing whole files or none, and
// removing what was used least. Several processes work in it at once without a lock: files appear
// by renaming, complete, and are never changed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace krait::cache {

/// A file's state, as far as the cache looks at it.
struct FileInfo {
  std::string name;
  std::uint64_t bytes = 0;  // that it takes on the disk, about
  std::int64_t used = 0;    // seconds since 1970: when it was written or last used, to the hour
};

/// Why a system call failed.
struct Failure {
  int code = 0;      // errno's
  std::string text;  // empty: nothing failed
};

class Folder {
 public:
  enum class Make { No, Yes };
  /// Opens the folder, made with mode 0700 where that is asked for. It must be the user's own, and
  /// nobody else may write to it.
  Folder(const std::string& path, Make make);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  const Failure& failure() const { return failure_; }  // of opening

  /// A whole file, if it is a regular one, the user's own, and nobody else may write to it. `touch`
  /// notes the use.
  std::optional<std::string> read(const std::string& name, bool touch) const;

  enum class Written { Done, Exists, Failed };
  /// A new file of mode 0600: it appears with all its bytes or not at all. With `replace` in the
  /// place of one that is there.
  Written write(const std::string& name, std::string_view bytes, bool replace,
                Failure& failure) const;

  bool remove(const std::string& name) const;

  /// The cache's own files.
  std::vector<FileInfo> entries() const;

  /// Whether nobody has swept in the last hour.
  bool sweep_is_due() const;
  /// Removes entries, least recently used first, until they take at most `most` bytes, and what
  /// killed writers left. Returns the number of entries removed. Where another process sweeps,
  /// nothing.
  std::size_t sweep(std::uint64_t most) const;

 private:
  template <class Visit>
  void visit(Visit&& visit) const;

  int fd_ = -1;
  Failure failure_;
};

}  // namespace krait::cache
