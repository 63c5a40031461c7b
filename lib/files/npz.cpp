// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/npz.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "files/library.h"
#include "support/environment.h"
#include "support/file.h"

namespace krait::files {
namespace {

constexpr std::string_view ending = ".npy";
/// The most bytes that deflate makes of one (zlib.net, "zlib Technical Details").
constexpr std::uint64_t deflate_ratio = 1032;

struct Error : ZipError {
  explicit Error(const ZipTable& zip) : zip_(zip) { zip.error_init(this); }
  ~Error() { zip_.error_fini(this); }
  Error(const Error&) = delete;
  const char* words() { return zip_.error_text(this); }

 private:
  const ZipTable& zip_;
};

class MemberSource final : public Source {
 public:
  MemberSource(const ZipTable& zip, Zip* file, const Archive::Member& member, std::string place)
      : zip_(zip), place_(std::move(place)), left_(member.size) {
    opened_ = zip.open_member(file, member.index, 0);
    if (!opened_) fail(zip.error_text(zip.error_of(file)));
  }
  ~MemberSource() override {
    if (opened_) zip_.close_member(opened_);
  }
  std::size_t read(void* to, std::size_t bytes) override {
    std::size_t done = 0;
    while (done < bytes) {
      const std::int64_t n = zip_.read(opened_, static_cast<char*>(to) + done, bytes - done);
      if (n < 0) fail(zip_.error_text(zip_.error_of_member(opened_)));
      if (n == 0) break;
      done += std::size_t(n);
    }
    left_ -= std::min<std::uint64_t>(left_, done);
    return done;
  }
  std::optional<std::uint64_t> left() const override { return left_; }
  /// libzip compares the checksum where it finds the end.
  void finish() {
    char rest[4096];
    while (read(rest, sizeof rest) == sizeof rest) {
    }
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    support::fail_usage("{}: the archive is damaged ({}): write it again", place_, why);
  }
  const ZipTable& zip_;
  std::string place_;
  std::uint64_t left_;
  ZipMember* opened_ = nullptr;
};

/// A new archive in a file of ours, which gets its name when it is complete.
class Target {
 public:
  explicit Target(const std::string& path) : path_(path), file_(path, support::shared_file) {}
  bool is_open() const { return bool(file_); }
  bool put() { return file_.close() && file_.put(path_, true); }

  static std::int64_t answer(void* target, void* data, std::uint64_t bytes, ZipCommand command) {
    return static_cast<Target*>(target)->answer(data, bytes, command);
  }

 private:
  std::int64_t answer(void* data, std::uint64_t bytes, ZipCommand command) {
    switch (command) {
      case ZipCommand::Supports: return supported();
      case ZipCommand::Stat: {
        auto* const stat = static_cast<ZipStat*>(data);
        *stat = {};
        stat->valid = zip_stat_size, stat->size = std::uint64_t(size_);
        return sizeof *stat;
      }
      case ZipCommand::Error: {
        const int codes[] = {errno_ ? zip_error_write : 0, errno_};
        std::memcpy(data, codes, sizeof codes);
        return sizeof codes;
      }
      case ZipCommand::Write:
        if (!file_.write({static_cast<const char*>(data), bytes})) return failed();
        size_ = std::max(size_, lseek(file_.descriptor(), 0, SEEK_CUR));
        return std::int64_t(bytes);
      case ZipCommand::SeekWrite: {
        const auto& to = *static_cast<const ZipSeek*>(data);
        return lseek(file_.descriptor(), to.offset, to.whence) < 0 ? failed() : 0;
      }
      case ZipCommand::TellWrite: return lseek(file_.descriptor(), 0, SEEK_CUR);
      case ZipCommand::Read: return 0;  // it is empty until it is written
      case ZipCommand::Open:
      case ZipCommand::Close:
      case ZipCommand::Free:
      case ZipCommand::Seek:
      case ZipCommand::Tell:
      case ZipCommand::BeginWrite:
      case ZipCommand::CommitWrite:
      case ZipCommand::RollbackWrite:
      case ZipCommand::Remove: return 0;
    }
    return -1;
  }
  static std::int64_t supported() {
    return (std::int64_t(1) << (int(ZipCommand::Supports) + 1)) - 1 +
           (std::int64_t(1) << int(ZipCommand::Remove));
  }
  std::int64_t failed() {
    errno_ = errno;
    return -1;
  }

