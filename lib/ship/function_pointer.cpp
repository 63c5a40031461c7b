// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function pointers: a kernel of one thread, which a few instructions of C's calling convention
// lead to. A call fills in the argument block and runs the code in place, without the pool of
// threads.
#include "krait/function_pointer.h"

#include <alloca.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "host/hidden.h"
#include "host/kernel_state.h"
#include "devices/reports.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/native.h"
#include "support/error.h"
#include "support/float_environment.h"

namespace krait::detail {

using host::Compiled;
using runtime::cpu::NativeCall;

struct native_function {
  std::unique_ptr<kernel_state> state;
  std::string what;  // for messages
  std::vector<native_type> parameters;
  std::vector<bool> is_array;
  native_type result{};
  std::shared_ptr<const Compiled> compiled;
  const runtime::cpu::Code* code = nullptr;
  host::HiddenArguments hidden;
  std::size_t scratch_bytes = 0;
  std::atomic<bool> gone{false};
  std::unique_ptr<runtime::cpu::NativeFunction> native;
};

}  // namespace krait::detail

namespace krait::host {
namespace {

using detail::argument;
using detail::native_function;
using detail::native_type;
using detail::NativeCall;

// Of views, whose pointers say nothing of it: as large as 32-bit addresses allow.
constexpr std::int64_t some_extent = std::int64_t(1) << 30;
constexpr std::size_t most_scratch = 64 << 10;  // on the caller's stack
constexpr std::size_t most_block = 4096;

/// Zero-extended, whatever stands above it in a register.
std::uint64_t low_bytes(std::uint64_t bits, unsigned bytes) {
  return bytes == 8 ? bits : bits & ((std::uint64_t(1) << 8 * bytes) - 1);
}

/// Of a number in memory, extended as callers of C expect it.
std::uint64_t extended(std::uint64_t bits, const native_type& t) {
  if (t.kind != native_type::integer || !t.is_signed || t.bytes == 8)
    return low_bytes(bits, t.bytes);
  const unsigned above = 64 - 8 * t.bytes;
  return std::uint64_t(std::int64_t(bits << above) >> above);
}

void run(const native_function& f, NativeCall& call) {
  // Not one argument more than there are: zeroing those would take most of the call.
  const std::size_t count = f.parameters.size() + 1;
  auto* const arguments = new (alloca(count * sizeof(argument))) argument[count];
  auto* const addresses = static_cast<std::uint64_t*>(alloca(count * sizeof(std::uint64_t)));
  unsigned integers = 0, floats = 0, i = 0;
  const std::uint64_t* behind = call.behind;
  for (; i < f.parameters.size(); ++i) {
    const native_type& t = f.parameters[i];
    const bool is_float = t.kind == native_type::floating;
    const std::uint64_t bits = is_float ? (floats < 8 ? call.floats[floats++] : *behind++)
                                        : (integers < 6 ? call.integers[integers++] : *behind++);
    if (f.is_array[i])
      addresses[i] = bits, arguments[i].extents[0] = some_extent, arguments[i].strides[0] = 1;
    else arguments[i].bits = low_bytes(bits, t.bytes);
  }
  call.result = 0;
  if (f.result.kind != native_type::nothing)
    addresses[i] = reinterpret_cast<std::uint64_t>(&call.result),
    arguments[i].extents[0] = arguments[i].strides[0] = 1;

  alignas(16) std::byte block[most_block + Packing::slack];
  f.compiled->packing.pack(block, {arguments, addresses, f.hidden.values.data(), {}});
  auto* const stack = static_cast<std::byte*>(alloca(f.scratch_bytes + 64));
  std::byte* const scratch = stack + (64 - reinterpret_cast<std::uintptr_t>(stack) % 64);
  const CpuLaunch launch{{1, 1, 1}, {1, 1, 1}, 0, runtime::cpu::helpers(), 0};
  const bool is_range = f.code->facts().mode == CpuMode::Range;
  const CpuBox box{0, is_range ? f.code->extent()(block, &launch) : 1, 0, 1};
  const DefaultFloatEnvironment as_kernels_have_it;
  f.code->entry()(block, &launch, &box, scratch);
  call.result = extended(call.result, f.result);
}

/// What C calls.
void enter(void* object, NativeCall* call) noexcept {
  const native_function& f = *static_cast<const native_function*>(object);
  if (!f.gone) return run(f, *call);
  std::fprintf(stderr,
               "krait: %s: the function pointer is called after its object was destroyed: "
               "keep the object as long as the pointer\n",
               f.what.c_str());  // allocates nothing
  call->result = 0;
}

/// With KRAIT_DEBUG=1: those whose objects are gone, so that calls of them can be told.
void keep(native_function* f) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<native_function*>;
  f->gone = true;
  std::lock_guard lock(mutex);
  try {
    kept->push_back(f);
  } catch (const std::bad_alloc&) {  // it stays allocated all the same
  }
}

void check(const native_function& f) {
  if (f.hidden.reports)
    support::fail_usage(
        "{}: a function pointer cannot print or check: its C caller cannot receive errors", f.what);
  if (f.compiled->lengths.count() > 0)
    support::fail_usage(
        "{}: a function pointer cannot use dynamic_shared: its C caller gives no length", f.what);
  if (f.scratch_bytes > most_scratch)
    support::fail_usage(
        "{}: the arrays of a function pointer are on the caller's stack: "
        "they take {} bytes, at most {} are allowed",
        f.what, f.scratch_bytes, most_scratch);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

native_function* make_native_function(const options& with, location where, const void* lambda,
                                      const signature& as, const native_type* parameters,
                                      native_type result) {
  if (recording_active())
    support::fail_usage(
        "a function pointer is made while a kernel is being recorded: make it before");
  auto f = std::make_unique<native_function>();
  f->state.reset(make_kernel_state(with, {1, 1, 1}, where));
  f->state->never_checked = true;
  f->what = host::describe(*f->state);
  f->result = result;
  const unsigned count = as.count - unsigned(result.kind != native_type::nothing);
  f->parameters.assign(parameters, parameters + count);
  for (unsigned i = 0; i < count; ++i) f->is_array.push_back(as.parameters[i].rank > 0);

  host::Specialisation& spec = host::specialise(*f->state, lambda, as);
  host::DeviceHandle& cpu = host::Devices::get().cpu();
  const ir::Facts facts{true, false, true, false};  // pointers may be to one array
  f->compiled = host::compile(spec.recorded, facts, cpu, host::Effort::Best);
  f->code = &dynamic_cast<const runtime::cpu::Code&>(*f->compiled->code);
  f->hidden = host::bind_hidden(*f->compiled, *f->state, spec, cpu, nullptr, nullptr, nullptr);
  f->scratch_bytes = f->code->fixed_shared() + f->code->facts().gang_bytes;
  host::check(*f);
  f->native = std::make_unique<runtime::cpu::NativeFunction>(f.get(), &host::enter);
  return f.release();
}

void free_native_function(native_function* function) noexcept {
  if (function && host::debug_mode()) host::keep(function);
  else delete function;
}

void* address_of(const native_function* function) noexcept {
  return function ? function->native->address() : nullptr;
}

}  // namespace krait::detail
