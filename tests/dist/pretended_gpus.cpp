// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda_devices() of programs that have no back end for CUDA: as many GPUs as PRETENDED_GPUS says.
#include "dist/pretended_gpus.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/async.h"
#include "support/threads.h"

namespace krait::runtime {
namespace {

// Long enough that a host which does not wait is there first.
constexpr std::chrono::microseconds late{50};

class Stream final : public dist_test::PretendedStream {
 public:
  Stream() : thread_(support::start_thread([this] { run(); })) {}
  bool apart = false;  // it does not wait for the default one
  ~Stream() override {
    put([this] { over_ = true; });
    thread_.join();
  }
  void put(std::function<void()> f) override {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(f));
    ++put_;
    changed_.notify_all();
  }
  /// What it holds now, by number.
  std::uint64_t held() {
    const std::lock_guard lock(mutex_);
    return put_;
  }
  void wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= number; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty() && !busy_; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      changed_.wait(lock, [&] { return !work_.empty(); });
      const std::function<void()> f = std::move(work_.front());
      work_.pop_front();
      busy_ = true;
      lock.unlock();
      std::this_thread::sleep_for(late);
      f();
      lock.lock();
      busy_ = false;
      ++done_;
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::uint64_t put_ = 0, done_ = 0;
  bool busy_ = false, over_ = false;
  std::jthread thread_;
};

/// A mark in a stream, which may be set again.
struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned set = 0, reached = 0;
  std::chrono::steady_clock::time_point when;
  void wait(unsigned for_mark) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reached >= for_mark; });
  }
};

class Gpu final : public Device {
 public:
  explicit Gpu(int index) : index_(index), cpu_(std::move(cpu_devices().devices.at(0))) {
    async_ = &more_;
    frees_in_order_ = true;
  }
  std::string name() const override { return "a pretended GPU"; }
  std::string id() const override { return "cuda:" + std::to_string(index_); }
  support::Target target() const override { return cpu_->target(); }
  std::int64_t total_memory() const override { return cpu_->total_memory(); }
  Limits limits() const override { return cpu_->limits(); }

  std::uint64_t allocate(std::size_t bytes, StreamHandle) override {
    return cpu_->allocate(bytes, {});
  }
  void free(std::uint64_t address, StreamHandle stream) noexcept override {
    put(stream, [this, address] { cpu_->free(address, {}); });
  }
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override {
    const auto* const first = static_cast<const std::byte*>(from);
    put(stream, [to, kept = std::vector<std::byte>(first, first + bytes)] {
      std::memcpy(at(to), kept.data(), kept.size());
    });
  }
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override {
    synchronize(stream);
    std::memcpy(to, at(from), bytes);
  }
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override {
    put(stream, [=] { std::memmove(at(to), at(from), bytes); });
  }

  std::unique_ptr<Executable> load(std::span<const std::byte> binary,
                                   const std::string& kernel_name) override {
    return std::make_unique<Code>(*this, cpu_->load(binary, kernel_name));
  }
  void launch(Executable& code, const LaunchRequest& request) override {
    std::vector<std::byte> args(request.args, request.args + request.args_size);
    put(request.stream, [this, &code, request, args = std::move(args)] {
      LaunchRequest r = request;
      r.args = args.data(), r.stream = {};
      cpu_->launch(*static_cast<Code&>(code).own, r);
    });
  }

