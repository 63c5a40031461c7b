// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of the OpenCL loader (libOpenCL.so.1), opened when somebody asks for an OpenCL
// device and not before.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // queues and sub-devices as OpenCL 1.2 makes them, which
                                           // all drivers have
#include <CL/cl.h>

#include <string>

namespace krait::runtime::opencl {

struct Api {
// clang-format off
#define OPENCL_FUNCTIONS(F)                                                                       \
  F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo)                   \
  F(clCreateContext) F(clReleaseContext) F(clCreateCommandQueue) F(clReleaseCommandQueue)         \
  F(clFlush) F(clFinish) F(clCreateBuffer) F(clReleaseMemObject) F(clEnqueueReadBuffer)           \
  F(clEnqueueWriteBuffer) F(clEnqueueCopyBuffer) F(clCreateProgramWithBinary) F(clBuildProgram)   \
  F(clGetProgramInfo) F(clGetProgramBuildInfo) F(clReleaseProgram) F(clCreateKernel)              \
  F(clReleaseKernel) F(clSetKernelArg) F(clGetKernelWorkGroupInfo) F(clEnqueueNDRangeKernel)      \
  F(clEnqueueMarkerWithWaitList) F(clEnqueueBarrierWithWaitList) F(clWaitForEvents)               \
  F(clGetEventProfilingInfo) F(clGetEventInfo) F(clReleaseEvent) F(clRetainEvent)                 \
  F(clRetainCommandQueue)
#define DECLARE(name) decltype(&::name) name = nullptr;
  OPENCL_FUNCTIONS(DECLARE)
  // Of OpenCL 2.0 and 2.1: a loader may lack them.
#define OPENCL_LATER_FUNCTIONS(F)                                                                 \
  F(clCreateProgramWithIL) F(clSVMAlloc) F(clSVMFree) F(clSetKernelArgSVMPointer)                 \
  F(clEnqueueSVMMemcpy) F(clEnqueueSVMFree)
  // clang-format on
  OPENCL_LATER_FUNCTIONS(DECLARE)
#undef DECLARE
  bool has_shared_memory() const {
    return clSVMAlloc && clSVMFree && clSetKernelArgSVMPointer && clEnqueueSVMMemcpy &&
           clEnqueueSVMFree;
  }

  /// Null, and why.
  static const Api* open(std::string& why);
  /// Null, or why the drivers must not be called any more: a child of fork, or the program ends.
  static const char* gone();
  /// To be called when drivers came into use; what they register for the program's end runs after
  /// what Krait does then.
  static void watch_the_end();
};

std::string name_of(cl_int result);
/// Throws krait::error of kind device where the call failed.
void check(cl_int result, const char* call);

}  // namespace krait::runtime::opencl
