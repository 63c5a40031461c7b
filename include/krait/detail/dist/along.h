// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and any other computation along an axis of an array of kr::dist.
#pragma once

#include <krait/algorithm/scan.h>
#include <krait/dist.h>
#include <krait/vectorize.h>

namespace krait::dist::detail {

template <class Local>
elements elements_at(const Local& x, const layout& at) {
  return {memory_of(x), &at, sizeof(typename Local::value_type)};
}
inline int axis_at(std::int64_t axis, int rank) {
  const unsigned mask = krait::detail::axes_mask(&axis, 1, rank);
  int d = 0;
  while (!(mask >> d & 1)) ++d;
  return d;
}
template <int Rank>
shape<Rank> shape_at(const std::int64_t* extents) {
  shape<Rank> s;
  for (int d = 0; d < Rank; ++d) s.extents[d] = extents[d];
  return s;
}
template <class Elem, int Rank>
krait::array<Elem, Rank> memory_for(const decomposition& how, const std::int64_t* extents) {
  return krait::array<Elem, Rank>(shape_at<Rank>(extents), device_of(how.of));
}

/// The distribution of x without a halo.
inline decomposition bare(decomposition how) {
  for (int d = 0; d < max_rank; ++d) how.halo[d] = 0, how.periodic[d] = false;
  return how;
}
/// The same extents with other words.
inline decomposition with_words(const decomposition& how, const along* words) {
  decomposition other = bare(how);
  for (int d = 0; d < how.rank; ++d) other.words[d] = words[d];
  arrange(other);
  return other;
}
/// A call with the arrays' own numbers.
template <class... Numbers>
call call_of(const char* name, const decomposition& how, Numbers... numbers) {
  call what{.name = name};
  for (int d = 0; d < how.rank; ++d) what.add(how.extents[d]);
  for (int d = 0; d < how.rank; ++d) what.add(static_cast<std::int64_t>(how.words[d]));
  (what.add(static_cast<std::int64_t>(numbers)), ...);
  return what;
}
/// x's blocks as those of another distribution of the same extents.
template <class From, class To>
void move_blocks(const char* name, const decomposition& from, const From& x,
                 const decomposition& to, const To& y) {
  const layout out = layout_of(x), in = layout_of(y);
  const auto has = [&](int r) { return block_of(from, r); };
  const auto wants = [&](int r) { return block_of(to, r); };
  transfer(from.of, call_of(name, from), from.rank, {has, elements_at(x, out), from.replicated},
           {wants, elements_at(y, in)});
}

template <class Elem, int Rank>
krait::array<Elem, Rank> part_at(krait::array<Elem, Rank>& x, const box& b) {
  return view_at(part_of(layout_of(x), b), x);
}
/// The last element along an axis, with extent 1 there.
template <class Elem, int Rank>
krait::array<Elem, Rank> last_along(krait::array<Elem, Rank>& x, int axis) {
  box b;
  for (int d = 0; d < Rank; ++d) b.count[d] = x.extent(d);
  b.first[axis] = x.extent(axis) - 1, b.count[axis] = 1;
  return part_at(x, b);
}

template <class Number>
constexpr sum_type sum_type_of() {
  if constexpr (std::is_same_v<Number, float>) return sum_type::float32;
  else if constexpr (std::is_same_v<Number, double>) return sum_type::float64;
  else if constexpr (!std::is_integral_v<Number> || sizeof(Number) < 4) return sum_type::none;
  else if constexpr (sizeof(Number) == 4)
    return std::is_signed_v<Number> ? sum_type::int32 : sum_type::uint32;
  else return std::is_signed_v<Number> ? sum_type::int64 : sum_type::uint64;
}

/// x without an axis of one element.
template <class Elem, int Rank>
krait::array<Elem, Rank - 1> without_axis(krait::array<Elem, Rank>& x, int axis) {
  layout at = layout_of(x);
  for (int d = axis; d + 1 < at.rank; ++d)
    at.extents[d] = at.extents[d + 1], at.strides[d] = at.strides[d + 1];
  --at.rank;
  return view_at(at, x);
}

// Bytes of a result from which on each rank reduces a part of it for all.
inline constexpr std::int64_t least_shared_reduction = 64 << 10;

/// What each rank made of its part of an axis, reduced in the order of ranks, or, where `sums`, in
/// any. compute() gives this rank's, of extent 1 there; `reduce` takes an array and options.
template <class Number, int Rank, class Compute, class Reduce>
auto combine_along(const char* name, const decomposition& how, int d, bool sums,
                   const Compute& compute, const Reduce& reduce) {
  decomposition out = bare(how);
  out.rank = Rank - 1;
  for (int e = 0, to = 0; e < Rank; ++e) {
    if (e == d) continue;
    out.extents[to] = how.extents[e], out.words[to++] = how.words[e];
  }
  arrange(out);
  auto result = made::of<Number, Rank - 1>(out);
  const decomposition parts = parts_along(how, d);
  krait::array<Number, Rank> mine;
  guard(how.of, [&] {
    bool has_some = true;
    for (int e = 0; e < Rank; ++e) has_some = has_some && parts.owned[e] > 0;
    mine = has_some ? compute() : memory_for<Number, Rank>(how, parts.owned);
  });
  const layout from = layout_of(mine);
  const bool by_all = out.replicated && parts.extents[d] == size_of(how.of);
  constexpr sum_type type = sum_type_of<Number>();
  if (sums && type != sum_type::none && by_all) {
    const layout target = layout_of(result.owned());
    if (sum_over_ranks(how.of, call_of(name, how, d), type, elements_at(mine, from),
                       elements_at(result.owned(), target)))
      return result;
  }
  // Each rank gets all parts of its block of `of`, and reduces them into `to`. Sums take its own
  // part from where it is.
  const auto gather_and_reduce = [&](const decomposition& of, krait::array<Number, Rank - 1>& to,
                                     bool adds) {
    const decomposition all = lifted(of, d, parts.extents[d]);
    krait::array<Number, Rank> gathered;
    guard(how.of, [&] { gathered = memory_for<Number, Rank>(how, all.owned); });
    const layout in = layout_of(gathered);
    const auto has = [&](int r) { return block_of(parts, r); };
    const auto wants = [&](int r) { return block_of(all, r); };
    transfer(how.of, call_of(name, how, d), Rank, {has, elements_at(mine, from), how.replicated},
             {wants, elements_at(gathered, in), false, adds});
    guard(how.of, [&] {
      if (to.size() == 0) return;
      if (gathered.size() == 0) return to.copy_from(reduce(gathered, krait::axis(d)));
      if (!adds) return void(reduce(gathered, krait::axis(d), krait::into(to)));
      const int own = rank_of(how.of);
      const auto part = [&](std::int64_t r) {
        box b = block_of(all, own);
        for (int e = 0; r != own && e < Rank; ++e) b.first[e] = 0;
        b.first[d] = r == own ? 0 : r, b.count[d] = 1;
        auto one = part_at(r == own ? mine : gathered, b);
        return without_axis(one, d);
      };
      (part(0) + part(1)).into(to);
      for (std::int64_t r = 2; r < parts.extents[d]; ++r) to += part(r);
    });
  };
  auto owned = result.owned();
  if (how.parts[d] == 1 && how.extents[d] > 0) {  // nobody has another part
    guard(how.of, [&] {
      if (owned.size() > 0) owned.copy_from(without_axis(mine, d));
    });
  } else if (by_all && size_of(how.of) > 1 &&
             out.size() * std::int64_t(sizeof(Number)) >= least_shared_reduction) {
    along blocks[Rank - 1];
    for (along& word : blocks) word = along::block;
    const decomposition shares = with_words(out, blocks);
    const auto share_of = [&](int r) { return block_of(shares, r); };
    auto share = part_at(owned, share_of(rank_of(how.of)));
    gather_and_reduce(shares, share, sums);
    // The others' shares into the same array.
    const layout whole_at = layout_of(owned), share_at = layout_of(share);
    const auto everything = [&](int r) { return block_of(out, r); };
    transfer(out.of, call_of(name, shares), out.rank, {share_of, elements_at(share, share_at)},
             {everything, elements_at(owned, whole_at)});
  } else {
    gather_and_reduce(out, owned, false);
  }
  return result;
}
/// A reduction along an axis: of each rank's part, and then of the parts.
template <class Type, class Reduce>
auto reduce_along(const char* name, const Type& x, std::int64_t axis, bool needs_elements,
                  const Reduce& reduce, bool sums = false) {
  constexpr int rank = Type::rank;
  const decomposition& how = x.how();
  const int d = axis_at(axis, rank);
  using number = typename std::remove_cvref_t<decltype(reduce(local_of(x), krait::axis(d),
                                                              krait::keepdims))>::value_type;
  bool others = true;
  for (int e = 0; e < rank; ++e) others = others && (e == d || how.extents[e] > 0);
  if (needs_elements && how.extents[d] == 0 && others) refuse_empty(name);
  return combine_along<number, rank>(
      name, how, d, sums,
      [&]() -> krait::array<number, rank> {
        // One element is its own sum, minimum and maximum.
        if constexpr (std::is_same_v<Type, array<number, rank>>)
          if (how.owned[d] == 1) {
            const auto owned = x.owned();
            return view_at(layout_of(owned), owned);
          }
        return reduce(local_of(x), krait::axis(d), krait::keepdims);
      },
      reduce);
}

/// A scan along an axis: of each rank's part, and then with what the parts before it end with. With
/// an initial number it is exclusive.
template <class Type, class Scan, class Combine, class Initial = std::nullptr_t>
auto scan_along(const char* name, const Type& x, std::int64_t axis, const Scan& scan,
                const Combine& combine, Initial initial = nullptr) {
  constexpr int rank = Type::rank;
  const decomposition& how = x.how();
  const int d = axis_at(axis, rank);
  using scanned_type = std::remove_cvref_t<decltype(scan(local_of(x), krait::axis(d)))>;
  using number = typename scanned_type::value_type;
  auto result = made::of<number, rank>(bare(how));
  const decomposition parts = parts_along(how, d);
  krait::array<number, rank> scanned, last, before;
  box prefix = block_of(parts, rank_of(how.of));
  prefix.first[d] = 0, prefix.count[d] = parts.first[d];
  guard(how.of, [&] {
    scanned = memory_for<number, rank>(how, how.owned);
    last = memory_for<number, rank>(how, parts.owned);
    before = memory_for<number, rank>(how, prefix.count);
    if (scanned.size() == 0) return;
    scanned.copy_from(scan(local_of(x), krait::axis(d)));
    last.copy_from(last_along(scanned, d));
  });
  const layout from = layout_of(last), to = layout_of(before);
  const auto has = [&](int r) { return block_of(parts, r); };
  const auto wants = [&](int r) {
    box b = block_of(parts, r);
    b.count[d] = b.first[d], b.first[d] = 0;
    return b;
  };
  transfer(how.of, call_of(name, how, d), rank, {has, elements_at(last, from), how.replicated},
           {wants, elements_at(before, to)});
  guard(how.of, [&] {
    auto owned = result.owned();
    if (owned.size() == 0) return;
    const auto up_to_here = [&]() -> krait::array<number, rank> {
      krait::array<number, rank> all = scan(before, krait::axis(d));
      return last_along(all, d);
    };
    if constexpr (std::is_null_pointer_v<Initial>) {
      if (before.size() == 0) owned.copy_from(scanned);
      else owned.copy_from(combine(up_to_here(), scanned));
    } else {
      box one, rest;
      for (int e = 0; e < rank; ++e) rest.count[e] = one.count[e] = how.owned[e];
      one.count[d] = 1, rest.count[d] = how.owned[d] - 1;
      krait::array<number, rank> start = memory_for<number, rank>(how, one.count);
      if (before.size() == 0) start.fill(number(*initial));
      else start = combine(number(*initial), up_to_here());
      part_at(owned, one).copy_from(start);
      if (rest.count[d] == 0) return;
      auto shorter = part_at(scanned, rest);
      rest.first[d] = 1;
      part_at(owned, rest).copy_from(combine(start, shorter));
    }
  });
  return result;
}

/// f of this rank's part, on arrays that are whole along the axis; the result lies as x does.
template <class Elem, int Rank, class Function>
auto whole_along(const char* name, const array<Elem, Rank>& x, int d, const Function& f) {
  using made_type = std::remove_cvref_t<decltype(f(x.owned()))>;
  using number = typename made_type::value_type;
  const decomposition& how = x.how();
  auto result = made::of<number, Rank>(bare(how));
  auto owned = result.owned();
  if (how.parts[d] == 1) {
    guard(how.of, [&] {
      if (owned.size() > 0) owned.copy_from(f(x.owned()));
    });
    return result;
  }
  along words[Rank];
  for (int e = 0; e < Rank; ++e) words[e] = e == d ? whole : block;
  const decomposition turned = with_words(how, words);
  krait::array<Elem, Rank> in;
  krait::array<number, Rank> out;
  guard(how.of, [&] {
    in = memory_for<Elem, Rank>(how, turned.owned);
    out = memory_for<number, Rank>(how, turned.owned);
  });
  move_blocks(name, how, x.owned(), turned, in);
  guard(how.of, [&] {
    if (in.size() > 0) out = f(in.share());
  });
  move_blocks(name, turned, out, how, owned);
  return result;
}

/// f of this rank's part, on arrays that are whole along the axis, which it gives another extent.
template <class Elem, int Rank, class Function>
auto resized_along(const char* name, const array<Elem, Rank>& x, int d, std::int64_t extent,
                   const Function& f) {
  using number = typename std::remove_cvref_t<decltype(f(x.owned()))>::value_type;
  decomposition turned = bare(x.how());
  if (turned.extents[d] == 0) (void)f(x.owned());  // refuses it, alike on all ranks
  const auto whole_rows = [&]() -> krait::array<const Elem, Rank> {
    if (turned.parts[d] == 1) return x.owned();
    along words[Rank];
    for (int e = 0; e < Rank; ++e) words[e] = e == d ? whole : block;
    turned = with_words(turned, words);
    krait::array<Elem, Rank> moved;
    guard(turned.of, [&] { moved = memory_for<Elem, Rank>(turned, turned.owned); });
    move_blocks(name, x.how(), x.owned(), turned, moved);
    return moved.share();
  };
  const auto in = whole_rows();
  turned.extents[d] = turned.owned[d] = extent;
  decomposition home = bare(x.how());
  home.extents[d] = extent;
  arrange(home);
  krait::array<number, Rank> out;
  guard(turned.of, [&] {
    if (in.size() > 0) out = f(in);
    else out = memory_for<number, Rank>(turned, turned.owned);
  });
  bool at_home = true;
  for (int e = 0; e < Rank; ++e) at_home = at_home && turned.parts[e] == home.parts[e];
  if (at_home) return made::of<number, Rank>(home, std::move(out));
  auto result = made::of<number, Rank>(home);
  move_blocks(name, turned, out, home, result.owned());
  return result;
}

/// An array of kr::dist, or a new one with an expression's elements.
template <class Elem, int Rank>
const array<Elem, Rank>& evaluated(const array<Elem, Rank>& x) {
  return x;
}
template <class Local>
auto evaluated(const expression<Local>& x) {
  using number = std::remove_const_t<typename std::remove_cvref_t<decltype(krait::detail::evaluated(
      std::declval<const Local&>()))>::value_type>;
  return array<number, Local::rank>(x);
}

}  // namespace krait::dist::detail
