// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel reads constant arrays at any index (brought into bounds, or guarded through && and ||),
// computes on typed locals under nested control flow, calls functions that do the same, and writes
// elements that belong to its thread. Loops are bounded by construction. NaN payloads never reach
// an integer: a float's bits are only taken where it is no NaN.
#include "property/generator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "property/generating.h"
#include "trace/trace.h"

namespace krait::test::generating {
/// Interesting bits of a type: edges half of the time.
std::uint64_t random_bits(Random& r, scalar s) {
  const unsigned width = bits_of(s);
  const std::uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  if (s == scalar::boolean) return r.below(2);
  if (is_int(s)) {
    const std::uint64_t edges[] = {
        0, 1, 2, 3, 7, mask, mask - 1, mask >> 1, (mask >> 1) + 1, width - 1, width};
    if (width == 64 && r.chance(25))
      return (r.chance(50) ? 1ull << 31 : 1ull << 32) * (r.chance(80) ? 1 : ~0ull) + r.below(3) - 1;
    return (r.chance(60) ? edges[r.below(11)] : r.bits()) & mask;
  }
  // sign, exponent near the bias or extreme, few or random fraction bits
  const unsigned fraction = ir::info(Scalar(s)).fraction, exponent_bits = width - 1 - fraction;
  const std::uint64_t bias = (1ull << (exponent_bits - 1)) - 1, top = (1ull << exponent_bits) - 1;
  const std::uint64_t exponents[] = {0,        1,        bias,    bias, bias + 1,        bias - 1,
                                     bias + 3, bias + 9, top - 1, top,  bias + fraction, bias - 3};
  const std::uint64_t exponent =
      r.chance(30) ? bias + r.below(8) - 4 : std::min(exponents[r.below(12)], top);
  std::uint64_t rest = r.chance(40) ? 0 : r.bits() & ((1ull << fraction) - 1);
  if (exponent == top && rest) rest = 1ull << (fraction - 1);  // the quiet NaN
  return std::uint64_t(r.below(2)) << (width - 1) | exponent << fraction | rest;
}

Generator::Generator(std::uint64_t seed, const GeneratorOptions& o)
    : r_(seed), options_(o), shapes_(~seed), guards_(seed ^ 0x6a7d) {
  for (const Scalar type : ir::all_scalars) {
    const auto s = scalar(type);
    const bool small = ir::is_int(ir::info(type).storage) && ir::size_of(type) < 4;
    if ((small && !o.small_ints) || (s == scalar::f16 && !o.f16) || (s == scalar::f64 && !o.f64))
      continue;
    types_.push_back(s);
  }
}

node Generator::leaf(scalar s) {
  std::vector<node> candidates;
  for (const auto* list : {&here_.locals, &here_.values})
    for (const Local& l : *list)
      if (l.type == s) candidates.push_back(l.slot);
  if (!candidates.empty() && r_.chance(70))
    return candidates[r_.below(unsigned(candidates.size()))];
  return literal(s, random_bits(r_, s));
}

node Generator::load(const Array& from, int depth) {
  if (!from.by_value && r_.chance(40)) {
    detail::place at = from.at(index_below(input_size, depth - 1));
    const node loaded = detail::load(at);
    if (hinted()) detail::make_streaming(loaded);
    return loaded;
  }
  // Any integer, masked into the array.
  const node any = value(r_.chance(50) ? scalar::i64 : scalar::u32, depth - 1);
  if (from.by_value) {
    const node element = detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any),
                                       literal(scalar::i64, by_value_size - 1));
    detail::place at = from.at(detail::apply(op::Mul, scalar::i64, element,
                                             literal(scalar::i64, ir::size_of(Scalar(from.type)))));
    return detail::load(at);
  }
  if (options_.reports && r_.chance(20)) {
    detail::place wild{from.array, {any}, 1};
    return detail::load(wild);
  }
  const node index = detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any),
                                   literal(scalar::i64, input_size - 1));
  detail::place at = from.at(index);
  const node loaded = detail::load(at);
  if (hinted()) detail::make_streaming(loaded);
  return loaded;
}

