// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of kr::dist by SUMMA (R. van de Geijn and J. Watts, 1997), and Fourier
// transforms by slabs and pencils.
#pragma once

#include <complex>

#include <krait/algorithm/fft.h>
#include <krait/algorithm/matmul.h>
#include <krait/detail/dist/along.h>

namespace krait::dist::detail {

/// "ij,jk->ik" and what transposes parts of it.
struct product_subscripts {
  bool holds = false, turns_left = false, turns_right = false, turns_result = false;

  template <std::size_t Count>
  constexpr explicit product_subscripts(const char (&s)[Count]) {
    if constexpr (Count == sizeof "ij,jk->ik") {
      turns_left = s[0] == s[3] || s[0] == s[4];
      turns_right = s[4] == s[0] || s[4] == s[1];
      const char row = s[turns_left], common = s[!turns_left], column = s[turns_right ? 3 : 4];
      turns_result = s[7] == column;
      const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
      holds = s[2] == ',' && s[5] == '-' && s[6] == '>' && letter(row) && letter(common) &&
              letter(column) && row != common && common != column && row != column &&
              common == s[turns_right ? 4 : 3] && s[turns_result ? 8 : 7] == row &&
              s[turns_result ? 7 : 8] == column;
    }
  }
};

// Sums are cut at these places of the common dimension, whatever the number of ranks: the bits of a
// product do not depend on it.
inline constexpr std::int64_t panel = 256;
// Columns of x, and rows of y, that a rank fetches at once.
inline constexpr std::int64_t fetched = 4 * panel;

/// One operand of a product: each rank has its block, and wants a strip of rows or of columns.
template <class Elem>
class strip {
 public:
  /// Rows of x, or columns of y, as the rank's block of the result has them.
  strip(const array<Elem, 2>& from, const decomposition& result, bool rows)
      : from_(from), result_(result), kept_(rows ? 0 : 1) {}
  /// The strip from `first` on of the common dimension.
  krait::array<Elem, 2> fetch(std::int64_t first, std::int64_t count) const {
    const auto wants = [&](int r) {
      box b = block_of(result_, r);
      b.first[1 - kept_] = first, b.count[1 - kept_] = count;
      return b;
    };
    const box mine = wants(rank_of(result_.of));
    const auto owned = from_.owned();
    const layout out = layout_of(owned);
    if (size_of(result_.of) == 1) return view_at(part_of(out, mine), owned);
    krait::array<Elem, 2> made;
    guard(result_.of, [&] { made = memory_for<Elem, 2>(result_, mine.count); });
    const layout in = layout_of(made);
    const auto has = [&](int r) { return block_of(from_.how(), r); };
    transfer(result_.of, {.name = "kr::matmul"}, 2,
             {has, elements_at(owned, out), from_.how().replicated}, {wants, elements_at(made, in)},
             false);
    return made;
  }

