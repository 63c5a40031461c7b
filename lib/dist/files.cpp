// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that all ranks write together. Rank 0 makes a new file beside the old one, each rank writes
// its part of the elements, and rank 0 renames it: who is killed before that loses nothing. Errors
// of one rank are errors of the call on all ranks, and the job goes on.
#include "krait/detail/dist/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "devices/layout.h"
#include "dist/job.h"
#include "dist/parts.h"
#include "files/hdf5.h"
#include "files/npy.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::dist::detail {
namespace {

constexpr const char* part_suffix = ".part";
constexpr const char* load_hdf5_name = "kr::dist::load_hdf5";
constexpr int text_tag = 32765;

[[noreturn]] void cannot(const std::string& path, const char* what) {
  support::fail_usage("{}: cannot be {}: {}", path, what, std::strerror(errno));
}

/// Work of rank 0, whose text all get.
template <class Work>
std::string from_first(job* of, const char* name, const Work& work) {
  std::string text;
  const std::uint64_t length = together(of, name, [&]() -> std::uint64_t {
    if (of->rank() == 0) text = work();
    return text.size();
  });
  guard(of, [&] {
    if (of->rank() != 0) {
      text.resize(length);
      if (length > 0) of->receive(text.data(), length, 0, text_tag);
    } else if (length > 0) {
      for (int to = 1; to < of->size(); ++to) of->send(text.data(), length, to, text_tag);
    }
    of->wait(name);
  });
  return text;
}
void begin(job* of, const char* name, const char* path) {
  of->refuse_waiting({.name = name});
  all_gather(of, {.name = name, .type = path}, nullptr, nullptr, 0);
}

/// A rank's part of a file; of arrays that each rank has whole, rank 0's is the file's.
FilePart part_in(const std::string& path, std::uint64_t begin, const filed_array& x) {
  FilePart p{path, begin, x.how->rank, {}, {}, {}, x.owned.element_bytes};
  for (int d = 0; d < p.rank; ++d)
    p.extents[d] = x.how->extents[d], p.first[d] = x.how->first[d], p.count[d] = x.how->owned[d];
  return p;
}
bool writes(const filed_array& x) { return !x.how->replicated || x.how->of->rank() == 0; }

/// A sum over elements that depends on where each one is, and not on who has it.
std::uint64_t checksum(const FilePart& of, const std::byte* packed) {
  const auto mix = [](std::uint64_t x) {  // splitmix64 (S. Vigna)
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  };
  std::uint64_t sum = 0;
  const std::int64_t row = of.rank > 0 ? of.count[of.rank - 1] : 1;
  each_row(of, [&](std::uint64_t place, std::size_t at) {
    for (std::int64_t k = 0; k < row; ++k) {
      std::uint64_t h = mix(place + std::uint64_t(k));
      const std::byte* const element = packed + (at + std::size_t(k)) * of.element_bytes;
      for (std::size_t b = 0; b < of.element_bytes; b += sizeof h) {
        std::uint64_t word = 0;
        std::memcpy(&word, element + b, std::min(sizeof word, of.element_bytes - b));
        h = mix(h + word);
      }
      sum += h;
    }
  });
  return sum;
}

std::vector<std::byte> packed(const filed_array& x) {
  std::vector<std::byte> bytes(bytes_of(*x.owned.at, x.owned.element_bytes));
  if (!bytes.empty()) krait::detail::copy_to_host(x.owned, bytes.data());
  return bytes;
}

/// Makes `path` of an array's elements, under a name of its own; gives their checksum. On rank 0
/// `make` gets the new file's descriptor, writes all but the elements, and gives their place.
template <class Make>
std::uint64_t write_array(const char* name, const std::string& path, const filed_array& x,
                          const Make& make) {
  job* const of = x.how->of;
  const std::uint64_t begin = together(of, name, [&]() -> std::uint64_t {
    if (of->rank() != 0) return 0;
    unlink(path.c_str());  // what a killed job left
    const support::Descriptor file{open(
        path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, support::shared_file)};
    if (file.fd < 0) cannot(path, "written");
    return make(file.fd);
  });
  return together(of, name, [&]() -> std::uint64_t {
    if (!writes(x)) return 0;
    const std::vector<std::byte> bytes = packed(x);
    const FilePart part = part_in(path, begin, x);
    if (!bytes.empty()) of->engine().write_part(part, bytes.data());
    return checksum(part, bytes.data());
  });
}
std::uint64_t write_npy(const char* name, const std::string& path, const filed_array& x) {
  return write_array(name, path, x, [&](int fd) {
    const std::string header = files::npy_header(x.element, x.how->extents, x.how->rank);
    const auto size = off_t(header.size() + std::size_t(x.how->size()) * x.owned.element_bytes);
    if (!support::write_all(fd, header) || ftruncate(fd, size) != 0) cannot(path, "written");
    return header.size();
  });
}
std::uint64_t read_array(const char* name, const std::string& path, std::uint64_t begin,
                         const filed_array& x) {
  job* const of = x.how->of;
  return together(of, name, [&]() -> std::uint64_t {
    std::vector<std::byte> bytes(bytes_of(*x.owned.at, x.owned.element_bytes));
    const FilePart part = part_in(path, begin, x);
    if (bytes.empty()) return 0;
    of->engine().read_part(part, bytes.data());
    files::check_bools(x.element, bytes.data(), bytes.size() / x.element.bytes, path);
    krait::detail::copy_from_host(x.owned, bytes.data());
    return writes(x) ? checksum(part, bytes.data()) : 0;
  });
}
/// Renames on rank 0, so that what was written before is on the disk before its name.
void put(const std::string& from, const std::string& to) {
  const auto slash = to.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : to.substr(0, slash + 1);
  if (rename(from.c_str(), to.c_str()) != 0) cannot(to, "written");
  const support::Descriptor place{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (place.fd >= 0) fsync(place.fd);
}
/// Work on all ranks that makes a file under the name that it gets; then it takes the place of
/// `path`.
template <class Work>
void replace(job* of, const char* name, const char* path, const Work& work) {
  const std::string part = std::string(path) + part_suffix;
  try {
    work(part);
  } catch (const error&) {
    if (of->rank() == 0 && !of->broken()) unlink(part.c_str());
    throw;
  }
  from_first(of, name, [&] { return put(part, path), std::string(); });
}

/// "2 300 200 128": dimensions, extents, and where elements begin.
std::string shape_in(const std::string& path, file_element element, int rank,
                     const char* function) {
  files::FileSource file(path);
  const files::NpyHeader h = files::read_npy_header(file, path);
  if (h.element != element || h.shape.size() != std::size_t(rank))
    support::fail_usage("{}: it has {} of {} dimensions, but {} reads {} of {}", path,
                        files::npy_type(h.element), h.shape.size(), function,
                        files::npy_type(element), rank);
  if (h.swapped || h.fortran)
    support::fail_usage(
        "{}: elements are {}: read it by kr::load_npy, and write it again by kr::save_npy", path,
        h.swapped ? "big-endian" : "in Fortran order");
  std::string text;
  for (const std::int64_t n : h.shape) text += fmt::format("{} ", n);
  return text + fmt::format("{}", h.begin);
}

struct Entry {
  std::string name, file, type;
  std::vector<std::int64_t> shape;
  std::uint64_t sum = 0;
  std::string number;
  bool operator==(const std::string& other) const { return name == other; }
};
constexpr const char *title = "krait checkpoint 1", *last_line = "end";

std::string text_in(const std::string& folder) { return folder + "/checkpoint.txt"; }
/// The text of a checkpoint; throws error{usage} for one that is none or not whole.
std::string read_text(const std::string& folder) {
  const std::string path = text_in(folder);
  files::FileSource file(path);
  std::string text(std::size_t(file.left().value_or(0)), '\0');
  text.resize(file.read(text.data(), text.size()));
  if (!text.starts_with(title) || !text.ends_with(std::string(last_line) + "\n"))
    support::fail_usage("{}: this is not a checkpoint of kr::dist, or it is damaged", path);
  return text;
}
std::vector<Entry> entries_of(const std::string& text, const std::string& folder,
                              std::uint64_t& turn) {
  std::istringstream lines(text);
  std::string line;
  std::vector<Entry> all;
  std::getline(lines, line);
  const auto damaged = [&] {
    support::fail_usage("{}: this is not a checkpoint of kr::dist, or it is damaged",
                        text_in(folder));
  };
  while (std::getline(lines, line) && line != last_line) {
    std::istringstream words(line);
    std::string kind;
    Entry e;
    words >> kind;
    if (kind == "turn") {
      words >> turn;
    } else if (kind == "number") {
      words >> e.name >> e.number;
    } else if (kind == "array") {
      std::size_t rank = 0;
      words >> e.name >> e.file >> e.type >> std::hex >> e.sum >> std::dec >> rank;
      e.shape.resize(std::min<std::size_t>(rank, max_rank));
      for (std::int64_t& n : e.shape) words >> n;
    } else {
      damaged();
    }
    if (!words) damaged();
    if (kind != "turn") all.push_back(e);
  }
  return all;
}
void check_names(const char* function, const filed* first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = first[i].name;
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-") != std::string_view::npos)
      support::fail_usage("{}: the name \"{}\" is not made of letters, digits, _ and -", function,
                          name);
    for (std::size_t j = 0; j < i; ++j)
      if (first[j].name == name)
        support::fail_usage("{}: there are two things of the name \"{}\"", function, name);
  }
}

}  // namespace

