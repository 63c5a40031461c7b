// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles where the tables of lib/files agree with the libraries' headers: sizes, offsets and
// constants, and for each function the sizes and kinds of its parameters.
#include <cstddef>
#include <type_traits>

#include <H5public.h>
#include <hdf5.h>
#include <png.h>
#include <zip.h>

#include "files/hdf5_table.h"
#include "files/png_table.h"
#include "files/zip_table.h"

namespace krait::files {
namespace {

/// Whether two types are passed alike: addresses are, whatever they are of.
template <class Ours, class Theirs>
constexpr bool alike =
    std::is_pointer_v<Ours> ? std::is_pointer_v<Theirs>
    : std::is_void_v<Ours>  ? std::is_void_v<Theirs>
                            : !std::is_pointer_v<Theirs> && sizeof(Ours) == sizeof(Theirs);
template <class Ours, class Theirs>
constexpr bool same_call = false;
template <class R, class... A, class S, class... B>
constexpr bool same_call<R (*)(A...), S (*)(B...)> = [] {
  if constexpr (sizeof...(A) != sizeof...(B)) return false;
  else return alike<R, S> && (alike<A, B> && ...);
}();
template <>
constexpr bool alike<void, void> = true;

#define SAME(table, member, function) \
  static_assert(same_call<decltype(table::member), decltype(&function)>)

SAME(ZipTable, error_init, zip_error_init);
SAME(ZipTable, error_fini, zip_error_fini);
SAME(ZipTable, error_text, zip_error_strerror);
SAME(ZipTable, source_file, zip_source_file_create);
SAME(ZipTable, source_buffer, zip_source_buffer_create);
SAME(ZipTable, source_fragments, zip_source_buffer_fragment_create);
SAME(ZipTable, source_function, zip_source_function_create);
SAME(ZipTable, source_free, zip_source_free);
SAME(ZipTable, open, zip_open_from_source);
SAME(ZipTable, close, zip_close);
SAME(ZipTable, discard, zip_discard);
SAME(ZipTable, error_of, zip_get_error);
SAME(ZipTable, count, zip_get_num_entries);
SAME(ZipTable, stat, zip_stat_index);
SAME(ZipTable, open_member, zip_fopen_index);
SAME(ZipTable, read, zip_fread);
SAME(ZipTable, close_member, zip_fclose);
SAME(ZipTable, error_of_member, zip_file_get_error);
SAME(ZipTable, add, zip_file_add);
SAME(ZipTable, set_compression, zip_set_file_compression);
SAME(ZipTable, set_time, zip_file_set_mtime);
static_assert(sizeof(ZipError) == sizeof(zip_error_t) && sizeof(ZipStat) == sizeof(zip_stat_t) &&
              sizeof(ZipFragment) == sizeof(zip_buffer_fragment_t) &&
              sizeof(ZipSeek) == sizeof(zip_source_args_seek_t));
static_assert(offsetof(ZipStat, size) == offsetof(zip_stat_t, size) &&
              offsetof(ZipStat, compressed_size) == offsetof(zip_stat_t, comp_size) &&
              offsetof(ZipStat, method) == offsetof(zip_stat_t, comp_method) &&
              offsetof(ZipError, system) == offsetof(zip_error_t, sys_err));
static_assert(int(ZipCommand::Write) == ZIP_SOURCE_WRITE &&
              int(ZipCommand::Remove) == ZIP_SOURCE_REMOVE &&
              int(ZipCommand::Supports) == ZIP_SOURCE_SUPPORTS &&
              int(ZipCommand::Stat) == ZIP_SOURCE_STAT);
static_assert(zip_truncate == (ZIP_CREATE | ZIP_TRUNCATE) && zip_read_only == ZIP_RDONLY &&
              zip_error_write == ZIP_ER_WRITE && zip_stored == ZIP_CM_STORE &&
              zip_deflated == ZIP_CM_DEFLATE && zip_utf8 == ZIP_FL_ENC_UTF_8 &&
              zip_stat_size == ZIP_STAT_SIZE);

SAME(PngTable, begin_read, png_image_begin_read_from_memory);
SAME(PngTable, finish_read, png_image_finish_read);
SAME(PngTable, write, png_image_write_to_memory);
SAME(PngTable, free, png_image_free);
static_assert(sizeof(PngImage) == sizeof(png_image) &&
              offsetof(PngImage, format) == offsetof(png_image, format) &&
              offsetof(PngImage, message) == offsetof(png_image, message));
static_assert(png_version == PNG_IMAGE_VERSION && png_alpha == PNG_FORMAT_FLAG_ALPHA &&
              png_colour == PNG_FORMAT_FLAG_COLOR && png_wide == PNG_FORMAT_FLAG_LINEAR);

SAME(Hdf5Table, open, H5open);
SAME(Hdf5Table, get_auto, H5Eget_auto2);
SAME(Hdf5Table, set_auto, H5Eset_auto2);
SAME(Hdf5Table, walk, H5Ewalk2);
SAME(Hdf5Table, file_open, H5Fopen);
SAME(Hdf5Table, file_create, H5Fcreate);
SAME(Hdf5Table, file_close, H5Fclose);
SAME(Hdf5Table, dataset_open, H5Dopen2);
SAME(Hdf5Table, dataset_create, H5Dcreate2);
SAME(Hdf5Table, dataset_close, H5Dclose);
SAME(Hdf5Table, dataset_read, H5Dread);
SAME(Hdf5Table, dataset_write, H5Dwrite);
SAME(Hdf5Table, dataset_space, H5Dget_space);
SAME(Hdf5Table, dataset_type, H5Dget_type);
SAME(Hdf5Table, dataset_properties, H5Dget_create_plist);
SAME(Hdf5Table, dataset_place, H5Dget_offset);
SAME(Hdf5Table, properties_create, H5Pcreate);
SAME(Hdf5Table, properties_close, H5Pclose);
SAME(Hdf5Table, properties_layout, H5Pget_layout);
SAME(Hdf5Table, properties_filters, H5Pget_nfilters);
SAME(Hdf5Table, properties_external, H5Pget_external_count);
SAME(Hdf5Table, properties_groups, H5Pset_create_intermediate_group);
SAME(Hdf5Table, properties_allocate, H5Pset_alloc_time);
SAME(Hdf5Table, properties_fill, H5Pset_fill_time);
SAME(Hdf5Table, space_create, H5Screate_simple);
SAME(Hdf5Table, space_close, H5Sclose);
SAME(Hdf5Table, space_kind, H5Sget_simple_extent_type);
SAME(Hdf5Table, space_rank, H5Sget_simple_extent_ndims);
SAME(Hdf5Table, space_extents, H5Sget_simple_extent_dims);
SAME(Hdf5Table, space_select, H5Sselect_hyperslab);
SAME(Hdf5Table, type_copy, H5Tcopy);
SAME(Hdf5Table, type_create, H5Tcreate);
SAME(Hdf5Table, type_close, H5Tclose);
SAME(Hdf5Table, type_class, H5Tget_class);
SAME(Hdf5Table, type_sign, H5Tget_sign);
SAME(Hdf5Table, type_size, H5Tget_size);
SAME(Hdf5Table, type_members, H5Tget_nmembers);
SAME(Hdf5Table, type_member, H5Tget_member_index);
SAME(Hdf5Table, type_of_member, H5Tget_member_type);
SAME(Hdf5Table, type_insert, H5Tinsert);
SAME(Hdf5Table, enum_create, H5Tenum_create);
SAME(Hdf5Table, enum_insert, H5Tenum_insert);
SAME(Hdf5Table, set_size, H5Tset_size);
SAME(Hdf5Table, set_bias, H5Tset_ebias);
SAME(Hdf5Table, set_fields, H5Tset_fields);
SAME(Hdf5Table, link_exists, H5Lexists);
SAME(Hdf5Table, link_delete, H5Ldelete);
static_assert(sizeof(Hid) == sizeof(hid_t) && sizeof(Hsize) == sizeof(hsize_t) &&
              sizeof(Hdf5Error) == sizeof(H5E_error2_t) &&
              offsetof(Hdf5Error, text) == offsetof(H5E_error2_t, desc));
static_assert(hdf5_integer == H5T_INTEGER && hdf5_float == H5T_FLOAT &&
              hdf5_compound == H5T_COMPOUND && hdf5_enum == H5T_ENUM &&
              hdf5_virtual == H5D_VIRTUAL && hdf5_null_space == H5S_NULL &&
              hdf5_set == H5S_SELECT_SET && hdf5_early == H5D_ALLOC_TIME_EARLY &&
              hdf5_never == H5D_FILL_TIME_NEVER && hdf5_no_place == HADDR_UNDEF &&
              hdf5_from_the_cause == H5E_WALK_UPWARD && H5P_DEFAULT == 0 && H5S_ALL == 0 &&
              H5E_DEFAULT == 0 && H5T_SGN_NONE == 0);

}  // namespace
}  // namespace krait::files
