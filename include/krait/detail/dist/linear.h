// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of kr::dist by SUMMA (R. van de Geijn and J. Watts, 1997), and Fourier
// transforms by slabs and pencils.
#pragma once

#include <complex>

#include <krait/algorithm/convolve.h>
#include <krait/algorithm/einsum.h>
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
// product do not depend on it. On a GPU so short sums are not shared by blocks, which they would be
// as the shape asks for.
inline constexpr std::int64_t panel = 256, host_panel = 4 * panel;
// Columns of x, and rows of y, that a rank fetches at once.
inline constexpr std::int64_t fetched = host_panel;

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

/// The same elements with zeros after them, or the array itself.
template <class Elem>
krait::array<Elem, 2> with_zeros(krait::array<Elem, 2>& x, std::int64_t rows,
                                 std::int64_t columns) {
  if (rows == x.extent(0) && columns == x.extent(1)) return view_at(layout_of(x), x);
  krait::array<Elem, 2> larger({rows, columns}, x.device());
  larger.fill(Elem{});
  larger(krait::range(0, x.extent(0)), krait::range(0, x.extent(1))).copy_from(x);
  return larger;
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
  // Products of few rows or columns are other sums than those of many: a small block is computed as
  // a part of a larger one.
  const auto side = [&](int d) {
    return krait::detail::larger(
        to.extent(d), krait::detail::smaller(out.extents[d], krait::detail::least_product_side()));
  };
  const std::int64_t height = side(0), width = side(1);
  krait::array<number, 2> made;
  guard(out.of, [&] {
    if (to.size() > 0) made = with_zeros(to, height, width);
  });
  const auto form = krait::detail::algorithm_device_of(device_of(out.of)).form;
  const std::int64_t step = form == krait::detail::algorithm_form::chunks ? host_panel : panel;
  for (std::int64_t k = 0; k < depth; k += fetched) {
    const std::int64_t count = krait::detail::smaller(fetched, depth - k);
    auto a = left.fetch(k, count);
    auto b = right.fetch(k, count);
    guard(out.of, [&] {
      if (to.size() == 0) return;
      a = with_zeros(a, height, count), b = with_zeros(b, count, width);
      for (std::int64_t at = 0; at < count; at += step) {
        const std::int64_t end = krait::detail::smaller(at + step, count);
        const auto p = columns_of(a, at, end), q = rows_of(b, at, end);
        if constexpr (krait::detail::complex_number<number>) {
          if (k + at == 0) made.copy_from(krait::matmul(p, q));
          else made += krait::matmul(p, q);
        } else if (k + at == 0) {
          krait::matmul<number>(p, q, krait::into(made));
        } else {
          krait::matmul<number>(
              p, q, [](auto sum, auto before) { return before + sum; }, made, krait::into(made));
        }
      }
    });
  }
  guard(out.of, [&] {
    if (to.size() > 0 && (height != to.extent(0) || width != to.extent(1)))
      to.copy_from(made(krait::range(0, to.extent(0)), krait::range(0, to.extent(1))));
  });
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
      [](const auto& parts, const auto&... options) { return krait::sum(parts, options...); });
}

/// The elements of a box of the whole array, from the ranks that have them.
template <class Elem, int Rank, class Wants>
krait::array<Elem, Rank> fetched_box(const char* name, const array<Elem, Rank>& x,
                                     const Wants& wants) {
  const decomposition& how = x.how();
  krait::array<Elem, Rank> made;
  guard(how.of, [&] { made = memory_for<Elem, Rank>(how, wants(rank_of(how.of)).count); });
  const auto owned = x.owned();
  const layout out = layout_of(owned), in = layout_of(made);
  const auto has = [&](int r) { return block_of(how, r); };
  transfer(how.of, call_of(name, how), Rank, {has, elements_at(owned, out), how.replicated},
           {wants, elements_at(made, in)});
  return made;
}

