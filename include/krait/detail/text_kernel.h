// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in text form (.kir) as objects that are launched, for `krait run` and `krait doctor`.
#pragma once

#include <cstddef>

#include <krait/detail/call.h>

namespace krait::detail {

/// A kernel with its one list of parameters, in the order of the text.
struct text_kernel;

/// `file` is used in messages. Throws error{compile} with line:column for text that is not a
/// kernel, and error{usage} for a kernel with data of kr::constant, which the text does not hold.
/// `checked`: accesses are checked, whatever the text says; throws error{usage} for text taken
/// after the passes, where that is not possible.
KRAIT_API text_kernel* make_text_kernel(const char* kir, std::size_t size, const char* file,
                                        bool checked = false);
KRAIT_API void free_text_kernel(text_kernel* kernel) noexcept;
/// Its parameters; they live as long as the kernel.
KRAIT_API const signature& signature_of(const text_kernel* kernel) noexcept;
/// Whether it stores to that array, dead code aside.
KRAIT_API bool writes_parameter(const text_kernel* kernel, unsigned index) noexcept;
/// The block that the text fixes; x is 0 where it fixes none.
KRAIT_API dims fixed_block_of(const text_kernel* kernel) noexcept;
/// As a call of a kernel object; there are as many arguments as parameters, of their types. Throws
/// error.
KRAIT_API void launch(text_kernel* kernel, const argument* arguments, const call_config& config);
/// Compiles them for each target and writes them into a pack (krait/pack.h), by their names in the
/// text. Throws error.
KRAIT_API void write_pack(const char* file, const char* targets, const text_kernel* const* kernels,
                          std::size_t count);
/// "f32", "i64", …; "void" for scalar::none.
KRAIT_API const char* name_of(scalar type) noexcept;
/// Bytes of one; 0 for scalar::none.
KRAIT_API std::size_t size_of(scalar type) noexcept;

}  // namespace krait::detail
