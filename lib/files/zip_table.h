// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libzip (libzip.org) without zip.h: the functions and structures that .npz files need.
// tests/files/tables.cpp compares them with the header.
#pragma once

#include <cstdint>
#include <ctime>

namespace krait::files {

struct Zip;        // zip_t
struct ZipMember;  // zip_file_t
struct ZipSource;  // zip_source_t

struct ZipError {
  int code, system;
  char* text;
};
struct ZipStat {
  std::uint64_t valid;
  const char* name;
  std::uint64_t index, size, compressed_size;
  std::time_t time;
  std::uint32_t crc;
  std::uint16_t method, encryption;
  std::uint32_t flags;
};
struct ZipFragment {
  std::uint8_t* data;
  std::uint64_t length;
};

/// What a source of ours is asked for; the values of zip_source_cmd.
enum class ZipCommand {
  Open = 0,
  Read = 1,
  Close = 2,
  Stat = 3,
  Error = 4,
  Free = 5,
  Seek = 6,
  Tell = 7,
  BeginWrite = 8,
  CommitWrite = 9,
  RollbackWrite = 10,
  Write = 11,
  SeekWrite = 12,
  TellWrite = 13,
  Supports = 14,
  Remove = 15,
};
struct ZipSeek {
  std::int64_t offset;
  int whence;
};

inline constexpr int zip_truncate = 1 | 8, zip_read_only = 16;  // with ZIP_CREATE
inline constexpr int zip_error_write = 6;
inline constexpr std::int32_t zip_stored = 0, zip_deflated = 8;
inline constexpr std::uint32_t zip_utf8 = 2048;
inline constexpr std::uint64_t zip_stat_size = 4;

struct ZipTable {
  void (*error_init)(ZipError*);
  void (*error_fini)(ZipError*);
  const char* (*error_text)(ZipError*);
  ZipSource* (*source_file)(const char*, std::uint64_t, std::int64_t, ZipError*);
  ZipSource* (*source_buffer)(const void*, std::uint64_t, int, ZipError*);
  ZipSource* (*source_fragments)(const ZipFragment*, std::uint64_t, int, ZipError*);
  ZipSource* (*source_function)(std::int64_t (*)(void*, void*, std::uint64_t, ZipCommand), void*,
                                ZipError*);
  void (*source_free)(ZipSource*);
  Zip* (*open)(ZipSource*, int, ZipError*);
  int (*close)(Zip*);
  void (*discard)(Zip*);
  ZipError* (*error_of)(Zip*);
  std::int64_t (*count)(Zip*, std::uint32_t);
  int (*stat)(Zip*, std::uint64_t, std::uint32_t, ZipStat*);
  ZipMember* (*open_member)(Zip*, std::uint64_t, std::uint32_t);
  std::int64_t (*read)(ZipMember*, void*, std::uint64_t);
  int (*close_member)(ZipMember*);
  ZipError* (*error_of_member)(ZipMember*);
  std::int64_t (*add)(Zip*, const char*, ZipSource*, std::uint32_t);
  int (*set_compression)(Zip*, std::uint64_t, std::int32_t, std::uint32_t);
  int (*set_time)(Zip*, std::uint64_t, std::time_t, std::uint32_t);

  template <class Find>
  void bind(const Find& find) {
    find(error_init, "zip_error_init");
    find(error_fini, "zip_error_fini");
    find(error_text, "zip_error_strerror");
    find(source_file, "zip_source_file_create");
    find(source_buffer, "zip_source_buffer_create");
    find(source_fragments, "zip_source_buffer_fragment_create");
    find(source_function, "zip_source_function_create");
    find(source_free, "zip_source_free");
    find(open, "zip_open_from_source");
    find(close, "zip_close");
    find(discard, "zip_discard");
    find(error_of, "zip_get_error");
    find(count, "zip_get_num_entries");
    find(stat, "zip_stat_index");
    find(open_member, "zip_fopen_index");
    find(read, "zip_fread");
    find(close_member, "zip_fclose");
    find(error_of_member, "zip_file_get_error");
    find(add, "zip_file_add");
    find(set_compression, "zip_set_file_compression");
    find(set_time, "zip_file_set_mtime");
  }
};

}  // namespace krait::files
