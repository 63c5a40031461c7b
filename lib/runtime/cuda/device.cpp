// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/device.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "runtime/cuda/current.h"
#include "runtime/cuda/tile_map.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/blobs/ptx.h"
#include "support/threads.h"
#include "support/tuning/gpu.h"

namespace krait::runtime::cuda {
namespace {

constexpr std::int64_t free_shared = 48 << 10;  // dynamic shared bytes that need no opt-in

/// A child of fork has no working driver where its parent had one.
std::atomic<bool> in_use{false}, forked{false};
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { forked = in_use.load(); });

bool debugging() { return support::environment_asks("KRAIT_DEBUG"); }

}  // namespace

// ---- contexts -----------------------------------------------------------------------------------

Context CudaDevice::context() {
  if (forked.load(std::memory_order_relaxed))
    support::fail_device(
        "{}: this process is a fork of one that used CUDA, which the driver does not support: "
        "start the child with exec",
        id());
  if (const Context c = context_.load(std::memory_order_acquire)) return c;
  if (!refused_.empty()) support::fail_device("{}", refused_);
  std::lock_guard lock(start_);
  Context c = context_.load();
  if (!c) {
    const support::SignalsBlocked for_its_threads;
    check(api_.primary_retain(&c, device_), "starting the device");
    int pools = 0;
    if (api_.device_attribute(&pools, MemoryPools, device_) == 0 && pools &&
        api_.default_pool(&pool_, device_) == 0) {
      // freed memory stays in the pool, or every synchronisation would give it back
      std::uint64_t keep = ~std::uint64_t(0);
      api_.pool_set(pool_, PoolReleaseThreshold, &keep);
    } else {
      pool_ = nullptr;
    }
    context_.store(c, std::memory_order_release);
  }
  return c;
}

// ---- errors -------------------------------------------------------------------------------------

std::string CudaDevice::last_kernels() const {
  std::string s;
  const unsigned n = launches_.load();
  for (unsigned i = 0; i < remembered && i < n; ++i)
    if (const std::string* k = recent_[(n - 1 - i) % remembered].load())
      s += (s.empty() ? "" : ", ") + *k;
  return s;
}

void CudaDevice::remember(const std::string& kernel) {
  recent_[launches_.fetch_add(1, std::memory_order_relaxed) % remembered].store(
      &kernel, std::memory_order_relaxed);
}

void CudaDevice::check(Result r, const char* what) {
  if (r == 0) return;
  if (ends_context(r)) {
    const std::string last = last_kernels();
    lose(r, what,
         last.empty() ? ""
                      : "A kernel that ran before caused it; the last ones, newest first: " + last +
                            ". KRAIT_DEBUG=1 reports it at the launch. ");
  }
  support::fail_device("{} ({}): {} failed: {}", id(), name_, what, text_of(api_, r));
}

void CudaDevice::lose(Result r, const std::string& what, const std::string& kernels) {
  std::lock_guard lock(lost_gate_);
  if (!lost_.empty())
    support::fail_device(
        "{} ({}): {} failed: the device is lost to this process since an earlier fault ({}). "
        "The CPU and other devices go on",
        id(), name_, what, lost_);
  lost_ = text_of(api_, r);
  support::fail_device(
      "{} ({}): {} failed: {}. {}KRAIT_CHECK=1 finds accesses outside their arrays. "
      "The device is lost to this process; the CPU and other devices go on",
      id(), name_, what, lost_, kernels);
}

// ---- code ---------------------------------------------------------------------------------------

