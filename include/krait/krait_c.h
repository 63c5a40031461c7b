/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of packs from C, and from languages that call C (docs/shipping.md). Functions that may fail give a code; where `message` is not
   null they also store an error's text there, which krait_free_message frees, or null. Objects are used from any thread, and freed when
   none uses them. */
#ifndef KRAIT_C_H
#define KRAIT_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define KRAIT_C_API __attribute__((visibility("default")))

/* What went wrong, as the kinds of krait::error. */
typedef enum krait_code {
  KRAIT_OK = 0,
  KRAIT_USAGE = 1,   /* the program asks for something that cannot be */
  KRAIT_COMPILE = 2, /* the kernel cannot be compiled for the target */
  KRAIT_DEVICE = 3,  /* the device or its driver failed or is missing, or memory is short */
  KRAIT_INTERNAL = 4 /* a defect of Krait: please report it with the message */
} krait_code;

KRAIT_C_API void krait_free_message(char* message);

/* ---- devices, streams, memory ---- */
typedef struct krait_device krait_device; /* never freed */
typedef struct krait_stream krait_stream;
typedef struct krait_memory krait_memory;

/* By id ("cuda:0"), back end ("vulkan") or part of the hardware's name; null: the default device. */
KRAIT_C_API krait_code krait_find_device(const char* name, krait_device** device, char** message);
/* "cpu", "cuda:0", …; lives as long as the process. */
KRAIT_C_API const char* krait_device_id(const krait_device* device);
/* Waits until all work on the device is done; null: on all devices. */
KRAIT_C_API krait_code krait_synchronize(krait_device* device, char** message);

/* A stream that another library made (a CUstream), which is not destroyed; null: a new one. */
KRAIT_C_API krait_code krait_make_stream(krait_device* device, void* native, krait_stream** stream, char** message);
KRAIT_C_API void krait_free_stream(krait_stream* stream);

/* Uninitialised bytes on a device. They are freed behind the work that uses them. */
KRAIT_C_API krait_code krait_allocate(krait_device* device, size_t bytes, krait_memory** memory, char** message);
/* Bytes that somebody else owns, at an address of the device (a CUdeviceptr). */
KRAIT_C_API krait_code krait_wrap(krait_device* device, uint64_t address, size_t bytes, krait_memory** memory, char** message);
KRAIT_C_API void krait_free_memory(krait_memory* memory);
KRAIT_C_API uint64_t krait_address(const krait_memory* memory);
/* Copy bytes from and to the host, behind the work that uses the memory; they return when that is done. */
KRAIT_C_API krait_code krait_write(krait_memory* memory, size_t offset, const void* from, size_t bytes, char** message);
KRAIT_C_API krait_code krait_read(const krait_memory* memory, size_t offset, void* to, size_t bytes, char** message);

/* ---- packs and kernels ---- */
typedef struct krait_pack krait_pack;
typedef struct krait_kernel krait_kernel;

typedef struct krait_parameter {
  const char* type; /* "f32", "i64", …; "void": a struct */
  int rank;         /* 0: a number or struct; else an array's dimensions */
  int writable;     /* arrays */
  size_t bytes;     /* of the number, struct or element */
} krait_parameter;

typedef struct krait_argument {
  void* data;             /* where the number or struct is; of an array in host memory the first element, else null */
  krait_memory* memory;   /* of an array on a device, else null */
  size_t offset;          /* bytes from the start of `memory` to the first element */
  const int64_t* extents; /* as many as dimensions */
  const int64_t* strides; /* in elements, from 0; null: C order */
} krait_argument;

/* Threads are given as grid and block, numbers that are left out count as 1; or their number alone, and Krait chooses the blocks. */
typedef struct krait_launch_config {
  int64_t grid[3], block[3]; /* block: 0 for a kernel that fixes it */
  int64_t threads;           /* where grid[0] is 0 */
  krait_device* device;      /* null: that of the arrays, else the default one */
  krait_stream* stream;      /* null: the device's own */
} krait_launch_config;

/* Reads a file that kr::pack or `krait pack` made. A pack is code: load those that you trust. */
KRAIT_C_API krait_code krait_load_pack(const char* file, krait_pack** pack, char** message);
/* Kernels of the pack live on. */
KRAIT_C_API void krait_free_pack(krait_pack* pack);
KRAIT_C_API size_t krait_pack_size(const krait_pack* pack);
/* The kernels' names, in the order in which they were packed; null beyond the last. */
KRAIT_C_API const char* krait_pack_name(const krait_pack* pack, size_t index);

KRAIT_C_API krait_code krait_make_kernel(const krait_pack* pack, const char* name, krait_kernel** kernel, char** message);
KRAIT_C_API void krait_free_kernel(krait_kernel* kernel);
KRAIT_C_API size_t krait_parameter_count(const krait_kernel* kernel);
/* All zero beyond the last. */
KRAIT_C_API krait_parameter krait_parameter_at(const krait_kernel* kernel, size_t index);
/* From any thread. Host memory may be changed when it returns; on a GPU work on `memory` goes on. */
KRAIT_C_API krait_code krait_launch(krait_kernel* kernel, const krait_argument* arguments, size_t count,
                                    const krait_launch_config* config, char** message);

#ifdef __cplusplus
}
#endif
#endif
