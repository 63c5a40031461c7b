// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that a kernel object passes to the library at a call: the type-erased arguments, and how
// to record the lambda for them. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/emit.h>
#include <krait/detail/export.h>
#include <krait/detail/text.h>
#include <krait/options.h>

namespace krait {
class compilation;
class device;
}  // namespace krait

namespace krait::detail {

struct storage;       // memory of a kr::array
struct kernel_state;  // compiled code and recordings of one kernel object

/// One parameter of a specialisation.
struct parameter_type {
  scalar type;               // of the value, or of an array's elements
  unsigned char rank;        // 0: a value
  bool writable;             // arrays
  bool output;               // written whole and never read: nothing is copied in
  std::uint32_t elem_bytes;  // arrays; a value: of an aggregate that travels as bytes, else 0
  bool specialized = false;  // a value: part of the code
};

/// One argument of a call. A launch fills in as many as it has parameters, so what a kind does not
/// use is not even zeroed.
struct argument {
  enum kind_type : unsigned char { value, host, device_array };
  kind_type kind = value;
  unsigned char rank = 0;
  union {
    std::uint64_t bits = 0;   // value: zero-extended
    void* data;               // host: first element; a value that travels as bytes: the object
    detail::storage* memory;  // device_array
  };
  std::uint64_t offset;            // device_array: bytes from the start of its memory
  std::int64_t extents[max_rank];  // of the first `rank` dimensions
  std::int64_t strides[max_rank];  // in elements, of any sign; 0 where broadcast
};

/// A specialisation: one object per list of parameter types and way of recording. Its address is
/// its identity in a kernel object.
struct signature {
  const parameter_type* parameters;
  unsigned count;
  /// Calls the lambda on recorded parameters; `nodes` has one node per parameter.
  void (*record)(const void* lambda, const node* nodes);
  bool specialized = false;  // some parameter is
};

/// Where and how to launch.
struct call_config {
  enum form_type : unsigned char { grid_block, threads, elements, numbers };
  form_type form = grid_block;
  dims grid, block;  // grid_block
  // threads: a grid is chosen that covers them; elements: of an element-wise call; numbers: on the
  // CPU
  std::int64_t count = 0;
  const stream* on = nullptr;
  void* device = nullptr;  // a handle; null: the arrays' or the default one
};

KRAIT_API kernel_state* make_kernel_state(const options& with, const dims& fixed_block,
                                          location where);
/// One more owner of it; null for a moved-from kernel.
KRAIT_API kernel_state* share_kernel_state(kernel_state* state) noexcept;
KRAIT_API void free_kernel_state(kernel_state* state) noexcept;

/// Records, compiles and launches as needed. Throws error.
KRAIT_API void call(kernel_state* state, const void* lambda, const signature& as,
                    const argument* arguments, const call_config& config);
/// Compiles for the default device, so that the first call need not.
KRAIT_API void compile(kernel_state* state, const void* lambda, const signature& as);
/// Records now and compiles in the background.
KRAIT_API compilation compile_async(kernel_state* state, const void* lambda, const signature& as);

/// The resources that a kernel's code uses on its device; 0 where the device does not report one.
struct attributes_type {
  /// Registers per thread.
  int registers;
  /// Shared memory per block in bytes, without arrays that are sized at launch.
  std::int64_t shared_bytes;
  /// Local memory per thread in bytes.
  std::int64_t local_bytes;
  /// The most threads per block.
  int max_threads;
  /// The threads per block that use the device well.
  int suggested_block;
};
KRAIT_API attributes_type attributes_of(kernel_state* state);

/// The types that an element-wise function was compiled for, a line each: "f32, f32 -> f32".
KRAIT_API text types_of(kernel_state* state);

/// Stage "ir", "llvm", "ptx", "sass", "spirv", "wgsl", "asm" of the last specialisation; target:
/// codegen's target text, or nullptr: the device's.
KRAIT_API text inspect(kernel_state* state, const char* stage, const char* target);

/// The same for a kernel in text form (.kir). Throws error{compile} with line:column for text that
/// is not a kernel.
KRAIT_API text inspect_text(const char* kir, std::size_t size, const char* stage,
                            const char* target);

// ---- memory of arrays ---------------------------------------------------------------------------
/// Who lent memory, and how it is given back.
struct tensor_owner {
  void* tensor;
  void (*release)(void* tensor);
};
KRAIT_API storage* allocate(void* device_handle, std::size_t bytes);
KRAIT_API storage* wrap_memory(void* device_handle, std::uint64_t address, std::size_t bytes);
KRAIT_API void release(storage* memory) noexcept;
/// Makes one more owner, who calls release.
KRAIT_API void share(storage* memory) noexcept;
KRAIT_API std::uint64_t address_of(const storage* memory) noexcept;
KRAIT_API void* device_of(const storage* memory) noexcept;
KRAIT_API void* allocate_host(std::size_t bytes);
KRAIT_API void free_host(void* memory) noexcept;
/// The device an operation on these arguments runs on: the arrays' own, else the default one.
KRAIT_API void* choose_device(const argument* arguments, unsigned count);

KRAIT_API void* handle_of(const device& d) noexcept;
KRAIT_API device device_from(void* handle);
/// Throws error{usage} for a negative extent or a product beyond 2^62 bytes.
KRAIT_API void check_shape(const std::int64_t* extents, int rank, std::size_t element_bytes);
KRAIT_API void check_same_shape(const std::int64_t* got, const std::int64_t* wanted, int rank,
                                const char* operation);
KRAIT_API void check_count(std::int64_t got, std::int64_t wanted, const char* operation);
/// Throws error{usage}: an integer of these bits, extended to 64, is none of the type of that
/// parameter, whose number is from 1.
[[noreturn]] KRAIT_API void refuse_number(const kernel_state* state, unsigned parameter,
                                          scalar type, bool negative, std::uint64_t bits);
[[noreturn]] KRAIT_API void throw_usage(const char* message, location where);

}  // namespace krait::detail
