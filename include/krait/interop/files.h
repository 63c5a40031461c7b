// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in files: NumPy's .npy and .npz, HDF5, and PNG.
//   kr::save_npy("x.npy", 2.0f * x);
//   auto a = kr::load_npy<float, 2>("a.npy");
// A file is written whole or not at all. libzip, HDF5 and libpng are opened when they are needed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <krait/array.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

/// The text of a path or of a name, of any string or of std::filesystem::path.
class file_text {
 public:
  file_text(const char* text) : text_(text) {}
  template <class Text>
    requires requires(const Text& given) {
      { given.c_str() } -> std::convertible_to<const char*>;
    }
  file_text(const Text& given) : text_(given.c_str()) {}
  const char* c_str() const { return text_; }

 private:
  const char* text_;
};

/// The type of an element, as NumPy names it: b, i, u, f, c, or V for other bytes.
struct file_element {
  char kind;
  std::uint32_t bytes;
  friend bool operator==(const file_element&, const file_element&) = default;
};
template <class Elem>
constexpr file_element file_element_of() {
  using type = std::remove_const_t<Elem>;
  constexpr std::uint32_t bytes = sizeof(type);
  if constexpr (complex_number<type>) {
    return {'c', bytes};
  } else if constexpr (plain<type>) {
    constexpr scalar number = scalar_of<type>;
    constexpr bool is_float =
        number == scalar::f16 || number == scalar::f32 || number == scalar::f64;
    constexpr bool is_integer = std::is_integral_v<type> || std::is_enum_v<type>;
    static_assert(is_float || is_integer,
                  "krait: files have the floats that NumPy has: use kr::cast<float>(x)");
    if constexpr (is_float) return {'f', bytes};
    else if constexpr (number == scalar::boolean) return {'b', bytes};
    else
      return {number == scalar::i8 || number == scalar::i16 || number == scalar::i32 ||
                      number == scalar::i64
                  ? 'i'
                  : 'u',
              bytes};
  } else {
    return {'V', bytes};
  }
}

/// An array without its type.
struct file_array {
  layout at;
  memory_share memory;
  void* on = nullptr;  // the device's handle
  file_element element{};
};
template <class Elem, int Rank>
file_array filed(const array<Elem, Rank>& x) {
  return {access::at(x), access::memory(x), access::on(x), file_element_of<Elem>()};
}
template <deferred Expression>
file_array filed(const Expression& x) {
  return filed(eval(x));
}
template <class Other>
  requires(!whole_array<Other>)
file_array filed(const Other&) {
  static_assert(always_false<Other>,
                "krait: this takes a kr::array or an expression: kr::wrap(v) makes one of a "
                "std::vector v");
  return {};
}
template <class Elem, int Rank>
array<Elem, Rank> unfiled(const file_array& x) {
  return access::make<array<Elem, Rank>>(x.at, x.memory, x.on);
}
template <class Elem>
constexpr file_element hdf5_element_of() {
  static_assert(file_element_of<Elem>().kind != 'V',
                "krait: HDF5 files take numbers: save each member of a struct as an array");
  return file_element_of<Elem>();
}
/// The array that an argument becomes.
template <whole_array Source>
using filed_t = std::remove_cvref_t<decltype(evaluated(std::declval<const Source&>()))>;

/// What a file is read as, and where to.
struct file_request {
  file_element element;
  int rank;
  void* on;
};
KRAIT_API file_array load_npy(const char* path, const file_request& as);
KRAIT_API file_array map_npy(const char* path, const file_request& as);
KRAIT_API void save_npy(const char* path, const file_array& x);
struct named_file_array {
  const char* name;
  file_array array;
};
KRAIT_API void save_npz(const char* path, const named_file_array* first, std::size_t count,
                        bool compressed);
KRAIT_API file_array load_hdf5(const char* path, const char* dataset, const file_request& as);
KRAIT_API void save_hdf5(const char* path, const char* dataset, const file_array& x);
KRAIT_API file_array load_png(const char* path, const file_request& as);
KRAIT_API void save_png(const char* path, const file_array& x);

}  // namespace detail