void save_npy(const char* path, const filed_array& x) {
  constexpr const char* name = "kr::dist::save_npy";
  begin(x.how->of, name, path);
  replace(x.how->of, name, path, [&](const std::string& part) { write_npy(name, part, x); });
}

std::uint64_t read_shape(job* of, const char* path, file_element element, int rank,
                         std::int64_t* extents) {
  constexpr const char* name = "kr::dist::load_npy";
  begin(of, name, path);
  std::istringstream text(
      from_first(of, name, [&] { return shape_in(path, element, rank, name); }));
  std::uint64_t begin = 0;
  for (int d = 0; d < rank; ++d) text >> extents[d];
  text >> begin;
  return begin;
}
void load_npy(const char* path, std::uint64_t begin, const filed_array& x) {
  read_array("kr::dist::load_npy", path, begin, x);
}

void save_hdf5(const char* path, const char* dataset, const filed_array& x) {
  constexpr const char* name = "kr::dist::save_hdf5";
  begin(x.how->of, name, fmt::format("{}: {}", path, dataset).c_str());
  replace(x.how->of, name, path, [&](const std::string& part) {
    write_array(name, part, x, [&](int fd) {
      const std::uint64_t at =
          files::make_hdf5_room(fd, path, dataset, x.element, x.how->extents, x.how->rank);
      if (fsync(fd) != 0) cannot(path, "written");
      return at;
    });
  });
}
void read_hdf5_shape(job* of, const char* path, const char* dataset, file_element element, int rank,
                     std::int64_t* extents) {
  begin(of, load_hdf5_name, fmt::format("{}: {}", path, dataset).c_str());
  std::istringstream text(from_first(of, load_hdf5_name, [&] {
    std::string shape;
    for (const std::int64_t n : files::hdf5_shape(path, dataset, load_hdf5_name, element, rank))
      shape += fmt::format("{} ", n);
    return shape;
  }));
  for (int d = 0; d < rank; ++d) text >> extents[d];
}
void load_hdf5(const char* path, const char* dataset, const filed_array& x) {
  together(x.how->of, load_hdf5_name, [&]() -> std::uint64_t {
    std::vector<std::byte> bytes(bytes_of(*x.owned.at, x.owned.element_bytes));
    if (bytes.empty()) return 0;
    files::read_hdf5_part(path, dataset, load_hdf5_name, x.element, x.how->first, x.how->owned,
                          x.how->rank, bytes.data());
    krait::detail::copy_from_host(x.owned, bytes.data());
    return 0;
  });
}

