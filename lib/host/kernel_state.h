// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slot in a kernel object: its recordings, one a signature, and their code, one variant a
// device and set of launch facts. Finding them takes no lock: lists only grow, and a new entry is
// published by one atomic store.
#pragma once

#include <array>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "host/jit.h"
#include "ir/weight.h"
#include "krait/detail/call.h"

namespace krait::host {

/// Recordings of a kernel object for certain values of kr::specialized parameters, of one
/// signature; later values share one for all.
inline constexpr unsigned max_specialized = 16;
// bytes of numbers and aggregates in one launch
inline constexpr std::uint64_t max_by_value = 4096;

/// Code of one specialisation on one device for blocks of one kind, by the facts of the launch.
struct DeviceCode {
  static constexpr unsigned most_variants = 64;
  DeviceHandle* device = nullptr;
  ir::Facts block;  // what they say of blocks
  std::array<std::atomic<const Compiled*>, most_variants> variants{};
  std::array<std::shared_ptr<const Compiled>, most_variants>
      owners;  // written under the state's mutex
  // quick code, which launches of other threads may still be using
  std::vector<std::shared_ptr<const Compiled>> replaced;
  DeviceCode* next = nullptr;
};

using Coming = std::shared_future<std::shared_ptr<const Compiled>>;

/// Code that is being compiled in the background. It is the kernel's from then on.
struct Expected {
  DeviceHandle* device;
  ir::Facts facts;
  Coming coming;
  int process;  // a child of fork has no such thread
};

/// A recording's tables in one device's memory.
struct DeviceTables {
  DeviceHandle* device = nullptr;
  // null: of an empty one. Releases them
  std::shared_ptr<const std::vector<detail::storage*>> memory;
  DeviceTables* next = nullptr;
};

struct Specialisation {
  const detail::signature* as = nullptr;
  // of the kr::specialized parameters, by which it is for these alone; none: for all
  std::vector<std::uint64_t> values;
  Recorded recorded;
  // what the kernel does to each array parameter, dead code aside
  std::array<bool, 256> reads{}, writes{};
  // how the threads of a block lie matters: the facts that Facts::set_block sets do
  bool asks_for_block = false;
  // a thread accesses elements beside each other: whether rows are aligned matters
  bool asks_for_rows = false;
  // more registers may help: whether all threads have room for them matters
  bool asks_for_registers = false;
  // of a thread, or of an element where it goes over arrays by grid_stride: an estimate
  ir::Work work;
  bool strides = false;                                // by grid_stride
  std::span<const detail::parameter_type> parameters;  // the signature's
  std::vector<std::uint8_t> arrays;                    // those of them that are arrays, ascending
  std::atomic<DeviceCode*> codes{nullptr};
  std::vector<Expected> expected;  // under the state's mutex
  std::atomic<DeviceTables*> tables{nullptr};
  Specialisation* next = nullptr;
  ~Specialisation();
};

}  // namespace krait::host

namespace krait::detail {

struct kernel_state {
  std::atomic<unsigned> owners{1};  // kernel objects: the first one and its copies
  std::string name;
  location where;
  options with;
  dims fixed_block;
  bool never_checked = false;  // whatever KRAIT_CHECK says
  std::atomic<host::Specialisation*> specialisations{nullptr};
  std::atomic<host::Specialisation*> last{nullptr};
  // held while a list grows, never while recording
  std::mutex mutex;
  // kernels of its methods, by kind; under the mutex
  std::map<const void*, std::unique_ptr<kernel_state>> beside;
  ~kernel_state();
};

}  // namespace krait::detail

namespace krait::host {

/// The kernel for messages: its name and where it was made.
std::string describe(const detail::kernel_state& state);
/// Finds the recording for a signature, or makes it; with arguments, one for the values of
/// kr::specialized parameters.
Specialisation& specialise(detail::kernel_state& state, const void* lambda,
                           const detail::signature& as,
                           const detail::argument* arguments = nullptr);
/// A recording that was made elsewhere, a kernel in text form, for a kernel object that has none.
Specialisation& adopt(detail::kernel_state& state, ir::Module module, const detail::signature& as);
/// The same of a kernel in a pack, with its tables, whose code there is taken where it fits.
Specialisation& adopt(detail::kernel_state& state, std::shared_ptr<const PackedKernel> packed,
                      const detail::signature& as);
/// The same of a raw kernel.
Specialisation& adopt(detail::kernel_state& state, std::shared_ptr<const RawKernel> raw,
                      const detail::signature& as);
/// Whether threads see more of their block than its place in the grid, and the block's size is not
/// part of the recording.
bool asks_for_block(const ir::Module& module);
bool asks_for_rows(const ir::Module& module);
bool asks_for_registers(const ir::Module& module);
/// Notes code that comes, so that `code_for` waits for it.
void expect_code(detail::kernel_state& state, Specialisation& spec, DeviceHandle& device,
                 const ir::Facts& facts, const Coming& coming);
/// The code that a launch takes; null where it has to be made, or better code waits to be taken.
/// Takes no lock.
const Compiled* find_code(const Specialisation& spec, const DeviceHandle& device,
                          const ir::Facts& facts, Effort at_least);
/// Takes better code, waits for what was asked for ahead, or makes it, with that effort at least.
const Compiled& code_for(detail::kernel_state& state, Specialisation& spec, DeviceHandle& device,
                         const ir::Facts& facts, Effort effort);
/// The facts of variant `which`.
ir::Facts facts_of(const DeviceCode& codes, unsigned which);

/// The shared owner of code that code_for gave.
std::shared_ptr<const Compiled> owner_of(detail::kernel_state& state, const Specialisation& spec,
                                         const Compiled& code);

}  // namespace krait::host