namespace {

struct CudaGraph {
  GraphExec exec;
  const std::string& what;
};

/// Where in the text a limit of registers is said.
std::size_t directives_of(const support::Envelope& code, const std::string& kernel_name) {
  support::PtxCode own;
  if (!code.get_own(own) || own.directives > code.code.size())
    support::fail_device(
        "kernel {}: its code is damaged: {} bytes of facts about it, "
        "expected {} with a place in the text",
        kernel_name, code.own.size(), sizeof own);
  return std::size_t(own.directives);
}

/// Of a compiler's log, the lines that tell of lost speed, without their level and number: wgmma
/// that wait for each other, for example.
std::vector<std::string> remarks_in(std::string_view log) {
  constexpr std::string_view marks[] = {"Potential Performance Loss: ", "setmaxnreg ignored"};
  std::vector<std::string> all;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    for (const std::string_view mark : marks)
      if (const std::size_t at = line.find(mark); at != line.npos)
        all.emplace_back(line.substr(at));
  }
  return all;
}

/// The same text for ever.
const std::string& kept(const std::string& text) {
  static auto* const texts = new std::set<std::string>;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  return *texts->insert(text).first;
}

}  // namespace

CudaExecutable::CudaExecutable(CudaDevice& d, ModuleHandle m, FunctionHandle f,
                               const std::string& n, const support::Envelope& code,
                               const std::vector<std::string>& remarks)
    : device(d),
      module(m),
      function(f),
      name(kept(n)),
      fixed_shared(std::int64_t(code.fixed_shared)),
      opted_in_shared(free_shared) {
  if (support::PtxCode own; code.get_own(own)) waits = own.waits != 0;
  const auto get = [&](int which) {
    int v = 0;
    d.api_.function_attribute(&v, which, f);
    return v;
  };
  attributes_ = {.registers = get(FnRegisters),
                 .shared_bytes = get(FnSharedBytes) + fixed_shared,
                 .local_bytes = get(FnLocalBytes),
                 .max_threads = get(FnMaxThreads),
                 .remarks = remarks};
  int grid = 0, block = 0;
  if (d.api_.occupancy_block(&grid, &block, f, nullptr, std::size_t(fixed_shared), 0) == 0 &&
      block > 0)
    suggested_block_ = std::min(block, 256);
  for (const support::ArgumentSlot& s : code.arguments.slots)
    if (s.what == support::ArgumentSlot::What::Bytes && s.param >= code.arguments.given)
      maps.push_back(s.offset);
  const auto& hidden = code.arguments.hidden;
  meets = std::find(hidden.begin(), hidden.end(), support::Hidden{support::HiddenKind::Arrivals}) !=
          hidden.end();
  if (maps.empty() && !meets) return;
  for (const support::ArgumentSlot& s : code.arguments.slots) parameters.push_back(s.offset);
  std::uint32_t end = code.arguments.slots.back().offset + code.arguments.slots.back().bytes;
  for (const std::uint32_t bytes : support::padding_of(code.arguments))
    parameters.push_back(end), end += bytes;
}

CudaExecutable::~CudaExecutable() {
  if (forked) return;
  try {
    const CudaDevice::Current current(device);
    device.api_.context_synchronize();  // a launch of it may still run
    device.api_.module_unload(module);
  } catch (...) {  // the device is lost, and the code with it
  }
}

Result CudaExecutable::launch_together(const LaunchRequest& q, std::int64_t dynamic,
                                       void** given) const {
  const std::int64_t blocks = q.grid[0] * q.grid[1] * q.grid[2],
                     threads = q.block[0] * q.block[1] * q.block[2];
  int each = 0;
  if (const Result r =
          device.api_.occupancy_blocks(&each, function, int(threads), std::size_t(dynamic)))
    return r;
  const std::int64_t most = std::int64_t(each) * device.multiprocessors_;
  if (blocks > most)
    support::fail_usage(
        "kernel {}: {} blocks of {} threads meet at kr::grid_sync(), "
        "but {} ({}) runs at most {} of them at once: launch fewer blocks, "
        "each with more of the work",
        name, blocks, threads, device.id(), device.name(), most);
  const auto u = [](std::int64_t v) { return static_cast<unsigned>(v); };
  return device.api_.launch_together(function, u(q.grid[0]), u(q.grid[1]), u(q.grid[2]),
                                     u(q.block[0]), u(q.block[1]), u(q.block[2]), u(dynamic),
                                     q.stream.native, given);
}