/// A thread of each row or of all, by a number that is known or equal for all: the lanes of which
/// one at most is active (codegen/cpu/control/one_lane.h).
node Generator::one_thread() {
  const node threads[] = {here_.thread, detail::position(op::ThreadIdx, scalar::i64, 0)};
  const node thread = detail::convert(scalar::i32, threads[r_.below(here_.function ? 1 : 2)]);
  const node number = r_.chance(60) ? literal(scalar::i32, r_.below(20))
                                    : detail::apply(op::And, scalar::i32, leaf(scalar::i32),
                                                    literal(scalar::i32, 15));
  const node x =
      r_.chance(30) ? detail::apply(op::Mul, scalar::i32, thread, literal(scalar::i32, 3)) : thread;
  const node one = detail::apply(r_.chance(80) ? op::Eq : op::Ne, scalar::i32, x, number);
  if (!r_.chance(25)) return one;
  const detail::mark mark = detail::mark_here(one);
  return detail::logical(r_.chance(70) ? op::And : op::Or, mark, condition(1));
}

node Generator::condition(int depth) {
  if (depth <= 0) return leaf(scalar::boolean);
  switch (r_.below(has_thread() ? 7 : 6)) {
    case 6: {  // a part of the threads, or one of a row
      if (r_.chance(40)) return one_thread();
      const op what = r_.chance(50) ? op::Lt : op::Ge;
      return detail::apply(what, scalar::i64, here_.thread,
                           literal(scalar::i64, r_.below(unsigned(output_size))));
    }
    case 0:
    case 1:
    case 2: {  // comparison
      scalar s = any_type();
      if (s == scalar::boolean) s = scalar::i32;
      const op what = any_row(ir::Rule::Compare, s);
      const node x = value(s, depth - 1), y = value(s, depth - 1);
      return detail::apply(what, s, x, y);
    }
    case 3: {  // a guarded load: index < size && a[index] > x
      const Array& a = here_.inputs[r_.below(unsigned(here_.inputs.size()))];
      if (a.type == scalar::boolean || a.by_value) return leaf(scalar::boolean);
      const bool and_ = r_.chance(60);
      const node index = value(scalar::i32, depth - 1);
      const node inside = detail::apply(op::Lt, scalar::u32, detail::convert(scalar::u32, index),
                                        literal(scalar::u32, input_size));
      const node left = and_ ? inside : detail::apply(op::Not, scalar::boolean, inside);
      const detail::mark mark = detail::mark_here(left);
      detail::place at = a.at(index);
      const node right = detail::apply(op::Gt, a.type, detail::load(at), value(a.type, depth - 1));
      return detail::logical(and_ ? op::And : op::Or, mark, right);
    }
    case 4: {
      const op what = r_.chance(50) ? op::And : op::Or;
      const detail::mark mark = detail::mark_here(condition(depth - 1));
      return detail::logical(what, mark, condition(depth - 1));
    }
    default: {
      scalar s = any_type();
      if (!is_float(s)) return detail::apply(op::Not, scalar::boolean, condition(depth - 1));
      const op what = any_row(ir::Rule::Test, s);
      return detail::apply(what, s, value(s, depth - 1));
    }
  }
}

/// A row of KRAIT_VALUE that has the rule and takes the type.
op Generator::any_row(ir::Rule rule, scalar s) {
  op found{};
  unsigned fitting = 0;
  for (unsigned n = 0; n < ir::op_count; ++n) {
    const ir::OpInfo& row = ir::info(ir::Op(n));
    if (row.family == ir::Family::Value && row.rule == rule && takes(row, Scalar(s)) &&
        r_.below(++fitting) == 0)
      found = op(n);
  }
  return found;
}

/// An operation on operands of one type, whose result has it too.
node Generator::same_value(scalar s, int depth) {
  op what = any_row(ir::Rule::Same, s);
  if (r_.chance(30)) what = r_.chance(60) ? op::Add : op::Mul;
  // Operands in statements of their own: the order of arguments is the compiler's.
  const node x = value(s, depth - 1);
  const int arity = ir::info(ir::Op(what)).arity;
  if (arity == 1) return detail::apply(what, s, x);
  const node y =
      // whose sign is known though it is a NaN
      what == op::Copysign ? literal(s, random_bits(r_, s)) : value(s, depth - 1);
  return arity == 2 ? detail::apply(what, s, x, y)
                    : detail::apply(what, s, x, y, value(s, depth - 1));
}