 private:
  const array<Elem, 2>& from_;
  const decomposition& result_;
  int kept_;
};
template <class Elem>
krait::array<Elem, 2> columns_of(krait::array<Elem, 2>& x, std::int64_t first, std::int64_t last) {
  return x(krait::all, krait::range(first, last));
}
template <class Elem>
krait::array<Elem, 2> rows_of(krait::array<Elem, 2>& x, std::int64_t first, std::int64_t last) {
  return x(krait::range(first, last), krait::all);
}

template <class Left, class Right>
auto multiply(const array<Left, 2>& x, const array<Right, 2>& y) {
  using number =
      typename std::remove_cvref_t<decltype(krait::matmul(x.owned(), y.owned()))>::value_type;
  check_product(x.how(), y.how());
  decomposition out = bare(x.how());
  out.extents[1] = y.extent(1);
  const bool everywhere = x.how().replicated && y.how().replicated;
  for (int d = 0; d < 2; ++d) out.words[d] = everywhere ? whole : block;
  arrange(out);
  auto result = made::of<number, 2>(out);
  call what = call_of("kr::matmul", x.how(), y.extent(1));
  all_gather(out.of, what, nullptr, nullptr, 0);
  krait::array<number, 2> to = result.owned();
  const strip<Left> left(x, out, true);
  const strip<Right> right(y, out, false);
  const std::int64_t depth = x.extent(1);
  if (depth == 0) result = number{};  // sums of nothing
  for (std::int64_t k = 0; k < depth; k += fetched) {
    const std::int64_t count = krait::detail::smaller(fetched, depth - k);
    auto a = left.fetch(k, count);
    auto b = right.fetch(k, count);
    guard(out.of, [&] {
      if (to.size() == 0) return;
      for (std::int64_t at = 0; at < count; at += panel) {
        const std::int64_t end = krait::detail::smaller(at + panel, count);
        const auto p = columns_of(a, at, end), q = rows_of(b, at, end);
        if constexpr (krait::detail::complex_number<number>) {
          if (k + at == 0) to.copy_from(krait::matmul(p, q));
          else to += krait::matmul(p, q);
        } else if (k + at == 0) {
          krait::matmul<number>(p, q, krait::into(to));
        } else {
          krait::matmul<number>(
              p, q, [](auto sum, auto before) { return before + sum; }, to, krait::into(to));
        }
      }
    });
  }
  return result;
}

/// Each rank's rows by its part of the vector, and the sum of the parts.
template <class Left, class Right>
auto multiply_vector(const array<Left, 2>& x, const array<Right, 1>& y) {
  using number =
      typename std::remove_cvref_t<decltype(krait::matmul(x.owned(), y.owned()))>::value_type;
  check_product(x.how(), y.how());
  const decomposition& how = x.how();
  const auto of_columns = [&](int r) {
    const box b = block_of(how, r);
    box wanted;
    wanted.first[0] = b.first[1], wanted.count[0] = b.count[1];
    return wanted;
  };
  const auto has = [&](int r) { return block_of(y.how(), r); };
  const box mine = of_columns(rank_of(how.of));
  krait::array<Right> part;
  guard(how.of, [&] { part = memory_for<Right, 1>(how, mine.count); });
  const auto owned = y.owned();
  const layout out = layout_of(owned), in = layout_of(part);
  transfer(how.of, call_of("kr::matmul", how, y.size()), 1,
           {has, elements_at(owned, out), y.how().replicated}, {of_columns, elements_at(part, in)});
  return combine_along<number, 2>(
      "kr::matmul", how, 1, true,
      [&]() -> krait::array<number, 2> { return krait::matmul(x.owned(), part).reshape(-1, 1); },
      [](const auto& parts, const auto& axis) { return krait::sum(parts, axis); });
}

/// Calls f(x, kr::axis(…)) for the axes of a mask.
template <int Rank, int Count = 1, class Array, class Function>
auto with_axes(const Array& x, unsigned axes, const Function& f) {
  std::int64_t at[max_rank]{};
  int count = 0;
  for (int d = 0; d < Rank; ++d)
    if (axes >> d & 1) at[count++] = d;
  if constexpr (Count < Rank)
    if (count > Count) return with_axes<Rank, Count + 1>(x, axes, f);
  krait::detail::axis_list<Count> list;
  for (int i = 0; i < Count; ++i) list.at[i] = at[i];
  return f(x, list);
}

/// Transforms along these axes, those that each rank has whole first.
template <class Elem, int Rank, class Transform>
auto transform_along(const char* name, const array<Elem, Rank>& x, unsigned axes,
                     const Transform& f) {
  using number = typename std::remove_cvref_t<decltype(f(x.owned(), krait::axis(0)))>::value_type;
  const decomposition home = bare(x.how());
  decomposition how = home;
  krait::array<number, Rank> now;
  const auto whole_here = [&] {
    unsigned mask = 0;
    for (int d = 0; d < Rank; ++d)
      if (how.parts[d] == 1) mask |= 1u << d;
    return axes & mask;
  };
  guard(home.of, [&] {
    const unsigned here = whole_here();
    const auto owned = x.owned();
    if (owned.size() == 0) now = memory_for<number, Rank>(how, how.owned);
    else if (here != 0) now = with_axes<Rank>(owned, here, f);
    else now = krait::cast<number>(owned);
    axes &= ~here;
  });
  const auto go_to = [&](const decomposition& next) {
    krait::array<number, Rank> moved;
    guard(home.of, [&] { moved = memory_for<number, Rank>(next, next.owned); });
    move_blocks(name, how, now, next, moved);
    now = std::move(moved), how = next;
  };
  while (axes != 0) {
    along words[Rank];
    int next = 0;
    while (!(axes >> next & 1)) ++next;
    for (int d = 0; d < Rank; ++d) words[d] = d == next ? whole : block;
    go_to(with_words(how, words));
    guard(home.of, [&] {
      const unsigned here = whole_here();
      if (now.size() > 0) now = with_axes<Rank>(now.share(), here, f);
      axes &= ~here;
    });
  }
  bool at_home = true;
  for (int d = 0; d < Rank; ++d) at_home = at_home && how.parts[d] == home.parts[d];
  if (!at_home) go_to(home);
  return made::of(home, std::move(now));
}

}  // namespace krait::dist::detail
