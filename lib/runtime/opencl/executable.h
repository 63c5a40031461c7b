// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module on a device, as the driver's programs: one in which threads have any number of trips,
// one for launches of one trip.
#pragma once

#include <atomic>
#include <vector>

#include "runtime/backend.h"
#include "runtime/opencl/instance.h"
#include "support/blobs/envelope.h"
#include "support/blobs/opencl.h"

namespace krait::runtime::opencl {

/// The code generator's bytes, taken apart. Throws krait::error where they are damaged.
struct Blob {
  Blob(std::span<const std::byte> binary, const std::string& kernel_name);
  support::Envelope envelope;  // without its code
  support::OpenClCode facts;
  std::vector<support::OpenClParameter> parameters;
  std::vector<std::uint32_t> words;
};

class OpenClDevice;

class OpenClExecutable final : public Executable {
 public:
  OpenClExecutable(const OpenClDevice& device, const Gpu& gpu, cl_context context,
                   std::span<const std::byte> binary, const std::string& kernel_name)
      : device_(device),
        gpu_(gpu),
        context_(context),
        name_(kernel_name),
        blob_(binary, kernel_name) {}
  ~OpenClExecutable() override;

  Attributes attributes() const override;
  int suggested_block(bool one_trip) override;

  cl_kernel kernel(bool one_trip);
  const support::Envelope& envelope() const { return blob_.envelope; }
  const std::vector<support::OpenClParameter>& parameters() const { return blob_.parameters; }
  const std::string& name() const { return name_; }

 private:
  struct Program {
    cl_program program = nullptr;
    cl_kernel kernel = nullptr;
    std::atomic<int> suggested{0};  // 0: not known yet
  };
  /// Threads of the largest block that this kernel may have on the device.
  std::size_t largest_block(cl_kernel kernel) const;
  cl_program build(bool one_trip) const;
  cl_program from_binary(const std::string& binary, const std::string& options,
                         std::string& log) const;
  bool build(cl_program program, const std::string& options, std::string& log) const;
  std::string binary_of(cl_program program) const;

  const OpenClDevice& device_;
  const Gpu& gpu_;
  cl_context context_;
  std::string name_;
  Blob blob_;
  Program programs_[2];
};

}  // namespace krait::runtime::opencl