node Generator::int_value(scalar s, int depth) {
  const auto sub = [&] { return value(s, depth - 1); };
  if (bits_of(s) == 64 && r_.chance(20)) return wide_value(s, depth);
  switch (r_.below(8)) {
    case 0: {
      const op what = any_row(ir::Rule::Shift, s);
      const node x = sub(), n = value(r_.chance(50) ? s : scalar::i32, depth - 1);
      return detail::apply(what, s, x, n);
    }
    case 1: {
      const scalar from = is_int(any_type()) ? s : scalar::u32;
      const op what = any_row(ir::Rule::Count, from);
      return detail::convert(s, detail::apply(what, from, value(from, depth - 1)));
    }
    case 2: {  // the bits of a float of the same size that is no NaN
      std::vector<scalar> floats;
      for (const scalar t : types_)
        if (is_float(t) && bits_of(t) == bits_of(s)) floats.push_back(t);
      if (floats.empty()) return sub();
      const scalar f = floats[r_.below(unsigned(floats.size()))];
      const node x = value(f, depth - 1);
      const node safe =
          detail::apply(op::Select, f, detail::apply(op::Isnan, f, x), literal(f, 0), x);
      return detail::bit_convert(s, safe);
    }
    default: return same_value(s, depth);
  }
}

node Generator::value(scalar s, int depth) {
  if (depth > 0 && warp_may_meet() && r_.chance(5)) return of_warp(s, depth);
  if (s == scalar::boolean) return condition(depth);
  if (depth <= 0) return leaf(s);
  switch (r_.below(10)) {
    case 0: return leaf(s);
    case 1: {
      if (has_thread() && !here_.outputs.empty() && r_.chance(20)) {
        const Array& own = here_.outputs[r_.below(unsigned(here_.outputs.size()))];
        return detail::convert(s, load_own(own));
      }
      const Array& a = here_.inputs[r_.below(unsigned(here_.inputs.size()))];
      return detail::convert(s, load(a, depth));
    }
    case 2: {
      const scalar from = any_type();
      const node x = value(from, depth - 1);
      return r_.chance(70) ? detail::convert(s, x) : detail::convert_saturating(s, x);
    }
    case 3: {
      const node c = condition(depth - 1), x = value(s, depth - 1), y = value(s, depth - 1);
      return detail::apply(op::Select, s, c, x, y);
    }
    case 4: {
      const node c = condition(depth - 1);
      return detail::record_select(
          c, s, [&] { return value(s, depth - 1); }, [&] { return value(s, depth - 1); }, nowhere);
    }
    default: break;
  }
  // In native mode it may be summed in another order.
  const bool exact = options_.fp == ir::FpMode::Strict || options_.fp == ir::FpMode::Reproducible;
  if (s == scalar::f32 && exact && r_.chance(5)) {
    const node x = value(scalar::u32, depth - 1), y = value(scalar::u32, depth - 1),
               z = value(s, depth - 1);
    return detail::apply(op::DotPairs, s, x, y, z);
  }
  return is_float(s) ? same_value(s, depth) : int_value(s, depth);
}

void Generator::assign(int depth) {
  if (here_.locals.empty()) {  // an empty body is an error
    const scalar s = any_type();
    detail::make_slot(s, leaf(s));
    return;
  }
  const Local l = here_.locals[r_.below(unsigned(here_.locals.size()))];
  const node x = value(l.type, depth);
  if (is_int(l.type) && r_.chance(30)) detail::update(op::Add, l.type, l.slot, x);
  else detail::assign(l.slot, x);
}