/// The PTX goes to the driver as it is. Machine code of our own making would have to come from the
/// driver's linker, which compiles for linking: radix sort then takes 144 registers instead of 128
/// and 1.7 times as long. The driver keeps what it compiles in its own cache, from which a kernel
/// takes 0.03 to 0.4 ms.
CudaDevice::Loaded CudaDevice::load_text(const support::Envelope& code,
                                         const std::string& kernel_name, unsigned registers) {
  char log[4096] = "", said[4096] = "";
  // Profilers and debuggers name the user's lines by what the driver's compiler then keeps beside
  // the same instructions.
  int options[] = {JitErrorLog, JitErrorLogSize, JitInfoLog, JitInfoLogSize, JitLineInfo};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), said,
                    reinterpret_cast<void*>(sizeof said),
                    reinterpret_cast<void*>(std::uintptr_t(1))};
  std::string ptx(code.code);  // with a final zero
  if (registers)
    ptx.insert(directives_of(code, kernel_name), fmt::format("\n.maxnreg {}", registers));
  ModuleHandle module = nullptr;
  if (const Result r = api_.module_load(&module, ptx.c_str(), debug_ ? 5 : 4, options, values))
    support::fail_device("{} ({}): the driver rejects the code of kernel {}: {}{}{}", id(), name_,
                         kernel_name, text_of(api_, r), *log ? ". It says: " : "", log);
  FunctionHandle function = nullptr;
  if (const Result r = api_.module_function(&function, module, code.entry.c_str())) {
    api_.module_unload(module);
    check(r, "finding the kernel in its module");
  }
  return {module, function, remarks_in(said)};
}

int CudaDevice::attribute_of(const Loaded& code, int which) const {
  int value = 0;
  api_.function_attribute(&value, which, code.function);
  return value;
}

/// With as many registers as the code wishes for. Null, or more than that in local memory: not so.
CudaDevice::Loaded CudaDevice::load_held(const support::Envelope& code,
                                         const std::string& kernel_name, int most_local) {
  Loaded held;
  try {
    held = load_text(code, kernel_name, code.registers);
  } catch (const error&) {
    return {};  // the other code works
  }
  if (attribute_of(held, FnLocalBytes) <= most_local) return held;
  api_.module_unload(held.module);
  return {};
}

/// Where code wishes for few registers (codegen/nvptx) and the driver's compiler takes up to a
/// quarter more, most kernels need not: sin of f64 takes 36, runs at 0.93 of nvcc's speed on an
/// H200, and with 32 at 1.00. What then spills to local memory keeps its registers. Where all
/// threads have the registers that it wishes for, the driver's compiler is told at once.
CudaDevice::Loaded CudaDevice::load_full(const support::Envelope& code,
                                         const std::string& kernel_name) {
  // damaged code is an error, whether a limit is tried or not
  if (code.registers) directives_of(code, kernel_name);
  support::PtxCode own;
  if (code.registers && code.get_own(own) && own.resident)
    if (const Loaded held = load_held(code, kernel_name, tuning::gpu::resident_spills); held.module)
      return held;
  const Loaded free = load_text(code, kernel_name, 0);
  if (!code.registers || own.resident) return free;
  const int wish = int(code.registers), registers = attribute_of(free, FnRegisters);
  if (registers <= wish || registers > wish + wish / 4) return free;
  const Loaded held = load_held(code, kernel_name, attribute_of(free, FnLocalBytes));
  if (!held.module) return free;
  api_.module_unload(free.module);
  return held;
}

std::unique_ptr<Executable> CudaDevice::load(std::span<const std::byte> binary,
                                             const std::string& kernel_name) {
  const support::Envelope code =
      support::open_or_fail(binary, support::TargetKind::Ptx, kernel_name);
  const Current current(*this);
  const auto [module, function, remarks] = load_full(code, kernel_name);
  return std::make_unique<CudaExecutable>(*this, module, function, kernel_name, code, remarks);
}

