// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling ahead of the first call, on the caller's thread or in the background.
#include "krait/compilation.h"

#include "devices/background.h"
#include "host/kernel_state.h"
#include "support/error.h"

namespace krait {

using host::DeviceHandle;

struct compilation::state {
  host::Coming coming;
};

compilation::~compilation() { delete state_; }

bool compilation::ready() const noexcept {
  return !state_ || state_->coming.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void compilation::wait() const {
  if (!state_) return;
  try {
    state_->coming.get();
  } catch (const std::future_error&) {  // dropped, as nobody can launch any more
    support::fail_device("a kernel was not compiled because the process is exiting");
  }
}

void wait_for_compilations() { host::wait_for_background(); }

namespace detail {
namespace {

/// What calls have with arrays of their own and blocks of one row of whole warps.
ir::Facts usual_facts(const host::Specialisation& spec, const DeviceHandle& device) {
  if (spec.recorded.raw) return {};
  ir::Facts facts{true, true, true, true};
  const support::TargetInfo& target = support::info(device.target.kind);
  facts.aligned = target.aligned;
  facts.aligned_rows = target.aligned && spec.asks_for_rows;
  if (target.blocks) facts.whole_rows = facts.one_row = spec.asks_for_block;
  return facts;
}

/// What compile_async asks for. It has a copy of the recording: the kernel object may be gone
/// before its turn comes.
struct Ahead final : host::Work {
  host::Recorded recorded;
  ir::Facts facts;
  DeviceHandle& device;
  std::promise<std::shared_ptr<const host::Compiled>> promise;

  Ahead(const host::Recorded& of, const ir::Facts& with, DeviceHandle& on)
      : recorded(of), facts(with), device(on) {}
  void run() noexcept override {
    try {
      promise.set_value(host::compile(recorded, facts, device, host::Effort::Best));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }
};

}  // namespace

void compile(kernel_state* state, const void* lambda, const signature& as) {
  if (!state) support::fail_usage("a moved-from kernel object is compiled");
  host::Specialisation& spec = host::specialise(*state, lambda, as);
  DeviceHandle& device = host::Devices::get().default_device();
  const ir::Facts facts = usual_facts(spec, device);
  if (!host::find_code(spec, device, facts, host::Effort::Best))
    host::code_for(*state, spec, device, facts, host::Effort::Best);
}

compilation compile_async(kernel_state* of, const void* lambda, const signature& as) {
  if (!of) support::fail_usage("a moved-from kernel object is compiled");
  // the lambda runs on its owner's thread
  host::Specialisation& spec = host::specialise(*of, lambda, as);
  DeviceHandle& device = host::Devices::get().default_device();
  const ir::Facts facts = usual_facts(spec, device);
  auto ahead = std::make_unique<Ahead>(spec.recorded, facts, device);
  auto made = std::make_unique<compilation::state>();
  made->coming = ahead->promise.get_future().share();
  host::expect_code(*of, spec, device, facts, made->coming);
  host::run_in_background(host::Task::Asked, device, std::move(ahead));
  return compilation(made.release());
}

}  // namespace detail
}  // namespace krait
