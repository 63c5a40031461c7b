// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that the library makes for types and sizes that a call has: a function records each, and
// they are kept by a key.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "krait/algorithm/detail/any_array.h"
#include "algorithms/recorded.h"

namespace krait::host {

class LibraryKernel {
 public:
  /// Records the kernel's body for its parameters' nodes.
  using Record = std::function<void(const node* parameters)>;
  LibraryKernel(const options& with, std::vector<detail::parameter_type> parameters, Record record,
                detail::location where);
  static std::unique_ptr<LibraryKernel> make(const options& with,
                                             std::vector<detail::parameter_type> parameters,
                                             Record record,
                                             detail::location where = detail::location::here()) {
    return std::make_unique<LibraryKernel>(with, std::move(parameters), std::move(record), where);
  }
  LibraryKernel(const LibraryKernel&) = delete;
  LibraryKernel& operator=(const LibraryKernel&) = delete;
  ~LibraryKernel() { detail::free_kernel_state(state_); }

  /// With one argument for each parameter. They are on the stack: to allocate that many bytes costs
  /// as much as the rest of a small call.
  using Arguments = std::initializer_list<detail::argument>;
  void launch(const dims& grid, const dims& block, const detail::argument* arguments) const;
  void launch(const dims& grid, const dims& block, Arguments arguments) const {
    launch(grid, block, arguments.begin());
  }
  /// At least so many threads.
  void cover(std::int64_t threads, Arguments arguments) const;
  /// The IR, of a kernel that need not have run.
  text ir() const;

 private:
  static void record(const void* kernel, const node* parameters);
  void call(const detail::call_config& config, const detail::argument* arguments) const;

  std::vector<detail::parameter_type> parameters_;
  Record record_;
  detail::signature as_;
  detail::kernel_state* state_;
};

inline detail::parameter_type number_parameter(scalar type) { return {type, 0, false, false, 0}; }
inline detail::parameter_type index_parameter() { return number_parameter(scalar::i64); }
inline detail::parameter_type view_parameter(scalar element, int rank, bool writable,
                                             std::uint32_t element_bytes) {
  return {element, static_cast<unsigned char>(rank), writable, false, element_bytes};
}
inline detail::parameter_type view_parameter(scalar element, int rank, bool writable = false) {
  return view_parameter(element, rank, writable, bytes_of(element));
}

inline detail::argument number_argument(std::uint64_t bits) {
  detail::argument a;
  a.bits = bits;
  return a;
}
inline detail::argument number_argument(std::int64_t x) {
  return number_argument(static_cast<std::uint64_t>(x));
}
detail::argument array_argument(const detail::any_array& x);

/// What a kernel is made for: who makes it, and the numbers in which its kernels differ.
struct KernelKey {
  const void* maker;
  std::array<int, 10> numbers{};
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

/// Kernels by their keys.
class KernelStore {
 public:
  using Make = detail::function_ref<std::unique_ptr<LibraryKernel>()>;
  const LibraryKernel& of(const KernelKey& key, const Make& make);
  /// Those of the library alone, without a user's function; never destroyed.
  static KernelStore& of_library();

 private:
  std::mutex mutex_;
  struct Hash {
    std::size_t operator()(const KernelKey& key) const noexcept;
  };
  std::unordered_map<KernelKey, std::unique_ptr<LibraryKernel>, Hash> made_;
};

}  // namespace krait::host
