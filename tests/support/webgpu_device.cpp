// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/webgpu_device.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "krait/error.h"
#include "support/blobs/envelope.h"
#include "support/error.h"
#include "support/blobs/webgpu.h"

namespace krait::test {
namespace {

using Bytes = std::vector<std::byte>;

struct Answer {
  std::map<std::string, std::string> words;  // the rest of the line that begins with it
  std::vector<Bytes> parts;
};

int patience = -1;  // milliseconds; -1: any

/// The other process.
class Server {
 public:
  Server() { start(); }
  Server(const Server&) = delete;
  ~Server() { end(); }

  Answer ask(const std::string& head, const std::vector<Bytes>& parts = {}) {
    std::vector<std::size_t> sizes;
    for (const Bytes& part : parts) sizes.push_back(part.size());
    const std::string text = fmt::format("{{{}, \"bytes\": [{}]}}", head, fmt::join(sizes, ", "));
    const auto size = std::uint32_t(text.size());
    write(&size, sizeof size), write(text.data(), text.size());
    for (const Bytes& part : parts) write(part.data(), part.size());
    pollfd answered{from_, POLLIN, 0};
    if (::poll(&answered, 1, patience) == 0) {
      ::kill(child_, SIGKILL);
      end(), start();
      support::fail_device("{}", webgpu_gave_up);
    }
    return answer();
  }
  /// How many processes there were: what is loaded ends with its own.
  unsigned process() const { return process_; }

 private:
  void start() {
    ++process_;
    int to[2], from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) support::fail_device("no pipes");
    std::signal(SIGPIPE, SIG_IGN);
    child_ = ::fork();
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(to[0], 0), ::dup2(from[1], 1);
      for (const int fd : {to[0], to[1], from[0], from[1]}) ::close(fd);
      ::execlp("node", "node", KRAIT_WEBGPU_SERVE, static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(to[0]), ::close(from[1]);
    to_ = to[1], from_ = from[0];
  }
  void end() {
    ::close(to_), ::close(from_);
    ::waitpid(child_, nullptr, 0);
  }
  void write(const void* bytes, std::size_t count) {
    for (const char* at = static_cast<const char*>(bytes); count > 0;) {
      const ssize_t n = ::write(to_, at, count);
      if (n <= 0)
        support::fail_device("node, which runs WebGPU, has ended: it is lost to this process");
      at += n, count -= std::size_t(n);
    }
  }
  void read(void* bytes, std::size_t count) {
    for (char* at = static_cast<char*>(bytes); count > 0;) {
      const ssize_t n = ::read(from_, at, count);
      if (n <= 0)
        support::fail_device(
            "node, which runs WebGPU, has ended or is not installed: it is lost to this process");
      at += n, count -= std::size_t(n);
    }
  }
  Answer answer() {
    std::uint32_t size = 0;
    read(&size, sizeof size);
    std::string text(size, 0);
    read(text.data(), size);
    Answer a;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = std::min(line.find(' '), line.size());
      a.words[line.substr(0, space)] = line.substr(std::min(space + 1, line.size()));
    }
    std::istringstream sizes(a.words["bytes"]);
    for (std::size_t bytes; sizes >> bytes;)
      a.parts.emplace_back(bytes), read(a.parts.back().data(), bytes);
    if (a.words.contains("wrong"))
      support::fail_device("{}", std::string_view(reinterpret_cast<const char*>(a.parts[0].data()),
                                                  a.parts[0].size()));
    return a;
  }

  unsigned process_ = 0;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

struct Code : runtime::Executable {
  std::string module;    // its number there
  unsigned process = 0;  // of which it is
  std::string head;      // of the request that loads it
  Bytes text;
  support::Envelope envelope;
  support::WebGpuCode own;
};

class Device final : public runtime::Device {
 public:
  Device() {
    const Answer a = server_.ask(R"("do": "hello")");
    name_ = "WebGPU: " + a.words.at("name"), probed_ = a.words.at("probed");
    target_.kind = support::TargetKind::WebGpu;
    support::WebGpuTarget& web = target_.web;
    web.features.set(support::Feature::Warp,
                     a.words.at("features").find("subgroups") != std::string::npos);
    web.features.set(support::Feature::F16,
                     a.words.at("features").find("shader-f16") != std::string::npos);
    web.subgroup = unsigned(std::stoul(a.words.at("subgroup"))),
    web.buffers = unsigned(std::stoul(a.words.at("buffers")));
    web.shared = unsigned(std::stoul(a.words.at("shared"))),
    web.threads = unsigned(std::stoul(a.words.at("threads")));
  }

  std::string name() const override { return name_; }
  std::string id() const override { return "webgpu"; }
  support::Target target() const override { return target_; }
  std::int64_t total_memory() const override { return 1 << 30; }
  Limits limits() const override {
    return {{INT32_MAX, 65'535, 65'535}, {256, 256, 64}, target_.web.threads, target_.web.shared};
  }

