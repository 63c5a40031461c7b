// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels: lambdas that every thread of a launch runs.
#pragma once

#include <krait/compilation.h>
#include <krait/detail/arguments.h>
#include <krait/detail/object.h>

namespace krait {
namespace detail {

template <class Lambda, class... Params>
struct kernel_recording {
  static_assert(
      std::is_invocable_v<const Lambda&, Params...>,
      "the lambda cannot be called with these arguments: compare its parameters with the launch's "
      "(numbers give kr::value<T>, containers kr::view<T>, const and temporary containers "
      "kr::view<const T>)");
  static_assert(std::is_void_v<std::invoke_result_t<const Lambda&, Params...>>,
                "a kernel must return nothing: write its results to a view");

  static void record(const void* lambda, const node* nodes) {
    run(lambda, nodes, std::index_sequence_for<Params...>{});
  }
  template <std::size_t... Indices>
  static void run(const void* lambda, [[maybe_unused]] const node* nodes,
                  std::index_sequence<Indices...>) {
    (*static_cast<const Lambda*>(lambda))(
        parameter_traits<Params>::make(nodes + first_node(Indices))...);
  }
  static constexpr std::size_t first_node(std::size_t parameter) {
    const std::size_t counts[] = {parameter_traits<Params>::nodes..., 0};
    std::size_t first = 0;
    for (std::size_t p = 0; p < parameter; ++p) first += counts[p];
    return first;
  }
  static constexpr std::size_t node_count = first_node(sizeof...(Params));
  struct parameter_list {
    parameter_type at[node_count + 1]{};
    constexpr parameter_list() {
      [[maybe_unused]] parameter_type* next = at;
      (parameter_traits<Params>::describe(next), ...);
    }
  };
  static constexpr parameter_list parameters{};
  static constexpr bool specializes() {
    for (const parameter_type& p : parameters.at)
      if (p.specialized) return true;
    return false;
  }
  static constexpr signature as{parameters.at, node_count, &record, specializes()};

  template <auto Take, class... Args>
  static auto pass_to(kernel_state* state, const Lambda& lambda, const call_config& config,
                      Args&&... args) {
    argument packed[node_count + 1];
    [[maybe_unused]] argument* next = packed;
    [[maybe_unused]] unsigned parameter = 0;
    (add_argument<Params>(next, state, ++parameter, std::forward<Args>(args)), ...);
    return Take(state, &lambda, as, packed, config);
  }
};

/// A kernel with declared parameters, erased of its types: for who keeps its recording.
struct kernel_reference {
  kernel_state* state;
  const void* lambda;
  const signature* as;
};

/// The parameter types of a lambda without `auto` parameters.
template <class Member>
struct declared;
template <class Lambda, class Result, class... Params>
struct declared<Result (Lambda::*)(Params...) const> {
  static_assert(
      (kernel_parameter<std::remove_cvref_t<Params>> && ...),
      "a kernel's parameters must be kr::value<T>, kr::view<T>, kr::specialized<T> or auto: a "
      "plain T would be read once, while recording");
  template <auto Take, class... Args>
  static auto pass_to(kernel_state* state, const Lambda& lambda, const call_config& config,
                      Args&&... args) {
    static_assert(
        sizeof...(Args) == sizeof...(Params),
        "the launch and the lambda differ in their number of arguments: pass one argument per parameter");
    return kernel_recording<Lambda, std::remove_cvref_t<Params>...>::template pass_to<Take>(
        state, lambda, config, std::forward<Args>(args)...);
  }
  static kernel_reference refer_to(kernel_state* state, const Lambda& lambda) {
    return {state, &lambda, &kernel_recording<Lambda, std::remove_cvref_t<Params>...>::as};
  }
  static void compile(kernel_state* state, const Lambda& lambda) {
    detail::compile(state, &lambda, kernel_recording<Lambda, std::remove_cvref_t<Params>...>::as);
  }
  static compilation compile_async(kernel_state* state, const Lambda& lambda) {
    return detail::compile_async(state, &lambda,
                                 kernel_recording<Lambda, std::remove_cvref_t<Params>...>::as);
  }
};
template <class Lambda, class Result, class... Params>
struct declared<Result (Lambda::*)(Params...) const noexcept>
    : declared<Result (Lambda::*)(Params...) const> {};

template <class Lambda>
concept has_declared_parameters = requires { &Lambda::operator(); };

/// Gives a call with its arguments, erased of their types, to `Take`: detail::call, or who keeps it
/// as an example.
template <auto Take, class Lambda, class... Args>
auto pass_kernel(kernel_state* state, const Lambda& lambda, const call_config& config,
                 Args&&... args) {
  if constexpr ((unready<Args> || ...)) {
    return pass_kernel<Take>(state, lambda, config, as_argument(std::forward<Args>(args))...);
  } else if constexpr (has_declared_parameters<Lambda>) {
    return declared<decltype(&Lambda::operator())>::template pass_to<Take>(
        state, lambda, config, std::forward<Args>(args)...);
  } else {
    return kernel_recording<Lambda, typename decltype(parameter_for<Args>())::type...>::
        template pass_to<Take>(state, lambda, config, std::forward<Args>(args)...);
  }
}

/// A kernel with its grid and block, as k[grid, block] and k.forall(n) give it.
/// Call it with the arguments.
template <class Lambda>
class bound_kernel {
 public:
  bound_kernel(kernel_state* state, const Lambda* lambda, const call_config& config)
      : state_(state), lambda_(lambda), config_(config) {}
  template <class... Args>
  void operator()(Args&&... args) const {
    pass_to<&detail::call>(std::forward<Args>(args)...);
  }

