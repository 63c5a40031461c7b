// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface: packs, kernels, memory. Each function is one of the library's, whose exceptions
// become codes and texts.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "devices/devices.h"
#include "host/kernel_state.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "host/pack_kernels.h"
#include "devices/reports.h"
#include "ir/text/text.h"
#include "krait/krait_c.h"
#include "support/error.h"

using krait::host::DeviceHandle;
namespace detail = krait::detail;
namespace host = krait::host;

struct krait_pack {
  std::shared_ptr<const host::Pack> pack;
};

struct krait_kernel {
  std::string what;  // for messages
  std::shared_ptr<const host::PackedKernel> packed;
  std::vector<detail::parameter_type> parameters;
  detail::signature as{};
  detail::kernel_state* state = nullptr;
  ~krait_kernel() { detail::free_kernel_state(state); }
};

struct krait_memory {
  detail::storage* storage;
};

struct krait_stream {
  krait::stream stream;
};

namespace {

char* copy_of(const char* text) {
  const std::size_t bytes = std::strlen(text) + 1;
  auto* const copy = static_cast<char*>(std::malloc(bytes));
  return copy ? static_cast<char*>(std::memcpy(copy, text, bytes)) : nullptr;
}

template <class Action>
krait_code run(char** message, const Action& action) noexcept {
  const auto failed = [&](krait_code code, const char* text) {
    if (message) *message = copy_of(text);
    return code;
  };
  if (message) *message = nullptr;
  try {
    action();
    return KRAIT_OK;
  } catch (const krait::error& e) {
    return failed(krait_code(int(e.kind()) + 1), e.message());
  } catch (const std::bad_alloc&) {
    return failed(KRAIT_DEVICE, "out of host memory");
  } catch (const std::exception& e) {
    return failed(KRAIT_INTERNAL, e.what());
  }
}

/// What the caller may not leave out.
template <class T>
T& given(T* object, const char* function, const char* what) {
  if (!object) krait::support::fail_usage("{} got a null pointer for its {}", function, what);
  return *object;
}

DeviceHandle& handle(krait_device* device) {
  return device ? *reinterpret_cast<DeviceHandle*>(device) : host::Devices::get().default_device();
}

void check_range(const krait_memory& memory, std::size_t offset, std::size_t bytes,
                 const char* function) {
  const std::size_t all = memory.storage->bytes;
  if (offset > all || bytes > all - offset)
    krait::support::fail_usage("{} of {} bytes at offset {} is beyond the memory's {} bytes",
                               function, bytes, offset, all);
}

std::size_t bytes_of(const detail::parameter_type& p) {
  return p.elem_bytes ? p.elem_bytes : krait::ir::size_of(krait::ir::Scalar(p.type));
}

/// The dimensions of an array, from a caller who may have got them wrong.
void read_layout(detail::argument& to, const krait_argument& from, const detail::parameter_type& p,
                 const std::string& which) {
  constexpr std::int64_t limit = std::int64_t(1) << 62;  // bytes
  if (!from.extents) krait::support::fail_usage("{} has no extents: give {}", which, int(p.rank));
  detail::check_shape(from.extents, p.rank, p.elem_bytes);
  const detail::layout in_c_order = detail::dense(from.extents, p.rank, false);
  to.rank = p.rank;
  for (unsigned d = 0; d < p.rank; ++d) {
    to.extents[d] = from.extents[d],
    to.strides[d] = from.strides ? from.strides[d] : in_c_order.strides[d];
    const std::int64_t steps = std::max<std::int64_t>(to.extents[d] - 1, 1);
    if (to.strides[d] < 0 ||
        to.strides[d] > limit / detail::max_rank / steps / std::int64_t(p.elem_bytes))
      krait::support::fail_usage(
          "{} has the stride {}: expected 0 or more, and less than 2^62 bytes in all", which,
          to.strides[d]);
  }
}

/// Devices read and write numbers at multiples of their size.
void check_alignment(std::uint64_t address, const detail::parameter_type& p,
                     const std::string& which) {
  const std::size_t bytes = krait::ir::size_of(krait::ir::Scalar(p.type));
  if (bytes > 0 && address % bytes != 0)
    krait::support::fail_usage(
        "{} begins at the address {:#x}, which is not a multiple of its element size of {} bytes",
        which, address, bytes);
}

void read_array(detail::argument& to, const krait_argument& from, const detail::parameter_type& p,
                const std::string& which) {
  read_layout(to, from, p, which);
  const std::int64_t end =
      host::reach_of(to.extents, to.strides, p.rank, std::int64_t(p.elem_bytes)).end;
  if (!from.memory) {
    if (!from.data && end > 0)
      krait::support::fail_usage("{} is an array without data and memory: give one of them", which);
    to.kind = detail::argument::host, to.data = from.data;
    return check_alignment(reinterpret_cast<std::uintptr_t>(from.data), p, which);
  }
  if (from.data)
    krait::support::fail_usage("{} is an array with data and with memory: give one of them", which);
  detail::storage* const storage = from.memory->storage;
  if (from.offset > storage->bytes || std::size_t(end) > storage->bytes - from.offset)
    krait::support::fail_usage("{} reaches from byte {} to byte {} of a memory of {} bytes", which,
                               from.offset, from.offset + std::size_t(end), storage->bytes);
  to.kind = detail::argument::device_array, to.memory = storage, to.offset = from.offset;
  check_alignment(storage->address + from.offset, p, which);
}

void read_number(detail::argument& to, const krait_argument& from, const detail::parameter_type& p,
                 const std::string& which) {
  if (!from.data)
    krait::support::fail_usage("{} is null: give the address of its {} bytes", which, bytes_of(p));
  to.kind = detail::argument::value;
  if (p.elem_bytes) to.data = from.data;
  else to.bits = 0, std::memcpy(&to.bits, from.data, bytes_of(p));
  if (p.type == detail::scalar::boolean) to.bits = to.bits != 0;
}

detail::call_config read_config(const krait_launch_config& from, const krait::dims& fixed) {
  detail::call_config to;
  if (from.stream) to.on = &from.stream->stream;
  if (from.device) to.device = &handle(from.device);
  if (from.grid[0] == 0) {
    to.form = detail::call_config::threads, to.count = from.threads;
    return to;
  }
  const auto dims = [](const std::int64_t(&n)[3]) {
    return krait::dims{n[0], n[1] ? n[1] : 1, n[2] ? n[2] : 1};
  };
  to.grid = dims(from.grid);
  to.block = from.block[0] ? dims(from.block) : fixed;
  return to;
}

void launch(krait_kernel& k, const krait_argument* arguments, std::size_t count,
            const krait_launch_config& config) {
  if (count != k.parameters.size())
    krait::support::fail_usage("{} takes {} arguments {}, and is launched with {}", k.what,
                               k.parameters.size(), k.packed->signature(), count);
  if (count > 0) given(arguments, "krait_launch", "arguments");
  detail::argument read[krait::ir::max_given_params];
  for (std::size_t i = 0; i < count; ++i) {
    const std::string which = k.what + ": argument " + std::to_string(i + 1);
    const detail::parameter_type& p = k.parameters[i];
    p.rank ? read_array(read[i], arguments[i], p, which)
           : read_number(read[i], arguments[i], p, which);
  }
  detail::call(k.state, nullptr, k.as, read, read_config(config, k.state->fixed_block));
}

}  // namespace

