// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel reads constant arrays at any index (masked, or guarded through && and ||), computes on typed locals under nested
// control flow, calls functions that do the same, and writes elements that belong to its thread. Loops are bounded by construction. NaN payloads never reach an
// integer: a float's bits are only taken where it is no NaN.
#include "property/generator.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "krait/detail/emit.h"
#include "trace/trace.h"

namespace krait::test {
namespace {

using detail::node;
using detail::op;
using detail::scalar;
using ir::Scalar;

constexpr detail::location nowhere{"generated", 1};

/// splitmix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9, z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return unsigned(bits() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

constexpr scalar all_types[] = {scalar::boolean, scalar::i8,  scalar::i16, scalar::i32, scalar::i64, scalar::u8,
                                scalar::u16,     scalar::u32, scalar::u64, scalar::f16, scalar::f32, scalar::f64};

bool is_float(scalar s) { return s >= scalar::f16; }
bool is_int(scalar s) { return s >= scalar::i8 && s <= scalar::u64; }
unsigned bits_of(scalar s) { return ir::bits_of(Scalar(s)); }

/// Interesting bits of a type: edges half of the time.
std::uint64_t random_bits(Random& r, scalar s) {
  const unsigned width = bits_of(s);
  const std::uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
  if (s == scalar::boolean) return r.below(2);
  if (is_int(s)) {
    const std::uint64_t edges[] = {0, 1, 2, 3, 7, mask, mask - 1, mask >> 1, (mask >> 1) + 1, width - 1, width};
    return (r.chance(60) ? edges[r.below(11)] : r.bits()) & mask;
  }
  // sign, exponent near the bias or extreme, few or random fraction bits
  const unsigned fraction = s == scalar::f16 ? 10 : s == scalar::f32 ? 23 : 52, exponent_bits = width - 1 - fraction;
  const std::uint64_t bias = (1ull << (exponent_bits - 1)) - 1, top = (1ull << exponent_bits) - 1;
  const std::uint64_t exponents[] = {0, 1, bias, bias, bias + 1, bias - 1, bias + 3, bias + 9, top - 1, top, bias + fraction, bias - 3};
  const std::uint64_t exponent = r.chance(30) ? bias + r.below(8) - 4 : exponents[r.below(12)];
  std::uint64_t rest = r.chance(40) ? 0 : r.bits() & ((1ull << fraction) - 1);
  if (exponent == top && rest) rest = 1ull << (fraction - 1);  // the quiet NaN
  return std::uint64_t(r.below(2)) << (width - 1) | exponent << fraction | rest;
}

class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& o) : r_(seed), options_(o) {
    for (scalar s : all_types) {
      const bool small = s == scalar::i8 || s == scalar::u8 || s == scalar::i16 || s == scalar::u16;
      if ((small && !o.small_ints) || (s == scalar::f16 && !o.f16) || (s == scalar::f64 && !o.f64)) continue;
      types_.push_back(s);
    }
  }

  RandomKernel make();

 private:
  struct Array {
    node array;
    scalar type;
    std::uint32_t offset = 0;  // of a member of aggregates
    bool by_value = false;     // one aggregate: all indices are a byte's
    detail::place at(node index) const { return {array, {index}, 1, offset, type}; }
  };
  struct Local {
    node slot;
    scalar type;
  };

  /// A function that is called: all arrays, the thread's number, then values; the last of them are variables of the caller.
  struct Function {
    Generator* generator;
    std::uint64_t object;
    std::vector<scalar> types;
    unsigned references;
    scalar result;  // none: no result
  };
  /// What a function has of its own.
  struct Surroundings {
    std::vector<Array> inputs, outputs;
    std::vector<Local> locals, values;
    node thread;
    int loops = 0, budget = 0;
    const Function* function = nullptr;
  };