void save_checkpoint(job* of, const char* folder, const filed* first, std::size_t count) {
  constexpr const char* name = "kr::dist::save_checkpoint";
  check_names(name, first, count);
  begin(of, name, folder);
  // Files of a checkpoint have its turn in their names: those of the one before stay until the text
  // that names the new ones has taken the place of its own.
  const std::string before = from_first(of, name, [&] {
    if (mkdir(folder, support::shared_file | 0111) != 0 && errno != EEXIST) cannot(folder, "made");
    if (access(text_in(folder).c_str(), F_OK) != 0) return std::string();
    return read_text(folder);
  });
  std::uint64_t turn = 0;
  std::vector<Entry> old;
  if (!before.empty()) old = entries_of(before, folder, turn);
  ++turn;
  std::string text = fmt::format("{}\nturn {}\n", title, turn);
  for (std::size_t i = 0; i < count; ++i) {
    const filed& x = first[i];
    if (x.integer) text += fmt::format("number {} {}\n", x.name, *x.integer);
    else if (x.real) text += fmt::format("number {} {:a}\n", x.name, *x.real);
    if (!x.array.how) continue;
    if (x.array.how->of != of)
      support::fail_usage("{}: the operands belong to two kr::dist::world", name);
    const std::string file = fmt::format("{}.{}.npy", x.name, turn);
    const std::uint64_t sum = write_npy(name, fmt::format("{}/{}", folder, file), x.array);
    text += fmt::format("array {} {} {} {:x} {}", x.name, file, files::npy_type(x.array.element),
                        sum, x.array.how->rank);
    for (int d = 0; d < x.array.how->rank; ++d) text += fmt::format(" {}", x.array.how->extents[d]);
    text += "\n";
  }
  text += fmt::format("{}\n", last_line);
  from_first(of, name, [&] {
    const std::string path = text_in(folder), part = path + part_suffix;
    unlink(part.c_str());
    {
      const support::Descriptor file{open(part.c_str(),
                                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                          support::shared_file)};
      if (file.fd < 0 || !support::write_all(file.fd, text) || fsync(file.fd) != 0)
        cannot(part, "written");
    }
    put(part, path);
    for (const Entry& e : old)
      if (!e.file.empty()) unlink(fmt::format("{}/{}", folder, e.file).c_str());
    return std::string();
  });
}

