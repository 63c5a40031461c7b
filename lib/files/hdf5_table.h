// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HDF5 library (hdfgroup.org) from 1.10 on without hdf5.h: the functions that datasets of
// numbers need. tests/files/tables.cpp compares them with the header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::files {

using Hid = std::int64_t;  // hid_t
using Hsize = unsigned long long;

struct Hdf5Error {  // H5E_error2_t
  Hid kind, major, minor;
  unsigned line;
  const char *function, *file, *text;
};

inline constexpr unsigned hdf5_read_only = 0, hdf5_read_write = 1, hdf5_truncate = 2;
inline constexpr int hdf5_integer = 0, hdf5_float = 1, hdf5_compound = 6, hdf5_enum = 8;
inline constexpr int hdf5_virtual = 3;
inline constexpr int hdf5_early = 1, hdf5_never = 1;  // H5D_ALLOC_TIME_EARLY, H5D_FILL_TIME_NEVER
inline constexpr std::uint64_t hdf5_no_place = ~std::uint64_t(0);  // HADDR_UNDEF
inline constexpr int hdf5_null_space = 2, hdf5_set = 0;
inline constexpr int hdf5_from_the_cause = 0;  // of H5Ewalk2

struct Hdf5Table {
  int (*open)();
  int (*get_auto)(Hid, int (**)(Hid, void*), void**);
  int (*set_auto)(Hid, int (*)(Hid, void*), void*);
  int (*walk)(Hid, int, int (*)(unsigned, const Hdf5Error*, void*), void*);
  Hid (*file_open)(const char*, unsigned, Hid);
  Hid (*file_create)(const char*, unsigned, Hid, Hid);
  int (*file_close)(Hid);
  Hid (*dataset_open)(Hid, const char*, Hid);
  Hid (*dataset_create)(Hid, const char*, Hid, Hid, Hid, Hid, Hid);
  int (*dataset_close)(Hid);
  int (*dataset_read)(Hid, Hid, Hid, Hid, Hid, void*);
  int (*dataset_write)(Hid, Hid, Hid, Hid, Hid, const void*);
  Hid (*dataset_space)(Hid);
  Hid (*dataset_type)(Hid);
  Hid (*dataset_properties)(Hid);
  std::uint64_t (*dataset_place)(Hid);
  Hid (*properties_create)(Hid);
  int (*properties_close)(Hid);
  int (*properties_layout)(Hid);
  int (*properties_filters)(Hid);
  int (*properties_external)(Hid);
  int (*properties_groups)(Hid, unsigned);
  int (*properties_allocate)(Hid, int);
  int (*properties_fill)(Hid, int);
  Hid (*space_create)(int, const Hsize*, const Hsize*);
  int (*space_close)(Hid);
  int (*space_kind)(Hid);
  int (*space_rank)(Hid);
  int (*space_extents)(Hid, Hsize*, Hsize*);
  int (*space_select)(Hid, int, const Hsize*, const Hsize*, const Hsize*, const Hsize*);
  Hid (*type_copy)(Hid);
  Hid (*type_create)(int, std::size_t);
  int (*type_close)(Hid);
  int (*type_class)(Hid);
  int (*type_sign)(Hid);
  std::size_t (*type_size)(Hid);
  int (*type_members)(Hid);
  int (*type_member)(Hid, const char*);
  Hid (*type_of_member)(Hid, unsigned);
  int (*type_insert)(Hid, const char*, std::size_t, Hid);
  Hid (*enum_create)(Hid);
  int (*enum_insert)(Hid, const char*, const void*);
  int (*set_size)(Hid, std::size_t);
  int (*set_bias)(Hid, std::size_t);
  int (*set_fields)(Hid, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t);
  int (*link_exists)(Hid, const char*, Hid);
  int (*link_delete)(Hid, const char*, Hid);
  // Variables, which have their values after open().
  Hid *links, *datasets, *f32, *f64, *integers[8];

  template <class Find>
  void bind(const Find& find) {
    find(open, "H5open");
    find(get_auto, "H5Eget_auto2");
    find(set_auto, "H5Eset_auto2");
    find(walk, "H5Ewalk2");
    find(file_open, "H5Fopen");
    find(file_create, "H5Fcreate");
    find(file_close, "H5Fclose");
    find(dataset_open, "H5Dopen2");
    find(dataset_create, "H5Dcreate2");
    find(dataset_close, "H5Dclose");
    find(dataset_read, "H5Dread");
    find(dataset_write, "H5Dwrite");
    find(dataset_space, "H5Dget_space");
    find(dataset_type, "H5Dget_type");
    find(dataset_properties, "H5Dget_create_plist");
    find(dataset_place, "H5Dget_offset");
    find(properties_create, "H5Pcreate");
    find(properties_close, "H5Pclose");
    find(properties_layout, "H5Pget_layout");
    find(properties_filters, "H5Pget_nfilters");
    find(properties_external, "H5Pget_external_count");
    find(properties_groups, "H5Pset_create_intermediate_group");
    find(properties_allocate, "H5Pset_alloc_time");
    find(properties_fill, "H5Pset_fill_time");
    find(space_create, "H5Screate_simple");
    find(space_close, "H5Sclose");
    find(space_kind, "H5Sget_simple_extent_type");
    find(space_rank, "H5Sget_simple_extent_ndims");
    find(space_extents, "H5Sget_simple_extent_dims");
    find(space_select, "H5Sselect_hyperslab");
    find(type_copy, "H5Tcopy");
    find(type_create, "H5Tcreate");
    find(type_close, "H5Tclose");
    find(type_class, "H5Tget_class");
    find(type_sign, "H5Tget_sign");
    find(type_size, "H5Tget_size");
    find(type_members, "H5Tget_nmembers");
    find(type_member, "H5Tget_member_index");
    find(type_of_member, "H5Tget_member_type");
    find(type_insert, "H5Tinsert");
    find(enum_create, "H5Tenum_create");
    find(enum_insert, "H5Tenum_insert");
    find(set_size, "H5Tset_size");
    find(set_bias, "H5Tset_ebias");
    find(set_fields, "H5Tset_fields");
    find(link_exists, "H5Lexists");
    find(link_delete, "H5Ldelete");
    // The library's numbers of types: variables that H5open sets, in little-endian order only, as
    // files of Krait are written.
    find(links, "H5P_CLS_LINK_CREATE_ID_g");
    find(datasets, "H5P_CLS_DATASET_CREATE_ID_g");
    find(f32, "H5T_IEEE_F32LE_g");
    find(f64, "H5T_IEEE_F64LE_g");
    const char* const names[] = {"H5T_STD_I8LE_g",  "H5T_STD_I16LE_g", "H5T_STD_I32LE_g",
                                 "H5T_STD_I64LE_g", "H5T_STD_U8LE_g",  "H5T_STD_U16LE_g",
                                 "H5T_STD_U32LE_g", "H5T_STD_U64LE_g"};
    for (int i = 0; i < 8; ++i) find(integers[i], names[i]);
  }
};

}  // namespace krait::files