 private:
  friend struct access;
  /// Passes the call to `Take`.
  template <auto Take, class... Args>
  auto pass_to(Args&&... args) const {
    return pass_kernel<Take>(state_, *lambda_, config_, std::forward<Args>(args)...);
  }
  kernel_state* state_;
  const Lambda* lambda_;
  call_config config_;
};

}  // namespace detail

/// A kernel made by kr::kernel; it is compiled at the first call for each set of argument types.
/// Calls from several threads are safe.
template <class Lambda>
class kernel_object : public detail::object {
 public:
  kernel_object(Lambda lambda, const options& with, detail::location where)
      : object(with, with.block, where), lambda_(std::move(lambda)) {}

/// Chooses grid and block, as in Numba: `k[grid, block](args…)` in C++23.
/// Grid and block are numbers or kr::dims.
#if defined(__cpp_multidimensional_subscript)
  auto operator[](dims grid, dims block) const { return bind({grid, block}); }
  auto operator[](dims grid, dims block, const stream& on) const { return bind({grid, block, on}); }
#endif
  /// Chooses grid and block in C++20: `k[{grid, block}](args…)`.
  auto operator[](const launch_config& config) const { return bind(config); }
  /// Launches the kernel with a grid, a block and optionally a stream.
  /// Numbers, containers and arrays are arguments. On GPUs it returns before the work is done.
  /// Throws error.
  /// \code
  /// scale.launch({64, 256}, x);
  /// \endcode
  template <class... Args>
  void launch(const launch_config& config, Args&&... args) const {
    bind(config)(std::forward<Args>(args)...);
  }
  /// Launches at least n threads: `k.forall(n)(args…)`, with a block size that suits the device.
  /// \code
  /// scale.forall(x.size())(x);
  /// \endcode
  template <class Count>
  detail::bound_kernel<Lambda> forall(Count n) const {
    static_assert(detail::host_integer<Count>, "krait: forall needs an integer number of threads");
    return covering(static_cast<std::int64_t>(n), nullptr);
  }
  template <class Count>
  detail::bound_kernel<Lambda> forall(Count n, const stream& on) const {
    static_assert(detail::host_integer<Count>, "krait: forall needs an integer number of threads");
    return covering(static_cast<std::int64_t>(n), &on);
  }
  /// Not usable: a kernel needs a grid and a block. The compile error names the cure.
  template <class... Args>
  void operator()(Args&&...) const {
    static_assert(detail::always_false<Args...>,
                  "krait: a kernel is called with its launch: k.forall(n)(args...), k[{grid, "
                  "block}](args...) or k.launch({grid, block}, args...)");
  }

  /// Compiles now for the default device, so that the first call is fast.
  /// The lambda's parameters must have types, not auto.
  /// \code
  /// saxpy.compile();
  /// \endcode
  const kernel_object& compile() const {
    static_assert(
        detail::has_declared_parameters<Lambda>,
        "compile() needs the types of the parameters: declare them in the lambda, or call the kernel");
    detail::declared<decltype(&Lambda::operator())>::compile(state(), lambda_);
    return *this;
  }
  /// Compiles in the background; the lambda is recorded now. A call waits for this kernel only.
  compilation compile_async() const {
    static_assert(detail::has_declared_parameters<Lambda>,
                  "compile_async() needs the types of the parameters: declare them in the lambda");
    return detail::declared<decltype(&Lambda::operator())>::compile_async(state(), lambda_);
  }

