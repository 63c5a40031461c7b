// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets of HDF5 files. bool, complex numbers and f16 are those of h5py: an enumeration of FALSE
// and TRUE, a compound of r and i, and an IEEE 754 number of 16 bits.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <mutex>

#include "devices/layout.h"
#include "files/arrays.h"
#include "files/hdf5.h"
#include "files/hdf5_table.h"
#include "files/library.h"
#include "support/environment.h"
#include "support/file.h"

namespace krait::files {
namespace {

/// The most bytes that deflate makes of one. Other filters of numbers reach less.
constexpr std::uint64_t filter_ratio = 1032;

const Hdf5Table& hdf5_table() {
  static const auto* const opened =
      new Opened<Hdf5Table>({"HDF5 files",
                             "the HDF5 library",
                             "libhdf5-103-1",
                             "KRAIT_HDF5",
                             support::environment_text("KRAIT_HDF5"),
                             {"libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103",
                              "libhdf5.so.200", "libhdf5.so.310"}});
  return opened->table();
}

/// While it lives this thread alone uses the library, which Debian builds without locks, and the
/// library prints none of its errors.
class Session {
 public:
  Session() : h(hdf5_table()), lock_(mutex()) {
    h.open();
    h.get_auto(0, &print_, &data_);
    h.set_auto(0, nullptr, nullptr);
  }
  ~Session() { h.set_auto(0, print_, data_); }
  Session(const Session&) = delete;
  /// The cause of the last failure.
  std::string why() const {
    std::string text;
    h.walk(
        0, hdf5_from_the_cause,
        [](unsigned n, const Hdf5Error* error, void* into) {
          if (n == 0 && error->text) *static_cast<std::string*>(into) = error->text;
          return 0;
        },
        &text);
    return text;
  }

  const Hdf5Table& h;

