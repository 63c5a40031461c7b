// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's static objects live as long as the process. Threads may compile while main has
// returned and the program's exit handlers run; LLVM registers destructors of what it makes at
// first use, so nobody could wait before all of them. This definition is seen by the plug-in alone
// (exports.map) and takes the place of the C library's (Itanium C++ ABI, section 3.3.6).
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*,
                                                                  void*) noexcept {
  return 0;
}