void CudaDevice::launch(Executable& code, const LaunchRequest& q) {
  auto& k = static_cast<CudaExecutable&>(code);
  const Current current(*this);
  enqueue(k, q);
  remember(k.name);
  if (debug_)
    if (const Result fault = api_.stream_synchronize(q.stream.native)) launch_failed(fault, k, q);
}

void CudaDevice::enqueue(CudaExecutable& k, const LaunchRequest& q) {
  // More than 48 KiB of shared memory is asked for once by function; it keeps the largest size.
  const std::int64_t dynamic = q.dynamic_shared + k.fixed_shared;
  if (dynamic > k.opted_in_shared.load(std::memory_order_relaxed)) {
    const std::int64_t all = k.attributes().shared_bytes + q.dynamic_shared;
    if (all > limits_.shared_bytes)
      support::fail_usage("kernel {}: {} bytes of shared memory requested; {} ({}) has {}", k.name,
                          all, id(), name_, limits_.shared_bytes);
    check(api_.function_set_attribute(k.function, FnMaxDynamicShared, int(dynamic)),
          "opting in to more shared memory");
    k.opted_in_shared = dynamic;
  }
  // Arguments are one buffer that the driver copies, but with maps of tiles or blocks that meet
  // each is a pointer into a copy, in which the maps are made.
  std::vector<std::byte> block;
  std::vector<void*> parameters;
  if (!k.parameters.empty()) {
    block.assign(q.args, q.args + q.args_size);
    for (const std::uint32_t at : k.maps)
      if (const Result r = make_tile_map(api_, &block[at])) launch_failed(r, k, q);
    for (const std::uint32_t at : k.parameters) parameters.push_back(&block[at]);
  }
  std::size_t size = q.args_size;
  void* extra[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(q.args),
                   reinterpret_cast<void*>(2), &size, nullptr};
  const auto u = [](std::int64_t v) { return static_cast<unsigned>(v); };
  const bool listed = !parameters.empty();
  void** const own = listed ? parameters.data() : nullptr;
  void** const packed = listed ? nullptr : extra;
  // Begins while the kernel before it ends, where the kernel waits for that itself.
  const auto launch_early = [&] {
    LaunchAttribute early;
    const LaunchConfig config{{u(q.grid[0]), u(q.grid[1]), u(q.grid[2])},
                              {u(q.block[0]), u(q.block[1]), u(q.block[2])},
                              u(dynamic),
                              q.stream.native,
                              &early,
                              1};
    return api_.launch_early(&config, k.function, own, packed);
  };
  const Result r =
      k.meets ? k.launch_together(q, dynamic, own)
      : k.waits && api_.launch_early
          ? launch_early()
          : api_.launch(k.function, u(q.grid[0]), u(q.grid[1]), u(q.grid[2]), u(q.block[0]),
                        u(q.block[1]), u(q.block[2]), u(dynamic), q.stream.native, own, packed);
  if (r != 0) launch_failed(r, k, q);
}

void CudaDevice::launch_failed(Result r, const CudaExecutable& k, const LaunchRequest& q) {
  const std::string what =
      fmt::format("kernel {} with grid {} x {} x {} and block {} x {} x {}", k.name, q.grid[0],
                  q.grid[1], q.grid[2], q.block[0], q.block[1], q.block[2]);
  if (ends_context(r)) {
    // Without KRAIT_DEBUG the launch only met the fault of an earlier one.
    const std::string last = debug_ ? "" : last_kernels();
    lose(r, what,
         last.empty()
             ? ""
             : "A kernel that ran before caused it; the last ones, newest first: " + last + ". ");
  }
  support::fail_device(
      "{} ({}): {} failed: {}. It uses {} registers per thread and takes blocks of up to {} "
      "threads",
      id(), name_, what, text_of(api_, r), k.attributes().registers, k.attributes().max_threads);
}

