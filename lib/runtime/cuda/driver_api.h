// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver, opened at run time: our own table of its entry points and the few constants that
// we use (the driver API's reference manual names them), so that no toolkit is needed to build or
// to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace krait::runtime::cuda {

using Result = int;  // CUresult; 0: success
using DeviceId = int;
using Context = void*;
using ModuleHandle = void*;
using FunctionHandle = void*;
using Stream = void*;
using Event = void*;
using Pool = void*;
using Graph = void*;
using GraphExec = void*;
using Address = std::uint64_t;

enum : Result {
  OutOfMemory = 2,
  Deinitialized = 4,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinary = 209,
  UnsupportedPtx = 222,
  NotReady = 600
};
/// What ends the context: every later call in the process gives it again.
enum : Result {
  EccUncorrectable = 214,
  IllegalAddress = 700,
  LaunchTimeout = 702,
  DeviceAssert = 710,
  HardwareStack = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
};
constexpr bool ends_context(Result r) {
  return r == EccUncorrectable || r == IllegalAddress || r == LaunchTimeout || r == DeviceAssert ||
         (r >= HardwareStack && r <= LaunchFailed);
}
/// CUdevice_attribute
enum : int {
  MaxThreadsPerBlock = 1,
  MaxBlockX = 2,
  MaxBlockY = 3,
  MaxBlockZ = 4,
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  Multiprocessors = 16,
  MemoryClock = 36,  // kHz
  MemoryBits = 37,
  ComputeMajor = 75,
  ComputeMinor = 76,
  ManagedMemory = 83,
  MaxSharedOptin = 97,
  MemoryPools = 115,
};
/// CUfunction_attribute
enum : int {
  FnMaxThreads = 0,
  FnSharedBytes = 1,
  FnLocalBytes = 3,
  FnRegisters = 4,
  FnMaxDynamicShared = 8
};
/// CUjit_option
enum : int {
  JitInfoLog = 3,
  JitInfoLogSize = 4,
  JitErrorLog = 5,
  JitErrorLogSize = 6,
  JitLineInfo = 13,
  JitCacheMode = 14
};
/// CUmemPool_attribute
enum : int { PoolReleaseThreshold = 4, PoolReservedNow = 5, PoolUsedNow = 7 };
/// CUmemAccessDesc: who may use a pool's memory, and how.
struct PoolAccess {
  int kind = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  DeviceId device = 0;
  int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};

/// CUuuid.
struct UniqueId {
  char bytes[16];
};

