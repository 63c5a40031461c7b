// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenCL driver that computes nothing: each launch adds 1 to the number at its first parameter's
// memory and distance. It takes SPIR-V, and the variable MADE_UP says what is wrong with it:
//   crash    the process ends where its devices are asked for
//   no_load  and where it is loaded
//   hang     it waits there for ever
//   empty    there are none
//   away, narrow, big, embedded  the device is not available, has addresses of 32 bits, is big-endian, has the embedded profile
//   no_il    it takes neither SPIR-V nor SPIR
//   spir     it takes SPIR, of which Krait's translator makes programs
//   twins    there are two platforms with the same device
//   log      no program can be built, and the log says why
//   refused  it takes no program
//   svm      it has coarse-grained shared virtual memory
//   system   its kernels take all of the host's memory
//   small    blocks of 64 threads and buffers of 4 KiB at most, and memory for none but the first hundred
//   few      kernels have blocks of 100 threads at most, and the device counts four dimensions
//   late     there is memory for eight buffers, and that of a released one comes back when a queue was waited for
//   full     no kernel can be launched for want of memory
//   fault    commands that are waited for have failed
//   talks    it writes into the standard output, without an end of the line
//   no_kernel, no_argument  programs have no kernel, kernels take no argument
//   idle     launches add nothing
//   waits    who waits for a queue or an event does so until one more kernel is launched
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

bool is(std::string_view what) {
  const char* const wrong = std::getenv("MADE_UP");
  return wrong && wrong == what;
}

[[maybe_unused]] const bool loaded = !is("no_load") || std::raise(SIGSEGV) == 0;

extern cl_icd_dispatch functions;
/// Loaders find their way by the first word of every object.
struct Object {
  const cl_icd_dispatch* dispatch = &functions;
  int owners = 1;
};
struct Platform : Object {
  const char* name = nullptr;
};
struct Memory : Object {
  std::vector<char> bytes;
};
struct Kernel : Object {
  std::vector<std::vector<char>> arguments;
  char* shared = nullptr;  // the first one, where it is shared memory
};

Platform platforms[2];
Object device, context;
int buffers = 0, released = 0;
std::atomic<int> launches{0};
std::string last_options;
std::map<void*, std::size_t> shared_blocks;

template <class Handle, class T>
Handle handle(T* object) {
  return reinterpret_cast<Handle>(static_cast<Object*>(object));
}
template <class T, class Handle>
T& object(Handle h) {
  return static_cast<T&>(*reinterpret_cast<Object*>(h));
}

cl_int give(const void* from, std::size_t bytes, std::size_t room, void* to, std::size_t* size) {
  if (size) *size = bytes;
  if (!to) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, from, bytes);
  return CL_SUCCESS;
}
cl_int give(std::string_view text, std::size_t room, void* to, std::size_t* size) {
  return give(text.data(), text.size() + 1, room, to, size);  // of literals, which end in 0
}
template <class T>
cl_int give_number(T x, std::size_t room, void* to, std::size_t* size) {
  return give(&x, sizeof x, room, to, size);
}
template <class Handle>
Handle done(cl_int* result, Handle h) {
  if (result) *result = CL_SUCCESS;
  return h;
}

cl_int CL_API_CALL platform_ids(cl_uint room, cl_platform_id* to, cl_uint* count) {
  const cl_uint all = is("twins") ? 2 : 1;
  platforms[0].name = "Made-up A", platforms[1].name = "Made-up B";
  if (count) *count = all;
  for (cl_uint k = 0; to && k < std::min(room, all); ++k)
    to[k] = handle<cl_platform_id>(&platforms[k]);
  return CL_SUCCESS;
}

cl_int CL_API_CALL platform_info(cl_platform_id p, cl_platform_info what, std::size_t room,
                                 void* to, std::size_t* size) {
  switch (what) {
    case CL_PLATFORM_NAME: return give(object<Platform>(p).name, room, to, size);
    case CL_PLATFORM_VERSION: return give("OpenCL 3.0 made-up", room, to, size);
    case CL_PLATFORM_PROFILE: return give("FULL_PROFILE", room, to, size);
    case CL_PLATFORM_EXTENSIONS: return give("cl_khr_icd", room, to, size);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return give("MADEUP", room, to, size);
    default: return give("made-up", room, to, size);
  }
}