 private:
  static std::mutex& mutex() {
    static auto* const one = new std::mutex;
    return *one;
  }
  std::lock_guard<std::mutex> lock_;
  int (*print_)(Hid, void*) = nullptr;
  void* data_ = nullptr;
};

/// An object of the library that is closed at the end of its scope.
struct Object {
  Hid id;
  int (*close)(Hid);
  Object(Hid made, int (*by)(Hid)) : id(made), close(by) {}
  Object(const Object&) = delete;
  ~Object() { end(); }
  explicit operator bool() const { return id >= 0; }
  bool end() {
    const Hid open = id;
    id = -1;
    return open < 0 || close(open) >= 0;
  }
};

Object type_for(const Hdf5Table& h, file_element e) {
  const auto copy = [&](Hid of) { return Object(h.type_copy(of), h.type_close); };
  switch (e.kind) {
    case 'i': return copy(*h.integers[std::countr_zero(e.bytes)]);
    case 'u': return copy(*h.integers[4 + std::countr_zero(e.bytes)]);
    case 'b': {
      Object made(h.enum_create(*h.integers[0]), h.type_close);
      const std::int8_t no = 0, yes = 1;
      h.enum_insert(made.id, "FALSE", &no), h.enum_insert(made.id, "TRUE", &yes);
      return Object(std::exchange(made.id, -1), h.type_close);
    }
    case 'c': {
      const std::size_t half = e.bytes / 2;
      const Hid part = half == 4 ? *h.f32 : *h.f64;
      Object made(h.type_create(hdf5_compound, e.bytes), h.type_close);
      h.type_insert(made.id, "r", 0, part), h.type_insert(made.id, "i", half, part);
      return Object(std::exchange(made.id, -1), h.type_close);
    }
    default: break;
  }
  if (e.bytes != 2) return copy(e.bytes == 4 ? *h.f32 : *h.f64);
  Object made(h.type_copy(*h.f32), h.type_close);
  h.set_fields(made.id, 15, 10, 5, 0, 10), h.set_size(made.id, 2), h.set_bias(made.id, 15);
  return Object(std::exchange(made.id, -1), h.type_close);
}

/// The element type of a dataset; kind 0: another one.
file_element file_type(const Hdf5Table& h, Hid type) {
  const int of = h.type_class(type);
  const auto bytes = std::uint32_t(h.type_size(type));
  const bool power_of_2 = bytes <= 8 && std::has_single_bit(bytes);
  if (of == hdf5_integer && power_of_2) return {h.type_sign(type) ? 'i' : 'u', bytes};
  if (of == hdf5_float && power_of_2 && bytes >= 2) return {'f', bytes};
  if (of == hdf5_enum && h.type_members(type) == 2 && h.type_member(type, "FALSE") >= 0 &&
      h.type_member(type, "TRUE") >= 0)
    return {'b', 1};
  const int re = of == hdf5_compound ? h.type_member(type, "r") : -1,
            im = of == hdf5_compound ? h.type_member(type, "i") : -1;
  if (re < 0 || im < 0 || h.type_members(type) != 2) return {};
  const Object part(h.type_of_member(type, unsigned(re)), h.type_close);
  const file_element number = file_type(h, part.id);
  return number.kind == 'f' && number.bytes >= 4 ? file_element{'c', 2 * number.bytes}
                                                 : file_element{};
}

std::vector<std::int64_t> shape_of(const Hdf5Table& h, Hid space) {
  if (h.space_kind(space) == hdf5_null_space) return {0};
  const int rank = h.space_rank(space);
  std::vector<Hsize> extents(std::size_t(rank > 0 ? rank : 0));
  if (!extents.empty()) h.space_extents(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

/// Throws where the elements are in other files, and where the file is too small for them.
void check_storage(const Hdf5Table& h, Hid dataset, std::uint64_t bytes, std::uint64_t file_bytes,
                   const std::string& place) {
  const Object made_with(h.dataset_properties(dataset), h.properties_close);
  if (h.properties_layout(made_with.id) == hdf5_virtual || h.properties_external(made_with.id) > 0)
    support::fail_usage(
        "{}: its elements are in other files, which are not opened: save them in this one", place);
  const bool filtered = h.properties_filters(made_with.id) > 0;
  if (bytes > file_bytes * (filtered ? filter_ratio : 1))
    support::fail_usage(
        "{}: an array of {} bytes, which a file of {} bytes cannot hold: write it again", place,
        bytes, file_bytes);
}

/// All bytes of a file that is there, into a new one.
bool copy_file(int from, int to) {
  std::vector<char> room(1 << 20);
  for (;;) {
    const ssize_t n = ::read(from, room.data(), room.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    if (!support::write_all(to, {room.data(), std::size_t(n)})) return false;
  }
}

/// A dataset that is open, and what it holds.
struct Dataset {
  const Session& session;
  Hid id, space;
  std::string place;
  file_element element;
  std::vector<std::int64_t> shape;

  /// Reads `count` elements, those of `from`, into those of `in_memory`; 0: all.
  void read(Hid in_memory, Hid from, std::uint64_t count, void* to) const {
    const Object type = type_for(session.h, element);
    if (session.h.dataset_read(id, type.id, in_memory, from, 0, to) < 0)
      support::fail_usage("{}: cannot be read ({}): write it again", place, session.why());
    check_bools(element, to, count, place);
  }
};
/// Opens a dataset, checks that it is what the request reads, and gives what use(Dataset) gives.
template <class Use>
auto with_dataset(const char* path, const char* dataset, const char* call, const file_request& as,
                  const Use& use) {
  const std::uint64_t file_bytes = FileSource(path).left().value_or(0);
  const Session session;
  const Hdf5Table& h = session.h;
  const Object file(h.file_open(path, hdf5_read_only, 0), h.file_close);
  if (!file) support::fail_usage("{}: not an HDF5 file ({})", path, session.why());
  const std::string place = fmt::format("{}: {}", path, dataset);
  const Object opened(h.dataset_open(file.id, dataset, 0), h.dataset_close);
  if (!opened) support::fail_usage("{}: no such dataset ({})", place, session.why());
  const Object type(h.dataset_type(opened.id), h.type_close),
      space(h.dataset_space(opened.id), h.space_close);
  const file_element element = file_type(h, type.id);
  if (!element.kind)
    support::fail_usage(
        "{}: elements of HDF5's class {}: expected integers, floats, or the bool and complex numbers of h5py",
        place, h.type_class(type.id));
  Dataset d{session, opened.id, space.id, place, element, shape_of(h, space.id)};
  const std::uint64_t count = count_of(d.shape, element.bytes, place);
  check_storage(h, opened.id, count * element.bytes, file_bytes, place);
  check_read_as(place, call, element, d.shape, as);
  return use(d);
}

/// Writes what the file at `path` holds and a dataset into a new, empty file. Gives the place of
/// its elements, which are not written where `elements` is null.
std::uint64_t write_dataset(const Session& session, int into, const char* path, const char* dataset,
                            file_element element, const std::int64_t* shape, int rank,
                            const void* elements) {
  const Hdf5Table& h = session.h;
  const support::Descriptor there{::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  struct stat status {};
  const bool changes = there.fd >= 0 && fstat(there.fd, &status) == 0 && status.st_size > 0;
  if (there.fd < 0 && errno != ENOENT) cannot_write(path);
  Hsize extents[detail::max_rank];
  std::copy_n(shape, rank, extents);
  std::size_t bytes = element.bytes;
  for (int d = 0; d < rank; ++d) bytes *= extents[d];
  // A write of the library's that is past the limit would end the process.
  constexpr std::size_t own_blocks = 1 << 16;
  if (!support::NewFile::may_have(std::size_t(status.st_size) + bytes + own_blocks) ||
      (changes && !copy_file(there.fd, into)))
    cannot_write(path);
  const std::string in_process = fmt::format("/proc/self/fd/{}", into);
  Object file(changes ? h.file_open(in_process.c_str(), hdf5_read_write, 0)
                      : h.file_create(in_process.c_str(), hdf5_truncate, 0, 0),
              h.file_close);
  if (!file) support::fail_usage("{}: not an HDF5 file ({})", path, session.why());
  const std::string place = fmt::format("{}: {}", path, dataset);
  const auto check = [&](bool done) {
    if (!done) support::fail_usage("{}: cannot be written ({})", place, session.why());
  };
  const Object type = type_for(h, element),
               space(h.space_create(rank, extents, nullptr), h.space_close),
               links(h.properties_create(*h.links), h.properties_close),
               made_with(h.properties_create(*h.datasets), h.properties_close);
  h.properties_groups(links.id, 1);
  // Its bytes have their place from the beginning, and the library writes none of them by itself.
  h.properties_allocate(made_with.id, hdf5_early), h.properties_fill(made_with.id, hdf5_never);
  if (h.link_exists(file.id, dataset, 0) > 0) check(h.link_delete(file.id, dataset, 0) >= 0);
  Object written(h.dataset_create(file.id, dataset, type.id, space.id, links.id, made_with.id, 0),
                 h.dataset_close);
  check(bool(written));
  std::uint64_t begin = 0;
  if (bytes > 0) {
    begin = h.dataset_place(written.id);
    check(begin != hdf5_no_place);
    if (elements) check(h.dataset_write(written.id, type.id, 0, 0, 0, elements) >= 0);
  }
  check(written.end() && file.end());
  return begin;
}

}  // namespace

std::uint64_t make_hdf5_room(int into, const std::string& path, const std::string& dataset,
                             file_element element, const std::int64_t* extents, int rank) {
  const Session session;
  return write_dataset(session, into, path.c_str(), dataset.c_str(), element, extents, rank,
                       nullptr);
}

std::vector<std::int64_t> hdf5_shape(const std::string& path, const std::string& dataset,
                                     const char* call, file_element element, int rank) {
  return with_dataset(path.c_str(), dataset.c_str(), call, {element, rank, nullptr},
                      [](const Dataset& d) { return d.shape; });
}

void read_hdf5_part(const std::string& path, const std::string& dataset, const char* call,
                    file_element element, const std::int64_t* first, const std::int64_t* count,
                    int rank, void* to) {
  with_dataset(path.c_str(), dataset.c_str(), call, {element, rank, nullptr},
               [&](const Dataset& d) {
                 const Hdf5Table& h = d.session.h;
                 if (h.space_rank(d.space) == 0) return d.read(0, 0, 1, to);  // one number
                 Hsize starts[detail::max_rank], extents[detail::max_rank];
                 std::copy_n(first, rank, starts), std::copy_n(count, rank, extents);
                 std::uint64_t elements = 1;
                 for (int i = 0; i < rank; ++i) elements *= extents[i];
                 const Object in_memory(h.space_create(rank, extents, nullptr), h.space_close);
                 h.space_select(d.space, hdf5_set, starts, nullptr, extents, nullptr);
                 d.read(in_memory.id, d.space, elements, to);
               });
}

}  // namespace krait::files

namespace krait::detail {

using namespace krait::files;

file_array load_hdf5(const char* path, const char* dataset, const file_request& as) {
  return with_dataset(path, dataset, "kr::load_hdf5", as, [&](const Dataset& d) {
    return filled(d.shape, false, as,
                  [&](void* to) { d.read(0, 0, count_of(d.shape, d.element.bytes, d.place), to); });
  });
}

void save_hdf5(const char* path, const char* dataset, const file_array& x) {
  const HostBytes elements(x);
  const Session session;
  support::NewFile made(path, support::shared_file);
  if (!made) cannot_write(path);
  write_dataset(session, made.descriptor(), path, dataset, x.element, x.at.extents, x.at.rank,
                elements.data());
  if (!made.close() || !made.put(path, true)) cannot_write(path);
}

}  // namespace krait::detail
