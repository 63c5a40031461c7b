// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the library makes files: as new ones (O_EXCL, O_NOFOLLOW) that are renamed into place. So a
// link that somebody put there is replaced and never written through, and no reader sees half a
// file.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace krait::support {

/// Modes: of what its user alone reads, and of what was made to be given to others (less the
/// process's umask).
constexpr mode_t own_file = 0600, shared_file = 0666;

/// A file without its name yet. Where a function gives false, errno tells why.
class NewFile {
 public:
  // of its name until then; the cache sweeps what killed writers left
  static constexpr std::string_view start = ".krait-new-";

  /// In `folder`, a descriptor or AT_FDCWD, below `place`: empty, or a path with a slash at its
  /// end.
  NewFile(int folder, std::string_view place, mode_t mode);
  /// In the folder of `path`, which put() takes as its name.
  NewFile(const std::string& path, mode_t mode);
  /// Removes it, unless it has its name.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  bool write(std::string_view bytes);
  /// False: the process may not write a file of so many bytes (EFBIG).
  static bool may_have(std::size_t bytes);
  /// For libraries that write by themselves; -1 where it was not made.
  int descriptor() const { return fd_; }
  bool close();
  /// Renames it, in the place of what is there or, without `replace`, only where nothing is
  /// (EEXIST).
  bool put(const std::string& name, bool replace);
  /// The descriptor, which is the caller's from now on.
  int take();

 private:
  int folder_, fd_ = -1;
  std::size_t written_ = 0;
  std::string temporary_;  // empty: it has its name
};

/// Writes a whole file, of parts behind each other, or leaves what is there. A path of the system
/// (/dev/stdout, /dev/null, /dev/fd/3) is written to as it is. False: errno tells why.
bool write_file(const std::string& path, std::initializer_list<std::string_view> parts,
                mode_t mode);

/// A new, empty file in the place of what is there, open to read and write; a path of the system as
/// above. -1: errno tells why.
int create_file(const std::string& path, mode_t mode);

/// Opens a file to append to, and makes it where it is missing; a link (but of the system) is
/// refused. With Only::Mine so is all but a regular file of this user's that has one name. -1:
/// errno tells why.
enum class Only { Mine, NoLink };
int open_to_append(const std::string& path, mode_t mode, Only which);

/// An open file, or -1, that is closed at the end of its scope.
struct Descriptor {
  const int fd;
  ~Descriptor();
};

/// False: errno tells why.
bool write_all(int fd, std::string_view bytes);

}  // namespace krait::support