void krait_free_message(char* message) { std::free(message); }

// ---- devices, streams, memory -------------------------------------------------------------------

krait_code krait_find_device(const char* name, krait_device** device, char** message) {
  return run(message, [&] {
    auto*& out = given(device, "krait_find_device", "device");
    out = reinterpret_cast<krait_device*>(name ? &host::handle(krait::device::find(name))
                                               : &handle(nullptr));
  });
}

const char* krait_device_id(const krait_device* device) {
  return device ? reinterpret_cast<const DeviceHandle*>(device)->id.c_str() : "";
}

krait_code krait_synchronize(krait_device* device, char** message) {
  return run(message, [&] {
    device ? host::to_public(handle(device)).synchronize() : krait::synchronize();
  });
}

krait_code krait_make_stream(krait_device* device, void* native, krait_stream** stream,
                             char** message) {
  return run(message, [&] {
    const krait::device on = host::to_public(handle(device));
    given(stream, "krait_make_stream", "stream") =
        native ? new krait_stream{krait::stream::wrap(native, on)}
               : new krait_stream{krait::stream(on)};
  });
}
void krait_free_stream(krait_stream* stream) { delete stream; }

krait_code krait_allocate(krait_device* device, size_t bytes, krait_memory** memory,
                          char** message) {
  return run(message, [&] {
    auto*& out = given(memory, "krait_allocate", "memory");
    auto made = std::make_unique<krait_memory>();
    made->storage = detail::allocate(&handle(device), bytes);
    out = made.release();
  });
}