  node literal(scalar s, std::uint64_t bits) { return detail::literal(s, bits); }
  scalar any_type() { return types_[r_.below(unsigned(types_.size()))]; }
  node value(scalar s, int depth);
  node float_value(scalar s, int depth);
  node int_value(scalar s, int depth);
  node condition(int depth);
  node leaf(scalar s);
  node load(const Array& from, int depth);
  void block(int depth, int statements);
  void statement(int depth);
  void assign(int depth);
  void store();
  void report();
  void make_array(RandomKernel& k, bool out);
  void make_aggregates(RandomKernel& k, bool out);
  void loop(int depth);
  void call();
  const Function& new_function();
  static void record_function(const void* function, const node* parameters, node* results);
  void function_body(const Function& f, const node* parameters, node* results);
  void return_early();

  /// Every third access has a hint. That takes no random number, so that seeds keep their kernels.
  bool hinted() { return ++accesses_ % 3 == 0; }

  Random r_;
  unsigned accesses_ = 0;
  GeneratorOptions options_;
  std::vector<scalar> types_;
  std::vector<std::unique_ptr<Function>> functions_;
  // Here: `values` are parameters and immutable values of the outermost region, `thread` is an i64 within the outputs, `budget` the
  // number of statements left.
  Surroundings here_;

  // Threads that meet.
  struct Accumulator {
    Array array;
    op what;
    bool shared;
  };
  void make_accumulators(RandomKernel& k);
  void empty_shared_accumulators();
  void write_shared_accumulators();
  void accumulate();
  void exchange();
  node of_warp(scalar s, int depth);
  bool warp_may_meet() const { return cooperative_ && !here_.function && (options_.any_flow || here_.loops == 0); }
  bool cooperative_ = false;
  std::int64_t block_ = 32;
  node in_block_;  // i64: the thread in its block
  std::vector<Accumulator> accumulators_;
};

constexpr std::int64_t input_size = 64, output_size = 256, by_value_size = 16;

node Generator::leaf(scalar s) {
  std::vector<node> candidates;
  for (const auto* list : {&here_.locals, &here_.values})
    for (const Local& l : *list)
      if (l.type == s) candidates.push_back(l.slot);
  if (!candidates.empty() && r_.chance(70)) return candidates[r_.below(unsigned(candidates.size()))];
  return literal(s, random_bits(r_, s));
}

node Generator::load(const Array& from, int depth) {
  // Any integer, masked into the array.
  const node any = value(r_.chance(50) ? scalar::i64 : scalar::u32, depth - 1);
  if (from.by_value) {
    const node element = detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any), literal(scalar::i64, by_value_size - 1));
    detail::place at = from.at(detail::apply(op::Mul, scalar::i64, element, literal(scalar::i64, ir::size_of(Scalar(from.type)))));
    return detail::load(at);
  }
  if (options_.reports && r_.chance(20)) {
    detail::place wild{from.array, {any}, 1};
    return detail::load(wild);
  }
  const node index = detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any), literal(scalar::i64, input_size - 1));
  detail::place at = from.at(index);
  const node loaded = detail::load(at);
  if (hinted()) detail::make_streaming(loaded);
  return loaded;
}

node Generator::condition(int depth) {
  if (depth <= 0) return leaf(scalar::boolean);
  switch (r_.below(6)) {
    case 0: case 1: case 2: {  // comparison
      constexpr op compare[] = {op::Eq, op::Ne, op::Lt, op::Le, op::Gt, op::Ge};
      scalar s = any_type();
      if (s == scalar::boolean) s = scalar::i32;
      const op what = compare[r_.below(6)];
      const node x = value(s, depth - 1), y = value(s, depth - 1);
      return detail::apply(what, s, x, y);
    }
    case 3: {  // a guarded load: index < size && a[index] > x
      const Array& a = here_.inputs[r_.below(unsigned(here_.inputs.size()))];
      if (a.type == scalar::boolean || a.by_value) return leaf(scalar::boolean);
      const bool and_ = r_.chance(60);
      const node index = value(scalar::i32, depth - 1);
      const node inside = detail::apply(op::Lt, scalar::u32, detail::convert(scalar::u32, index), literal(scalar::u32, input_size));
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
      const op what = r_.chance(50) ? op::Isnan : op::Isinf;
      return detail::apply(what, s, value(s, depth - 1));
    }
  }
}

