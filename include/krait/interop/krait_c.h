/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels of packs from C, and from languages that call C (docs/shipping.md). Functions that may
   fail return a code. If `message` is not null, they also store the error's text there, or null;
   krait_free_message frees it. Objects can be used from any thread. Free them when no thread uses
   them. */
#ifndef KRAIT_C_H
#define KRAIT_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define KRAIT_C_API __attribute__((visibility("default")))

/** The result of a function: success, or a kind of krait::error. */
typedef enum krait_code {
  /** Success. */
  KRAIT_OK = 0,
  /** The program asks for something impossible. */
  KRAIT_USAGE = 1,
  /** The kernel cannot be compiled for the target. */
  KRAIT_COMPILE = 2,
  /** The device or its driver failed or is missing, or memory is short. */
  KRAIT_DEVICE = 3,
  /** A defect of Krait: please report it with the message. */
  KRAIT_INTERNAL = 4
} krait_code;

/** Frees the text of an error; null is allowed. */
KRAIT_C_API void krait_free_message(char* message);

/* ---- devices, streams, memory ---- */
/** A device that runs kernels; it is never freed. */
typedef struct krait_device krait_device;
/** A queue of work on one device. */
typedef struct krait_stream krait_stream;
/** Bytes on a device. */
typedef struct krait_memory krait_memory;

/** Finds a device by its id ("cuda:0"), back end ("vulkan") or a part of the hardware's name; null:
    the default device. */
KRAIT_C_API krait_code krait_find_device(const char* name, krait_device** device, char** message);
/** The id of a device, "cpu", "cuda:0" and so on; it lives as long as the process. */
KRAIT_C_API const char* krait_device_id(const krait_device* device);
/** Waits until all work on the device is done; null: on all devices. */
KRAIT_C_API krait_code krait_synchronize(krait_device* device, char** message);

/** Wraps a stream of another library (a CUstream), which is not destroyed; null makes a new one. */
KRAIT_C_API krait_code krait_make_stream(krait_device* device, void* native, krait_stream** stream,
                                         char** message);
/** Frees a stream. */
KRAIT_C_API void krait_free_stream(krait_stream* stream);

/** Allocates uninitialised bytes on a device. */
KRAIT_C_API krait_code krait_allocate(krait_device* device, size_t bytes, krait_memory** memory,
                                      char** message);
/** Wraps bytes that another library owns, at an address of the device (a CUdeviceptr). */
KRAIT_C_API krait_code krait_wrap(krait_device* device, uint64_t address, size_t bytes,
                                  krait_memory** memory, char** message);
/** Frees bytes on a device, after the work that uses them. */
KRAIT_C_API void krait_free_memory(krait_memory* memory);
/** The address of the bytes on their device. */
KRAIT_C_API uint64_t krait_address(const krait_memory* memory);
/** Copies bytes from the host, after the work that uses the memory, and waits for the copy. */
KRAIT_C_API krait_code krait_write(krait_memory* memory, size_t offset, const void* from,
                                   size_t bytes, char** message);
/** Copies bytes to the host, after the work that uses the memory, and waits for the copy. */
KRAIT_C_API krait_code krait_read(const krait_memory* memory, size_t offset, void* to, size_t bytes,
                                  char** message);

/* ---- packs and kernels ---- */
/** The kernels of a file. */
typedef struct krait_pack krait_pack;
/** A kernel of a pack. */
typedef struct krait_kernel krait_kernel;

/** A parameter of a kernel. */
typedef struct krait_parameter {
  /** The type of the number or element: "f32", "i64" and so on; "void" for a struct. */
  const char* type;
  /** The number of dimensions of an array; 0 for a number or struct. */
  int rank;
  /** Whether the kernel may write the array. */
  int writable;
  /** The size of the number, struct or element. */
  size_t bytes;
} krait_parameter;

/** An argument of a launch. */
typedef struct krait_argument {
  /** The address of the number or struct, or of the first element of an array in host memory; else
      null. */
  void* data;
  /** The memory of an array on a device; else null. */
  krait_memory* memory;
  /** Bytes from the start of `memory` to the first element. */
  size_t offset;
  /** The extents of an array, one per dimension. */
  const int64_t* extents;
  /** The strides of an array in elements, 0 or more; null: C order. */
  const int64_t* strides;
} krait_argument;

/** The threads, device and stream of a launch. Threads are grid and block, or their number alone:
    then Krait chooses the blocks. */
typedef struct krait_launch_config {
  /** Blocks of the grid; 0 counts as 1. */
  int64_t grid[3];
  /** Threads per block; 0 counts as 1, and all are 0 for a kernel that fixes its block. */
  int64_t block[3];
  /** The number of threads; used if grid[0] is 0. */
  int64_t threads;
  /** The device; null: the device of the arrays, else the default one. */
  krait_device* device;
  /** The stream; null: the default stream of the device. */
  krait_stream* stream;
} krait_launch_config;

/** Reads a file that kr::pack or `krait pack` wrote. A pack contains code: load only those you
    trust. */
KRAIT_C_API krait_code krait_load_pack(const char* file, krait_pack** pack, char** message);
/** Frees a pack; its kernels live on. */
KRAIT_C_API void krait_free_pack(krait_pack* pack);
/** The number of kernels in a pack. */
KRAIT_C_API size_t krait_pack_size(const krait_pack* pack);
/** The name of a kernel, in the order of packing; null beyond the last. */
KRAIT_C_API const char* krait_pack_name(const krait_pack* pack, size_t index);

/** Makes a kernel of a pack, by its name. */
KRAIT_C_API krait_code krait_make_kernel(const krait_pack* pack, const char* name,
                                         krait_kernel** kernel, char** message);
/** Frees a kernel. */
KRAIT_C_API void krait_free_kernel(krait_kernel* kernel);
/** The number of parameters of a kernel. */
KRAIT_C_API size_t krait_parameter_count(const krait_kernel* kernel);
/** A parameter of a kernel; all zero beyond the last. */
KRAIT_C_API krait_parameter krait_parameter_at(const krait_kernel* kernel, size_t index);
/** Launches a kernel, from any thread. When it returns, host memory may be changed; on a GPU the
    work on `memory` may go on. */
KRAIT_C_API krait_code krait_launch(krait_kernel* kernel, const krait_argument* arguments,
                                    size_t count, const krait_launch_config* config,
                                    char** message);

#ifdef __cplusplus
}
#endif
#endif