/// Which part of an operand a rank's part of a sum needs: along axes with the letters of `by` those
/// of its block there, and along the others everything.
template <class Names>
box needed(const Names& letters, const decomposition& operand, const Names& by, const box& block) {
  box b;
  for (int d = 0; d < operand.rank; ++d) {
    const int at = by.find(letters.letters[d]);
    b.first[d] = at < 0 ? 0 : block.first[at];
    b.count[d] = at < 0 ? operand.extents[d] : block.count[at];
  }
  return b;
}
template <krait::detail::fixed_text Subscripts, class First, class... More>
auto einsum_of(const First& x, const More&... more) {
  using krait::detail::subscripts_reader;
  static constexpr subscripts_reader read(Subscripts);
  constexpr auto has_ellipsis = [] {
    for (int o = 0; o < read.count; ++o)
      if (read.operands[o].has_ellipsis()) return true;
    return false;
  };
  static_assert(read.problem == krait::detail::subscripts_problem::none && !has_ellipsis(),
                "krait: kr::einsum of arrays of kr::dist takes letters, a comma between operands "
                "and ->, without ...");
  static_assert(read.count == 1 + int(sizeof...(More)),
                "krait: einsum needs as many operands as its subscripts have");
  static constexpr product_subscripts product(Subscripts.at);
  if constexpr (product.holds && First::rank == 2) {
    const auto turned = [](const auto& a, auto turns) -> decltype(auto) {
      if constexpr (turns()) return dist::transpose(a);
      else return (a);
    };
    const auto by = [&](const auto& y) {
      const auto& left = turned(x, std::bool_constant<product.turns_left>());
      const auto& right = turned(y, std::bool_constant<product.turns_right>());
      return multiply(left, right);
    };
    if constexpr (product.turns_result) return dist::transpose(by(more...));
    else return by(more...);
  } else {
    // The extent of each letter, alike in all operands.
    const decomposition* const hows[] = {&x.how(), &more.how()...};
    std::int64_t extents[128];
    for (std::int64_t& e : extents) e = -1;
    for (int o = 0; o < read.count; ++o) {
      check_worlds("kr::einsum", x.how(), *hows[o]);
      for (int d = 0; d < read.operands[o].count; ++d) {
        std::int64_t& e = extents[int(read.operands[o].letters[d])];
        if (e >= 0 && e != hows[o]->extents[d])
          refuse_letter(read.operands[o].letters[d], e, hows[o]->extents[d]);
        e = hows[o]->extents[d];
      }
    }
    // Ranks share the elements of the result, or those of the first operand's letters.
    constexpr int rank = read.output.count;
    static constexpr auto shared = [] {
      krait::detail::subscripts letters = read.output;
      for (int d = 0; rank == 0 && d < read.operands[0].count; ++d)
        if (letters.find(read.operands[0].letters[d]) < 0)
          letters.letters[letters.count++] = read.operands[0].letters[d];
      return letters;
    }();
    decomposition out;
    out.of = x.how().of, out.rank = shared.count;
    bool replicated = true;
    for (const decomposition* how : hows) replicated = replicated && how->replicated;
    for (int d = 0; d < shared.count; ++d) {
      out.extents[d] = extents[int(shared.letters[d])];
      out.words[d] = replicated ? whole : block;
    }
    arrange(out);
    const auto fetch_parts = [&]<std::size_t... Operand>(std::index_sequence<Operand...>,
                                                         const auto&... operands) {
      return std::tuple{fetched_box("kr::einsum", operands, [&](int r) {
        return needed(read.operands[Operand], operands.how(), shared, block_of(out, r));
      })...};
    };
    const auto here = fetch_parts(std::make_index_sequence<1 + sizeof...(More)>{}, x, more...);
    const auto sum_here = [&] {
      return std::apply([](const auto&... parts) { return krait::einsum<Subscripts>(parts...); },
                        here);
    };
    if constexpr (rank == 0) {
      using total = decltype(sum_here());
      const total mine = compute_part("kr::einsum", out, sum_here);
      total all{};
      for (const total& part : parts<total>("kr::einsum", type_name<total>(), out, mine))
        all += part;
      return all;
    } else {
      auto result = made::of<typename decltype(sum_here())::value_type, rank>(out);
      guard(out.of, [&] {
        auto owned = result.owned();
        if (owned.size() > 0) owned.copy_from(sum_here());
      });
      return result;
    }
  }
}

