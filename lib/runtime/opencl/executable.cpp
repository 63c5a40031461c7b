// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/executable.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runtime/opencl/device.h"
#include "runtime/opencl/translate.h"
#include "support/error.h"

namespace krait::runtime::opencl {

Blob::Blob(std::span<const std::byte> binary, const std::string& kernel_name)
    : envelope(support::open_or_fail(binary, support::TargetKind::OpenCl, kernel_name)) {
  const std::string_view own = envelope.own, code = std::exchange(envelope.code, {});
  const std::size_t records = own.size() < sizeof facts ? 0 : own.size() - sizeof facts;
  if (own.size() >= sizeof facts) std::memcpy(&facts, own.data(), sizeof facts);
  if (own.size() < sizeof facts || records % sizeof(support::OpenClParameter) || code.size() % 4 ||
      facts.one_trip >= code.size() / 4)
    support::fail_device(
        "kernel {}: its code is damaged: {} bytes of facts about it and {} of words", kernel_name,
        own.size(), code.size());
  parameters.resize(records / sizeof(support::OpenClParameter)), words.resize(code.size() / 4);
  if (records) std::memcpy(parameters.data(), own.data() + sizeof facts, records);
  std::memcpy(words.data(), code.data(), code.size());
}

OpenClExecutable::~OpenClExecutable() {
  if (Api::gone()) return;
  for (const Program& p : programs_) {
    if (p.kernel) gpu_.cl->clReleaseKernel(p.kernel);
    if (p.program) gpu_.cl->clReleaseProgram(p.program);
  }
}

std::size_t OpenClExecutable::largest_block(cl_kernel kernel) const {
  std::size_t own = 0;
  const cl_int result = gpu_.cl->clGetKernelWorkGroupInfo(
      kernel, gpu_.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof own, &own, nullptr);
  return result == CL_SUCCESS && own ? std::min(own, gpu_.work_group_size) : gpu_.work_group_size;
}

Executable::Attributes OpenClExecutable::attributes() const {
  std::size_t most = gpu_.work_group_size;
  for (const Program& p : programs_)
    if (p.kernel) most = std::min(most, largest_block(p.kernel));
  return {0, std::int64_t(blob_.envelope.fixed_shared), blob_.facts.local_bytes, int(most)};
}

/// A kernel with many registers may have smaller blocks than the device has, which shows when it
/// was built.
int OpenClExecutable::suggested_block(bool one_trip) {
  const auto& block = blob_.envelope.block;
  if (block[0]) return int(block[0] * block[1] * block[2]);
  std::atomic<int>& suggested = programs_[one_trip].suggested;
  if (const int known = suggested.load(std::memory_order_relaxed)) return known;
  const auto held = device_.enter();
  const std::size_t most = std::min(largest_block(kernel(one_trip)), gpu_.work_item_sizes[0]);
  suggested = int(std::bit_floor(std::clamp<std::size_t>(most, 1, 256)));
  return suggested;
}

cl_kernel OpenClExecutable::kernel(bool one_trip) {
  Program& p = programs_[one_trip];
  if (p.kernel) return p.kernel;
  if (!p.program) p.program = build(one_trip);
  cl_int result = CL_SUCCESS;
  p.kernel = gpu_.cl->clCreateKernel(p.program, blob_.envelope.entry.c_str(), &result);
  if (result != CL_SUCCESS)
    support::fail_device("kernel {}: {} built it, but the program has no kernel: {}", name_,
                         gpu_.name, name_of(result));
  return p.kernel;
}

/// False, and the driver's log.
bool OpenClExecutable::build(cl_program program, const std::string& options,
                             std::string& log) const {
  const cl_int result =
      gpu_.cl->clBuildProgram(program, 1, &gpu_.device, options.c_str(), nullptr, nullptr);
  if (result == CL_SUCCESS) return true;
  std::size_t bytes = 0;
  gpu_.cl->clGetProgramBuildInfo(program, gpu_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  log.assign(bytes, '\0');
  if (bytes)
    gpu_.cl->clGetProgramBuildInfo(program, gpu_.device, CL_PROGRAM_BUILD_LOG, bytes, log.data(),
                                   nullptr);
  log = name_of(result) + "\n" + log.c_str();
  return false;
}

/// Null where the driver does not take it.
cl_program OpenClExecutable::from_binary(const std::string& binary, const std::string& options,
                                         std::string& log) const {
  const std::size_t size = binary.size();
  const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS, result = CL_SUCCESS;
  cl_program program =
      gpu_.cl->clCreateProgramWithBinary(context_, 1, &gpu_.device, &size, &data, &status, &result);
  if (program && result == CL_SUCCESS && status == CL_SUCCESS && build(program, options, log))
    return program;
  if (log.empty()) log = name_of(result != CL_SUCCESS ? result : status);
  if (program) gpu_.cl->clReleaseProgram(program);
  return nullptr;
}

cl_program OpenClExecutable::build(bool one_trip) const {
  std::vector<std::uint32_t> words = blob_.words;
  // OpSpecConstantTrue; false has the number after it
  constexpr std::uint32_t spec_constant_true = 48;
  if (one_trip)
    words[blob_.facts.one_trip] = (words[blob_.facts.one_trip] & 0xffff'0000) | spec_constant_true;
  const std::string_view source(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  // Of -cl-fast-relaxed-math what fast mode allows: functions are built of exact sums, and numbers
  // may be infinite.
  const std::string options = blob_.facts.fast        ? " -cl-denorms-are-zero"
                              : gpu_.rounds_correctly ? " -cl-fp32-correctly-rounded-divide-sqrt"
                                                      : "";
  const std::string key =
      fmt::format("OpenCL program\ndevice {}\noptions{}\n", gpu_.version, options);
  std::string log;
  if (gpu_.store)
    if (const auto kept = gpu_.store->find(key, source))
      if (cl_program program = from_binary(*kept, "", log)) return program;
  cl_program program = nullptr;
  log.clear();
  if (gpu_.takes_il) {
    cl_int result = CL_SUCCESS;
    program = gpu_.cl->clCreateProgramWithIL(context_, source.data(), source.size(), &result);
    if (!program || result != CL_SUCCESS) log = name_of(result);
    else if (!build(program, options, log)) gpu_.cl->clReleaseProgram(program), program = nullptr;
  } else {
    std::string why;
    const Translator* const translator = Translator::open(why);
    if (!translator) support::fail_device("kernel {}: {}", name_, why);
    program =
        from_binary(translator->run(words, false, name_), "-x spir -spir-std=1.2" + options, log);
  }
  if (!program) support::fail_device("kernel {}: {} cannot build it: {}", name_, gpu_.name, log);
  if (gpu_.store)
    if (std::string made = binary_of(program); !made.empty())
      gpu_.store->keep(name_, key, source, std::move(made));
  return program;
}

std::string OpenClExecutable::binary_of(cl_program program) const {
  std::size_t size = 0;
  if (gpu_.cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0)
    return {};
  std::string binary(size, '\0');
  char* to = binary.data();
  return gpu_.cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, static_cast<void*>(&to),
                                   nullptr) == CL_SUCCESS
             ? binary
             : std::string();
}

}  // namespace krait::runtime::opencl

namespace krait::runtime {

std::string opencl_llvm_text(std::span<const std::byte> binary) {
  using namespace opencl;
  const Blob blob(binary, "dump");
  std::string why;
  const Translator* const translator = Translator::open(why);
  if (!translator) support::fail_device("{}", why);
  return translator->run(blob.words, true, "dump");
}

}  // namespace krait::runtime
