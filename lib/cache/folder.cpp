// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "cache/entry.h"
#include "support/file.h"

namespace krait::cache {
namespace {

constexpr std::int64_t hour = 3600;
constexpr const char* stamp_name = ".krait-swept";

struct Descriptor {
  int fd;
  explicit Descriptor(int f) : fd(f) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

Failure failure_of(int code, std::string what) {
  return {code, std::move(what) + ": " + std::strerror(code)};
}

/// A clock that was set back leaves times in the future: they count as now.
std::int64_t age(std::int64_t time) { return std::max<std::int64_t>(std::time(nullptr) - time, 0); }
/// By more than the clocks of a file system and of this machine differ: std::time may be a tick
/// behind a file that was just written, a server's clock seconds before ours.
bool is_in_future(std::int64_t time) { return time - std::time(nullptr) > hour; }

bool is_private(const struct stat& s) {
  return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Makes a folder and those above it.
bool make_folders(const std::string& path) {
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at < path.size() && path[at] != '/') continue;
    if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) {
      const int why = errno;
      // a folder above may be closed to us, or on a file system that says so before it looks
      struct stat there;
      if (stat(path.substr(0, at).c_str(), &there) == 0 && S_ISDIR(there.st_mode)) continue;
      errno = why;
      return false;
    }
  }
  return true;
}

}  // namespace

Folder::Folder(const std::string& path, Make make) {
  const auto open_it = [&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); };
  int fd = open_it();
  if (fd < 0 && errno == ENOENT && make == Make::Yes && make_folders(path)) fd = open_it();
  struct stat s;
  if (fd < 0 && errno == ENOENT && make == Make::Yes && lstat(path.c_str(), &s) == 0 &&
      S_ISLNK(s.st_mode)) {
    failure_ = {ENOTDIR, path + " is a link to a folder that does not exist"};
  } else if (fd < 0 || fstat(fd, &s) != 0) {
    failure_ = failure_of(errno, path);
    if (fd >= 0) ::close(fd);
  } else if (!is_private(s)) {
    failure_ = {EPERM, path + (s.st_uid != geteuid() ? " belongs to another user"
                                                     : " is writable by other users")};
    ::close(fd);
  } else {
    fd_ = fd;
  }
}

Folder::~Folder() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<std::string> Folder::read(const std::string& name, bool touch) const {
  const Descriptor file(
      openat(fd_, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat s;
  if (file.fd < 0 || fstat(file.fd, &s) != 0 || !S_ISREG(s.st_mode) || !is_private(s))
    return std::nullopt;
  if (s.st_size < 0 || std::uint64_t(s.st_size) > largest_entry) return std::nullopt;
  std::string bytes(std::size_t(s.st_size), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::read(file.fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    at += std::size_t(n);
  }
  if (touch && (age(s.st_mtime) > hour || is_in_future(s.st_mtime))) futimens(file.fd, nullptr);
  return bytes;
}

Folder::Written Folder::write(const std::string& name, std::string_view bytes, bool replace,
                              Failure& failure) const {
  support::NewFile file(fd_, "", support::own_file);
  const bool made = bool(file);
  // Not made durable: after a crash of the system a file may be empty, which its checksum shows.
  if (made && file.write(bytes) && file.close()) {
    if (file.put(name, replace)) return Written::Done;
    if (errno == EEXIST) return Written::Exists;
  }
  failure = failure_of(errno, made ? "writing" : "making a file");
  return Written::Failed;
}

bool Folder::remove(const std::string& name) const { return unlinkat(fd_, name.c_str(), 0) == 0; }

template <class Visit>
void Folder::visit(Visit&& visit) const {
  const int own = openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // a position of its own
  DIR* list = own < 0 ? nullptr : fdopendir(own);
  if (!list) {
    if (own >= 0) ::close(own);
    return;
  }
  while (const dirent* d = readdir(list)) {
    struct stat s;
    if (fstatat(fd_, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
    constexpr std::uint64_t block = 4096;
    visit(FileInfo{d->d_name, (std::uint64_t(s.st_size) + block - 1) / block * block,
                   std::int64_t(s.st_mtime)});
  }
  closedir(list);
}

std::vector<FileInfo> Folder::entries() const {
  std::vector<FileInfo> found;
  visit([&](FileInfo f) {
    if (is_entry_name(f.name)) found.push_back(std::move(f));
  });
  return found;
}

bool Folder::sweep_is_due() const {
  struct stat s;
  if (fstatat(fd_, stamp_name, &s, AT_SYMLINK_NOFOLLOW) != 0) return true;
  return age(s.st_mtime) > hour || is_in_future(s.st_mtime);
}

std::size_t Folder::sweep(std::uint64_t most) const {
  const Descriptor stamp(openat(fd_, stamp_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (stamp.fd < 0 || flock(stamp.fd, LOCK_EX | LOCK_NB) != 0) return 0;  // closing unlocks
  futimens(stamp.fd, nullptr);
  std::vector<FileInfo> files;
  std::uint64_t total = 0;
  visit([&](FileInfo f) {
    if (is_entry_name(f.name)) {
      total += f.bytes;
      files.push_back(std::move(f));
    } else if (f.name.starts_with(support::NewFile::start) &&
               (age(f.used) > hour || is_in_future(f.used))) {
      remove(f.name);  // its writer was killed: writing takes milliseconds
    }
  });
  if (total <= most) return 0;
  const std::int64_t now = std::time(nullptr);
  const auto last_use = [now](const FileInfo& f) { return std::min(f.used, now); };
  std::sort(files.begin(), files.end(),
            [&](const FileInfo& a, const FileInfo& b) { return last_use(a) < last_use(b); });
  // some room, so that the next file is not too much again
  const std::uint64_t goal = most - most / 8;
  std::size_t removed = 0;
  for (const FileInfo& f : files) {
    if (total <= goal) break;
    if (remove(f.name)) total -= f.bytes, ++removed;
  }
  return removed;
}

}  // namespace krait::cache