// One row an entry point: name here, symbol in the library, parameters.
#define KRAIT_CUDA_ENTRY_POINTS(X)                                                                 \
  X(init, "cuInit", (unsigned))                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                  \
  X(device_count, "cuDeviceGetCount", (int*))                                                      \
  X(device_get, "cuDeviceGet", (DeviceId*, int))                                                   \
  X(device_name, "cuDeviceGetName", (char*, int, DeviceId))                                        \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, DeviceId))                               \
  X(device_memory, "cuDeviceTotalMem_v2", (std::size_t*, DeviceId))                                \
  X(device_id, "cuDeviceGetUuid_v2", (UniqueId*, DeviceId))                                        \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (Context*, DeviceId))                              \
  X(context_current, "cuCtxGetCurrent", (Context*))                                                \
  X(context_push, "cuCtxPushCurrent_v2", (Context))                                                \
  X(context_pop, "cuCtxPopCurrent_v2", (Context*))                                                 \
  X(context_synchronize, "cuCtxSynchronize", ())                                                   \
  X(module_load, "cuModuleLoadDataEx", (ModuleHandle*, const void*, unsigned, int*, void**))       \
  X(module_unload, "cuModuleUnload", (ModuleHandle))                                               \
  X(module_function, "cuModuleGetFunction", (FunctionHandle*, ModuleHandle, const char*))          \
  X(function_attribute, "cuFuncGetAttribute", (int*, int, FunctionHandle))                         \
  X(function_set_attribute, "cuFuncSetAttribute", (FunctionHandle, int, int))                      \
  X(occupancy_block, "cuOccupancyMaxPotentialBlockSize",                                           \
    (int*, int*, FunctionHandle, void*, std::size_t, int))                                         \
  X(occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                               \
    (int*, FunctionHandle, int, std::size_t))                                                      \
  X(launch_together, "cuLaunchCooperativeKernel",                                                  \
    (FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, \
     void**))                                                                                      \
  X(launch, "cuLaunchKernel",                                                                      \
    (FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, \
     void**, void**))                                                                              \
  X(mem_alloc, "cuMemAlloc_v2", (Address*, std::size_t))                                           \
  X(mem_free, "cuMemFree_v2", (Address))                                                           \
  X(mem_alloc_async, "cuMemAllocAsync", (Address*, std::size_t, Stream))                           \
  X(mem_free_async, "cuMemFreeAsync", (Address, Stream))                                           \
  X(mem_host_alloc, "cuMemHostAlloc", (void**, std::size_t, unsigned))                             \
  X(mem_free_host, "cuMemFreeHost", (void*))                                                       \
  X(mem_alloc_managed, "cuMemAllocManaged", (Address*, std::size_t, unsigned))                     \
  X(default_pool, "cuDeviceGetDefaultMemPool", (Pool*, DeviceId))                                  \
  X(pool_set, "cuMemPoolSetAttribute", (Pool, int, void*))                                         \
  X(pool_get, "cuMemPoolGetAttribute", (Pool, int, void*))                                         \
  X(pool_trim, "cuMemPoolTrimTo", (Pool, std::size_t))                                             \
  X(pool_access, "cuMemPoolSetAccess", (Pool, const PoolAccess*, std::size_t))                     \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", (Address, const void*, std::size_t, Stream))           \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void*, Address, std::size_t, Stream))                   \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", (Address, Address, std::size_t, Stream))               \
  X(copy_peer, "cuMemcpyPeerAsync", (Address, Context, Address, Context, std::size_t, Stream))     \
  X(can_access_peer, "cuDeviceCanAccessPeer", (int*, DeviceId, DeviceId))                          \
  X(enable_peer, "cuCtxEnablePeerAccess", (Context, unsigned))                                     \
  X(stream_create, "cuStreamCreate", (Stream*, unsigned))                                          \
  X(stream_create_ranked, "cuStreamCreateWithPriority", (Stream*, unsigned, int))                  \
  X(stream_priorities, "cuCtxGetStreamPriorityRange", (int*, int*))                                \
  X(stream_destroy, "cuStreamDestroy_v2", (Stream))                                                \
  X(stream_synchronize, "cuStreamSynchronize", (Stream))                                           \
  X(stream_wait, "cuStreamWaitEvent", (Stream, Event, unsigned))                                   \
  X(launch_host, "cuLaunchHostFunc", (Stream, void (*)(void*), void*))                             \
  X(event_create, "cuEventCreate", (Event*, unsigned))                                             \
  X(event_destroy, "cuEventDestroy_v2", (Event))                                                   \
  X(event_record, "cuEventRecord", (Event, Stream))                                                \
  X(event_synchronize, "cuEventSynchronize", (Event))                                              \
  X(event_query, "cuEventQuery", (Event))                                                          \
  X(event_elapsed, "cuEventElapsedTime", (float*, Event, Event))                                   \
  X(capture_begin, "cuStreamBeginCapture_v2", (Stream, int))                                       \
  X(capture_end, "cuStreamEndCapture", (Stream, Graph*))                                           \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (GraphExec*, Graph, unsigned long long))     \
  X(graph_launch, "cuGraphLaunch", (GraphExec, Stream))                                            \
  X(graph_destroy, "cuGraphDestroy", (Graph))                                                      \
  X(graph_exec_destroy, "cuGraphExecDestroy", (GraphExec))                                         \
  X(error_name, "cuGetErrorName", (Result, const char**))                                          \
  X(error_text, "cuGetErrorString", (Result, const char**))

/// CUlaunchConfig with its attributes: one, that the launch may begin before the one in front of it
/// has ended.
struct LaunchAttribute {
  int id = 6;  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  int padding = 0;
  int value = 1;
  std::byte rest[60]{};
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned count;
};

// as cuda.h has them
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

struct DriverApi {
#define X(name, symbol, parameters) Result(*name) parameters = nullptr;
  KRAIT_CUDA_ENTRY_POINTS(X)
#undef X
  /// cuTensorMapEncodeTiled. Null in drivers before CUDA 12.0, for which no code asks for maps:
  /// they take no PTX 8.0.
  Result (*tile_map)(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                     const unsigned*, const unsigned*, int, int, int, int) = nullptr;
  /// cuLaunchKernelEx. Null in drivers before CUDA 12.4, which do not capture such launches.
  Result (*launch_early)(const LaunchConfig*, FunctionHandle, void**, void**) = nullptr;
};

/// The driver, initialised; null where there is none (no /dev/nvidiactl, no library, no device),
/// and `why` then says so.
const DriverApi* driver(std::string* why = nullptr);

/// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
std::string text_of(const DriverApi& api, Result r);

}  // namespace krait::runtime::cuda
