// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are shipped: one file with what was recorded and with code for some targets, and its kernels in another program
// (docs/shipping.md).
#pragma once

#include <cstddef>
#include <utility>

#include <krait/kernel.h>

namespace krait {
namespace detail {

struct pack_state;
/// What is behind kr::pack and kernel_pack, which say what these throw.
KRAIT_API void write_pack(const char* file, const char* targets, const kernel_reference* kernels, std::size_t count);
KRAIT_API pack_state* load_pack(const char* file);
KRAIT_API void free_pack(pack_state* pack) noexcept;
KRAIT_API std::size_t kernels_in_pack(const pack_state* pack) noexcept;
KRAIT_API const char* pack_name(const pack_state* pack, std::size_t index);
KRAIT_API text pack_signature(const pack_state* pack, const char* name);
KRAIT_API text pack_targets(const pack_state* pack, const char* name);
/// A kernel object that takes these parameters.
KRAIT_API kernel_state* make_packed_kernel(const pack_state* pack, const char* name, const signature& as);

/// A parameter of a signature: kr::view<T, N> for arrays, kr::value<T> or T for numbers and structs.
template <class Param>
struct packed_parameter {
  using type = value<Param>;
};
template <class Elem>
struct packed_parameter<value<Elem>> {
  using type = value<Elem>;
};
template <class Elem, int Rank>
struct packed_parameter<view<Elem, Rank>> {
  using type = view<Elem, Rank>;
};

/// Stands for the lambda of a kernel that was recorded elsewhere.
template <class... Params>
struct packed_lambda {
  void operator()(Params...) const {}
};
template <class Kernel>
concept packable = requires(const Kernel& k) {
  k.reference();
};
template <class Signature>
struct packed_kernel;
template <class... Params>
struct packed_kernel<void(Params...)> {
  using lambda = packed_lambda<typename packed_parameter<Params>::type...>;
  static constexpr const signature& as = kernel_recording<lambda, typename packed_parameter<Params>::type...>::as;
};

}  // namespace detail

/// Targets that kr::pack compiles for, with a semicolon between: what kr::target takes, and "x86-64-v2", "x86-64-v3", "x86-64-v4".
struct pack_options {
  const char* targets = "x86-64-v2; x86-64-v3; x86-64-v4; sm_75; sm_80; sm_90; vulkan";
};

/// Records kernels, compiles them for each target and writes them into a file. Their names, `{.name = "saxpy"}`, are those that others load
/// them by; their lambdas declare the types of the parameters. Throws error, and leaves the file as it was.
template <class... Kernels>
void pack(const char* file, const pack_options& with, const Kernels&... kernels) {
  static_assert(sizeof...(Kernels) > 0, "a pack has at least one kernel");
  const detail::kernel_reference given[] = {kernels.reference()...};
  detail::write_pack(file, with.targets, given, sizeof...(Kernels));
}
template <class... Kernels>
requires(detail::packable<Kernels>&&...) void pack(const char* file, const Kernels&... kernels) {
  pack(file, pack_options{}, kernels...);
}

/// The kernels of a file. They may outlive it, and are launched from any thread.
class kernel_pack {
 public:
  kernel_pack(kernel_pack&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  kernel_pack& operator=(kernel_pack&&) = delete;
  ~kernel_pack() { detail::free_pack(state_); }

  /// A kernel, which is launched as others are:
  ///   auto saxpy = pack.get<void(float, kr::view<const float>, kr::view<float>)>("saxpy");
  ///   saxpy.launch({30, 128}, 2.0f, x, y);
  /// Throws error{usage} where the pack has none of that name, or it takes other parameters.
  template <class Signature>
  auto get(const char* name) const {
    using packed = detail::packed_kernel<Signature>;
    return kernel_object<typename packed::lambda>(detail::make_packed_kernel(state_, name, packed::as));
  }

  std::size_t size() const noexcept { return detail::kernels_in_pack(state_); }
  /// The kernels' names, in the order in which they were packed. Throws error{usage} beyond the last.
  const char* name(std::size_t index) const { return detail::pack_name(state_, index); }
  /// "(f32, view<f32, 1, const>, view<f32, 1>)", in the words of docs/ir.md.
  text signature(const char* name) const { return detail::pack_signature(state_, name); }
  /// The targets that it has code for.
  text targets(const char* name) const { return detail::pack_targets(state_, name); }

 private:
  friend kernel_pack load_pack(const char* file);
  explicit kernel_pack(detail::pack_state* state) noexcept : state_(state) {}
  detail::pack_state* state_;
};

/// Reads a file that kr::pack or `krait pack` made. A pack is code: load those that you trust. Throws error{usage} for one that is damaged
/// or of another version.
inline kernel_pack load_pack(const char* file) { return kernel_pack(detail::load_pack(file)); }

}  // namespace krait
