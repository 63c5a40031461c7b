// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/native.h"

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/error.h"

namespace krait::runtime::cpu {
namespace {

// callers with sanitizers read what stands before a function, which is zero here
constexpr std::size_t front = 64;
constexpr std::size_t object_at = 94, target_at = 107;  // the constants of 8 bytes
constexpr std::uint8_t instructions[] = {
    0xf3, 0x0f, 0x1e, 0xfa,                             // endbr64
    0x55,                                               // push rbp
    0x48, 0x89, 0xe5,                                   // mov rbp, rsp
    0x48, 0x81, 0xec, 0x80, 0x00, 0x00, 0x00,           // sub rsp, sizeof(NativeCall)
    0x48, 0x89, 0x3c, 0x24,                             // mov [rsp], rdi
    0x48, 0x89, 0x74, 0x24, 0x08,                       // mov [rsp+8], rsi
    0x48, 0x89, 0x54, 0x24, 0x10,                       // mov [rsp+16], rdx
    0x48, 0x89, 0x4c, 0x24, 0x18,                       // mov [rsp+24], rcx
    0x4c, 0x89, 0x44, 0x24, 0x20,                       // mov [rsp+32], r8
    0x4c, 0x89, 0x4c, 0x24, 0x28,                       // mov [rsp+40], r9
    0x66, 0x0f, 0xd6, 0x44, 0x24, 0x30,                 // movq [rsp+48], xmm0
    0x66, 0x0f, 0xd6, 0x4c, 0x24, 0x38,                 // movq [rsp+56], xmm1
    0x66, 0x0f, 0xd6, 0x54, 0x24, 0x40,                 // movq [rsp+64], xmm2
    0x66, 0x0f, 0xd6, 0x5c, 0x24, 0x48,                 // movq [rsp+72], xmm3
    0x66, 0x0f, 0xd6, 0x64, 0x24, 0x50,                 // movq [rsp+80], xmm4
    0x66, 0x0f, 0xd6, 0x6c, 0x24, 0x58,                 // movq [rsp+88], xmm5
    0x66, 0x0f, 0xd6, 0x74, 0x24, 0x60,                 // movq [rsp+96], xmm6
    0x66, 0x0f, 0xd6, 0x7c, 0x24, 0x68,                 // movq [rsp+104], xmm7
    0x48, 0xbf, 0,    0,    0,    0,    0,    0, 0, 0,  // movabs rdi, object
    0x48, 0x89, 0xe6,                                   // mov rsi, rsp
    0x48, 0xb8, 0,    0,    0,    0,    0,    0, 0, 0,  // movabs rax, target
    0x48, 0x8d, 0x4d, 0x10,                             // lea rcx, [rbp+16]
    0x48, 0x89, 0x4c, 0x24, 0x70,                       // mov [rsp+112], rcx
    0xff, 0xd0,                                         // call rax
    0x48, 0x8b, 0x44, 0x24, 0x78,                       // mov rax, [rsp+120]
    0x66, 0x48, 0x0f, 0x6e, 0xc0,                       // movq xmm0, rax
    0xc9,                                               // leave
    0xc3,                                               // ret
};
static_assert(sizeof(NativeCall) == 0x80 && offsetof(NativeCall, behind) == 112 &&
              offsetof(NativeCall, result) == 120);
constexpr std::size_t bytes = front + sizeof instructions;
static_assert(instructions[object_at - 1] == 0xbf && instructions[target_at - 1] == 0xb8);

}  // namespace

NativeFunction::NativeFunction(void* object, Target target) {
  memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED)
    support::fail_device("no memory for the code of a function pointer: {}", std::strerror(errno));
  auto* const code = static_cast<std::uint8_t*>(address());
  std::memcpy(code, instructions, sizeof instructions);
  std::memcpy(code + object_at, &object, sizeof object);
  std::memcpy(code + target_at, &target, sizeof target);
  if (mprotect(memory_, bytes, PROT_READ | PROT_EXEC) == 0) return;
  const int reason = errno;
  munmap(memory_, bytes);
  support::fail_device(
      "the system does not allow code made at run time, which a function pointer needs: {}",
      std::strerror(reason));
}

NativeFunction::~NativeFunction() { munmap(memory_, bytes); }

void* NativeFunction::address() const { return static_cast<std::byte*>(memory_) + front; }

}  // namespace krait::runtime::cpu