/// Reads an array that numpy.save wrote, of exactly this element type and number of dimensions.
/// Big-endian files are converted. A file in Fortran order gives an array in Fortran order. One
/// number without dimensions becomes an array of extent 1. Throws error{usage} for another type,
/// and for a file that is damaged or none; the file's size is checked before memory is taken.
/// \code
/// auto a = kr::load_npy<float, 2>("a.npy");
/// \endcode
template <class Elem, int Rank = 1>
array<Elem, Rank> load_npy(const detail::file_text& path, device on = device()) {
  return detail::unfiled<Elem, Rank>(detail::load_npy(
      path.c_str(), {detail::file_element_of<Elem>(), Rank, detail::handle_of(on)}));
}
/// A read-only array on the CPU whose memory is the file's: pages are read when they are used.
/// Nothing is copied. The file must not be shortened while the array, or a view of it, is there.
/// Throws error{usage} as kr::load_npy does, and for big-endian files.
/// \code
/// auto table = kr::map_npy<double, 2>("large.npy");   // kr::array<const double, 2>
/// kr::array<double, 2> rows = table(kr::range(0, 1000)).copy(kr::device());
/// \endcode
template <class Elem, int Rank = 1>
array<const Elem, Rank> map_npy(const detail::file_text& path) {
  return detail::unfiled<const Elem, Rank>(detail::map_npy(
      path.c_str(), {detail::file_element_of<Elem>(), Rank, detail::handle_of(device::cpu())}));
}
/// Writes an array, or an expression, as numpy.save does: in C order, little-endian.
/// The file is replaced when the new one is complete. Throws error{usage} if it cannot be written.
/// \code
/// kr::save_npy("y.npy", x + 1.0f);
/// \endcode
template <class Source>
void save_npy(const detail::file_text& path, const Source& x) {
  detail::save_npy(path.c_str(), detail::filed(x));
}

/// A name and an array for kr::save_npz.
class npz_entry {
 public:
  template <class Source>
  npz_entry(const detail::file_text& name, const Source& x)
      : entry_{name.c_str(), detail::filed(x)} {}

 private:
  friend void save_npz(const detail::file_text& path, std::initializer_list<npz_entry> arrays);
  friend void save_npz_compressed(const detail::file_text& path,
                                  std::initializer_list<npz_entry> arrays);
  detail::named_file_array entry_;
};
/// Writes arrays and their names as numpy.savez does. It needs libzip.
/// \code
/// kr::save_npz("both.npz", {{"x", x}, {"sum", x + 1.0f}});
/// \endcode
inline void save_npz(const detail::file_text& path, std::initializer_list<npz_entry> arrays) {
  static_assert(sizeof(npz_entry) == sizeof(detail::named_file_array));
  detail::save_npz(path.c_str(), arrays.size() ? &arrays.begin()->entry_ : nullptr, arrays.size(),
                   false);
}
/// The same, compressed as by numpy.savez_compressed.
inline void save_npz_compressed(const detail::file_text& path,
                                std::initializer_list<npz_entry> arrays) {
  detail::save_npz(path.c_str(), arrays.size() ? &arrays.begin()->entry_ : nullptr, arrays.size(),
                   true);
}

/// The arrays of a .npz file, which stays open as long as the object.
/// \code
/// const kr::npz_file all = kr::load_npz("both.npz");
/// auto x = all.load<float>("x");
/// \endcode
class KRAIT_API npz_file {
 public:
  /// Opens the file. Throws error{usage} for another file, error{device} without libzip.
  explicit npz_file(const detail::file_text& path);
  npz_file(npz_file&& other) noexcept : opened_(other.opened_) { other.opened_ = nullptr; }
  npz_file& operator=(npz_file&&) = delete;
  ~npz_file();