void* CudaDevice::make_graph(std::span<const GraphLaunch> launches) {
  const Current current(*this);
  Stream capture = nullptr;
  // not ordered with the default stream, which cannot be captured
  check(api_.stream_create(&capture, 1), "creating a stream");
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  Result r = api_.capture_begin(capture, 1);  // only this thread's launches
  if (r == 0) {
    try {
      for (const GraphLaunch& l : launches) {
        LaunchRequest request = l.request;
        request.stream = {capture};
        enqueue(static_cast<CudaExecutable&>(*l.code), request);
      }
    } catch (...) {
      api_.capture_end(capture, &graph);
      if (graph) api_.graph_destroy(graph);
      api_.stream_destroy(capture);
      throw;
    }
    r = api_.capture_end(capture, &graph);
  }
  if (r == 0) r = api_.graph_instantiate(&exec, graph, 0);
  if (graph) api_.graph_destroy(graph);
  api_.stream_destroy(capture);
  check(r, "making a graph");
  std::string kernels;
  for (const GraphLaunch& l : launches.first(std::min<std::size_t>(launches.size(), remembered)))
    kernels += (kernels.empty() ? "" : ", ") + static_cast<CudaExecutable&>(*l.code).name;
  if (launches.size() > remembered) kernels += ", …";
  return new CudaGraph{exec, kept(fmt::format("a graph of {} ({})", launches.size(), kernels))};
}

void CudaDevice::launch_graph(void* graph, StreamHandle stream) {
  const Current current(*this);
  const auto& g = *static_cast<CudaGraph*>(graph);
  check(api_.graph_launch(g.exec, stream.native), "launching a graph");
  remember(g.what);
  if (debug_)
    if (const Result fault = api_.stream_synchronize(stream.native)) {
      if (ends_context(fault)) lose(fault, g.what, "");
      check(fault, "launching a graph");
    }
}

void CudaDevice::destroy_graph(void* graph) noexcept {
  const std::unique_ptr<CudaGraph> owned(static_cast<CudaGraph*>(graph));
  if (forked) return;
  try {
    const Current current(*this);
    api_.graph_exec_destroy(owned->exec);
  } catch (...) {
  }
}

// ---- memory -------------------------------------------------------------------------------------

std::uint64_t CudaDevice::allocate(std::size_t bytes, StreamHandle stream) {
  const Current current(*this);
  if (any_when_idle_.load(std::memory_order_relaxed)) wait_and_free();
  Address a = 0;
  const auto attempt = [&] {
    return pool_ ? api_.mem_alloc_async(&a, bytes, stream.native) : api_.mem_alloc(&a, bytes);
  };
  Result r = attempt();
  if (r == OutOfMemory) {  // memory that waits in the pool or for streams to end may do
    check(api_.context_synchronize(), "waiting for memory");
    if (pool_) api_.pool_trim(pool_, 0);
    r = attempt();
  }
  if (r == OutOfMemory)
    support::fail_device("{} ({}): out of memory: {} bytes requested; the device has {} in all",
                         id(), name_, bytes, memory_);
  check(r, "allocating memory");
  return a;
}

void CudaDevice::free(std::uint64_t address, StreamHandle stream) noexcept {
  if (!address || forked) return;
  try {
    const Current current(*this);
    give_back(address, stream.native);
  } catch (...) {
  }
}

void CudaDevice::give_back(Address address, Stream stream) noexcept {
  // After the driver has shut down at exit this fails, and the memory is gone anyway.
  if (pool_) api_.mem_free_async(address, stream);
  else api_.mem_free(address);
}

void CudaDevice::free_when_idle(std::uint64_t address) noexcept {
  if (!address || forked) return;
  try {
    const std::lock_guard lock(when_idle_gate_);
    when_idle_.push_back({Idle::Array, address});
    any_when_idle_ = true;
  } catch (...) {  // the list could not grow: the memory stays until the process ends
  }
}