  std::string path_;
  support::NewFile file_;
  std::int64_t size_ = 0;
  int errno_ = 0;
};

}  // namespace

const ZipTable& zip_table() {
  static const auto* const opened = new Opened<ZipTable>({".npz files",
                                                          "libzip",
                                                          "libzip4",
                                                          "KRAIT_LIBZIP",
                                                          support::environment_text("KRAIT_LIBZIP"),
                                                          {"libzip.so.4", "libzip.so.5"}});
  return opened->table();
}

Archive::Archive(const std::string& path) : zip_(zip_table()), path_(path) {
  bytes_ = FileSource(path).left().value_or(0);  // in the system's words where it is missing
  Error error(zip_);
  open(zip_.source_file(path.c_str(), 0, 0, &error), error);
}

Archive::Archive(std::string_view bytes, std::string path)
    : zip_(zip_table()), path_(std::move(path)), bytes_(bytes.size()) {
  Error error(zip_);
  open(zip_.source_buffer(bytes.data(), bytes.size(), 0, &error), error);
}

void Archive::open(ZipSource* source, ZipError& error) {
  zip_file_ = source ? zip_.open(source, zip_read_only, &error) : nullptr;
  if (!zip_file_) {
    const std::string why = zip_.error_text(&error);
    if (source) zip_.source_free(source);
    support::fail_usage("{}: not a .npz file ({}): expected one that numpy.savez wrote", path_,
                        why);
  }
  const std::int64_t count = zip_.count(zip_file_, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    ZipStat stat{};
    if (zip_.stat(zip_file_, std::uint64_t(i), 0, &stat) != 0 || !stat.name) continue;
    const std::string_view name = stat.name;
    if (!name.ends_with(ending)) continue;
    members_.push_back({std::string(name.substr(0, name.size() - ending.size())), stat.index,
                        stat.size, stat.compressed_size, stat.method});
  }
}

Archive::~Archive() {
  if (zip_file_) zip_.discard(zip_file_);
}

const Archive::Member* Archive::find(std::string_view name) const {
  const auto at = std::find_if(members_.begin(), members_.end(),
                               [&](const Member& m) { return m.name == name; });
  return at == members_.end() ? nullptr : &*at;
}

void Archive::read(const Member& member, const std::function<void(Source&)>& use) const {
  const std::string place = fmt::format("{}: {}", path_, member.name);
  if (member.method != zip_stored && member.method != zip_deflated)
    support::fail_usage(
        "{}: compressed by method {} of zip: expected one that numpy.savez or numpy.savez_compressed wrote",
        place, member.method);
  const std::uint64_t most =
      std::min(member.compressed_size, bytes_) * (member.method == zip_stored ? 1 : deflate_ratio);
  if (member.size > most)
    support::fail_usage(
        "{}: the archive says that {} bytes hold {}, which they cannot: write it again", place,
        member.compressed_size, member.size);
  const std::lock_guard lock(mutex_);
  MemberSource source(zip_, zip_file_, member, place);
  use(source);
  source.finish();
}

file_array Archive::load(const Member& member, const file_request& as) const {
  file_array loaded;
  const std::string place = fmt::format("{}: {}", path_, member.name);
  read(member, [&](Source& from) {
    loaded = load_elements(from, read_npy_header(from, place), place, "load", as);
  });
  return loaded;
}

}  // namespace krait::files

namespace krait {

using namespace krait::files;

struct npz_file::opened {
  Archive archive;
};

npz_file::npz_file(const detail::file_text& path)
    : opened_(new opened{Archive(std::string(path.c_str()))}) {}
npz_file::~npz_file() { delete opened_; }

std::size_t npz_file::size() const noexcept { return opened_->archive.members().size(); }
const char* npz_file::name(std::size_t i) const {
  if (i >= size()) support::fail_usage("{}: array {} of {}", opened_->archive.path(), i, size());
  return opened_->archive.members()[i].name.c_str();
}
bool npz_file::contains(const detail::file_text& name) const {
  return opened_->archive.find(name.c_str());
}
detail::file_array npz_file::read(const char* name, const detail::file_request& as) const {
  const Archive& archive = opened_->archive;
  if (const Archive::Member* const member = archive.find(name)) return archive.load(*member, as);
  std::string names;
  for (const Archive::Member& m : archive.members()) names += (names.empty() ? "" : ", ") + m.name;
  support::fail_usage("{}: no array \"{}\"; it has {}", archive.path(), name,
                      names.empty() ? "none" : names);
}

namespace detail {

void save_npz(const char* path, const named_file_array* first, std::size_t count, bool compressed) {
  const ZipTable& zip = zip_table();
  const std::string_view call = compressed ? "kr::save_npz_compressed" : "kr::save_npz";
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i)
    if (!names.insert(first[i].name).second)
      support::fail_usage("{}: two arrays have the name \"{}\"", call, first[i].name);
  if (count == 0)
    support::fail_usage("{}: {} would have no arrays: give {{{{name, array}}, …}}", call, path);
  // libzip reads them when it closes the archive.
  std::vector<std::unique_ptr<HostBytes>> elements;
  std::vector<std::string> headers;
  headers.reserve(count);
  Target target(path);
  if (!target.is_open()) cannot_write(path);
  Error error(zip);
  const auto fail = [&](const char* why) {
    support::fail_usage("{}: cannot be written: {}", path, why);
  };
  ZipSource* const into = zip.source_function(&Target::answer, &target, &error);
  if (!into) fail(error.words());
  Zip* const opened = zip.open(into, zip_truncate, &error);
  if (!opened) {
    zip.source_free(into);
    fail(error.words());
  }
  std::unique_ptr<Zip, void (*)(Zip*)> archive(opened, zip.discard);
  for (std::size_t i = 0; i < count; ++i) {
    const file_array& x = first[i].array;
    elements.push_back(std::make_unique<HostBytes>(x));
    headers.push_back(npy_header(x.element, x.at.extents, x.at.rank));
    const auto bytes = [](const void* data) {
      return const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(data));
    };
    const ZipFragment parts[] = {{bytes(headers.back().data()), headers.back().size()},
                                 {bytes(elements.back()->data()), elements.back()->size()}};
    ZipSource* const from = zip.source_fragments(parts, elements.back()->size() ? 2 : 1, 0, &error);
    if (!from) fail(error.words());
    const std::int64_t index =
        zip.add(opened, (first[i].name + std::string(ending)).c_str(), from, zip_utf8);
    if (index < 0) {
      zip.source_free(from);
      fail(zip.error_text(zip.error_of(opened)));
    }
    zip.set_compression(opened, std::uint64_t(index), compressed ? zip_deflated : zip_stored, 0);
    zip.set_time(opened, std::uint64_t(index), 315532800, 0);  // 1980, the first year of zip
  }
  if (zip.close(opened) != 0) {
    errno = zip.error_of(opened)->system;
    if (errno != 0) cannot_write(path);
    fail(zip.error_text(zip.error_of(opened)));
  }
  static_cast<void>(archive.release());
  if (!target.put()) cannot_write(path);
}

}  // namespace detail
}  // namespace krait