void Generator::store() {
  const Array& a = here_.outputs[r_.below(unsigned(here_.outputs.size()))];
  const node x = value(a.type, 2);
  detail::place at = a.at(own_element(a));
  if (options_.reports && r_.chance(20)) {
    const std::int64_t distances[] = {output_extent, -output_extent, std::int64_t(1) << 33};
    const node outside = detail::apply(op::Add, scalar::i64, here_.thread,
                                       literal(scalar::i64, std::uint64_t(distances[r_.below(3)])));
    const node inside = detail::convert(scalar::i64, at.indices[0]), wild = condition(1);
    at.indices[0] = detail::apply(op::Select, scalar::i64, wild, outside, inside);
  }
  detail::store(at, x, hinted());
}

/// A line or a check with up to three values.
void Generator::report() {
  const unsigned count = r_.below(4);
  node values[3];
  std::string text = "at";
  for (unsigned i = 0; i < count; ++i) values[i] = value(any_type(), 1), text += " {}";
  if (r_.chance(60)) detail::report(op::Print, text.c_str(), values, count, nowhere);
  else detail::report_unless(condition(1), text.c_str(), values, count, nowhere);
}

void Generator::loop(int depth) {
  const auto body = [&] {
    ++here_.loops;
    block(depth - 1, 1 + int(r_.below(3)));
    --here_.loops;
  };
  const std::size_t scope = here_.locals.size();
  if (r_.chance(50)) {  // for
    const scalar s = r_.chance(50) ? scalar::i32 : scalar::i64;
    const std::uint64_t begins[] = {~0ull - 2, (1ull << 31) - 2, 0 - (1ull << 31),
                                    (1ull << 32) - 3};
    const std::uint64_t begin = r_.chance(70) ? 0
                                              : begins[r_.below(s == scalar::i32 ? 3 : 4)] &
                                                    (s == scalar::i32 ? 0xffffffff : ~0ull);
    const node trips = detail::apply(op::And, s, value(s, 1), literal(s, 7));
    const node end = begin == 0 ? trips : detail::apply(op::Add, s, trips, literal(s, begin));
    const node index =
        detail::begin_range(s, literal(s, begin), end, literal(s, 1 + r_.below(2)), nowhere);
    here_.values.push_back({index, s});
    body();
    here_.values.pop_back();
    detail::end_loop(index);
  } else {  // while, with a counter that bounds it
    const node count = detail::make_slot(scalar::i32, literal(scalar::i32, 0));
    const std::uint64_t bound = 1 + r_.below(6);
    detail::record_while(
        [&] {
          const detail::mark mark = detail::mark_here(
              detail::apply(op::Lt, scalar::i32, count, literal(scalar::i32, bound)));
          return detail::logical(op::And, mark, condition(2));
        },
        [&] {
          detail::update(op::Add, scalar::i32, count, literal(scalar::i32, 1));
          body();
        },
        nowhere);
  }
  here_.locals.resize(scope);
}

// ---- functions ----------------------------------------------------------------------------------

const Generator::Function& Generator::new_function() {
  auto f = std::make_unique<Function>(
      Function{this, detail::next_function(), {}, r_.below(3), scalar::none});
  for (unsigned n = r_.below(3) + f->references; n > 0; --n) f->types.push_back(any_type());
  if (r_.chance(60)) f->result = any_type();
  functions_.push_back(std::move(f));
  return *functions_.back();
}

void Generator::call() {
  // One that was made before may be called from inside of another, but not from inside of itself.
  const bool make =
      functions_.empty() || (!here_.function && functions_.size() < 3 && r_.chance(60));
  const Function& f = make ? new_function() : *functions_[r_.below(unsigned(functions_.size()))];
  if (&f == here_.function || (here_.function && f.object > here_.function->object))
    return assign(1);
  std::vector<detail::function_argument> arguments;
  for (const auto* list : {&here_.inputs, &here_.outputs})
    for (const Array& a : *list) arguments.push_back({a.array, false});
  arguments.push_back({here_.thread, false});
  std::vector<node> used;
  for (std::size_t i = 0; i < f.types.size(); ++i) {
    const bool reference = i + f.references >= f.types.size();
    node x = reference ? node{} : detail::convert(f.types[i], value(f.types[i], 2));
    if (reference) {
      for (const Local& l : here_.locals)
        if (l.type == f.types[i] &&
            std::none_of(used.begin(), used.end(), [&](node n) { return n.id == l.slot.id; }))
          x = l.slot;
      if (x.recording == 0) x = detail::make_slot(f.types[i], leaf(f.types[i]));
      used.push_back(x);
    }
    arguments.push_back({x, reference});
  }
  node result;
  const unsigned count = f.result == scalar::none ? 0 : 1;
  detail::call_function(
      {f.object, &f, &record_function, &f.result, count, "called", nowhere, false},
      arguments.data(), unsigned(arguments.size()), &result);
  if (count == 0) return;
  for (const Local& l : here_.locals)
    if (l.type == f.result) return detail::assign(l.slot, result);
  here_.locals.push_back({detail::make_slot(f.result, result), f.result});
}