  std::uint64_t allocate(std::size_t bytes, runtime::StreamHandle) override {
    const std::uint64_t at = next_;
    memory_[at].resize(bytes);
    next_ += (bytes + 511) / 256 * 256;
    return at;
  }
  void free(std::uint64_t address, runtime::StreamHandle) noexcept override {
    memory_.erase(address);
  }
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      runtime::StreamHandle) override {
    std::memcpy(at(to), from, bytes);
  }
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                    runtime::StreamHandle) override {
    std::memcpy(to, at(from), bytes);
  }
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      runtime::StreamHandle) override {
    std::memmove(at(to), at(from), bytes);
  }

  std::unique_ptr<runtime::Executable> load(std::span<const std::byte> binary,
                                            const std::string& kernel_name) override;
  void launch(runtime::Executable& code, const runtime::LaunchRequest& request) override;

  runtime::StreamHandle create_stream() override { return {}; }
  void destroy_stream(runtime::StreamHandle) noexcept override {}
  void synchronize(runtime::StreamHandle) override {}
  void synchronize() override {}
  runtime::EventHandle create_event() override { return {}; }
  void destroy_event(runtime::EventHandle) noexcept override {}
  void record(runtime::EventHandle, runtime::StreamHandle) override {}
  void wait(runtime::EventHandle) override {}
  void wait(runtime::EventHandle, runtime::StreamHandle) override {}
  double elapsed_ms(runtime::EventHandle, runtime::EventHandle) override { return 0; }

 private:
  void load(Code& code);
  /// The allocation with the address.
  std::pair<const std::uint64_t, Bytes>& around(std::uint64_t address) {
    return *std::prev(memory_.upper_bound(address));
  }
  std::byte* at(std::uint64_t address) {
    auto& [begin, bytes] = around(address);
    return bytes.data() + (address - begin);
  }

  Server server_;
  std::string name_, probed_;
  support::Target target_;
  std::map<std::uint64_t, Bytes> memory_;
  std::uint64_t next_ = 256;
};

Bytes bytes_of(const void* data, std::size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  return {bytes, bytes + size};
}

std::unique_ptr<runtime::Executable> Device::load(std::span<const std::byte> binary,
                                                  const std::string& kernel_name) {
  auto code = std::make_unique<Code>();
  code->envelope = support::open_or_fail(binary, support::TargetKind::WebGpu, kernel_name);
  if (!code->envelope.get_own(code->own))
    support::fail_device("kernel {}: code of another version", kernel_name);
  std::string bindings;
  for (unsigned p = 0; p < support::WebGpuCode::max_parameters; ++p)
    if (const auto& b = code->own.bindings[p]; b.cell_bytes)
      bindings += fmt::format("{}{{\"binding\": {}, \"written\": {}}}",
                              bindings.empty() ? "" : ", ", 1 + p, b.written != 0);
  code->head = fmt::format(R"("do": "load", "entry": "{}", "bindings": [{}])", code->envelope.entry,
                           bindings);
  code->text = bytes_of(code->envelope.code.data(), code->envelope.code.size());
  code->envelope.code = {};
  load(*code);
  return code;
}

void Device::load(Code& code) {
  code.module = server_.ask(code.head, {code.text}).words.at("module");
  code.process = server_.process();
}

void Device::launch(runtime::Executable& executable, const runtime::LaunchRequest& request) {
  Code& code = static_cast<Code&>(executable);
  if (code.process != server_.process()) load(code);
  using What = support::ArgumentSlot::What;
  std::string constants;
  for (unsigned d = 0; d < 3; ++d)
    constants += fmt::format("\"block_{}\": {}, ", "xyz"[d], request.block[d]);
  runtime::Dim3 groups = request.grid;
  constexpr std::int64_t most = 65'535;
  const bool folded =
      std::any_of(groups.begin(), groups.end(), [](std::int64_t n) { return n > most; });
  if (folded) {
    const std::int64_t all = groups[0] * groups[1] * groups[2];
    groups = {std::min(all, most), (all + most - 1) / most, 1};
  }
  constants += fmt::format("\"folded\": {}", folded ? 1 : 0);
  if (code.own.probed) constants += probed_;
  std::vector<Bytes> parts{Bytes(support::webgpu_launch_bytes)};
  const std::uint32_t grid[] = {std::uint32_t(request.grid[0]), std::uint32_t(request.grid[1]),
                                std::uint32_t(request.grid[2])};
  std::memcpy(parts[0].data(), grid, sizeof grid);
  parts[0].insert(parts[0].end(), request.args, request.args + request.args_size);
  std::vector<std::uint64_t> bound;
  for (const support::ArgumentSlot& slot : code.envelope.arguments.slots) {
    std::byte* const place = parts[0].data() + support::webgpu_launch_bytes + slot.offset;
    std::uint64_t value = 0;
    std::memcpy(&value, place, std::min(slot.bytes, 8u));
    if (slot.what == What::SharedLength)
      constants +=
          fmt::format(", \"shared_rows_{}\": {}", slot.param, std::max<std::uint64_t>(value, 1));
    if (slot.what != What::Address) continue;
    const support::WebGpuCode::Binding& binding = code.own.bindings[slot.param];
    if (!binding.cell_bytes) continue;
    std::uint64_t begin = 0;
    Bytes memory;
    if (value) {
      const auto& [start, bytes] = around(value);
      begin = (value - start) / binding.cell_bytes, memory = bytes;
    }
    bound.push_back(value);
    std::memcpy(place, &begin, sizeof begin);
    parts.push_back(std::move(memory));
  }
  const Answer a = server_.ask(
      fmt::format(R"("do": "launch", "module": {}, "constants": {{{}}}, "groups": [{}])",
                  code.module, constants, fmt::join(groups, ", ")),
      parts);
  for (std::size_t k = 0; k < bound.size(); ++k)
    if (bound[k] && !a.parts[k].empty()) around(bound[k]).second = a.parts[k];
}

}  // namespace

void set_webgpu_patience(double seconds) { patience = int(seconds * 1000); }

runtime::Found webgpu_devices() try {
  runtime::Found found;
  found.devices.push_back(std::make_unique<Device>());
  return found;
} catch (const error& e) {
  return {{}, {e.message()}};
}

}  // namespace krait::test
