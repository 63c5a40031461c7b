// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in several processes, because a driver's compiler may take its process with it, or not come
// back.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace krait::test {

/// What the processes share.
struct Progress {
  std::atomic<long> next{0};                           // the next piece of work
  std::atomic<long> done{0}, different{0}, listed{0};  // listed: they differ, as is known
  std::atomic<long> given_up{0};                       // the driver took too long
  std::atomic<long> late{0};                           // the piece took too long
  std::atomic<bool> stop{false};
  char device[160] = "";  // the device's name, or why there is none
  std::atomic<bool> missing{false};
  int warp = 0;
};

/// `work` in `jobs` processes, or in this one where that is 1. It takes pieces from `next` until
/// there are none, and names the one it is at in `at`. Where a process dies, `died` gets that piece
/// and the signal, and another goes on; one that hangs is ended (Patience). `work` is false where
/// the process cannot go on, for its device is lost, and another has to.
using Work = std::function<bool(Progress& shared, std::atomic<long>& at)>;
using Died = std::function<void(Progress& shared, long at, int signal)>;
/// What ends a piece that takes too long.
struct Patience {
  double seconds = 40;  // a driver's compiler takes milliseconds, and a second on a busy machine
  std::function<void(Progress& shared, long at)> late = {};  // told instead of `died`
  // one job is a process of its own, too, so that it can be ended
  bool apart = false;
};
Progress& run_workers(unsigned jobs, const Work& work, const Died& died,
                      const Patience& patience = {});

}  // namespace krait::test