void Generator::record_function(const void* function, const node* parameters, node* results) {
  const auto& f = *static_cast<const Function*>(function);
  f.generator->function_body(f, parameters, results);
}

void Generator::function_body(const Function& f, const node* parameters, node* results) {
  Surroundings inside;
  inside.function = &f;
  inside.budget = 3 + int(r_.below(6));
  for (const Array& a : here_.inputs)
    inside.inputs.push_back(a), inside.inputs.back().array = *parameters++;
  for (const Array& a : here_.outputs)
    inside.outputs.push_back(a), inside.outputs.back().array = *parameters++;
  inside.thread = *parameters++;
  inside.values.push_back({inside.thread, scalar::i64});
  const Surroundings outside = std::exchange(here_, std::move(inside));
  // Results and the variables' locals, in the order of the parameters.
  node* const locals =
      results + (f.result == scalar::none ? 0 : 1) + here_.inputs.size() + here_.outputs.size() + 1;
  for (std::size_t i = 0; i < f.types.size(); ++i) {
    const bool reference = i + f.references >= f.types.size();
    if (!reference) {
      here_.values.push_back({parameters[i], f.types[i]});
      continue;
    }
    locals[i] = detail::make_slot(f.types[i], parameters[i]);
    here_.locals.push_back({locals[i], f.types[i]});
  }
  if (f.result == scalar::none) {
    const detail::body_scope body = detail::begin_body(nullptr, nullptr);
    block(2, 2 + int(r_.below(3)));
    detail::end_body(body);
  } else {
    node kept = detail::make_slot(f.result, literal(f.result, 0));
    const auto keep = [](void* slot, node x) {
      detail::assign(*static_cast<const node*>(slot), x);
    };
    const detail::body_scope body = detail::begin_body(keep, &kept);
    block(2, 2 + int(r_.below(3)));
    detail::assign(kept, value(f.result, 2));
    detail::end_body(body);
    results[0] = kept;
  }
  here_ = outside;
}

/// Ends the thread, or leaves the function.
void Generator::return_early() {
  const Function* f = here_.function;
  if (!f || f->result == scalar::none) detail::leave(op::Return, nowhere);
  else detail::leave_with(detail::convert(f->result, value(f->result, 1)), nowhere);
}