void load_checkpoint(job* of, const char* folder, const filed* first, std::size_t count) {
  constexpr const char* name = "kr::dist::load_checkpoint";
  check_names(name, first, count);
  begin(of, name, folder);
  const std::string text = from_first(of, name, [&] { return read_text(folder); });
  std::uint64_t turn = 0;
  const std::vector<Entry> all = entries_of(text, folder, turn);
  // All that can be known before an array is written to.
  std::vector<const Entry*> found;
  for (std::size_t i = 0; i < count; ++i) {
    const filed& x = first[i];
    const auto e = std::find(all.begin(), all.end(), std::string(x.name));
    if (e == all.end() || e->file.empty() != !x.array.how)
      support::fail_usage("{}: the checkpoint has no {} \"{}\"", folder,
                          x.array.how ? "array" : "number", x.name);
    found.push_back(&*e);
    if (!x.array.how) continue;
    const decomposition& how = *x.array.how;
    if (how.of != of) support::fail_usage("{}: the operands belong to two kr::dist::world", name);
    if (e->type != files::npy_type(x.array.element) || int(e->shape.size()) != how.rank ||
        !std::equal(e->shape.begin(), e->shape.end(), how.extents))
      support::fail_usage("{}: \"{}\" has shape {} of {}, but the array has shape {} of {}", folder,
                          x.name, host::shape_text(e->shape.data(), int(e->shape.size())), e->type,
                          host::shape_text(how.extents, how.rank),
                          files::npy_type(x.array.element));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const filed& x = first[i];
    const Entry& e = *found[i];
    if (x.integer) *x.integer = std::strtoll(e.number.c_str(), nullptr, 10);
    else if (x.real) *x.real = std::strtod(e.number.c_str(), nullptr);
    if (!x.array.how) continue;
    const std::string path = fmt::format("{}/{}", folder, e.file);
    std::istringstream shape(from_first(
        of, name, [&] { return shape_in(path, x.array.element, x.array.how->rank, name); }));
    std::int64_t extent = 0;
    std::uint64_t begin = 0;
    bool same = true;
    for (int d = 0; d < x.array.how->rank; ++d)
      shape >> extent, same = same && extent == x.array.how->extents[d];
    shape >> begin;
    if (!same || read_array(name, path, begin, x.array) != e.sum)
      support::fail_usage("{}: it is not the file that was written: the checkpoint is damaged",
                          path);
  }
}

}  // namespace krait::dist::detail