void CudaDevice::wait_and_free() {
  std::vector<Idle> freed;  // before the wait: what comes meanwhile may be in use
  {
    const std::lock_guard lock(when_idle_gate_);
    freed.swap(when_idle_);
    any_when_idle_ = false;
  }
  check(api_.context_synchronize(), "waiting for the device");
  for (const Idle& idle : freed) switch (idle.kind) {
      case Idle::Array: give_back(idle.address, nullptr); break;
      case Idle::Managed: api_.mem_free(idle.address); break;
      case Idle::Pinned: api_.mem_free_host(reinterpret_cast<void*>(idle.address)); break;
    }
}

std::int64_t CudaDevice::reserved_memory() {
  if (!context_.load() || !pool_) return -1;
  const Current current(*this);
  std::uint64_t bytes = 0;
  check(api_.pool_get(pool_, PoolReservedNow, &bytes), "asking for the memory in use");
  return std::int64_t(bytes) + own_async_.managed_bytes();
}

void CudaDevice::trim() {
  if (!context_.load()) return;
  const Current current(*this);
  wait_and_free();  // what streams still free, too
  if (pool_) check(api_.pool_trim(pool_, 0), "giving memory back");
}

void CudaDevice::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                                StreamHandle stream) {
  const Current current(*this);
  check(staging_.to_device(to, static_cast<const std::byte*>(from), bytes, stream.native),
        "copying to the device");
}

void CudaDevice::copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                              StreamHandle stream) {
  const Current current(*this);
  check(staging_.to_host(static_cast<std::byte*>(to), from, bytes, stream.native),
        "copying to the host");
}

void CudaDevice::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                                StreamHandle stream) {
  const Current current(*this);
  check(api_.copy_on_device(to, from, bytes, stream.native), "copying on the device");
}

// ---- streams and events -------------------------------------------------------------------------

StreamHandle CudaDevice::create_stream() {
  const Current current(*this);
  Stream s = nullptr;
  // ordered with the legacy default stream, as the runtime API's streams
  check(api_.stream_create(&s, 0), "creating a stream");
  return {s};
}

void CudaDevice::destroy_stream(StreamHandle stream) noexcept {
  if (forked) return;
  try {
    const Current current(*this);
    api_.stream_synchronize(stream.native);
    api_.stream_destroy(stream.native);
  } catch (...) {
  }
}

void CudaDevice::synchronize(StreamHandle stream) {
  const Current current(*this);
  check(api_.stream_synchronize(stream.native), "waiting for a stream");
}

void CudaDevice::synchronize() {
  if (!context_.load()) return;  // never used
  const Current current(*this);
  wait_and_free();
}

EventHandle CudaDevice::create_event() {
  const Current current(*this);
  Event e = nullptr;
  check(api_.event_create(&e, 0), "creating an event");
  return {e};
}

void CudaDevice::destroy_event(EventHandle event) noexcept {
  if (forked) return;
  try {
    const Current current(*this);
    api_.event_destroy(event.native);
  } catch (...) {
  }
}

void CudaDevice::record(EventHandle event, StreamHandle stream) {
  const Current current(*this);
  check(api_.event_record(event.native, stream.native), "recording an event");
}

void CudaDevice::wait(EventHandle event) {
  const Current current(*this);
  check(api_.event_synchronize(event.native), "waiting for an event");
}

void CudaDevice::wait(EventHandle event, StreamHandle stream) {
  const Current current(*this);
  check(api_.stream_wait(stream.native, event.native, 0), "letting a stream wait for an event");
}

double CudaDevice::elapsed_ms(EventHandle from, EventHandle to) {
  const Current current(*this);
  check(api_.event_synchronize(from.native), "waiting for an event");
  check(api_.event_synchronize(to.native), "waiting for an event");
  float ms = 0;
  check(api_.event_elapsed(&ms, from.native, to.native), "taking the time between two events");
  return double(ms);
}