void Generator::statement(int depth) {
  if (--here_.budget < 0) return;
  if (options_.reports && r_.chance(12)) return report();
  if (cooperative_ && !here_.function && r_.chance(10)) return accumulate();
  if (r_.chance(6)) return load_neighbours();
  if (depth > 0 && !here_.straight && r_.chance(5)) return local_array();
  if (!here_.rows.empty() && has_thread() && r_.chance(10)) return store_row();
  const auto nested = [&] {
    assign(1);  // an empty body is an error
    block(depth - 1, int(r_.below(3)));
  };
  const unsigned kind = depth > 0 ? r_.below(15) : r_.below(5);
  switch (kind) {
    case 0:
    case 1:
    case 2: return assign(3);
    case 3: return store();
    case 4: {
      const scalar s = any_type();
      const node first = value(s, 2);
      here_.locals.push_back({detail::make_slot(s, first), s});
      return;
    }
    case 5:
    case 6:
    case 7: {
      const detail::mark chain = detail::record_if(condition(2), nested, nowhere);
      if (r_.chance(30)) {
        const detail::mark elif_mark = chain;
        const node c = condition(2);
        const detail::mark next =
            detail::record_elif(elif_mark, c, nested, nowhere, detail::expected::nothing);
        if (r_.chance(50)) detail::record_else(next, nested, nowhere);
      } else if (r_.chance(50)) {
        detail::record_else(chain, nested, nowhere);
      }
      return;
    }
    case 8:
    case 9:
      if (here_.straight) return assign(3);
      return loop(depth);
    case 10: {
      const node chain = detail::begin_switch(
          detail::apply(op::And, scalar::i32, value(scalar::i32, 2), literal(scalar::i32, 3)),
          nowhere);
      const std::int64_t cases[] = {0, 1, 2};
      detail::record_case(chain, cases, 1, nested, nowhere);
      detail::record_case(chain, cases + 1, 2, nested, nowhere);
      if (r_.chance(70)) detail::record_default(chain, nested, nowhere);
      return;
    }
    case 11:
    case 12:
      if (here_.loops > 0 && !here_.straight) {
        detail::record_if(
            condition(2), [&] { detail::leave(r_.chance(50) ? op::Break : op::Continue, nowhere); },
            nowhere);
        return;
      }
      return assign(2);
    case 13:
      if (here_.straight) return assign(2);
      return call();
    default:
      if (!cooperative_ && !here_.straight && r_.chance(40)) {
        detail::record_if(
            condition(2),
            [&] {
              if (r_.chance(50)) store();
              return_early();
            },
            nowhere);
        return;
      }
      return assign(3);
  }
}

void Generator::block(int depth, int statements) {
  const std::size_t scope = here_.locals.size();
  for (int i = 0; i < statements; ++i) statement(depth);
  here_.locals.resize(scope);
}

void add_random(Random& r, Argument& a, scalar s) {
  const std::uint64_t bits = random_bits(r, s);
  const unsigned size = ir::size_of(Scalar(s));
  a.bytes.resize(a.bytes.size() + size);
  std::memcpy(a.bytes.data() + a.bytes.size() - size, &bits, size);
}

void Generator::make_array(Kernel& k, bool out, unsigned width) {
  const scalar s = any_type();
  Array array{detail::parameter_array(s, 1, out, ir::size_of(Scalar(s))), s};
  if (width > 1) array.width = width;
  else if (out) choose_owned(array);
  (width > 1 ? here_.rows : out ? here_.outputs : here_.inputs).push_back(array);
  Argument a;
  a.rank = 1, a.extents[0] = width > 1 ? output_size * width : out ? output_extent : input_size;
  for (std::int64_t e = 0; e < a.extents[0]; ++e) add_random(r_, a, s);
  k.arguments.push_back(std::move(a));
}

/// An array of two to four members, of which an output writes those that are no floats: its bytes
/// are compared as they are. Or members by value, each an array.
void Generator::make_aggregates(Kernel& k, bool out) {
  std::vector<scalar> members;
  for (unsigned n = 2 + r_.below(3); n > 0; --n)
    members.push_back(r_.chance(40) && !members.empty() ? members.back() : any_type());
  if (out) members.front() = scalar::i32;
  const bool by_value = !out && r_.chance(30);
  const unsigned count = by_value ? unsigned(by_value_size) : 1;
  std::vector<std::uint32_t> offsets;
  std::uint32_t bytes = 0, alignment = 1;
  for (const scalar s : members) {
    const std::uint32_t size = ir::size_of(Scalar(s));
    bytes = (bytes + size - 1) / size * size, alignment = std::max(alignment, size);
    offsets.push_back(bytes), bytes += size * count;
  }
  bytes = (bytes + alignment - 1) / alignment * alignment;
  const node array = by_value ? detail::parameter_aggregate(bytes)
                              : detail::parameter_array(scalar::none, 1, out, bytes);
  Argument a;
  a.rank = 1, a.extents[0] = by_value ? 1 : out ? output_extent : input_size;
  for (std::int64_t e = 0; e < a.extents[0]; ++e)
    for (std::size_t m = 0; m < members.size(); ++m) {
      a.bytes.resize(std::size_t(e) * bytes + offsets[m]);
      for (unsigned n = 0; n < count; ++n) add_random(r_, a, members[m]);
    }
  a.bytes.resize(std::size_t(a.extents[0]) * bytes);
  k.arguments.push_back(std::move(a));
  Array all{array, members[0], 0, by_value};
  if (out) choose_owned(all);
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (out && is_float(members[m])) continue;
    all.type = members[m], all.offset = offsets[m];
    (out ? here_.outputs : here_.inputs).push_back(all);
  }
}

