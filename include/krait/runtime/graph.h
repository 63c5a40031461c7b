// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: many launches that are recorded once and replayed at the cost of one call.
#pragma once

#include <cstddef>

#include <krait/detail/function_ref.h>
#include <krait/device.h>

namespace krait {

/// Launches that are recorded once and replayed together, at the cost of one call.
/// The function's launches are recorded with their arguments; nothing runs. Fills and copies
/// between arrays are launches, too. The graph keeps its arrays and kernels alive; memory of others
/// (array::wrap) must outlive it. Host containers and copies from the host or another device are
/// refused. On CUDA the driver replays one graph.
/// \code
/// kr::graph step([&] { scale.launch({64, 256}, x); scale.launch({64, 256}, y); });
/// for (int k = 0; k < 1000; ++k) step.launch();
/// \endcode
class KRAIT_API graph {
 public:
  /// Records the launches that the function makes on this thread.
  /// Throws error{usage} for launches on another device than `on`, with host containers, or in a
  /// stream.
  explicit graph(detail::function_ref<void()> launches, device on = device());
  graph(graph&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  graph& operator=(graph&&) = delete;
  ~graph();

  /// Puts all launches into the default stream of the device, or into a stream.
  void launch();
  void launch(const stream& in);
  /// The number of launches.
  std::size_t size() const noexcept;

  /// The recorded launches; used by the library.
  struct state;
  /// The recorded launches; used by the library.
  const state* get() const noexcept { return state_; }

 private:
  void replay(void* stream_record);
  void run(void* native_stream);
  state* state_;
};

namespace detail {
/// Whether this thread records a graph.
KRAIT_API bool records_graph() noexcept;
/// While it lives, launches of this thread run, whatever graph it records: for tables that stay
/// from call to call.
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