  StreamHandle create_stream() override {
    auto* const made = new Stream;
    const std::lock_guard lock(order_);
    programs_.push_back(made);
    return {static_cast<dist_test::PretendedStream*>(made)};
  }
  void destroy_stream(StreamHandle s) noexcept override {
    Stream* const of = &stream_of(s);
    if (!of->apart) {
      {
        const std::lock_guard lock(order_);
        std::erase(programs_, of);
      }
      own_.wait();  // what waits for it
    }
    delete of;
  }
  void synchronize(StreamHandle s) override { stream_of(s).wait(); }
  void synchronize() override { own_.wait(); }
  EventHandle create_event() override { return {new Event}; }
  void destroy_event(EventHandle e) noexcept override {
    own_.wait();
    delete &event_of(e);
  }
  void record(EventHandle event, StreamHandle stream) override {
    Event& e = event_of(event);
    const std::lock_guard lock(e.mutex);
    put(stream, [&e, mark = ++e.set] {
      const std::lock_guard inner(e.mutex);
      e.reached = mark, e.when = std::chrono::steady_clock::now();
      e.changed.notify_all();
    });
  }
  void wait(EventHandle event) override { event_of(event).wait(marks(event)); }
  void wait(EventHandle event, StreamHandle stream) override {
    put(stream, [&e = event_of(event), mark = marks(event)] { e.wait(mark); });
  }
  double elapsed_ms(EventHandle from, EventHandle to) override {
    wait(from), wait(to);
    return std::chrono::duration<double, std::milli>(event_of(to).when - event_of(from).when)
        .count();
  }

 private:
  struct Code final : Executable {
    Code(Gpu& on, std::unique_ptr<Executable> code) : gpu(on), own(std::move(code)) {}
    ~Code() override { gpu.own_.wait(); }
    Attributes attributes() const override { return own->attributes(); }
    int suggested_block(bool one_trip) override { return own->suggested_block(one_trip); }
    void name_loops(std::vector<LoopPlace> places) override { own->name_loops(std::move(places)); }
    Gpu& gpu;
    std::unique_ptr<Executable> own;
  };

  struct More final : Async {
    explicit More(Gpu& gpu) : on(gpu) {}
    void* allocate_pinned(std::size_t bytes) override { return std::malloc(bytes); }
    bool free_pinned(void* memory) noexcept override {
      on.put({}, [memory] { std::free(memory); });
      return true;
    }
    StreamHandle create_stream(Priority) override { return on.create_stream(); }
    void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                        StreamHandle stream) override {
      on.put(stream, [=] { std::memcpy(at(to), from, bytes); });
    }
    void copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override {
      on.put(stream, [=] { std::memcpy(to, at(from), bytes); });
    }
    std::string hardware() override { return "GPU " + std::to_string(on.index_); }
    StreamHandle create_stream_apart() override {
      auto* const made = new Stream;
      made->apart = true;
      return {static_cast<dist_test::PretendedStream*>(made)};
    }
    bool is_done(EventHandle event) override {
      Event& e = event_of(event);
      const std::lock_guard lock(e.mutex);
      return e.reached == e.set;
    }
    Gpu& on;
  };

  static void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }
  static Event& event_of(EventHandle e) { return *static_cast<Event*>(e.native); }
  static unsigned marks(EventHandle event) {
    Event& e = event_of(event);
    const std::lock_guard lock(e.mutex);
    return e.set;
  }
  Stream& stream_of(StreamHandle s) {
    return s.native ? static_cast<Stream&>(*static_cast<dist_test::PretendedStream*>(s.native))
                    : own_;
  }
  /// A program's streams come after what the default one holds, and that one after what they hold,
  /// as CUDA's do.
  void put(StreamHandle s, std::function<void()> f) {
    Stream& to = stream_of(s);
    if (to.apart) return to.put(std::move(f));
    const std::lock_guard lock(order_);
    std::vector<std::pair<Stream*, std::uint64_t>> before;
    if (&to != &own_) before.emplace_back(&own_, own_.held());
    else
      for (Stream* const other : programs_) before.emplace_back(other, other->held());
    to.put([before = std::move(before), f = std::move(f)] {
      for (const auto& [stream, number] : before) stream->wait_for(number);
      f();
    });
  }

  const int index_;
  std::unique_ptr<Device> cpu_;
  std::mutex order_;  // of what is put
  std::vector<Stream*> programs_;
  Stream own_;
  More more_{*this};
};

}  // namespace

Found cuda_devices() {
  Found found;
  const char* const count = std::getenv("PRETENDED_GPUS");
  for (int i = 0; i < (count ? std::atoi(count) : 0); ++i)
    found.devices.push_back(std::make_unique<Gpu>(i));
  return found;
}

}  // namespace krait::runtime