constexpr std::int64_t blocks[] = {32, 64, 20, 7, 128, 256, 1};

/// Its number, x fastest.
node Generator::thread_in_block() {
  const auto id = [](unsigned dim) { return detail::position(op::ThreadIdx, scalar::i64, dim); };
  if (!shaped_) return id(0);
  const auto of = [](op what, const node& x, const node& y) {
    return detail::apply(what, scalar::i64, x, y);
  };
  const auto size = [](unsigned dim) { return detail::position(op::BlockDim, scalar::i64, dim); };
  const node row = of(op::Add, of(op::Mul, id(2), size(1)), id(1));
  return of(op::Add, of(op::Mul, row, size(0)), id(0));
}

/// Columns and rows of as many threads.
void Generator::shape(ir::Launch& launch) {
  launch.block = {block_, 1, 1};
  std::int64_t rest = shaped_ ? block_ : 1;
  for (unsigned d = 0; d < 2 && rest > 1; ++d) {
    std::int64_t size = 0;
    do size = 1 + shapes_.below(unsigned(std::min<std::int64_t>(rest, 20)));
    while (rest % size != 0 || (d == 1 && rest / size > 64));  // a GPU's blocks are no deeper
    launch.block[d] = size, rest /= size;
    launch.block[d + 1] = rest;
  }
}

Kernel Generator::make() {
  Kernel k;
  detail::recording_options o;
  o.name = "random", o.fp = std::uint8_t(options_.fp), o.where = nowhere,
  o.checked = options_.reports;
  void* recording = detail::begin_recording(o);
  if (options_.meet) block_ = blocks[r_.below(std::size(blocks))], cooperative_ = r_.chance(70);
  element_wise_ = !cooperative_ && !options_.reports && r_.chance(25);
  const bool strides = element_wise_ || r_.chance(35);  // grid_stride loops
  const unsigned inputs = 2 + r_.below(2), outputs = 2 + r_.below(2);
  for (unsigned i = 0; i < inputs + outputs; ++i) {
    if (options_.aggregates && r_.chance(60)) make_aggregates(k, i >= inputs);
    else make_array(k, i >= inputs);
  }
  if (!element_wise_ && r_.chance(40)) make_array(k, true, 2u << r_.below(3));
  for (int i = 0; i < 3; ++i) {
    const scalar s = any_type();
    here_.values.push_back({detail::parameter(s), s});
    Argument a;
    a.bits = random_bits(r_, s);
    k.arguments.push_back(std::move(a));
  }
  if (cooperative_) make_accumulators(k);
  if (element_wise_) {
    stride_loop(3);
    return finish(k, recording, true);
  }
  const bool guarded = !cooperative_ && !options_.reports && !strides && guards_.chance(30);
  shaped_ = !strides && shapes_.chance(50) && !guarded;
  const auto first_of_block = [] {
    node threads = detail::position(op::BlockDim, scalar::i64, 0);
    for (unsigned d : {1u, 2u})
      threads = detail::apply(op::Mul, scalar::i64, threads,
                              detail::position(op::BlockDim, scalar::i64, d));
    return detail::apply(op::Mul, scalar::i64, detail::position(op::BlockIdx, scalar::i64, 0),
                         threads);
  };
  const node id = shaped_ ? detail::apply(op::Add, scalar::i64, first_of_block(), thread_in_block())
                          : detail::position(op::GlobalId, scalar::i64, 0);
  here_.thread = id;
  if (cooperative_) in_block_ = thread_in_block();
  here_.values.push_back({id, scalar::i64});
  if (!guarded)
    here_.values.push_back(
        {detail::convert(scalar::i32, detail::position(op::ThreadIdx, scalar::i64, 0)),
         scalar::i32});
  for (int i = 0; i < 4; ++i) {
    const scalar s = any_type();
    here_.locals.push_back({detail::make_slot(s, leaf(s)), s});
  }
  if (guarded) {
    const auto inside = [&] {
      here_.budget = 12 + int(r_.below(24));
      block(4, 4 + int(r_.below(6)));
      show_locals(0);
    };
    const auto twice = [&] { detail::record_if(guard(), inside, nowhere); };
    const node outer = guard();
    if (guards_.chance(30)) detail::record_if(outer, twice, nowhere);
    else detail::record_if(outer, inside, nowhere);
    return finish(k, recording, false);
  }
  if (cooperative_ && r_.chance(60)) empty_shared_accumulators();
  // Cooperative kernels in parts, with an exchange in front of each but the first.
  for (unsigned part = 0, parts = cooperative_ ? 1 + r_.below(3) : 1; part < parts; ++part) {
    if (part) exchange();
    here_.budget = (12 + int(r_.below(24))) / int(parts) / (options_.small ? 3 : 1);
    block(4, 4 + int(r_.below(6)));
    if (strides && r_.chance(60)) stride_loop(3);
  }
  if (cooperative_) write_shared_accumulators();
  show_locals(0);
  return finish(k, recording, strides);
}

