// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of kr::dist in files, to which each rank writes its own part.
//   kr::dist::save_npy("t.npy", t);
//   auto u = kr::dist::load_npy<double, 2>(ranks, "t.npy", {kr::dist::block, kr::dist::whole});
//   kr::dist::save_hdf5("run.h5", "step1/t", t);
//   kr::dist::save_checkpoint(ranks, "state", kr::dist::named("t", t), kr::dist::named("step", step));
// The folder of a file is one that all ranks see. A file is there whole, or as it was before.
#pragma once

#include <tuple>

#include <krait/detail/dist/files.h>

namespace krait::dist {

namespace detail {

using krait::detail::file_text;
/// A name of a checkpoint, and what has it.
template <class Type>
struct named_thing {
  file_text name;
  Type& thing;
};

template <class Elem, int Rank>
class filed_parts {
 public:
  explicit filed_parts(const array<Elem, Rank>& x) : owned_(x.owned()), at_(layout_of(owned_)) {
    made_ = {
        krait::detail::file_element_of<Elem>(), &x.how(), {memory_of(owned_), &at_, sizeof(Elem)}};
  }
  filed_parts(const filed_parts&) = delete;
  filed of(const char* name) { return {name, made_}; }
  const filed_array& array_of() const { return made_; }
  void take() {}

 private:
  krait::array<const Elem, Rank> owned_;
  layout at_;
  filed_array made_;
};
template <class Number>
class filed_number {
 public:
  explicit filed_number(Number& x) : to_(x) {
    if constexpr (std::is_integral_v<Number>) integer_ = static_cast<std::int64_t>(x);
    else real_ = static_cast<double>(x);
  }
  filed of(const char* name) {
    filed made{name};
    if constexpr (std::is_integral_v<Number>) made.integer = &integer_;
    else made.real = &real_;
    return made;
  }
  void take() {
    if constexpr (std::is_integral_v<Number>) to_ = static_cast<Number>(integer_);
    else to_ = static_cast<Number>(real_);
  }