// ---- finding devices ----------------------------------------------------------------------------

CudaDevice::CudaDevice(const DriverApi& api, int index)
    : api_(api), index_(index), staging_(api), debug_(debugging()) {
  in_use = true;
  async_ = &own_async_;
  frees_in_order_ = true;
  check(api_.device_get(&device_, index), "finding the device");
  char name[256] = "";
  check(api_.device_name(name, sizeof name, device_), "reading the device's name");
  name_ = name;
  const auto attribute = [&](int which) {
    int v = 0;
    check(api_.device_attribute(&v, which, device_), "reading the device's attributes");
    return std::int64_t(v);
  };
  std::size_t bytes = 0;
  check(api_.device_memory(&bytes, device_), "reading the device's memory size");
  memory_ = std::int64_t(bytes);
  limits_.grid = {attribute(MaxGridX), attribute(MaxGridY), attribute(MaxGridZ)};
  limits_.block = {attribute(MaxBlockX), attribute(MaxBlockY), attribute(MaxBlockZ)};
  limits_.threads = attribute(MaxThreadsPerBlock), limits_.shared_bytes = attribute(MaxSharedOptin);
  limits_.multiprocessors = multiprocessors_ = int(attribute(Multiprocessors));
  const auto told = [&](int which) {
    int v = 0;
    return api_.device_attribute(&v, which, device_) == 0 ? double(v) : 0;
  };
  // Two transfers per clock.
  limits_.bytes_per_second = 2e3 * told(MemoryClock) * told(MemoryBits) / 8;

  int cuda = 0;
  check(api_.driver_version(&cuda), "reading the driver's version");
  const std::int64_t capability = attribute(ComputeMajor) * 10 + attribute(ComputeMinor);
  target_.kind = support::TargetKind::Ptx;
  support::PtxTarget& ptx = target_.ptx;
  ptx.sm = support::known_sm(unsigned(capability));  // newer devices read older PTX
  const unsigned has = support::isa_of_driver(unsigned(cuda)), needs = support::isa_needed(ptx.sm);
  if (!ptx.sm)
    refused_ = fmt::format(
        "{} ({}): kernels compile for compute capability 7.5 and later, the device has {}.{}: "
        "choose another device (KRAIT_DEVICE)",
        id(), name_, capability / 10, capability % 10);
  else if (has < needs)
    refused_ = fmt::format(
        "{} ({}): the device needs PTX {}.{}, the driver (CUDA {}.{}) reads up to {}.{}: "
        "install a newer driver, or choose another device (KRAIT_DEVICE)",
        id(), name_, needs / 10, needs % 10, cuda / 1000, cuda % 1000 / 10, has / 10, has % 10);
  // more than 4,096 bytes of arguments (8.1), products of floats of 8 bits (8.4)
  constexpr unsigned wanted = 84;
  ptx.isa = std::min(has, std::max(needs, wanted));
  // The code is for this device alone: it may have the instructions that later ones do not have.
  const unsigned own = support::isa_needed(ptx.sm, true);
  ptx.specific = own != 0 && own <= ptx.isa;
}

}  // namespace krait::runtime::cuda

namespace krait::runtime {

Found cuda_devices() {
  const support::SignalsBlocked for_its_threads;
  Found found;
  std::string why;
  const cuda::DriverApi* api = cuda::driver(&why);
  int count = 0;
  if (api && (api->device_count(&count) != 0 || count == 0))
    why = "the NVIDIA driver finds no device (is CUDA_VISIBLE_DEVICES set?)";
  if (!why.empty()) found.skipped.push_back("cuda: " + why);
  if (count == 0) return found;
  for (int i = 0; i < count; ++i)
    found.devices.push_back(std::make_unique<cuda::CudaDevice>(*api, i));
  return found;
}

}  // namespace krait::runtime
