// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for web pages (docs/webgpu.md): a folder with one JavaScript module per kernel, and a
// page that checks them.
#pragma once

#include <initializer_list>
#include <tuple>
#include <utility>

#include <krait/kernel.h>
#include <krait/vectorize.h>

namespace krait {
namespace detail {

struct web_kernel_state;
KRAIT_API web_kernel_state* make_web_kernel(kernel_state* state, const void* lambda,
                                            const signature& as, const argument* arguments,
                                            const call_config& config);
/// Of an element-wise function; memory for the outputs, which come last, is made.
KRAIT_API web_kernel_state* make_web_function(kernel_state* state, const void* lambda,
                                              const signature& as, const argument* arguments,
                                              unsigned outputs);
KRAIT_API void free_web_kernel(web_kernel_state* kernel) noexcept;
KRAIT_API void set_web_names(web_kernel_state* kernel, const char* const* names, std::size_t count);
KRAIT_API void set_web_image(web_kernel_state* kernel, std::int64_t width, std::int64_t height);
KRAIT_API void set_web_bound(web_kernel_state* kernel, double relative, double absolute,
                             double except);
KRAIT_API void set_web_target(web_kernel_state* kernel, const char* target);
KRAIT_API void export_web(const char* folder, const web_kernel_state* const* kernels,
                          std::size_t count);
struct web_kernel_file {
  const char* path;
  const char* text;
  std::size_t size;
};
/// Of kernels in text form with launches (`; run:`), whose results the interpreter computes.
KRAIT_API void export_kernel_files(const char* folder, const web_kernel_file* files,
                                   std::size_t count, const char* target);

template <class Lambda, class Results>
struct web_function;
template <class Lambda, class... Results>
struct web_function<Lambda, std::tuple<Results...>> {
  template <class... Args>
  static web_kernel_state* make(kernel_state* state, const Lambda& lambda, Args&&... args) {
    static_assert(
        (!by_value<std::remove_cvref_t<Args>> || ...),
        "kr::web needs an array among the arguments of an element-wise function: plain numbers need no GPU");
    argument packed[(input_of<Args>::nodes + ... + sizeof...(Results))];
    argument* next = packed;
    (add_input(next, args), ...);
    using recording =
        elementwise_recording<Lambda, 1, std::tuple<input_of<Args>...>, std::tuple<Results...>>;
    return make_web_function(state, &lambda, recording::as, packed, sizeof...(Results));
  }
};

}  // namespace detail

/// A kernel for a web page with a call as its example, made by kr::web.
class web_kernel {
 public:
  explicit web_kernel(detail::web_kernel_state* state) : state_(state) {}
  web_kernel(web_kernel&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  web_kernel& operator=(web_kernel&&) = delete;
  ~web_kernel() { detail::free_web_kernel(state_); }

  /// Names the parameters in JavaScript; without it p0, p1 and so on.
  /// Throws error{usage} unless there is one name per parameter.
  /// \code
  /// auto page = kr::web(saxpy[{30, 128}], 2.0f, x, y);
  /// page.names({"a", "x", "y"}).within(1e-5, 1e-6);
  /// \endcode
  web_kernel& names(std::initializer_list<const char*> given) {
    detail::set_web_names(state_, given.begin(), given.size());
    return *this;
  }
  /// Lets the page draw the kernel's output, `width` x `height` numbers.
  /// Throws error{usage} if no array has that many elements.
  web_kernel& image(std::int64_t width, std::int64_t height) {
    detail::set_web_image(state_, width, height);
    return *this;
  }
  /// Sets the error of floats that the page allows: absolute + relative * expected.
  /// Without it both are 0 in strict and reproducible mode, else relative 1e-5 and absolute 1e-4.
  /// `except` is the share of elements, 0 to 1, that may be outside it: for pictures such as the
  /// Mandelbrot set, where a rounding decides about a point.
  web_kernel& within(double relative, double absolute, double except = 0) {
    detail::set_web_bound(state_, relative, absolute, except);
    return *this;
  }
  /// Sets limits or features that not every browser has: "wgsl features=warp buffers=10".
  web_kernel& on(const target& wanted) {
    detail::set_web_target(state_, wanted.c_str());
    return *this;
  }

 private:
  friend struct detail::access;
  const detail::web_kernel_state* state() const noexcept { return state_; }
  detail::web_kernel_state* state_;
};

/// A kernel and a call of it, for a web page.
/// The call runs on the CPU, on copies of the arrays; the page expects its results. Throws error.
/// \code
/// auto page = kr::web(saxpy[{30, 128}], 2.0f, x, y);
/// \endcode
template <class Lambda, class... Args>
web_kernel web(const detail::bound_kernel<Lambda>& call, Args&&... args) {
  return web_kernel(
      detail::access::pass_to<&detail::make_web_kernel>(call, std::forward<Args>(args)...));
}

/// An element-wise function and a call of it, for a web page.
/// In JavaScript it takes numbers and arrays of equal length, and gives a new array. Throws error,
/// with kind usage for arrays of different shapes.
template <class Lambda, class... Signatures, class... Args>
web_kernel web(const vectorized<Lambda, Signatures...>& function, Args&&... args) {
  return web_kernel(
      detail::access::pass_to<detail::web_function>(function, std::forward<Args>(args)...));
}

/// Writes a web page that runs and checks kernels into a folder, which is made if it is missing.
/// Files are NAME.mjs and NAME.d.mts per kernel, krait.mjs, which they share, and index.html.
/// Throws error{compile} for a kernel that WebGPU cannot run, before anything is written.
/// \code
/// kr::export_web("site", kr::web(saxpy[{30, 128}], 2.0f, x, y));
/// \endcode
template <class... Kernels>
void export_web(const char* folder, const Kernels&... kernels) {
  const detail::web_kernel_state* const states[] = {detail::access::state(kernels)...};
  detail::export_web(folder, states, sizeof...(Kernels));
}

}  // namespace krait