node Generator::int_value(scalar s, int depth) {
  const auto sub = [&] { return value(s, depth - 1); };
  constexpr op binary[] = {op::Add, op::Sub, op::Mul, op::Div, op::Rem, op::Min, op::Max, op::And, op::Or, op::Xor, op::MulHi, op::Add};
  constexpr op unary[] = {op::Neg, op::Abs, op::Not, op::Bitrev, op::Bswap};
  constexpr op count[] = {op::Popcount, op::Clz, op::Ctz};
  switch (r_.below(8)) {
    case 0: {
      const op what = r_.chance(50) ? op::Shl : op::Shr;
      const node x = sub(), n = value(r_.chance(50) ? s : scalar::i32, depth - 1);
      return detail::apply(what, s, x, n);
    }
    case 1: {
      const op what = unary[r_.below(5)];
      return detail::apply(what, s, sub());
    }
    case 2: {
      const scalar from = is_int(any_type()) ? s : scalar::u32;
      return detail::convert(s, detail::apply(count[r_.below(3)], from, value(from, depth - 1)));
    }
    case 3: {  // the bits of a float of the same size that is no NaN
      const scalar f = bits_of(s) == 64 ? scalar::f64 : bits_of(s) == 32 ? scalar::f32 : scalar::f16;
      if (bits_of(s) < 16 || std::find(types_.begin(), types_.end(), f) == types_.end()) return sub();
      const node x = value(f, depth - 1);
      const node safe = detail::apply(op::Select, f, detail::apply(op::Isnan, f, x), literal(f, 0), x);
      return detail::bit_convert(s, safe);
    }
    default: {  // operands in statements of their own: the order of arguments is the compiler's
      const op what = binary[r_.below(12)];
      const node x = sub(), y = sub();
      return detail::apply(what, s, x, y);
    }
  }
}

node Generator::float_value(scalar s, int depth) {
  const auto sub = [&] { return value(s, depth - 1); };
  constexpr op binary[] = {op::Add, op::Sub, op::Mul, op::Div, op::Min, op::Max, op::Add, op::Mul};
  constexpr op unary[] = {op::Neg, op::Abs, op::Sqrt, op::Floor, op::Ceil, op::Trunc, op::Rint};
  switch (r_.below(6)) {
    case 0: {
      const op what = unary[r_.below(7)];
      return detail::apply(what, s, sub());
    }
    case 1: {
      const node x = sub(), y = sub(), z = sub();
      return detail::apply(op::Fma, s, x, y, z);
    }
    case 2: {
      const node x = sub();
      return detail::apply(op::Copysign, s, x, literal(s, random_bits(r_, s)));
    }
    default: {
      const op what = binary[r_.below(8)];
      const node x = sub(), y = sub();
      return detail::apply(what, s, x, y);
    }
  }
}

// ---- threads that meet --------------------------------------------------------------------------------------------------------

constexpr std::int64_t accumulator_size = 8;

/// Parameters, so before anything is computed.
void Generator::make_accumulators(RandomKernel& k) {
  constexpr scalar types[] = {scalar::i32, scalar::u32, scalar::i64, scalar::u64, scalar::f32};
  constexpr op operations[] = {op::AtomicMin, op::AtomicMax, op::AtomicAdd, op::AtomicAnd, op::AtomicOr, op::AtomicXor};
  for (int i = 0; i < 3; ++i) {
    const scalar s = types[r_.below(5)];
    const op what = operations[r_.below(is_float(s) ? 2 : 6)];
    accumulators_.push_back({{detail::parameter_array(s, 1, true, ir::size_of(Scalar(s))), s}, what, false});
    Argument a;
    a.rank = 1, a.extents[0] = accumulator_size;
    a.bytes.resize(std::size_t(accumulator_size) * ir::size_of(Scalar(s)));
    k.arguments.push_back(std::move(a));
  }
}

