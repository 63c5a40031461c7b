// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the library: how they are kept and called.
#include "algorithms/library_kernel.h"

namespace krait::host {

LibraryKernel::LibraryKernel(const options& with, std::vector<detail::parameter_type> parameters,
                             Record record, detail::location where)
    : parameters_(std::move(parameters)),
      record_(std::move(record)),
      as_{parameters_.data(), unsigned(parameters_.size()), &LibraryKernel::record},
      state_(detail::make_kernel_state(with, with.block, where)) {}

void LibraryKernel::record(const void* kernel, const node* parameters) {
  static_cast<const LibraryKernel*>(kernel)->record_(parameters);
}

void LibraryKernel::call(const detail::call_config& config,
                         const detail::argument* arguments) const {
  detail::call(state_, this, as_, arguments, config);
}
void LibraryKernel::launch(const dims& grid, const dims& block,
                           const detail::argument* arguments) const {
  detail::call_config config;
  config.grid = grid, config.block = block;
  call(config, arguments);
}
void LibraryKernel::cover(std::int64_t threads, Arguments arguments) const {
  detail::call_config config;
  config.form = detail::call_config::threads, config.count = threads;
  call(config, arguments.begin());
}

text LibraryKernel::ir() const {
  detail::compile(state_, this, as_);
  return detail::inspect(state_, "ir", nullptr);
}

detail::argument array_argument(const detail::any_array& x) {
  detail::argument a;
  a.kind = detail::argument::device_array, a.memory = x.memory.get();
  a.rank = static_cast<unsigned char>(x.at.rank);
  a.offset = static_cast<std::uint64_t>(x.at.offset) * x.bytes;
  for (int d = 0; d < x.at.rank; ++d)
    a.extents[d] = x.at.extents[d], a.strides[d] = x.at.strides[d];
  return a;
}

std::size_t KernelStore::Hash::operator()(const KernelKey& key) const noexcept {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(key.maker);
  for (const int n : key.numbers) hash = (hash ^ std::uint64_t(unsigned(n))) * 0x100000001b3;
  return hash ^ hash >> 29;
}
const LibraryKernel& KernelStore::of(const KernelKey& key, const Make& make) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<LibraryKernel>& kept = made_[key];
  if (!kept) kept = make();
  return *kept;
}
KernelStore& KernelStore::of_library() {
  static KernelStore& all = *new KernelStore;
  return all;
}

}  // namespace krait::host
