// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of linear algebra, opened at run time.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "krait/algorithm/detail/linalg_calls.h"

namespace krait::host {

/// The routines of krait/algorithm/detail/linalg_calls.h by LAPACK's names; arguments are as there,
/// pivots and numbers at addresses.
class LinearLibrary {
 public:
  using Number = detail::linalg_number;
  using Address = std::uint64_t;

  virtual ~LinearLibrary() = default;
  virtual int getrf(Number of, int m, int n, Address a, Address pivots) = 0;
  virtual int getrs(Number of, int n, int columns, Address a, Address pivots, Address b) = 0;
  virtual int potrf(Number of, int n, Address a) = 0;
  virtual int geqrf(Number of, int m, int n, Address a, Address tau) = 0;
  virtual int orgqr(Number of, int m, int n, Address a, Address tau) = 0;
  virtual int gesvd(Number of, int m, int n, Address a, Address s, Address u, int u_columns,
                    Address vh) = 0;
  virtual int syevd(Number of, int n, Address a, Address w) = 0;
  /// LAPACK alone has it. Real matrices: w has n real parts, then n imaginary ones; of two
  /// conjugates v has the real part of a vector, then its imaginary part.
  virtual int geev(Number, int, Address, Address, Address) { return -1; }
};

constexpr bool is_complex(detail::linalg_number of) { return of >= detail::linalg_number::c64; }
constexpr std::size_t part_bytes(detail::linalg_number of) {
  return of == detail::linalg_number::f32 || of == detail::linalg_number::c64 ? 4 : 8;
}
constexpr std::size_t number_bytes(detail::linalg_number of) {
  return part_bytes(of) * (is_complex(of) ? 2 : 1);
}

/// Whether the device has no such library, which a hint says; the CPU computes then. Throws
/// nothing.
bool computes_on_cpu(void* on, const char* function, bool lapack_alone = false);
/// Copies in C order on a device, which may be the array's own, or on the CPU.
detail::any_array copied_to(const detail::any_array& x, void* on);
detail::any_array on_cpu(const detail::any_array& x);

/// Null where none is installed, and why. Kept for ever.
LinearLibrary* open_lapack(std::string& why);
/// cuSOLVER for the CUDA device of this number.
LinearLibrary* open_cusolver(int ordinal, std::string& why);

}  // namespace krait::host

namespace krait::detail {

/// use(T()) with the type of a number.
template <class Use>
auto with_number(linalg_number number, const Use& use) {
  switch (number) {
    case linalg_number::f32: return use(float());
    case linalg_number::f64: return use(double());
    case linalg_number::c64: return use(std::complex<float>());
    case linalg_number::c128: break;
  }
  return use(std::complex<double>());
}

}  // namespace krait::detail
