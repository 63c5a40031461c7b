// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "support/environment.h"
#include "support/error.h"
#include "support/places.h"

namespace krait::runtime::opencl {

const Api* Api::open(std::string& why) {
  static std::string failure;
  static const Api* const api = []() -> const Api* {
    if (const char* const why_not = support::why_no_drivers()) {
      failure = why_not;
      return nullptr;
    }
    std::string said;
    void* const library = support::open_library("libOpenCL.so.1", said);
    if (!library) {
      failure = "no OpenCL loader (libOpenCL.so.1) on this machine";
      if (said.find("No such file") == said.npos) failure += fmt::format(": {}", said);
      return nullptr;
    }
    static Api a;
    bool complete = true;
    const auto find = [&]<class F>(F& function, const char* name) {
      function = reinterpret_cast<F>(dlsym(library, name));
      return function != nullptr;
    };
#define LOAD(name) complete = find(a.name, #name) && complete;
    OPENCL_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD_IF_THERE(name) find(a.name, #name);
    OPENCL_LATER_FUNCTIONS(LOAD_IF_THERE)
#undef LOAD_IF_THERE
    if (!complete) failure = "the OpenCL loader is older than 1.2";
    return complete ? &a : nullptr;
  }();
  why = failure;
  return api;
}

namespace {
std::atomic<bool> in_use{false}, in_fork{false}, ended{false};
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { in_fork = in_use.load(); });
}  // namespace

const char* Api::gone() {
  if (in_fork.load(std::memory_order_relaxed))
    return "this process is a fork of one that used OpenCL, which drivers do not support: "
           "start the child with exec";
  if (ended.load(std::memory_order_relaxed))
    return "the program exits, and OpenCL's drivers have ended. Use arrays and kernels before main "
           "returns, or make the object that uses them in its destructor after the first use of the "
           "device";
  return nullptr;
}

// Handlers run in the reverse order. Drivers wait at exit for threads that a child of fork does not
// have.
void Api::watch_the_end() {
  in_use = true;
  const auto leave = [](int status, void*) {
    ended = true;
    if (!in_fork) return;
    for (std::ostream* stream : {&std::cout, &std::cerr, &std::clog}) stream->flush();
    std::fflush(nullptr);
    _exit(status);
  };
  on_exit(leave, nullptr);
}

std::string name_of(cl_int result) {
  switch (result) {
#define NAME(code) \
  case code: return #code;
    case CL_DEVICE_NOT_AVAILABLE: return "the device is not available";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "out of device memory";
    case CL_OUT_OF_RESOURCES:
      return "out of resources (a kernel faulted, or needs more than the device has)";
    case CL_OUT_OF_HOST_MEMORY: return "out of host memory";
    case CL_MEM_COPY_OVERLAP: return "the ranges of a copy overlap";
    case CL_BUILD_PROGRAM_FAILURE: return "the program cannot be built";
    case CL_INVALID_BINARY: return "the driver rejects the binary";
    case CL_INVALID_WORK_GROUP_SIZE: return "the block is too large or has a wrong shape";
    case CL_INVALID_WORK_ITEM_SIZE: return "a dimension of the block is too large";
    case CL_INVALID_BUFFER_SIZE: return "the buffer is too large";
    case CL_INVALID_GLOBAL_WORK_SIZE: return "the grid is too large";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return "work before it in the queue failed";
    case CL_COMPILER_NOT_AVAILABLE:
      return "the driver has no compiler";
      // What only a mistake of Krait's or the driver's brings about.
      NAME(CL_DEVICE_NOT_FOUND)
      NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
      NAME(CL_MAP_FAILURE)
      NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
      NAME(CL_INVALID_VALUE)
      NAME(CL_INVALID_PLATFORM)
      NAME(CL_INVALID_DEVICE)
      NAME(CL_INVALID_CONTEXT)
      NAME(CL_INVALID_QUEUE_PROPERTIES)
      NAME(CL_INVALID_COMMAND_QUEUE)
      NAME(CL_INVALID_HOST_PTR)
      NAME(CL_INVALID_MEM_OBJECT)
      NAME(CL_INVALID_BUILD_OPTIONS)
      NAME(CL_INVALID_PROGRAM)
      NAME(CL_INVALID_PROGRAM_EXECUTABLE)
      NAME(CL_INVALID_KERNEL_NAME)
      NAME(CL_INVALID_KERNEL_DEFINITION)
      NAME(CL_INVALID_KERNEL)
      NAME(CL_INVALID_ARG_INDEX)
      NAME(CL_INVALID_ARG_VALUE)
      NAME(CL_INVALID_ARG_SIZE)
      NAME(CL_INVALID_KERNEL_ARGS)
      NAME(CL_INVALID_WORK_DIMENSION)
      NAME(CL_INVALID_EVENT_WAIT_LIST)
      NAME(CL_INVALID_EVENT)
      NAME(CL_INVALID_OPERATION)
    default: return fmt::format("error {}", int(result));
#undef NAME
  }
}

void check(cl_int result, const char* call) {
  if (result != CL_SUCCESS) support::fail_device("OpenCL: {} failed: {}", call, name_of(result));
}

}  // namespace krait::runtime::opencl
