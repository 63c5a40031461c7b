// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels to ship: one file with recorded kernels and code for some targets, which another program
// loads (docs/shipping.md).
#pragma once

#include <cstddef>
#include <utility>

#include <krait/kernel.h>

namespace krait {
namespace detail {

struct pack_state;
/// The implementation of kr::pack and kernel_pack, whose docstrings list the errors.
KRAIT_API void write_pack(const char* file, const char* targets, const kernel_reference* kernels,
                          std::size_t count);
KRAIT_API pack_state* load_pack(const char* file);
KRAIT_API void free_pack(pack_state* pack) noexcept;
KRAIT_API std::size_t kernels_in_pack(const pack_state* pack) noexcept;
KRAIT_API const char* pack_name(const pack_state* pack, std::size_t index);
KRAIT_API text pack_signature(const pack_state* pack, const char* name);
KRAIT_API text pack_targets(const pack_state* pack, const char* name);
/// A kernel object that takes these parameters.
KRAIT_API kernel_state* make_packed_kernel(const pack_state* pack, const char* name,
                                           const signature& as);

/// A parameter of a signature: kr::view<T, N> for arrays, kr::value<T> or T for numbers and
/// structs.
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
concept packable = requires(const Kernel& k) { access::reference(k); };
template <class Signature>
struct packed_kernel;
template <class... Params>
struct packed_kernel<void(Params...)> {
  using lambda = packed_lambda<typename packed_parameter<Params>::type...>;
  static constexpr const signature& as =
      kernel_recording<lambda, typename packed_parameter<Params>::type...>::as;
};

}  // namespace detail

/// Options of kr::pack.
struct pack_options {
  /// Targets with semicolons between them: those of kr::target, and "x86-64-v2", "x86-64-v3",
  /// "x86-64-v4".
  const char* targets = "x86-64-v2; x86-64-v3; x86-64-v4; sm_75; sm_80; sm_90; vulkan";
};

/// Records kernels, compiles them for each target, and writes them to a file.
/// Kernels are found by the name in their options; their lambdas declare the parameters' types.
/// Throws error, and leaves the file as it was.
/// \code
/// kr::pack("kernels.kpack", {.targets = "x86-64-v3; sm_90"}, saxpy);
/// \endcode
template <class... Kernels>
void pack(const char* file, const pack_options& with, const Kernels&... kernels) {
  static_assert(sizeof...(Kernels) > 0, "a pack has at least one kernel");
  const detail::kernel_reference given[] = {detail::access::reference(kernels)...};
  detail::write_pack(file, with.targets, given, sizeof...(Kernels));
}
template <class... Kernels>
  requires(detail::packable<Kernels> && ...)
void pack(const char* file, const Kernels&... kernels) {
  pack(file, pack_options{}, kernels...);
}

/// The kernels of a pack file; they may outlive it, and can be launched from any thread.
class kernel_pack {
 public:
  kernel_pack(kernel_pack&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  kernel_pack& operator=(kernel_pack&&) = delete;
  ~kernel_pack() { detail::free_pack(state_); }

  /// A kernel by its name, to be launched like others.
  /// Throws error{usage} if the pack has no kernel of that name, or its parameters differ.
  /// \code
  /// auto pack = kr::load_pack("kernels.kpack");
  /// auto scale2 = pack.get<void(kr::view<float>)>("scale");
  /// \endcode
  template <class Signature>
  auto get(const char* name) const {
    using packed = detail::packed_kernel<Signature>;
    return detail::access::make<kernel_object<typename packed::lambda>>(
        detail::make_packed_kernel(state_, name, packed::as));
  }

  /// The number of kernels.
  std::size_t size() const noexcept { return detail::kernels_in_pack(state_); }
  /// The name of a kernel, in the order of packing. Throws error{usage} beyond the last.
  const char* name(std::size_t index) const { return detail::pack_name(state_, index); }
  /// The parameters of a kernel in the words of docs/ir.md: "(f32, view<f32, 1, const>, view<f32,
  /// 1>)".
  text signature(const char* name) const { return detail::pack_signature(state_, name); }
  /// The targets that it has code for.
  text targets(const char* name) const { return detail::pack_targets(state_, name); }

 private:
  friend kernel_pack load_pack(const char* file);
  explicit kernel_pack(detail::pack_state* state) noexcept : state_(state) {}
  detail::pack_state* state_;
};

/// Reads a file that kr::pack or `krait pack` wrote. A pack contains code: load only those you
/// trust.
/// Throws error{usage} for a damaged file and for one of another version.
/// \code
/// auto pack = kr::load_pack("kernels.kpack");
/// std::puts(pack.name(0));
/// \endcode
inline kernel_pack load_pack(const char* file) { return kernel_pack(detail::load_pack(file)); }

}  // namespace krait
