// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter as a device, "interpreter": the host's memory, and launches that the oracle of
// all tests runs and watches. Besides accesses out of bounds it finds data races, reads of shared
// memory that nothing wrote, barriers that not all threads reach and operands of uniform() that are
// none.
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "devices/reports.h"
#include "ir/text/text.h"
#include "ir/abi.h"
#include "ir/interp/interp.h"
#include "ir/walk.h"
#include "support/environment.h"
#include "support/error.h"

namespace krait::host {
namespace {

using runtime::EventHandle;
using runtime::StreamHandle;

class Text final : public runtime::Executable {
 public:
  Text(std::span<const std::byte> text, const std::string& name) : what_("kernel " + name) {
    support::Envelope code = support::open_or_fail(text, support::TargetKind::Interpreter, name);
    module_ = ir::parse(code.code).module;
    layout_ = std::move(code.arguments);
    meets_ = ir::any_inst(module_.kernel(),
                          [](const ir::Inst& i) { return i.op == ir::Op::GridBarrier; });
  }

  void launch(const runtime::LaunchRequest& request, bool races) const {
    const std::int64_t blocks = request.grid[0] * request.grid[1] * request.grid[2];
    if (meets_ && blocks > ir::most_together)
      support::fail_usage(
          "{}: {} blocks meet at kr::grid_sync(), but the interpreter runs at most {} at "
          "once: launch fewer blocks, each with more of the work",
          what_, blocks, ir::most_together);
    ir::Launch launch;
    launch.grid = request.grid, launch.block = request.block;
    // by the user's handler of lines; the kernel goes on, as on any device
    std::exception_ptr thrown;
    const auto print = [&thrown](const std::string& line) {
      try {
        print_line(line);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();
      }
    };
    const ir::Outcome outcome = [&] {
      try {
        return ir::run(module_, launch, arguments(request.args),
                       {.races = races, .uninitialised = true, .print = print});
      } catch (const std::system_error&) {
        support::fail_device(
            "{}: {} blocks meet at kr::grid_sync(), but the system cannot start a thread for "
            "each: launch fewer blocks, each with more of the work",
            what_, blocks);
      } catch (const std::bad_alloc&) {
        support::fail_device(
            "{}: the interpreter has no memory for the shared and local arrays of a block", what_);
      }
    }();
    if (!outcome.stopped.empty())
      support::fail(error::kind_type::internal, "{}: {}", what_, outcome.stopped);
    if (outcome.faults)
      throw_fault({what_, outcome.fault, outcome.where.file, outcome.where.line, outcome.faults});
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  std::vector<ir::Argument> arguments(const std::byte* block) const {
    using What = ir::ArgumentSlot::What;
    std::vector<ir::Argument> all(module_.kernel().params().size());
    for (const ir::ArgumentSlot& s : layout_.slots) {
      if (s.what == What::SharedLength) continue;  // it computes them itself
      ir::Argument& a = all[s.param];
      if (s.what == What::Bytes) {
        a.data = const_cast<std::byte*>(block + s.offset);  // a kernel only reads it
        continue;
      }
      std::uint64_t bits = 0;
      std::memcpy(&bits, block + s.offset, s.bytes);
      switch (s.what) {
        case What::SharedLength:
        case What::Bytes: break;
        case What::Scalar: a.bits = bits; break;
        case What::Address: a.data = reinterpret_cast<std::byte*>(bits); break;
        case What::Extent: a.extents[s.dimension] = std::int64_t(bits); break;
        case What::Stride: a.strides[s.dimension] = std::int64_t(bits); break;
      }
    }
    return all;
  }

  ir::Module module_;
  ir::ArgumentLayout layout_;
  std::string what_;
  bool meets_ = false;
};

class Interpreter final : public runtime::Device {
 public:
  Interpreter() : host_(std::move(runtime::cpu_devices().devices.front())) {}

  std::string name() const override { return "Krait's interpreter"; }
  std::string id() const override { return "interpreter"; }
  support::Target target() const override { return {support::TargetKind::Interpreter}; }
  bool host_memory() const override { return true; }
  std::int64_t total_memory() const override { return host_->total_memory(); }

  std::uint64_t allocate(std::size_t bytes, StreamHandle stream) override {
    return host_->allocate(bytes, stream);
  }
  void free(std::uint64_t address, StreamHandle stream) noexcept override {
    host_->free(address, stream);
  }
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override {
    host_->copy_to_device(to, from, bytes, stream);
  }
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override {
    host_->copy_to_host(to, from, bytes, stream);
  }
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override {
    host_->copy_on_device(to, from, bytes, stream);
  }

  std::unique_ptr<runtime::Executable> load(std::span<const std::byte> text,
                                            const std::string& kernel_name) override {
    return std::make_unique<Text>(text, kernel_name);
  }
  void launch(runtime::Executable& code, const runtime::LaunchRequest& request) override {
    static_cast<Text&>(code).launch(request, races_);
  }
  Limits limits() const override { return host_->limits(); }

  StreamHandle create_stream() override { return host_->create_stream(); }
  void destroy_stream(StreamHandle stream) noexcept override { host_->destroy_stream(stream); }
  void synchronize(StreamHandle) override {}
  void synchronize() override {}
  EventHandle create_event() override { return host_->create_event(); }
  void destroy_event(EventHandle event) noexcept override { host_->destroy_event(event); }
  void record(EventHandle event, StreamHandle stream) override { host_->record(event, stream); }
  void wait(EventHandle) override {}
  void wait(EventHandle, StreamHandle) override {}
  double elapsed_ms(EventHandle from, EventHandle to) override {
    return host_->elapsed_ms(from, to);
  }

 private:
  const std::unique_ptr<runtime::Device> host_;
  const bool races_ = [] {
    const char* v = support::environment("KRAIT_RACES");
    return !v || std::strcmp(v, "0") != 0;
  }();
};

}  // namespace

runtime::Found interpreter_devices() {
  runtime::Found found;
  found.devices.push_back(std::make_unique<Interpreter>());
  return found;
}

}  // namespace krait::host