void Generator::empty_shared_accumulators() {
  constexpr scalar types[] = {scalar::u32, scalar::i32};
  const scalar s = types[r_.below(2)];
  const std::int64_t size = accumulator_size;
  const Accumulator a{{detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &size, 1), s}, r_.chance(50) ? op::AtomicAdd : op::AtomicXor, true};
  const node first = detail::apply(op::Eq, scalar::i64, in_block_, literal(scalar::i64, 0));
  detail::record_if(first, [&] {
    for (std::int64_t i = 0; i < accumulator_size; ++i) {
      detail::place at{a.array.array, {literal(scalar::i64, std::uint64_t(i))}, 1};
      detail::store(at, literal(s, 0));
    }
  }, nowhere);
  detail::synchronise(op::Barrier);
  accumulators_.push_back(a);
}

void Generator::write_shared_accumulators() {
  detail::synchronise(op::Barrier);
  for (const Accumulator& a : accumulators_) {
    if (!a.shared) continue;
    const node index = detail::apply(op::And, scalar::i64, in_block_, literal(scalar::i64, accumulator_size - 1));
    detail::place at{a.array.array, {index}, 1};
    here_.locals.push_back({detail::make_slot(a.array.type, detail::load(at)), a.array.type});
  }
}

/// The old value stays unused: it depends on the order of threads.
void Generator::accumulate() {
  const Accumulator& a = accumulators_[r_.below(unsigned(accumulators_.size()))];
  const node x = value(a.array.type, 2), any = value(scalar::i32, 1);
  const node index =
      detail::apply(op::And, scalar::i64, detail::convert(scalar::i64, any), literal(scalar::i64, accumulator_size - 1));
  const detail::place at{a.array.array, {index}, 1};
  detail::atomic(a.what, at, &x, 1, r_.below(4), r_.below(3));
}

/// Every thread gives a value and takes another thread's; or they vote.
void Generator::exchange() {
  if (r_.chance(30)) {
    constexpr op votes[] = {op::BarrierCount, op::BarrierAnd, op::BarrierOr};
    const op what = votes[r_.below(3)];
    const scalar s = what == op::BarrierCount ? scalar::i32 : scalar::boolean;
    here_.values.push_back({detail::apply(what, scalar::boolean, condition(2)), s});
    return;
  }
  const scalar s = any_type();
  const node array = detail::make_array(op::Shared, s, ir::size_of(Scalar(s)), &block_, 1);
  detail::place own{array, {in_block_}, 1};
  detail::store(own, value(s, 2));
  detail::synchronise(op::Barrier);
  const std::uint64_t factor = 1 + r_.below(7), step = r_.below(64);
  const node turned = detail::apply(op::Add, scalar::i64, detail::apply(op::Mul, scalar::i64, in_block_, literal(scalar::i64, factor)),
                                    literal(scalar::i64, step));
  detail::place other{array, {detail::apply(op::Rem, scalar::i64, turned, literal(scalar::i64, std::uint64_t(block_)))}, 1};
  here_.locals.push_back({detail::make_slot(s, detail::load(other)), s});
}

