// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults on a real NVIDIA GPU, each in a process of its own, since it ends the context: the next
// wait reports it with the kernel, later calls say that the device is lost, with KRAIT_DEBUG=1 the
// launch itself reports, and kernels on the CPU go on.
//   cuda_device_faults          runs all of them
//   cuda_device_faults NAME     this one
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "devices/devices.h"
#include "krait/krait.h"
#include "support/blobs/envelope.h"
#include "support/wanted.h"

namespace kr = krait;

namespace {

int failures = 0;

/// The action throws error{device} with all these parts in its message.
template <class Action>
void expect_error(std::initializer_list<std::string> parts, const Action& action) {
  try {
    action();
  } catch (const kr::error& e) {
    std::printf("    %s\n", e.message());
    if (e.kind() != kr::error::kind_type::device)
      ++failures, std::printf("    not of kind device\n");
    for (const std::string& part : parts)
      if (!std::strstr(e.message(), part.c_str()))
        ++failures, std::printf("    \"%s\" is not in it\n", part.c_str());
    return;
  }
  ++failures;
  std::printf("    no error\n");
}

bool debug() {
  const char* v = std::getenv("KRAIT_DEBUG");
  return v && *v == '1';
}

/// After a launch that faults: who reports it, and what still works.
template <class Launch>
void expect_fault(const std::string& kernel, const std::string& word, const Launch& launch) {
  if (debug()) {
    expect_error({kernel, word}, launch);
  } else {
    launch();
    expect_error({kernel, word, "KRAIT_DEBUG=1"}, [] { kr::synchronize(); });
  }
  expect_error({"is lost to this process since an earlier fault", word}, [] {
    kr::array<int> x(16);
    x.copy_from(std::vector<int>(16));
    std::vector<int> back = x.to_host();
  });
  auto twice = kr::vectorize([](auto x) { return x + x; });
  if (twice(21) != 42) ++failures, std::printf("    the CPU does not go on\n");
}

/// Writes 1 to the array's elements.
auto filler(const char* name) {
  return kr::kernel([](kr::view<int> x) { x[kr::grid<1>()] = 1; }, {.name = name});
}

void illegal_address() {
  auto fill = filler("stray");
  auto nowhere = kr::array<int>::wrap(0x1000, kr::shape<1>(64), kr::device());
  expect_fault("stray", "CUDA_ERROR_ILLEGAL_ADDRESS", [&] { fill.launch({1, 64}, nowhere); });
}

void misaligned_address() {
  auto fill = filler("crooked");
  kr::array<int> memory(65);
  auto odd = kr::array<int>::wrap(memory.address() + 1, kr::shape<1>(64), kr::device());
  expect_fault("crooked", "CUDA_ERROR_MISALIGNED_ADDRESS", [&] { fill.launch({1, 64}, odd); });
}

void trap() {
  constexpr char ptx[] =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry stop() {\n trap;\n}\n";
  krait::runtime::Device& device = *krait::host::Devices::get().default_device().device;
  krait::support::Envelope envelope;
  envelope.kind = krait::support::TargetKind::Ptx, envelope.entry = "stop", envelope.code = ptx;
  const std::string sealed = krait::support::seal(envelope);
  const auto code = device.load(std::as_bytes(std::span(sealed)), "stop (trap.cpp:1)");
  expect_fault("stop (trap.cpp:1)", "CUDA_ERROR_LAUNCH_FAILED", [&] { device.launch(*code, {}); });
}

/// Checks are no faults: the device lives.
void checked_access() {
  auto wild =
      kr::kernel([](kr::view<int> x) { x[kr::grid<1>()] = 1; }, {.name = "wild", .checked = true});
  kr::array<int> x(60);
  try {
    wild.launch({1, 64}, x);
    kr::synchronize();
    ++failures, std::printf("    no error\n");
  } catch (const kr::error& e) {
    std::printf("    %s\n", e.message());
    if (!std::strstr(e.message(), "out of bounds: store to parameter 1")) ++failures;
  }
  if (std::vector<int>(x.to_host()) != std::vector<int>(60, 1))
    ++failures, std::printf("    the array is not as it should be\n");
}

void memory_short() {
  expect_error({"out of memory"}, [] { kr::array<double> huge(std::int64_t(1) << 45); });
  kr::array<int> x(1 << 20);
  kr::synchronize();
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case cases[] = {{"illegal_address", illegal_address},
                          {"misaligned_address", misaligned_address},
                          {"trap", trap},
                          {"checked_access", checked_access},
                          {"memory_short", memory_short}};

/// In a process of its own.
int run_apart(const char* program, const Case& c, const char* debugging) {
  std::printf("%s, KRAIT_DEBUG=%s\n", c.name, debugging);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("KRAIT_DEBUG", debugging, 1);
    execl("/proc/self/exe", program, c.name, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  std::printf("  %s failed (status %d)\n", c.name, status);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("KRAIT_DEVICE", "cuda", 1);
  if (argc > 1) {
    for (const Case& c : cases)
      if (std::strcmp(c.name, argv[1]) == 0) c.run();
    return failures;
  }
  if (access("/dev/nvidiactl", F_OK) != 0)
    return std::printf("no NVIDIA device (/dev/nvidiactl does not exist)\n"),
           krait::test::missing("cuda");
  int failed = 0;
  for (const Case& c : cases)
    for (const char* debugging : {"0", "1"}) failed += run_apart(argv[0], c, debugging);
  std::printf("%d failed\n", failed);
  return failed != 0;
}