/// What kernels ask before they do anything: bounds of the thread's number, in any type that holds
/// it, and what all threads share.
node Generator::guard() {
  const auto bound = [&] {
    const scalar types[] = {scalar::i64, scalar::i32, scalar::u32, scalar::u64};
    const scalar s = types[guards_.below(4)];
    const std::int64_t odd[] = {0, 1, -1, output_size, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    const std::uint64_t most = ~std::uint64_t(0) >> (64 - ir::bits_of(Scalar(s)));
    node limit = guards_.chance(25) ? literal(s, std::uint64_t(odd[guards_.below(8)]) & most)
                                    : literal(s, guards_.below(unsigned(output_size)));
    if (guards_.chance(25)) limit = detail::convert(s, here_.values[guards_.below(3)].slot);
    const op kinds[] = {op::Lt, op::Le, op::Gt, op::Ge};
    // No bound, but the same for all threads.
    const node x = guards_.chance(20) ? literal(s, 7) : detail::convert(s, here_.thread);
    const bool left = guards_.chance(50);
    return detail::apply(kinds[guards_.below(4)], s, left ? x : limit, left ? limit : x);
  };
  node all = bound();
  for (unsigned n = guards_.below(4); n > 0; --n)
    all = detail::apply(op::And, scalar::boolean, all, bound());
  return all;
}

/// What was computed shows: locals from `first` on.
void Generator::show_locals(std::size_t first) {
  for (std::size_t i = first; i < here_.locals.size(); ++i) {
    const Local l = here_.locals[i];
    const Array& a = here_.outputs[r_.below(unsigned(here_.outputs.size()))];
    const bool to_bits = is_float(l.type) != is_float(a.type);
    if (to_bits) continue;
    detail::place at = a.at(own_element(a));
    detail::store(at, detail::convert(a.type, l.slot));
  }
}

/// The recording, and its launch; with `strides` one of fewer threads than there are elements, now
/// and then.
Kernel Generator::finish(Kernel& k, void* recording, bool strides) {
  k.module = std::move(trace::take(detail::finish_recording(recording))->module);
  if (!options_.meet) block_ = blocks[r_.below(std::size(blocks))];
  shape(k.launch);
  k.launch.warp_size = options_.warp;
  if (shapes_.chance(40)) k.module.kernel().block = k.launch.block;  // as kernel<grid, block> says
  const std::int64_t grid = output_size / block_;
  k.launch.grid = {strides && r_.chance(60) ? 1 + r_.below(unsigned(grid)) : grid, 1, 1};
  return std::move(k);
}

}  // namespace krait::test::generating

namespace krait::test {

Kernel random_kernel(std::uint64_t seed, const GeneratorOptions& options) {
  return options.tiles ? generating::tile_kernel(seed, options)
                       : generating::Generator(seed, options).make();
}

}  // namespace krait::test
