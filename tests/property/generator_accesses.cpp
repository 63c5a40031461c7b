// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes look for in indices and accesses: intermediate values above 32 bits whose results are
// in bounds (narrow_addresses), neighbours (combine_accesses), loops over elements (widen,
// interchange_trips).
#include <algorithm>
#include <bit>
#include <utility>

#include "property/generating.h"

namespace krait::test::generating {

/// The index itself, by a way around numbers of more than 32 bits.
node Generator::disguised(node index) {
  const auto apply = [&](op what, node x, std::uint64_t c) {
    return detail::apply(what, scalar::i64, x, literal(scalar::i64, c));
  };
  const std::uint64_t large = (1ull << (31 + r_.below(3))) + r_.below(9);
  const std::uint64_t shift = 25 + r_.below(30);
  switch (r_.below(8)) {
    case 0: return apply(op::Sub, apply(op::Add, index, large), large);
    case 1: return apply(op::Div, apply(op::Mul, index, large), large);
    case 2: return apply(op::Shr, apply(op::Shl, index, shift), shift);
    case 3:
      return detail::convert(scalar::i32,
                             apply(op::Add, index, 0 - (std::uint64_t(1 + r_.below(3)) << 32)));
    case 4:
      return detail::convert(scalar::u32,
                             apply(op::Xor, index, std::uint64_t(1 + r_.below(3)) << 32));
    case 5: return apply(op::Rem, apply(op::Add, index, large * 512), large);
    case 6: return apply(op::Min, index, large);
    default: return detail::convert(r_.chance(50) ? scalar::i32 : scalar::u32, index);
  }
}

/// An array of the thread's own, filled by one loop and combined by another, whose trips are known
/// or only known to be few; sometimes an access elsewhere keeps it in memory.
void Generator::local_array() {
  const scalar s = any_type();
  const std::int64_t sizes[] = {2, 3, 5, 8}, size = sizes[r_.below(4)];
  const node array = detail::make_array(op::Local, s, ir::size_of(Scalar(s)), &size, 1);
  const auto number = [&](std::int64_t x) { return literal(scalar::i32, std::uint64_t(x)); };
  const auto at = [&](node index) { return detail::place{array, {index}, 1}; };
  const auto load = [&](node index) {
    detail::place from = at(index);
    return detail::load(from);
  };
  const auto walk = [&](node end, const auto& body) {
    const node index = detail::begin_range(scalar::i32, number(0), end, number(1), nowhere);
    here_.values.push_back({index, scalar::i32});
    ++here_.loops;
    body(index);
    --here_.loops;
    here_.values.pop_back();
    detail::end_loop(index);
  };
  walk(number(size), [&](node i) { detail::store(at(i), value(s, 2)); });
  if (r_.chance(25)) detail::store(at(index_below(size, 1)), value(s, 1));
  const node few = detail::apply(op::Rem, scalar::u32, value(scalar::u32, 1),
                                 literal(scalar::u32, std::uint64_t(size)));
  walk(r_.chance(50) ? number(size - 1) : detail::convert(scalar::i32, few), [&](node i) {
    const node next = load(detail::apply(op::Add, scalar::i32, i, number(1)));
    detail::store(at(i), detail::apply(s == scalar::boolean ? op::Xor : op::Add, s, load(i), next));
  });
  here_.locals.push_back(
      {detail::make_slot(s, load(number(std::int64_t(r_.below(unsigned(size)))))), s});
}

/// What threads are in groups and periods of a few, below `size`: the forms that lanes' places have
/// (codegen/cpu/plan/lane_forms.h), near them and beside them.
node Generator::periodic(std::int64_t size) {
  const scalar types[] = {scalar::i64, scalar::i32, scalar::u32};
  const scalar s = types[r_.below(3)];
  const auto apply = [&](op what, node x, std::uint64_t c) {
    return detail::apply(what, s, x, literal(s, s == scalar::i64 ? c : std::uint32_t(c)));
  };
  const auto few = [&] { return r_.chance(60) ? 1ull << r_.below(6) : 1ull + r_.below(12); };
  const node thread =
      detail::convert(s, element_wise_ || r_.chance(70)
                             ? here_.thread
                             : detail::position(op::ThreadIdx, scalar::i64, unsigned(r_.below(2))));
  const auto part = [&] {
    node x = thread;
    if (r_.chance(40)) x = apply(r_.chance(70) ? op::Add : op::Sub, x, r_.below(40));
    if (r_.chance(20)) x = apply(op::Mul, x, few());
    switch (r_.below(8)) {
      case 0:
      case 1: x = apply(op::Rem, x, few()); break;
      case 2: x = apply(op::Div, x, few()); break;
      case 3: x = apply(op::Shr, x, r_.below(6)); break;
      case 4: x = apply(op::And, x, few() - 1); break;
      case 5: x = apply(op::And, x, 0 - few()); break;
      case 6: x = apply(r_.chance(50) ? op::Xor : op::Or, x, r_.below(32)); break;
      default: break;
    }
    return r_.chance(40) ? apply(op::Mul, x, few()) : x;
  };
  node x = part();
  if (r_.chance(70)) x = detail::apply(r_.chance(70) ? op::Add : op::Sub, s, x, part());
  const bool power = std::has_single_bit(std::uint64_t(size));
  if (power) return apply(op::And, x, std::uint64_t(size) - 1);
  return detail::convert(scalar::i64,
                         detail::apply(op::Rem, scalar::u32, detail::convert(scalar::u32, x),
                                       literal(scalar::u32, std::uint64_t(size))));
}

/// Any value brought below `size`, whose high bits matter.
node Generator::index_below(std::int64_t size, int depth) {
  if (has_thread() && r_.chance(element_wise_ ? 8 : 25)) return periodic(size);
  const auto wide = [&](scalar s) {
    return r_.chance(40) ? wide_value(s, depth)
                         : detail::convert(s, value(r_.chance(60) ? s : scalar::i32, depth));
  };
  const auto apply = [&](op what, scalar s, node x, std::uint64_t c) {
    return detail::apply(what, s, x, literal(s, c));
  };
  const auto n = std::uint64_t(size);
  const unsigned log = unsigned(std::countr_zero(n));
  const bool power = n > 1 && std::has_single_bit(n);  // of one element there is no shift
  switch (r_.below(power ? 9 : 5)) {
    case 0: {
      const node x = wide(scalar::i64);
      return apply(op::Max, scalar::i64, apply(op::Min, scalar::i64, x, n - 1), 0);
    }
    case 1: return detail::convert(scalar::i64, apply(op::Rem, scalar::u64, wide(scalar::u64), n));
    case 2: {
      const node x = apply(op::Rem, scalar::i64, wide(scalar::i64), n);
      return apply(op::Rem, scalar::i64, apply(op::Add, scalar::i64, x, n), n);
    }
    case 3: {  // x < n ? x : n - 1, without a sign
      const node x = wide(scalar::u64);
      const node inside = apply(op::Lt, scalar::u64, x, n);
      return detail::convert(scalar::i64, detail::apply(op::Select, scalar::u64, inside, x,
                                                        literal(scalar::u64, n - 1)));
    }
    case 4:
      return detail::convert(scalar::i64, apply(op::MulHi, scalar::u64, wide(scalar::u64), n));
    case 5:
      return detail::convert(scalar::i64, apply(op::Shr, scalar::u64, wide(scalar::u64), 64 - log));
    case 6:
      return detail::convert(scalar::i64,
                             apply(op::Div, scalar::u64, wide(scalar::u64), 1ull << (64 - log)));
    case 7: {  // the sign counts
      const node x = detail::convert(scalar::i64, value(scalar::i32, depth));
      return apply(op::Shr, scalar::i64, apply(op::Add, scalar::i64, x, 1ull << 31), 32 - log);
    }
    default: return disguised(apply(op::And, scalar::i64, wide(scalar::i64), n - 1));
  }
}

/// A 64-bit number near the limits of 32 bits, and an operation that needs all of it.
node Generator::wide_value(scalar s, int depth) {
  const std::uint64_t limits[] = {1ull << 31,         1ull << 32,       (1ull << 31) - 128,
                                  (1ull << 32) - 128, 0 - (1ull << 31), 0 - (1ull << 32)};
  const scalar narrow[] = {scalar::i32, scalar::u32, scalar::i32};
  node x;
  if (has_thread() && r_.chance(60)) x = detail::convert(s, here_.thread);
  else if (r_.chance(50)) x = detail::convert(s, value(narrow[r_.below(3)], depth - 1));
  else {  // a range that passes see, just below a limit or just not
    constexpr std::uint64_t masks[] = {0x7fffffff, 0xffffffff, 0x3fffffff, 0xffff};
    const node any = value(s, depth - 1);
    x = detail::apply(op::And, s, any, literal(s, masks[r_.below(4)]));
  }
  if (r_.chance(30))
    x = detail::apply(op::Mul, s, x,
                      literal(s, r_.chance(50) ? 1 + r_.below(9) : 1ull << (20 + r_.below(14))));
  if (r_.chance(50)) x = detail::apply(op::Add, s, x, literal(s, limits[r_.below(6)]));
  constexpr op all[] = {op::Div, op::Rem, op::Min, op::Max, op::Shr, op::Shl, op::Sub};
  const op what = all[r_.below(7)];
  if (what == op::Shl || what == op::Shr)
    return detail::apply(what, s, x, literal(s, 1 + r_.below(33)));
  if (r_.chance(70))
    return detail::apply(
        what, s, x,
        literal(s, r_.chance(50) ? 1 + r_.below(100) : limits[r_.below(6)] + r_.below(64)));
  const node y = value(s, depth - 1);
  return detail::apply(what, s, x, y);
}

// ---- elements that a thread owns ----------------------------------------------------------------

void Generator::choose_owned(Array& a) {
  a.owned = r_.chance(60) ? 0 : 1 + r_.below(element_wise_ ? 2 : 6);
  a.constant = r_.below(unsigned(output_size));
}

/// Another element for each thread, or element of a loop, below output_size.
node Generator::own_element(const Array& a) {
  const auto apply = [&](op what, node x, std::uint64_t c) {
    return detail::apply(what, scalar::i64, x, literal(scalar::i64, c));
  };
  const node t = here_.thread;
  switch (a.owned) {
    case 1: return apply(op::Add, t, a.constant % largest_shift);
    case 2: return apply(op::Add, t, a.constant % 2 ? 4 : 8);
    case 3: return detail::apply(op::Sub, scalar::i64, literal(scalar::i64, output_size - 1), t);
    case 4: return apply(op::Xor, t, a.constant);
    case 5: {
      const node turned = apply(op::Add, apply(op::Mul, t, 0x800000ab), a.constant);
      return r_.chance(50) ? apply(op::And, turned, output_size - 1)
                           : apply(op::Rem, turned, output_size);
    }
    case 6: {  // turned round, or about, in its group
      const std::uint64_t group = 2ull << a.constant % 5, turned = a.constant / 5 % group;
      const node first = apply(op::And, t, 0 - group);
      const node place = a.constant % 2 ? apply(op::And, apply(op::Add, t, turned), group - 1)
                                        : apply(op::Xor, apply(op::Rem, t, group), turned);
      return detail::apply(op::Add, scalar::i64, first, place);
    }
    default: return r_.chance(element_wise_ ? 2 : 15) ? disguised(t) : t;
  }
}

node Generator::load_own(const Array& a) {
  detail::place at = a.at(own_element(a));
  return detail::load(at);
}

// ---- neighbours ---------------------------------------------------------------------------------

/// Lets a value show, in some variable.
void Generator::absorb(node x, scalar s) {
  if (here_.locals.empty()) return void(here_.locals.push_back({detail::make_slot(s, x), s}));
  const Local l = here_.locals[r_.below(unsigned(here_.locals.size()))];
  const node y = detail::apply(l.type == scalar::boolean ? op::Xor : op::Add, l.type, l.slot,
                               detail::convert(l.type, x));
  detail::assign(l.slot, y);
}

/// Some of the elements of a vector, or members of an aggregate, in any order.
void Generator::load_neighbours() {
  const Array& a = here_.inputs[r_.below(unsigned(here_.inputs.size()))];
  if (a.by_value) return assign(1);
  const auto keep = [&](const Array& from, node index) {
    detail::place at = from.at(index);
    absorb(detail::load(at), from.type);
  };
  const bool members = std::any_of(here_.inputs.begin(), here_.inputs.end(), [&](const Array& m) {
    return m.array.id == a.array.id && m.offset != a.offset;
  });
  if (members && r_.chance(70)) {
    const node index = index_below(input_size, 1);
    for (const Array& m : std::vector<Array>(here_.inputs))
      if (m.array.id == a.array.id && r_.chance(80)) keep(m, index);
    return;
  }
  const std::int64_t width = 2 << r_.below(3);
  node first = detail::convert(scalar::i64, index_below(input_size / width, 1));
  if (r_.chance(50))
    first = detail::apply(op::Mul, scalar::i64, first, literal(scalar::i64, std::uint64_t(width)));
  else
    first =
        detail::apply(op::Shl, scalar::i64, first,
                      literal(scalar::i64, std::uint64_t(std::countr_zero(std::uint64_t(width)))));
  if (r_.chance(25)) first = detail::convert(scalar::i32, first);
  const scalar s = r_.chance(25) ? scalar::i32 : scalar::i64;
  first = detail::convert(s, first);
  const Array from = a;
  for (std::int64_t k = 0, turn = r_.below(unsigned(width)); k < width; ++k) {
    const auto place = std::uint64_t((k + turn) % width);
    if (r_.chance(85))
      keep(from, place ? detail::apply(op::Add, s, first, literal(s, place)) : first);
  }
}

/// Stores to some of the thread's neighbours, some of them twice, with loads between.
void Generator::store_row() {
  const Array a = here_.rows[r_.below(unsigned(here_.rows.size()))];
  const scalar s = r_.chance(25) ? scalar::i32 : scalar::i64;
  const node thread = detail::convert(s, r_.chance(20) ? disguised(here_.thread) : here_.thread);
  const node first = detail::apply(op::Mul, s, thread, literal(s, a.width));
  const auto at = [&](std::uint64_t k) {
    return a.at(k ? detail::apply(op::Add, s, first, literal(s, k)) : first);
  };
  const bool hint = hinted();
  const node x = value(a.type, 2);
  for (unsigned n = a.width / 2 + r_.below(a.width + 1), turn = r_.below(a.width), k = 0; k < n;
       ++k) {
    const node stored = r_.chance(30) ? value(a.type, 1) : x;
    detail::place to = at((r_.chance(70) ? k + turn : r_.below(a.width)) % a.width);
    detail::store(to, stored, hint);
    if (!r_.chance(10)) continue;
    detail::place own = at(r_.below(a.width));
    absorb(detail::load(own), a.type);
  }
}

// ---- loops over elements ------------------------------------------------------------------------

/// grid_stride up to a bound of no more than output_size. Mostly without what keeps passes from
/// taking the loop.
void Generator::stride_loop(int depth) {
  constexpr std::int64_t bounds[] = {output_size, 255, 253, 250, 129, 64, 7, 4, 3, 1, 0, -5};
  node bound = literal(scalar::i64, std::uint64_t(bounds[r_.below(12)]));
  if (r_.chance(40)) {
    const Array& a = here_.outputs[r_.below(unsigned(here_.outputs.size()))];
    const node less =
        literal(scalar::i64, std::uint64_t(largest_shift + std::int64_t(r_.below(6))));
    bound = detail::apply(op::Sub, scalar::i64, detail::extent(a.array, 0), less);
  }
  const node index = detail::begin_grid_stride(bound, nowhere);
  const Surroundings outside = here_;
  here_.thread = index;
  here_.values.push_back({index, scalar::i64});
  ++here_.loops;
  here_.straight = r_.chance(element_wise_ ? 85 : 70);
  here_.budget = 4 + int(r_.below(8));
  // no variables but its own: nothing is carried
  if (element_wise_ || r_.chance(60)) here_.locals.clear();
  const std::size_t own = here_.locals.size();
  for (int i = 0; i < 3; ++i) {
    const scalar s = any_type();
    here_.locals.push_back({detail::make_slot(s, value(s, 1)), s});
  }
  for (int n = 3 + int(r_.below(5)); n > 0; --n) statement(depth - 1);
  store();
  show_locals(own);
  here_ = outside;
  detail::end_loop(index);
}

}  // namespace krait::test::generating