krait_code krait_wrap(krait_device* device, uint64_t address, size_t bytes, krait_memory** memory,
                      char** message) {
  return run(message, [&] {
    auto*& out = given(memory, "krait_wrap", "memory");
    if (address == 0)
      krait::support::fail_usage("krait_wrap got a null address for {} bytes", bytes);
    auto made = std::make_unique<krait_memory>();
    made->storage = detail::wrap_memory(&handle(device), address, bytes);
    out = made.release();
  });
}

void krait_free_memory(krait_memory* memory) {
  if (!memory) return;
  detail::release(memory->storage);
  delete memory;
}

uint64_t krait_address(const krait_memory* memory) { return memory ? memory->storage->address : 0; }

krait_code krait_write(krait_memory* memory, size_t offset, const void* from, size_t bytes,
                       char** message) {
  return run(message, [&] {
    check_range(given(memory, "krait_write", "memory"), offset, bytes, "krait_write");
    if (bytes == 0) return;
    given(static_cast<const char*>(from), "krait_write", "bytes");
    detail::storage& s = *memory->storage;
    s.device->device->copy_to_device(s.address + offset, from, bytes, host::order_of(s));
    host::after_wait(s);
  });
}

krait_code krait_read(const krait_memory* memory, size_t offset, void* to, size_t bytes,
                      char** message) {
  return run(message, [&] {
    check_range(given(memory, "krait_read", "memory"), offset, bytes, "krait_read");
    if (bytes == 0) return;
    given(static_cast<char*>(to), "krait_read", "bytes");
    const detail::storage& s = *memory->storage;
    s.device->device->copy_to_host(to, s.address + offset, bytes, host::order_of(s));
    host::after_wait(s);
  });
}

// ---- packs and kernels --------------------------------------------------------------------------

krait_code krait_load_pack(const char* file, krait_pack** pack, char** message) {
  return run(message, [&] {
    auto*& out = given(pack, "krait_load_pack", "pack");
    out = new krait_pack{host::Pack::read(&given(file, "krait_load_pack", "file"))};
  });
}
void krait_free_pack(krait_pack* pack) { delete pack; }

size_t krait_pack_size(const krait_pack* pack) { return pack ? pack->pack->kernels().size() : 0; }

const char* krait_pack_name(const krait_pack* pack, size_t index) {
  return index < krait_pack_size(pack) ? pack->pack->kernels()[index].name.c_str() : nullptr;
}

krait_code krait_make_kernel(const krait_pack* pack, const char* name, krait_kernel** kernel,
                             char** message) {
  return run(message, [&] {
    auto*& out = given(kernel, "krait_make_kernel", "kernel");
    auto made = std::make_unique<krait_kernel>();
    made->packed = host::find_kernel(given(pack, "krait_make_kernel", "pack").pack,
                                     &given(name, "krait_make_kernel", "name"));
    made->parameters = host::parameters_of(made->packed->module.kernel());
    made->as = {made->parameters.data(), unsigned(made->parameters.size()), nullptr};
    made->state = host::make_kernel(made->packed, made->as);
    made->what = host::describe(*made->state);
    out = made.release();
  });
}
void krait_free_kernel(krait_kernel* kernel) { delete kernel; }

size_t krait_parameter_count(const krait_kernel* kernel) {
  return kernel ? kernel->parameters.size() : 0;
}

krait_parameter krait_parameter_at(const krait_kernel* kernel, size_t index) {
  if (index >= krait_parameter_count(kernel)) return {};
  const detail::parameter_type& p = kernel->parameters[index];
  return {krait::ir::info(krait::ir::Scalar(p.type)).name.data(), p.rank, p.writable, bytes_of(p)};
}

krait_code krait_launch(krait_kernel* kernel, const krait_argument* arguments, size_t count,
                        const krait_launch_config* config, char** message) {
  return run(message, [&] {
    launch(given(kernel, "krait_launch", "kernel"), arguments, count,
           given(config, "krait_launch", "config"));
  });
}