 private:
  friend struct detail::access;
  explicit kernel_object(detail::kernel_state* made) noexcept : object(made) {}
  /// The recording, for kr::pack.
  detail::kernel_reference reference() const {
    static_assert(detail::has_declared_parameters<Lambda>,
                  "kr::pack needs the types of the parameters: declare them in the lambda");
    return detail::declared<decltype(&Lambda::operator())>::refer_to(state(), lambda_);
  }
  detail::bound_kernel<Lambda> bind(const launch_config& config) const {
    detail::call_config c;
    c.grid = config.grid, c.block = config.block, c.on = config.on;
    return {state(), &lambda_, c};
  }
  detail::bound_kernel<Lambda> covering(std::int64_t n, const stream* on) const {
    detail::call_config c;
    c.form = detail::call_config::threads, c.count = n, c.on = on;
    return {state(), &lambda_, c};
  }
  Lambda lambda_;
};

/// A kernel whose grid and block are template arguments: call it with the arguments alone.
template <dims Grid, dims Block, class Lambda>
class fixed_kernel : public detail::object {
  static_assert(Grid.x > 0 && Grid.y > 0 && Grid.z > 0 && Block.x > 0 && Block.y > 0 && Block.z > 0,
                "grid and block must be at least 1 in each dimension");

 public:
  fixed_kernel(Lambda lambda, const options& with, detail::location where)
      : object(with, Block, where), lambda_(std::move(lambda)) {}

  template <class... Args>
  void operator()(Args&&... args) const {
    bound()(std::forward<Args>(args)...);
  }
  /// The kernel with its grid and block, as `k[grid, block]` gives it for other kernels.
  detail::bound_kernel<Lambda> bound() const { return {state(), &lambda_, config()}; }
  /// Compiles now for the default device, so that the first call is fast.
  const fixed_kernel& compile() const {
    static_assert(
        detail::has_declared_parameters<Lambda>,
        "compile() needs the types of the parameters: declare them in the lambda, or call the kernel");
    detail::declared<decltype(&Lambda::operator())>::compile(state(), lambda_);
    return *this;
  }
  /// Compiles in the background; the lambda is recorded now.
  compilation compile_async() const {
    static_assert(detail::has_declared_parameters<Lambda>,
                  "compile_async() needs the types of the parameters: declare them in the lambda");
    return detail::declared<decltype(&Lambda::operator())>::compile_async(state(), lambda_);
  }

 private:
  friend struct detail::access;
  /// The recording, for kr::pack.
  detail::kernel_reference reference() const {
    static_assert(detail::has_declared_parameters<Lambda>,
                  "kr::pack needs the types of the parameters: declare them in the lambda");
    return detail::declared<decltype(&Lambda::operator())>::refer_to(state(), lambda_);
  }
  static detail::call_config config() {
    detail::call_config c;
    c.grid = Grid, c.block = Block;
    return c;
  }
  Lambda lambda_;
};

/// Makes a kernel from a lambda with parameters kr::value<T>, kr::view<T, N> or auto.
/// \code
/// auto saxpy = kr::kernel([](kr::value<float> s, kr::view<const float> p, kr::view<float> q) {
///   for (auto i : kr::grid_stride(q.size())) q[i] = s * p[i] + q[i];
/// });
/// saxpy.launch({64, 256}, 2.0f, x, y);
/// \endcode
template <class Lambda>
kernel_object<Lambda> kernel(Lambda lambda, options with = {},
                             detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}
/// Makes a kernel with a fixed grid and block: `kr::kernel<grid, block>(lambda)`.
template <dims Grid, dims Block, class Lambda>
fixed_kernel<Grid, Block, Lambda> kernel(Lambda lambda, options with = {},
                                         detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}

/// Compiles kernels with declared parameters in parallel, on as many threads as there are cores.
/// Throws the error of the first kernel that has one, after all were started.
/// \code
/// kr::compile_all(saxpy, scale);
/// \endcode
template <class... Kernels>
void compile_all(const Kernels&... kernels) {
  const compilation started[] = {kernels.compile_async()...};
  for (const compilation& c : started) c.wait();
}

}  // namespace krait
