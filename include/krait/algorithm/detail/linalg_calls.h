// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines of LAPACK's, without their element type: the library finds LAPACK for arrays of the CPU,
// and cuSOLVER for CUDA's.
#pragma once

#include <complex>
#include <cstdint>

#include <krait/algorithm/detail/any_array.h>

namespace krait::detail {

enum class linalg_number : unsigned char { f32, f64, c64, c128 };
template <class T>
inline constexpr linalg_number linalg_number_of =
    std::is_same_v<T, float>                 ? linalg_number::f32
    : std::is_same_v<T, double>              ? linalg_number::f64
    : std::is_same_v<T, std::complex<float>> ? linalg_number::c64
                                             : linalg_number::c128;

/// The type of the parts of a number.
template <class T>
struct linalg_part {
  using type = T;
};
template <class Real>
struct linalg_part<std::complex<Real>> {
  using type = Real;
};
template <class T>
using linalg_part_t = typename linalg_part<T>::type;

/// On which device, and the function in messages.
struct linalg_call {
  void* on;
  linalg_number number;
  const char* function;
};

// Matrices are column-major, without gaps, at addresses of the device. So are pivots (int, counted
// from 1) and the vectors tau, in the matrices' element type, and s and w, in its real type. Each
// call waits for the device. It throws error{usage} for a device without such a library, and for
// extents of 2^31 or more. The result is LAPACK's info, which is above 0 if there is no solution.

/// a becomes L, whose diagonal is 1, below U.
KRAIT_API int factor_lu(const linalg_call& call, std::int64_t rows, std::int64_t columns,
                        std::uint64_t a, std::uint64_t pivots);
/// b becomes the solution of a system that factor_lu has factored.
KRAIT_API int solve_lu(const linalg_call& call, std::int64_t n, std::int64_t columns,
                       std::uint64_t a, std::uint64_t pivots, std::uint64_t b);
/// The lower triangle of a becomes that of its Cholesky factor.
KRAIT_API int factor_cholesky(const linalg_call& call, std::int64_t n, std::uint64_t a);
/// a becomes R, and below it what make_q makes Q of.
KRAIT_API int factor_qr(const linalg_call& call, std::int64_t rows, std::int64_t columns,
                        std::uint64_t a, std::uint64_t tau);
KRAIT_API int make_q(const linalg_call& call, std::int64_t rows, std::int64_t columns,
                     std::uint64_t a, std::uint64_t tau);
/// Of no fewer rows than columns: s, u of `u_columns`, and vh. It destroys a.
KRAIT_API int decompose_singular(const linalg_call& call, std::int64_t rows, std::int64_t columns,
                                 std::uint64_t a, std::uint64_t s, std::uint64_t u,
                                 std::int64_t u_columns, std::uint64_t vh);
/// Of the matrix whose lower triangle is a's: w ascending, and a becomes the vectors.
KRAIT_API int decompose_symmetric(const linalg_call& call, std::int64_t n, std::uint64_t a,
                                  std::uint64_t w);

/// Of any square matrix, on the CPU alone: w and v as LAPACK's geev gives them.
KRAIT_API int decompose_general(const linalg_call& call, std::int64_t n, std::uint64_t a,
                                std::uint64_t w, std::uint64_t v);

// Throw error{usage} in NumPy's words.
KRAIT_API void check_square(const char* function, const layout& of);
/// `batch`: the dimensions before those of matrices, and how many. `vector`: b is one, for all
/// systems.
KRAIT_API void solve_shape(const layout& a, const layout& b, bool vector, int batch,
                           std::int64_t* extents);
[[noreturn]] KRAIT_API void refuse_matrix(const char* function, const char* why);

// Of stacks of matrices. Elements are computed as the number says; results are on the device of a.
struct linalg_factors {
  any_array first, second, third;
};
KRAIT_API any_array solve_systems(const any_array& a, const any_array& b, linalg_number number);
KRAIT_API any_array inverse_of(const any_array& a, linalg_number number);
/// `products`: one number for each matrix, on the host.
KRAIT_API void determinants_of(const any_array& a, linalg_number number, void* products);
/// Rows in their order, l and u.
KRAIT_API linalg_factors lu_of(const any_array& a, linalg_number number);
KRAIT_API any_array cholesky_of(const any_array& a, linalg_number number);
KRAIT_API linalg_factors qr_of(const any_array& a, linalg_number number);
KRAIT_API linalg_factors svd_of(const any_array& a, linalg_number number, bool full_matrices);
/// Of any square matrix: complex eigenvalues and vectors.
KRAIT_API linalg_factors eig_of(const any_array& a, linalg_number number);
/// With singular values up to `part` of the largest taken for 0.
KRAIT_API any_array pseudo_inverse_of(const any_array& a, linalg_number number, double part);
/// The solution, sums of squares of what is left, and singular values; b is a matrix or a vector of
/// the number's type.
KRAIT_API linalg_factors least_squares_of(const any_array& a, const any_array& b,
                                          linalg_number number, double part, std::int64_t& rank);
/// The exponential of a square matrix.
KRAIT_API any_array exponential_of(const any_array& a, linalg_number number);
/// Eigenvalues and vectors.
KRAIT_API linalg_factors eigh_of(const any_array& a, linalg_number number);

}  // namespace krait::detail
