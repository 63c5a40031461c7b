// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one matrix from its factors: general eigenvalues, the pseudo-inverse and the
// exponential.
#include <cmath>
#include <vector>

#include "algorithms/linalg/linalg.h"
#include "krait/algorithm/indexing.h"
#include "krait/algorithm/linalg.h"
#include "krait/algorithm/matmul.h"
#include "support/error.h"

namespace krait::detail {
namespace {

template <class T>
auto conjugated(const array<const T, 2>& x) {
  if constexpr (complex_number<T>) return array<T, 2>(conj(x));
  else return x.copy();
}

/// Scaling and squaring with the [13/13] Padé approximant (N. J. Higham, The scaling and squaring
/// method for the matrix exponential revisited, 2005).
template <class T>
array<T, 2> exponential(const array<const T, 2>& given) {
  using real = linalg_part_t<T>;
  constexpr double b[] = {64764752532480000.,
                          32382376266240000.,
                          7771770303897600.,
                          1187353796428800.,
                          129060195264000.,
                          10559470521600.,
                          670442572800.,
                          33522128640.,
                          1323241920.,
                          40840800.,
                          960960.,
                          16380.,
                          182.,
                          1.};
  const std::int64_t n = given.extent(0);
  const double size = double(krait::max(krait::sum(abs(given), krait::axis(0)), initial(real(0))));
  constexpr double most = 5.371920351148152;
  int squarings = 0;
  if (size > most) std::frexp(size / most, &squarings);
  const array<T, 2> a = given * T(real(std::ldexp(1.0, -squarings)));
  const array<T, 2> a2 = matmul(a, a), a4 = matmul(a2, a2), a6 = matmul(a4, a2),
                    one = eye<T>(n, placement(a.device()));
  const auto c = [&](int i) { return T(real(b[i])); };
  const array<T, 2> odd_high = a6 * c(13) + a4 * c(11) + a2 * c(9),
                    even_high = a6 * c(12) + a4 * c(10) + a2 * c(8);
  const array<T, 2> odd = matmul(a6, odd_high) + a6 * c(7) + a4 * c(5) + a2 * c(3) + one * c(1),
                    v = matmul(a6, even_high) + a6 * c(6) + a4 * c(4) + a2 * c(2) + one * c(0);
  const array<T, 2> u = matmul(a, odd);
  array<T, 2> r = solve(array<T, 2>(v - u), array<T, 2>(v + u));
  for (int i = 0; i < squarings; ++i) r = matmul(r, r);
  return r;
}

/// Eigenvalues, and vectors as columns in C order, of a column-major copy.
template <class T>
linalg_factors eigen(const any_array& given) {
  using real = linalg_part_t<T>;
  using complex = std::complex<real>;
  const array<T, 2> columns = typed<const T, 2>(given).transpose().copy(device::cpu());
  const std::int64_t n = columns.extent(0);
  const auto size = std::size_t(n);
  std::vector<complex> w(size), v(size * size);
  if (n > 0) {
    std::vector<T> values(2 * size), vectors(size * size);
    const linalg_call call{handle_of(device::cpu()), linalg_number_of<T>, "eig"};
    if (decompose_general(call, n, columns.address(),
                          std::uint64_t(reinterpret_cast<std::uintptr_t>(values.data())),
                          std::uint64_t(reinterpret_cast<std::uintptr_t>(vectors.data()))) != 0)
      refuse_matrix("eig", "Eigenvalues did not converge");
    for (std::size_t j = 0; j < size; ++j) {
      if constexpr (complex_number<T>) {
        w[j] = values[j];
        for (std::size_t i = 0; i < size; ++i) v[i * size + j] = vectors[j * size + i];
      } else if (values[size + j] == 0) {
        w[j] = values[j];
        for (std::size_t i = 0; i < size; ++i) v[i * size + j] = vectors[j * size + i];
      } else {  // and its conjugate, the next one
        w[j] = {values[j], values[size + j]}, w[j + 1] = std::conj(w[j]);
        for (std::size_t i = 0; i < size; ++i) {
          v[i * size + j] = {vectors[j * size + i], vectors[(j + 1) * size + i]};
          v[i * size + j + 1] = std::conj(v[i * size + j]);
        }
        ++j;
      }
    }
  }
  array<complex, 1> values(shape<1>(n), device_from(given.on));
  array<complex, 2> vectors(shape<2>(n, n), device_from(given.on));
  if (n > 0) values.copy_from(w), vectors.copy_from(v);
  return {erased(values), erased(vectors), {}};
}

}  // namespace

linalg_factors eig_of(const any_array& a, linalg_number number) {
  check_square("eig", a.at);
  static_cast<void>(host::computes_on_cpu(a.on, "eig", true));
  return with_number(number, [&]<class T>(T) { return eigen<T>(a); });
}
any_array pseudo_inverse_of(const any_array& a, linalg_number number, double part) {
  return with_number(number, [&]<class T>(T) {
    using real = linalg_part_t<T>;
    const auto x = typed<const T, 2>(a);
    array<T, 2> out(shape<2>(x.extent(1), x.extent(0)), x.device());
    if (out.size() == 0) return erased(out);
    const auto f = svd(x, false);
    const real most = krait::max(f.s);
    const array<real> turned = krait::where(f.s > real(part) * most, real(1) / f.s, real(0));
    const array<T, 2> scaled = conjugated<T>(f.vh.share()).transpose() * turned(newaxis);
    const array<T, 2> left = conjugated<T>(f.u.share());
    matmul(scaled, left.transpose(), into(out));
    return erased(out);
  });
}
linalg_factors least_squares_of(const any_array& a, const any_array& b, linalg_number number,
                                double part, std::int64_t& rank) {
  any_array columns = b;
  const bool vector = b.at.rank == 1;
  if (vector) columns.at.rank = 2, columns.at.extents[1] = 1, columns.at.strides[1] = 0;
  return with_number(number, [&]<class T>(T) -> linalg_factors {
    using real = linalg_part_t<T>;
    const auto left = typed<const T, 2>(a), right = typed<const T, 2>(columns);
    auto s = std::move(svd(left, false).s);
    const auto values = s.to_host();
    rank = 0;
    for (const real each : values) rank += double(each) > part * double(values[0]);
    const array<T, 2> x = matmul(typed<T, 2>(pseudo_inverse_of(a, number, part)), right);
    array<real, 1> squares(shape<1>(0), left.device());
    if (rank == left.extent(1) && left.extent(0) > left.extent(1)) {
      const array<T, 2> rest = matmul(left, x) - right;
      const array<real, 2> sizes = abs(rest);
      squares = krait::sum(sizes * sizes, krait::axis(0));
    }
    any_array solution = erased(x);
    if (vector) solution.at.rank = 1;
    return {solution, erased(squares), erased(s)};
  });
}
any_array exponential_of(const any_array& a, linalg_number number) {
  check_square("expm", a.at);
  return with_number(number, [&]<class T>(T) {
    const auto x = typed<const T, 2>(a);
    return erased(x.size() > 0 ? exponential<T>(x) : x.copy());
  });
}

}  // namespace krait::detail
