// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems of equations of kr::dist: what the library does on all ranks, and what rank 0 does for
// all.
#pragma once

#include <krait/algorithm/linalg.h>
#include <krait/detail/dist/along.h>

namespace krait::dist::detail {

/// An array's owned elements.
struct share {
  const decomposition* how;
  elements owned;
};

/// Throws error{usage}, alike on all ranks, for a matrix that is not square.
KRAIT_API void check_square(const char* function, const decomposition& a);
/// Likewise for a right side of other rows, or of another world.
KRAIT_API void check_system(const char* function, const decomposition& a, const decomposition& b);
/// Whether the ranks compute together, by ScaLAPACK; else rank 0 does it for all: where it is the
/// only one or a thread of the others' process, and where each rank has all operands whole.
KRAIT_API bool computes_together(const decomposition& a, bool replicated);
/// Throws error{usage} on all ranks for a singular matrix, and where there is no ScaLAPACK.
KRAIT_API void solve_together(krait::detail::linalg_number number, const share& a, const share& b,
                              const share& x);

/// Likewise for eigenvalues that do not converge. The lower triangle of a is read.
KRAIT_API void eigh_together(krait::detail::linalg_number number, const share& a, const share& w,
                             const share& v);

/// The array itself, or a new one with elements of the type.
template <class Type, class Elem, int Rank>
decltype(auto) numbers_as(const array<Elem, Rank>& x) {
  if constexpr (std::is_same_v<Type, Elem>) return (x);
  else return array<Type, Rank>(krait::cast<Type>(x));
}

/// Calls use(shares…) of these arrays.
template <class Use, class... Arrays>
void with_shares(const Use& use, const Arrays&... arrays) {
  const auto with = [&](const auto&... owned) {
    const layout at[] = {layout_of(owned)...};
    int i = 0;
    const auto next = [&](const decomposition& how, const auto& part) {
      const share s{&how, elements_at(part, at[i])};
      ++i;
      return s;
    };
    const share all[] = {next(arrays.how(), owned)...};
    use(all);
  };
  with(arrays.owned()...);
}

template <class Elem, class Other, int Rank>
auto solve(const array<Elem, 2>& a, const array<Other, Rank>& b) {
  using type = krait::detail::linalg_common_t<Elem, Other>;
  constexpr const char* name = "kr::solve";
  check_square(name, a.how());
  check_system(name, a.how(), b.how());
  auto x = made::of<type, Rank>(bare(b.how()));
  if (computes_together(a.how(), a.how().replicated && b.how().replicated)) {
    const auto& left = numbers_as<type>(a);
    const auto& right = numbers_as<type>(b);
    with_shares(
        [](const share(&s)[3]) {
          solve_together(krait::detail::linalg_number_of<type>, s[0], s[1], s[2]);
        },
        left, right, x);
    return x;
  }
  const auto all = dist::gather(a);
  const auto sides = dist::gather(b);
  krait::array<type, Rank> found;
  together(a.how().of, name, [&]() -> std::uint64_t {
    if (rank_of(a.how().of) == 0) found = krait::solve(all, sides);
    return 0;
  });
  dist::scatter(found, x);
  return x;
}

template <class Type>
struct eigen_pairs {
  array<krait::detail::linalg_part_t<Type>, 1> w;
  array<Type, 2> v;
};
template <class Elem>
auto eigh(const array<Elem, 2>& a) {
  using type = krait::detail::linalg_t<Elem>;
  using part = krait::detail::linalg_part_t<type>;
  constexpr const char* name = "kr::eigh";
  check_square(name, a.how());
  decomposition values = bare(a.how());
  values.rank = 1;
  arrange(values);
  eigen_pairs<type> found{made::of<part, 1>(values), made::of<type, 2>(bare(a.how()))};
  if (computes_together(a.how(), a.how().replicated)) {
    const auto& matrix = numbers_as<type>(a);
    with_shares(
        [](const share(&s)[3]) {
          eigh_together(krait::detail::linalg_number_of<type>, s[0], s[1], s[2]);
        },
        matrix, found.w, found.v);
    return found;
  }
  const auto all = dist::gather(a);
  krait::array<part> w;
  krait::array<type, 2> v;
  together(a.how().of, name, [&]() -> std::uint64_t {
    if (rank_of(a.how().of) != 0) return 0;
    auto pairs = krait::eigh(all);
    w = std::move(pairs.w), v = std::move(pairs.v);
    return 0;
  });
  dist::scatter(w, found.w), dist::scatter(v, found.v);
  return found;
}

}  // namespace krait::dist::detail