/// What the active lanes of a warp make of their values.
node Generator::of_warp(scalar s, int depth) {
  const auto votes = [&](const node& c) { return detail::apply(op::Ballot, scalar::boolean, c); };
  if (s == scalar::boolean) {
    const op what = r_.chance(50) ? op::WarpAny : op::WarpAll;
    return detail::apply(what, s, condition(depth - 1));
  }
  switch (r_.below(4)) {
    case 0: {  // the lowest active lane's
      const node x = value(s, depth - 1);
      const node lane = detail::apply(op::Ctz, scalar::u64, votes(literal(scalar::boolean, 1)));
      return detail::apply(op::Shuffle, s, x, lane);
    }
    case 1:
      if (is_int(s)) {
        const scalar of = r_.chance(50) ? s : scalar::boolean;
        const node x = value(of, depth - 1);
        return detail::convert(s, r_.chance(70) ? detail::apply(op::MatchAny, of, x) : votes(condition(depth - 1)));
      }
      [[fallthrough]];
    default: {
      const op what = r_.chance(50) ? op::WarpReduce : op::WarpScan;
      const unsigned by = r_.below(is_float(s) ? 3 : 6);
      return detail::combine_lanes(what, s, value(s, depth - 1), by);
    }
  }
}

node Generator::value(scalar s, int depth) {
  if (depth > 0 && warp_may_meet() && r_.chance(5)) return of_warp(s, depth);
  if (s == scalar::boolean) return condition(depth);
  if (depth <= 0) return leaf(s);
  switch (r_.below(10)) {
    case 0: return leaf(s);
    case 1: {
      const Array& a = here_.inputs[r_.below(unsigned(here_.inputs.size()))];
      return detail::convert(s, load(a, depth));
    }
    case 2: {
      const scalar from = any_type();
      return detail::convert(s, value(from, depth - 1));
    }
    case 3: {
      const node c = condition(depth - 1), x = value(s, depth - 1), y = value(s, depth - 1);
      return detail::apply(op::Select, s, c, x, y);
    }
    case 4: {
      const node c = condition(depth - 1);
      return detail::record_select(c, s, [&] { return value(s, depth - 1); }, [&] { return value(s, depth - 1); }, nowhere);
    }
    default: return is_float(s) ? float_value(s, depth) : int_value(s, depth);
  }
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
  detail::place at = a.at(here_.thread);
  if (options_.reports && r_.chance(20)) {
    const std::int64_t distances[] = {output_size, -output_size, std::int64_t(1) << 33};
    const node outside = detail::apply(op::Add, scalar::i64, here_.thread, literal(scalar::i64, std::uint64_t(distances[r_.below(3)])));
    at.indices[0] = detail::apply(op::Select, scalar::i64, condition(1), outside, here_.thread);
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
    const node end = detail::apply(op::And, s, value(s, 1), literal(s, 7));
    const node index = detail::begin_range(s, literal(s, 0), end, literal(s, 1 + r_.below(2)), nowhere);
    here_.values.push_back({index, s});
    body();
    here_.values.pop_back();
    detail::end_loop(index, true, nowhere);
  } else {  // while, with a counter that bounds it
    const node count = detail::make_slot(scalar::i32, literal(scalar::i32, 0));
    const std::uint64_t bound = 1 + r_.below(6);
    detail::record_while(
        [&] {
          const detail::mark mark = detail::mark_here(detail::apply(op::Lt, scalar::i32, count, literal(scalar::i32, bound)));
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

// ---- functions --------------------------------------------------------------------------------------------------------------

const Generator::Function& Generator::new_function() {
  auto f = std::make_unique<Function>(Function{this, detail::next_function(), {}, r_.below(3), scalar::none});
  for (unsigned n = r_.below(3) + f->references; n > 0; --n) f->types.push_back(any_type());
  if (r_.chance(60)) f->result = any_type();
  functions_.push_back(std::move(f));
  return *functions_.back();
}

void Generator::call() {
  // One that was made before may be called from inside of another, but not from inside of itself.
  const bool make = functions_.empty() || (!here_.function && functions_.size() < 3 && r_.chance(60));
  const Function& f = make ? new_function() : *functions_[r_.below(unsigned(functions_.size()))];
  if (&f == here_.function || (here_.function && f.object > here_.function->object)) return assign(1);
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
        if (l.type == f.types[i] && std::none_of(used.begin(), used.end(), [&](node n) { return n.id == l.slot.id; })) x = l.slot;
      if (x.recording == 0) x = detail::make_slot(f.types[i], leaf(f.types[i]));
      used.push_back(x);
    }
    arguments.push_back({x, reference});
  }
  node result;
  const unsigned count = f.result == scalar::none ? 0 : 1;
  detail::call_function({f.object, &f, &record_function, &f.result, count, "called", nowhere, false}, arguments.data(),
                        unsigned(arguments.size()), &result);
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
  for (const Array& a : here_.inputs) inside.inputs.push_back(a), inside.inputs.back().array = *parameters++;
  for (const Array& a : here_.outputs) inside.outputs.push_back(a), inside.outputs.back().array = *parameters++;
  inside.thread = *parameters++;
  inside.values.push_back({inside.thread, scalar::i64});
  const Surroundings outside = std::exchange(here_, std::move(inside));
  // Results and the variables' locals, in the order of the parameters.
  node* const locals = results + (f.result == scalar::none ? 0 : 1) + here_.inputs.size() + here_.outputs.size() + 1;
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
    const auto keep = [](void* slot, node x) { detail::assign(*static_cast<const node*>(slot), x); };
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
  const auto nested = [&] {
    assign(1);  // an empty body is an error
    block(depth - 1, int(r_.below(3)));
  };
  const unsigned kind = depth > 0 ? r_.below(15) : r_.below(5);
  switch (kind) {
    case 0: case 1: case 2: return assign(3);
    case 3: return store();
    case 4: {
      const scalar s = any_type();
      const node first = value(s, 2);
      here_.locals.push_back({detail::make_slot(s, first), s});
      return;
    }
    case 5: case 6: case 7: {
      const detail::mark chain = detail::record_if(condition(2), nested, nowhere);
      if (r_.chance(30)) {
        const detail::mark elif_mark = chain;
        const node c = condition(2);
        const detail::mark next = detail::record_elif(elif_mark, c, nested, nowhere);
        if (r_.chance(50)) detail::record_else(next, nested, nowhere);
      } else if (r_.chance(50)) {
        detail::record_else(chain, nested, nowhere);
      }
      return;
    }
    case 8: case 9: return loop(depth);
    case 10: {
      const node chain = detail::begin_switch(detail::apply(op::And, scalar::i32, value(scalar::i32, 2), literal(scalar::i32, 3)), nowhere);
      const std::int64_t cases[] = {0, 1, 2};
      detail::record_case(chain, cases, 1, nested, nowhere);
      detail::record_case(chain, cases + 1, 2, nested, nowhere);
      if (r_.chance(70)) detail::record_default(chain, nested, nowhere);
      return;
    }
    case 11: case 12:
      if (here_.loops > 0) {
        detail::record_if(condition(2), [&] { detail::leave(r_.chance(50) ? op::Break : op::Continue, nowhere); }, nowhere);
        return;
      }
      return assign(2);
    case 13: return call();
    default:
      if (!cooperative_ && r_.chance(40)) {
        detail::record_if(condition(2), [&] {
          if (r_.chance(50)) store();
          return_early();
        }, nowhere);
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

void Generator::make_array(RandomKernel& k, bool out) {
  const scalar s = any_type();
  (out ? here_.outputs : here_.inputs).push_back({detail::parameter_array(s, 1, out, ir::size_of(Scalar(s))), s});
  Argument a;
  a.rank = 1, a.extents[0] = out ? output_size : input_size;
  for (std::int64_t e = 0; e < a.extents[0]; ++e) add_random(r_, a, s);
  k.arguments.push_back(std::move(a));
}

/// An array of two to four members, of which an output writes one, no float: its bytes are compared as they are. Or members by value,
/// each an array.
void Generator::make_aggregates(RandomKernel& k, bool out) {
  std::vector<scalar> members;
  for (unsigned n = 2 + r_.below(3); n > 0; --n) members.push_back(r_.chance(40) && !members.empty() ? members.back() : any_type());
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
  const node array = by_value ? detail::parameter_aggregate(bytes) : detail::parameter_array(scalar::none, 1, out, bytes);
  Argument a;
  a.rank = 1, a.extents[0] = by_value ? 1 : out ? output_size : input_size;
  for (std::int64_t e = 0; e < a.extents[0]; ++e)
    for (std::size_t m = 0; m < members.size(); ++m) {
      a.bytes.resize(std::size_t(e) * bytes + offsets[m]);
      for (unsigned n = 0; n < count; ++n) add_random(r_, a, members[m]);
    }
  a.bytes.resize(std::size_t(a.extents[0]) * bytes);
  k.arguments.push_back(std::move(a));
  for (std::size_t m = 0; m < (out ? 1 : members.size()); ++m)
    (out ? here_.outputs : here_.inputs).push_back({array, members[m], offsets[m], by_value});
}

RandomKernel Generator::make() {
  RandomKernel k;
  detail::recording_options o;
  o.name = "random", o.fp = std::uint8_t(options_.fp), o.where = nowhere, o.checked = options_.reports;
  void* recording = detail::begin_recording(o);
  const std::int64_t blocks[] = {32, 64, 20, 7, 128};
  if (options_.meet) block_ = blocks[r_.below(5)], cooperative_ = r_.chance(70);
  const unsigned inputs = 2 + r_.below(2), outputs = 2 + r_.below(2);
  for (unsigned i = 0; i < inputs + outputs; ++i) {
    if (options_.aggregates && r_.chance(60)) make_aggregates(k, i >= inputs);
    else make_array(k, i >= inputs);
  }
  for (int i = 0; i < 3; ++i) {
    const scalar s = any_type();
    here_.values.push_back({detail::parameter(s), s});
    Argument a;
    a.bits = random_bits(r_, s);
    k.arguments.push_back(std::move(a));
  }
  if (cooperative_) make_accumulators(k);
  const node id = detail::position(op::GlobalId, scalar::i64, 0);
  here_.thread = id;
  if (cooperative_) in_block_ = detail::position(op::ThreadIdx, scalar::i64, 0);
  here_.values.push_back({id, scalar::i64});
  here_.values.push_back({detail::convert(scalar::i32, detail::position(op::ThreadIdx, scalar::i64, 0)), scalar::i32});
  for (int i = 0; i < 4; ++i) {
    const scalar s = any_type();
    here_.locals.push_back({detail::make_slot(s, leaf(s)), s});
  }
  if (cooperative_ && r_.chance(60)) empty_shared_accumulators();
  // Cooperative kernels in parts, with an exchange in front of each but the first.
  for (unsigned part = 0, parts = cooperative_ ? 1 + r_.below(3) : 1; part < parts; ++part) {
    if (part) exchange();
    here_.budget = (12 + int(r_.below(24))) / int(parts);
    block(4, 4 + int(r_.below(6)));
  }
  if (cooperative_) write_shared_accumulators();
  for (const Local& l : std::vector<Local>(here_.locals)) {  // what was computed shows
    const Array& a = here_.outputs[r_.below(unsigned(here_.outputs.size()))];
    const bool to_bits = is_float(l.type) != is_float(a.type);
    if (to_bits) continue;
    detail::place at = a.at(here_.thread);
    detail::store(at, detail::convert(a.type, l.slot));
  }
  k.module = std::move(trace::take(detail::finish_recording(recording))->module);
  if (!options_.meet) block_ = blocks[r_.below(5)];
  k.launch.block = {block_, 1, 1}, k.launch.warp_size = options_.warp;
  k.launch.grid = {output_size / k.launch.block[0], 1, 1};
  return k;
}

}  // namespace

RandomKernel random_kernel(std::uint64_t seed, const GeneratorOptions& options) { return Generator(seed, options).make(); }

}  // namespace krait::test
