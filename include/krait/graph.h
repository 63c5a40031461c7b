// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: many launches recorded once and replayed at the cost of one.
#pragma once

#include <cstddef>

#include <krait/detail/function_ref.h>
#include <krait/device.h>

namespace krait {

/// The launches that a function makes on this thread, with their arguments as they are then.
///   kr::graph step([&] { diffuse.launch({g, b}, a, c); diffuse.launch({g, b}, c, a); });
///   for (int i = 0; i < 1000; ++i) step.launch();
/// Nothing runs while recording; fills and copies from array to array are launches, too. The graph keeps the memory of its arrays and the
/// code of its kernels; memory of others (array::wrap) must outlive it. Host containers are refused, as copies from the host and from other
/// devices are, since their contents would be copied once only. On CUDA the driver replays it as one graph.
class KRAIT_API graph {
 public:
  /// Throws error{usage} for launches on another device than `on`, with host containers or in a stream of their own.
  explicit graph(detail::function_ref<void()> launches, device on = device());
  graph(graph&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  graph& operator=(graph&&) = delete;
  ~graph();

  /// Puts all launches into the device's default stream, or into a stream.
  void launch();
  void launch(const stream& in);
  /// How many launches it holds.
  std::size_t size() const noexcept;

  struct state;                                         ///< the library's own
  const state* get() const noexcept { return state_; }  ///< the library's own

 private:
  void replay(void* stream_record);
  void run(void* native_stream);
  state* state_;
};

namespace detail {
/// Whether this thread records a graph.
KRAIT_API bool records_graph() noexcept;
/// While it lives, launches of this thread run, whatever graph it records: for tables that stay from call to call.
class KRAIT_API outside_graph {
 public:
  outside_graph() noexcept;
  ~outside_graph();
  outside_graph(const outside_graph&) = delete;
  outside_graph& operator=(const outside_graph&) = delete;

 private:
  graph::state* open_;
};
}  // namespace detail

}  // namespace krait