template <class Elem, int Rank, class Weight>
auto convolved(const char* name, array<Elem, Rank>& x, const krait::array<Weight, Rank>& weights,
               bool flipped) {
  using number = krait::detail::convolved_t<Elem, Weight>;
  const decomposition& how = x.how();
  box from;
  for (int d = 0; d < Rank; ++d) {
    // out[i] is the sum of w[k] x[i + first - k].
    const std::int64_t last = weights.extent(d) - 1, middle = weights.extent(d) / 2,
                       first = flipped ? last - middle : middle;
    const std::int64_t reach = krait::detail::larger(first, last - first);
    if (reach > how.halo[d]) refuse_reach(name, d, reach, how.halo[d]);
    from.first[d] = how.halo[d] + first - last, from.count[d] = how.owned[d] + last;
  }
  dist::exchange(x);
  auto result = made::of<number, Rank>(bare(how));
  guard(how.of, [&] {
    auto owned = result.owned();
    if (owned.size() == 0) return;
    krait::array<Elem, Rank> near = part_at(x.local(), from);
    const auto by = [&](const krait::array<Weight, Rank>& w) {
      if (flipped) owned.copy_from(krait::correlate(near, w, "valid"));
      else owned.copy_from(krait::convolve(near, w, "valid"));
    };
    if (weights.device() == near.device()) return by(weights);
    // A program makes its weights on the default device, which is one rank's alone.
    krait::array<Weight, Rank> here(weights.shape(), near.device());
    here.copy_from(weights);
    by(here);
  });
  return result;
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

/// Memory for a rank's block, whose elements along an axis lie beside each other.
template <class Elem, int Rank>
krait::array<Elem, Rank> memory_along(const decomposition& how, int axis) {
  std::int64_t extents[Rank];
  for (int d = 0, to = 0; d < Rank; ++d)
    if (d != axis) extents[to++] = how.owned[d];
  extents[Rank - 1] = how.owned[axis];
  const auto memory = memory_for<Elem, Rank>(how, extents);
  return view_at(krait::detail::axis_back(layout_of(memory), axis), memory);
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
  // Elements along `near` come to lie beside each other, since a transform would do that: what puts
  // messages into their places can. Not where it leaves columns where they are.
  const krait::device on = device_of(home.of);
  bool stays = false;
  const auto go_to = [&](const decomposition& next, int near) {
    krait::array<number, Rank> moved;
    std::int64_t columns = 1;
    for (int d = near + 1; d < Rank; ++d) columns *= next.owned[d];
    stays = near + 1 < Rank &&
            krait::detail::transforms_columns(next.extents[near], columns, sizeof(number) / 2, on);
    if (stays) near = Rank - 1;
    guard(home.of, [&] { moved = memory_along<number, Rank>(next, near); });
    move_blocks(name, how, now, next, moved);
    now = std::move(moved), how = next;
  };
  while (axes != 0) {
    along words[Rank];
    int next = 0;
    while (!(axes >> next & 1)) ++next;
    for (int d = 0; d < Rank; ++d) words[d] = d == next ? whole : block;
    go_to(with_words(how, words), next);
    guard(home.of, [&] {
      const unsigned here = whole_here();
      if (now.size() == 0) {
      } else if (stays) {
        with_axes<Rank>(now, here, [&](const auto& a, const auto& axes_of) {
          f(a, axes_of, krait::into(now));
        });
      } else {
        now = with_axes<Rank>(now.share(), here, f);
      }
      axes &= ~here;
    });
  }
  bool at_home = true;
  for (int d = 0; d < Rank; ++d) at_home = at_home && how.parts[d] == home.parts[d];
  if (!at_home) go_to(home, Rank - 1);
  return made::of(home, std::move(now));
}

}  // namespace krait::dist::detail