cl_int CL_API_CALL device_ids(cl_platform_id, cl_device_type, cl_uint room, cl_device_id* to,
                              cl_uint* count) {
  if (is("crash")) std::raise(SIGSEGV);
  while (is("hang")) pause();
  if (is("empty")) return CL_DEVICE_NOT_FOUND;
  if (count) *count = 1;
  if (to && room) *to = handle<cl_device_id>(&device);
  return CL_SUCCESS;
}

cl_int CL_API_CALL device_info(cl_device_id, cl_device_info what, std::size_t room, void* to,
                               std::size_t* size) {
  const bool small = is("small");
  switch (what) {
    case CL_DEVICE_TYPE: return give_number<cl_device_type>(CL_DEVICE_TYPE_GPU, room, to, size);
    case CL_DEVICE_NAME: return give("Nothing", room, to, size);
    case CL_DEVICE_VERSION: return give("OpenCL 3.0 made-up", room, to, size);
    case CL_DRIVER_VERSION: return give("1", room, to, size);
    case CL_DEVICE_PROFILE:
      return give(is("embedded") ? "EMBEDDED_PROFILE" : "FULL_PROFILE", room, to, size);
    case CL_DEVICE_EXTENSIONS:
      return give(is("spir") ? "cl_khr_icd cl_khr_spir" : "cl_khr_icd", room, to, size);
    case CL_DEVICE_IL_VERSION:
      return give(is("no_il") || is("spir") ? "" : "SPIR-V_1.0 SPIR-V_1.2", room, to, size);
    case CL_DEVICE_AVAILABLE: return give_number<cl_bool>(!is("away"), room, to, size);
    case CL_DEVICE_ENDIAN_LITTLE: return give_number<cl_bool>(!is("big"), room, to, size);
    case CL_DEVICE_ADDRESS_BITS:
      return give_number<cl_uint>(is("narrow") ? 32 : 64, room, to, size);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return give_number<cl_bool>(CL_TRUE, room, to, size);
    case CL_DEVICE_SVM_CAPABILITIES: {
      const cl_device_svm_capabilities coarse = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                                       all = coarse | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                             CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
      return give_number<cl_device_svm_capabilities>(is("svm")      ? coarse
                                                     : is("system") ? all
                                                                    : 0,
                                                     room, to, size);
    }
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return give_number<std::size_t>(small ? 64 : 256, room, to, size);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      const std::size_t sizes[] = {256, 256, 256, 1};
      return give(sizes, (is("few") ? 4 : 3) * sizeof sizes[0], room, to, size);
    }
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return give_number<cl_ulong>(small ? 4096 : 1 << 20, room, to, size);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return give_number<cl_ulong>(1 << 30, room, to, size);
    case CL_DEVICE_LOCAL_MEM_SIZE: return give_number<cl_ulong>(1 << 15, room, to, size);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return give_number<cl_device_fp_config>(CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, room,
                                              to, size);
    case CL_DEVICE_DOUBLE_FP_CONFIG: return give_number<cl_device_fp_config>(0, room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

template <class Handle>
cl_int CL_API_CALL release(Handle) {
  return CL_SUCCESS;
}  // a test is short
void wait_for_a_launch() {
  for (const int before = launches; is("waits") && launches == before;) std::this_thread::yield();
}
cl_int CL_API_CALL flush(cl_command_queue) { return CL_SUCCESS; }
cl_int CL_API_CALL finish(cl_command_queue) {
  wait_for_a_launch();
  buffers -= released, released = 0;
  return CL_SUCCESS;
}
cl_int CL_API_CALL wait(cl_uint, const cl_event*) {
  wait_for_a_launch();
  return is("fault") ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}
cl_int CL_API_CALL event_info(cl_event, cl_event_info, std::size_t room, void* to,
                              std::size_t* size) {
  return give_number<cl_int>(is("fault") ? CL_OUT_OF_RESOURCES : CL_COMPLETE, room, to, size);
}
cl_int CL_API_CALL release_memory(cl_mem) {
  ++released;
  return CL_SUCCESS;
}
/// An event of what is done already.
cl_int done_at_once(cl_event* to) {
  if (to) *to = handle<cl_event>(new Object);
  return CL_SUCCESS;
}

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, std::size_t,
                                                         void*),
                                      void*, cl_int* result) {
  if (is("talks")) std::printf("made up on purpose");
  return done(result, handle<cl_context>(&context));
}
cl_command_queue CL_API_CALL create_queue(cl_context, cl_device_id, cl_command_queue_properties,
                                          cl_int* result) {
  return done(result, handle<cl_command_queue>(new Object));
}
cl_mem CL_API_CALL create_buffer(cl_context, cl_mem_flags, std::size_t bytes, void*,
                                 cl_int* result) {
  const int most = is("small") ? 100 : is("late") ? 8 : 1 << 30;
  if (++buffers > most) {
    --buffers;
    *result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  auto* const memory = new Memory;
  memory->bytes.resize(bytes);
  return done(result, handle<cl_mem>(memory));
}
cl_int CL_API_CALL read(cl_command_queue, cl_mem m, cl_bool, std::size_t at, std::size_t bytes,
                        void* to, cl_uint, const cl_event*, cl_event* done) {
  std::memcpy(to, object<Memory>(m).bytes.data() + at, bytes);
  return done_at_once(done);
}
cl_int CL_API_CALL write(cl_command_queue, cl_mem m, cl_bool, std::size_t at, std::size_t bytes,
                         const void* from, cl_uint, const cl_event*, cl_event* done) {
  std::memcpy(object<Memory>(m).bytes.data() + at, from, bytes);
  return done_at_once(done);
}

void* CL_API_CALL svm_alloc(cl_context, cl_svm_mem_flags flags, std::size_t bytes,
                            cl_uint alignment) {
  if (alignment > 128 || bool(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != is("system") ||
      shared_blocks.size() == 100)
    return nullptr;
  void* const block = std::aligned_alloc(128, (bytes + 127) / 128 * 128);
  shared_blocks[block] = bytes;
  return block;
}
void CL_API_CALL svm_free(cl_context, void* block) {
  if (shared_blocks.erase(block)) std::free(block);
}
cl_int CL_API_CALL enqueue_free(cl_command_queue, cl_uint count, void* blocks[],
                                void(CL_CALLBACK*)(cl_command_queue, cl_uint, void*[], void*),
                                void*, cl_uint waits, const cl_event*, cl_event*) {
  if (waits == 0) return CL_INVALID_EVENT_WAIT_LIST;  // commands may use them
  for (cl_uint i = 0; i < count; ++i) svm_free(nullptr, blocks[i]);
  return CL_SUCCESS;
}
cl_int CL_API_CALL svm_copy(cl_command_queue, cl_bool, void* to, const void* from,
                            std::size_t bytes, cl_uint, const cl_event*, cl_event* done) {
  std::memcpy(to, from, bytes);
  return done_at_once(done);
}
cl_int CL_API_CALL marker(cl_command_queue, cl_uint, const cl_event*, cl_event* to) {
  return done_at_once(to);
}
cl_int CL_API_CALL barrier(cl_command_queue, cl_uint, const cl_event*, cl_event*) {
  return CL_SUCCESS;
}

cl_program CL_API_CALL create_program(cl_context, const void* il, std::size_t bytes,
                                      cl_int* result) {
  std::uint32_t magic = 0;
  if (bytes >= 20) std::memcpy(&magic, il, sizeof magic);
  if (magic == 0x07230203 && !is("refused")) return done(result, handle<cl_program>(new Object));
  *result = CL_INVALID_VALUE;
  return nullptr;
}
cl_int CL_API_CALL build(cl_program, cl_uint, const cl_device_id*, const char* options,
                         void(CL_CALLBACK*)(cl_program, void*), void*) {
  last_options = options;
  return is("log") ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}
cl_int CL_API_CALL program_info(cl_program, cl_program_info, std::size_t, void*, std::size_t*) {
  return CL_INVALID_VALUE;
}
cl_int CL_API_CALL build_info(cl_program, cl_device_id, cl_program_build_info, std::size_t room,
                              void* to, std::size_t* size) {
  return give("word 17: made up on purpose", room, to, size);
}
cl_kernel CL_API_CALL create_kernel(cl_program, const char*, cl_int* result) {
  if (is("no_kernel")) return *result = CL_INVALID_KERNEL_NAME, nullptr;
  return done(result, handle<cl_kernel>(new Kernel));
}
cl_int CL_API_CALL set_argument(cl_kernel k, cl_uint number, std::size_t bytes, const void* from) {
  if (is("no_argument")) return CL_INVALID_ARG_VALUE;
  auto& arguments = object<Kernel>(k).arguments;
  if (arguments.size() <= number) arguments.resize(number + 1);
  arguments[number].assign(bytes, 0);
  if (from) std::memcpy(arguments[number].data(), from, bytes);
  return CL_SUCCESS;
}
cl_int CL_API_CALL set_pointer(cl_kernel k, cl_uint number, const void* to) {
  if (number == 0) object<Kernel>(k).shared = const_cast<char*>(static_cast<const char*>(to));
  return set_argument(k, number, 0, nullptr);
}
cl_int CL_API_CALL kernel_info(cl_kernel, cl_device_id, cl_kernel_work_group_info, std::size_t room,
                               void* to, std::size_t* size) {
  return is("few") ? give_number<std::size_t>(100, room, to, size) : CL_INVALID_VALUE;
}
cl_int CL_API_CALL launch(cl_command_queue, cl_kernel k, cl_uint, const std::size_t*,
                          const std::size_t*, const std::size_t* local, cl_uint, const cl_event*,
                          cl_event*) {
  if (local[0] * local[1] * local[2] > (is("small") ? 64u : is("few") ? 100u : 256u))
    return CL_INVALID_WORK_GROUP_SIZE;
  if (is("full")) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (is("idle")) return CL_SUCCESS;
  ++launches;
  cl_mem memory = nullptr;
  std::uint64_t distance = 0;
  const auto& arguments = object<Kernel>(k).arguments;
  std::memcpy(&distance, arguments[1].data(), sizeof distance);
  if (arguments[0].size() == sizeof memory)
    std::memcpy(&memory, arguments[0].data(), sizeof memory);
  std::int32_t number = 0;
  char* const at =
      (memory ? object<Memory>(memory).bytes.data() : object<Kernel>(k).shared) + distance;
  std::memcpy(&number, at, sizeof number), ++number, std::memcpy(at, &number, sizeof number);
  return CL_SUCCESS;
}

cl_icd_dispatch all_functions() {
  cl_icd_dispatch d{};
  d.clGetPlatformIDs = platform_ids, d.clGetPlatformInfo = platform_info,
  d.clGetDeviceIDs = device_ids, d.clGetDeviceInfo = device_info;
  d.clCreateContext = create_context, d.clReleaseContext = release<cl_context>;
  d.clCreateCommandQueue = create_queue,
  d.clReleaseCommandQueue = d.clRetainCommandQueue = release<cl_command_queue>;
  d.clFlush = flush, d.clFinish = finish, d.clWaitForEvents = wait, d.clGetEventInfo = event_info;
  d.clCreateBuffer = create_buffer, d.clReleaseMemObject = release_memory,
  d.clEnqueueReadBuffer = read, d.clEnqueueWriteBuffer = write;
  d.clCreateProgramWithIL = create_program, d.clBuildProgram = build,
  d.clGetProgramInfo = program_info, d.clGetProgramBuildInfo = build_info;
  d.clReleaseProgram = release<cl_program>, d.clCreateKernel = create_kernel,
  d.clReleaseKernel = release<cl_kernel>;
  d.clSetKernelArg = set_argument, d.clGetKernelWorkGroupInfo = kernel_info,
  d.clEnqueueNDRangeKernel = launch;
  d.clSVMAlloc = svm_alloc, d.clSVMFree = svm_free, d.clEnqueueSVMFree = enqueue_free,
  d.clEnqueueSVMMemcpy = svm_copy;
  d.clSetKernelArgSVMPointer = set_pointer, d.clEnqueueMarkerWithWaitList = marker,
  d.clEnqueueBarrierWithWaitList = barrier;
  d.clReleaseEvent = d.clRetainEvent = release<cl_event>;
  return d;
}
cl_icd_dispatch functions = all_functions();

}  // namespace

extern "C" {
[[gnu::visibility("default")]] cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
                                                                         cl_platform_id* to,
                                                                         cl_uint* count) {
  return platform_ids(room, to, count);
}
[[gnu::visibility("default")]] cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p,
                                                                    cl_platform_info what,
                                                                    std::size_t room, void* to,
                                                                    std::size_t* size) {
  return platform_info(p, what, room, to, size);
}
/// For tests: blocks of shared memory that are not freed.
[[gnu::visibility("default")]] unsigned made_up_shared_blocks() {
  return unsigned(shared_blocks.size());
}
/// And the options of the last build.
[[gnu::visibility("default")]] const char* made_up_options() { return last_options.c_str(); }
[[gnu::visibility("default")]] void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return std::string_view(name) == "clIcdGetPlatformIDsKHR"
             ? reinterpret_cast<void*>(clIcdGetPlatformIDsKHR)
             : nullptr;
}
}