 private:
  Number& to_;
  std::int64_t integer_ = 0;
  double real_ = 0;
};
template <class Elem, int Rank>
filed_parts<Elem, Rank> filed_of(const array<Elem, Rank>& x) {
  return filed_parts<Elem, Rank>(x);
}
template <krait::detail::plain Number>
filed_number<Number> filed_of(Number& x) {
  return filed_number<Number>(x);
}

}  // namespace detail

/// Writes an array as numpy.save, in C order, each rank its part by MPI-IO.
/// Throws error{usage} on all ranks where the file cannot be written; what was there stays.
/// \code
/// kr::dist::save_npy("t.npy", t);
/// \endcode
template <class Elem, int Rank>
void save_npy(const krait::detail::file_text& path, const array<Elem, Rank>& x) {
  detail::save_npy(path.c_str(), detail::filed_parts<Elem, Rank>(x).array_of());
}
/// Reads an array that numpy.save wrote, in C order and little-endian, distributed by the words.
/// The number of ranks that wrote it does not matter. Throws error{usage} on all ranks for another
/// type or number of dimensions, and for a file that is damaged or none.
/// \code
/// auto t = kr::dist::load_npy<double, 2>(ranks, "t.npy", {kr::dist::block, kr::dist::whole});
/// \endcode
template <class Elem, int Rank = 1>
array<Elem, Rank> load_npy(const world& ranks, const krait::detail::file_text& path,
                           const along (&words)[Rank], halo rim = {}) {
  krait::detail::any_extent extents[Rank];
  std::int64_t of_file[Rank];
  const std::uint64_t begin = detail::read_shape(
      ranks.record(), path.c_str(), krait::detail::file_element_of<Elem>(), Rank, of_file);
  for (int d = 0; d < Rank; ++d) extents[d] = of_file[d];
  array<Elem, Rank> x(ranks, extents, words, rim);
  detail::load_npy(path.c_str(), begin, detail::filed_parts<Elem, Rank>(x).array_of());
  return x;
}
/// The same in blocks along all axes.
template <class Elem, int Rank = 1>
array<Elem, Rank> load_npy(const world& ranks, const krait::detail::file_text& path,
                           halo rim = {}) {
  along words[Rank];
  for (along& word : words) word = block;
  return load_npy<Elem, Rank>(ranks, path, words, rim);
}

/// Writes an array as a dataset of an HDF5 file, each rank its part by MPI-IO.
/// Other datasets of the file stay, one of this name is replaced, and groups are made. Rank 0
/// changes a copy of the file, which replaces it when it is complete. Throws error{usage} on all
/// ranks where it cannot, and error{device} without the library (Debian: libhdf5-103-1).
/// \code
/// kr::dist::save_hdf5("run.h5", "step1/t", t);
/// \endcode
template <class Elem, int Rank>
void save_hdf5(const krait::detail::file_text& path, const krait::detail::file_text& dataset,
               const array<Elem, Rank>& x) {
  (void)krait::detail::hdf5_element_of<Elem>();
  detail::save_hdf5(path.c_str(), dataset.c_str(), detail::filed_parts<Elem, Rank>(x).array_of());
}
/// Reads a dataset of an HDF5 file, distributed by the words: each rank its part.
/// Throws as kr::load_hdf5 does, alike on all ranks.
/// \code
/// auto t = kr::dist::load_hdf5<double, 1>(ranks, "run.h5", "step1/t", {kr::dist::block});
/// \endcode
template <class Elem, int Rank = 1>
array<Elem, Rank> load_hdf5(const world& ranks, const krait::detail::file_text& path,
                            const krait::detail::file_text& dataset, const along (&words)[Rank],
                            halo rim = {}) {
  krait::detail::any_extent extents[Rank];
  std::int64_t of_file[Rank];
  detail::read_hdf5_shape(ranks.record(), path.c_str(), dataset.c_str(),
                          krait::detail::hdf5_element_of<Elem>(), Rank, of_file);
  for (int d = 0; d < Rank; ++d) extents[d] = of_file[d];
  array<Elem, Rank> x(ranks, extents, words, rim);
  detail::load_hdf5(path.c_str(), dataset.c_str(), detail::filed_parts<Elem, Rank>(x).array_of());
  return x;
}
/// The same in blocks along all axes.
template <class Elem, int Rank = 1>
array<Elem, Rank> load_hdf5(const world& ranks, const krait::detail::file_text& path,
                            const krait::detail::file_text& dataset, halo rim = {}) {
  along words[Rank];
  for (along& word : words) word = block;
  return load_hdf5<Elem, Rank>(ranks, path, dataset, words, rim);
}

/// A name and an array or number of a checkpoint.
template <class Type>
detail::named_thing<Type> named(const krait::detail::file_text& name, Type& thing) {
  return {name, thing};
}
/// Writes a checkpoint: a folder of .npy files and a text that names them.
/// A process that is killed meanwhile leaves the checkpoint that was there. Throws error{usage} on
/// all ranks where it cannot be written.
/// \code
/// kr::dist::save_checkpoint(ranks, "state", kr::dist::named("t", t), kr::dist::named("step",
/// step));
/// \endcode
template <class... Types>
void save_checkpoint(const world& ranks, const krait::detail::file_text& folder,
                     const detail::named_thing<Types>&... things) {
  std::apply(
      [&](auto&&... parts) {
        const detail::filed all[] = {parts.of(things.name.c_str())...};
        detail::save_checkpoint(ranks.record(), folder.c_str(), all, sizeof...(Types));
      },
      std::tuple<decltype(detail::filed_of(things.thing))...>(things.thing...));
}
/// Reads a checkpoint of any number of ranks into arrays of its shapes, and numbers.
/// Throws error{usage} on all ranks for a name that it has not, another type or shape, and files
/// that are damaged or missing.
/// \code
/// kr::dist::load_checkpoint(ranks, "state", kr::dist::named("t", t), kr::dist::named("n", n));
/// \endcode
template <class... Types>
void load_checkpoint(const world& ranks, const krait::detail::file_text& folder,
                     const detail::named_thing<Types>&... things) {
  std::apply(
      [&](auto&&... parts) {
        const detail::filed all[] = {parts.of(things.name.c_str())...};
        detail::load_checkpoint(ranks.record(), folder.c_str(), all, sizeof...(Types));
        (parts.take(), ...);
      },
      std::tuple<decltype(detail::filed_of(things.thing))...>(things.thing...));
}

}  // namespace krait::dist