  /// The number of arrays.
  std::size_t size() const noexcept;
  /// The name of array i, which lives as long as the object. Throws error{usage} for another i.
  const char* name(std::size_t i) const;
  /// Tests whether there is an array of this name.
  bool contains(const detail::file_text& name) const;
  /// Reads an array, as kr::load_npy does. Throws error{usage} that lists the names if there is no
  /// such array.
  template <class Elem, int Rank = 1>
  array<Elem, Rank> load(const detail::file_text& name, device on = device()) const {
    return detail::unfiled<Elem, Rank>(
        read(name.c_str(), {detail::file_element_of<Elem>(), Rank, detail::handle_of(on)}));
  }

 private:
  struct opened;
  detail::file_array read(const char* name, const detail::file_request& as) const;
  opened* opened_;
};
/// Opens a file that numpy.savez or numpy.savez_compressed wrote.
inline npz_file load_npz(const detail::file_text& path) { return npz_file(path); }

/// Reads a dataset of an HDF5 file, of exactly this element type and number of dimensions.
/// bool and complex numbers are those of h5py. Throws error{usage} as kr::load_npy does, and
/// error{device} without the library (Debian: libhdf5-103-1).
/// \code
/// auto a = kr::load_hdf5<double, 2>("run.h5", "results/a");
/// \endcode
template <class Elem, int Rank = 1>
array<Elem, Rank> load_hdf5(const detail::file_text& path, const detail::file_text& dataset,
                            device on = device()) {
  return detail::unfiled<Elem, Rank>(
      detail::load_hdf5(path.c_str(), dataset.c_str(),
                        {detail::hdf5_element_of<Elem>(), Rank, detail::handle_of(on)}));
}
/// Writes an array, or an expression, as a dataset of an HDF5 file.
/// Other datasets of the file stay, one of this name is replaced, and groups are made. A copy of
/// the file is changed, which replaces it when it is complete. Throws error{usage} if it cannot.
/// \code
/// kr::save_hdf5("run.h5", "results/a", a);
/// \endcode
template <class Source>
void save_hdf5(const detail::file_text& path, const detail::file_text& dataset, const Source& x) {
  if constexpr (detail::whole_array<Source>)
    (void)detail::hdf5_element_of<typename detail::filed_t<Source>::value_type>();
  detail::save_hdf5(path.c_str(), dataset.c_str(), detail::filed(x));
}

/// Reads an image of 8 bits per channel: (height, width, 3), or 4 with alpha.
/// Images in grey have three equal channels, or are read by kr::load_png<2> as (height, width).
/// Throws error{usage} for other images and files, error{device} without libpng.
/// \code
/// kr::array<std::uint8_t, 3> image = kr::load_png("picture.png");
/// \endcode
template <int Rank = 3>
array<std::uint8_t, Rank> load_png(const detail::file_text& path, device on = device()) {
  static_assert(Rank == 2 || Rank == 3,
                "krait: an image is (height, width) in grey, or (height, width, channels)");
  return detail::unfiled<std::uint8_t, Rank>(
      detail::load_png(path.c_str(), {{'u', 1}, Rank, detail::handle_of(on)}));
}
/// Writes an image: bytes of (height, width) in grey, or (height, width, 3 or 4) in sRGB.
/// Throws error{usage} for other extents, and if the file cannot be written.
/// \code
/// kr::save_png("grey.png", kr::cast<std::uint8_t>(a * 255.0f));
/// \endcode
template <class Source>
void save_png(const detail::file_text& path, const Source& x) {
  if constexpr (detail::whole_array<Source>) {
    using given = detail::filed_t<Source>;
    static_assert(std::is_same_v<typename given::value_type, std::uint8_t>,
                  "krait: an image has elements of std::uint8_t: use kr::cast<std::uint8_t>(x)");
    static_assert(given::rank == 2 || given::rank == 3,
                  "krait: an image is (height, width) in grey, or (height, width, channels)");
  }
  detail::save_png(path.c_str(), detail::filed(x));
}

}  // namespace krait
