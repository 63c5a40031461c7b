// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, mutable locals and memory of the DSL; the start and the end of a recording.
#include <algorithm>

#include <fmt/format.h>

#include "ir/constants.h"
#include "ir/hidden.h"
#include "ir/report.h"
#include "ir/text/text.h"
#include "support/error.h"
#include "krait/detail/call.h"
#include "trace/printf_text.h"
#include "trace/recorder.h"

namespace krait::trace {

std::unique_ptr<Recorded> take(void* finished, Places places) {
  std::unique_ptr<Recorded> recorded(static_cast<Recorded*>(finished));
  if (places == Places::Nearest) recorded->spots->settle(recorded->module);
  return recorded;
}

}  // namespace krait::trace

namespace krait::detail {
namespace {

using ir::Op;
using ir::Scalar;
using trace::Recorder;

static_assert(unsigned(op::Unreachable) == unsigned(Op::Unreachable));
static_assert(max_rank == ir::max_rank);

/// Type of the result of an operation that computes in `type`.
Scalar result_of(Op op, Scalar type) {
  switch (ir::info(op).rule) {
    case ir::Rule::Compare:
    case ir::Rule::Test: return Scalar::Bool;
    case ir::Rule::Count: return Scalar::I32;
    case ir::Rule::Id: return Scalar::I64;
    case ir::Rule::Custom:
      if (op == Op::Ballot || op == Op::MatchAny) return Scalar::U64;
      if (op == Op::BarrierCount) return Scalar::I32;
      return type;
    case ir::Rule::Same:
    case ir::Rule::Shift:
    case ir::Rule::Select:
    case ir::Rule::Convert:
    case ir::Rule::Bits: return type;
  }
  return type;
}

/// Bools have their own words for some operations of numbers: the smaller of two is `and`, and
/// their order is that of 0 and 1.
void respell_bools(Op& op, Scalar& type) {
  if (type != Scalar::Bool || ir::info(op).bools) return;
  if (op == Op::Min) op = Op::And;
  else if (op == Op::Max) op = Op::Or;
  else if (ir::info(op).rule == ir::Rule::Compare) type = Scalar::U8;
}

/// False after a misuse: the operation does not take that type.
bool takes(Recorder& r, Op op, Scalar type) {
  const ir::OpInfo& row = ir::info(op);
  if (ir::takes(row, type)) return true;
  const char* given = type == Scalar::Bool ? "a bool"
                      : ir::is_int(type)   ? "an integer"
                                           : "a floating-point number";
  r.found.misuse(
      fmt::format("{} does not take {}: convert the operand with kr::cast<T>(v)", row.name, given));
  return false;
}

/// Operands as the program wrote them, before conversion: what C++ compilers would warn about.
void warn_of_operands(Recorder& r, Op op, Scalar type, ir::ValueId x, ir::ValueId y) {
  const ir::Function& f = r.function();
  const Scalar left = f.type_of(x).scalar, right = f.type_of(y).scalar;
  if (ir::info(op).rule == ir::Rule::Compare && ir::is_unsigned_int(type)) {
    const auto mixed = [&](ir::ValueId v, Scalar s) {
      return ir::is_signed_int(s) && ir::size_of(s) >= 4 && !f.is_const(v);
    };
    if (mixed(x, left) || mixed(y, right))
      r.found.warn(
          "comparison of a signed with an unsigned value: both are compared as unsigned, "
          "so a negative value becomes large");
  }
  if (type == Scalar::F64 &&
      ((left == Scalar::F32 && f.is_const(y)) || (right == Scalar::F32 && f.is_const(x))))
    r.found.double_arithmetic();
}

struct Place {
  Scalar type{};  // of the access
  std::vector<ir::ValueId> operands;
};
/// The array and the indices as operands; none after a misuse.
Place operands_of(Recorder& r, const place& at) {
  Place p;
  const ir::ValueId array = r.resolve(at.array);
  if (array == ir::none) return p;
  p.operands.push_back(array);
  for (unsigned i = 0; i < at.rank; ++i) p.operands.push_back(r.use_as(Scalar::I64, at.indices[i]));
  p.type = at.type == scalar::none ? r.function().type_of(array).scalar : Scalar(at.type);
  return p;
}

}  // namespace

// ---- a recording --------------------------------------------------------------------------------

void* begin_recording(const recording_options& options) {
  if (trace::find_recorder())
    throw error(
        error::kind_type::usage,
        fmt::format("kernel {}: kernels cannot be launched while another one is being recorded: "
                    "call the lambda itself",
                    options.name ? options.name : "")
            .c_str(),
        options.where.file, options.where.line);
  auto* const r = new Recorder(options);
  trace::set_recorder(r);
  return r;
}

node parameter(scalar type) {
  Recorder& r = trace::recorder();
  return r.node_of(r.at().new_param(r.function().body, ir::value_type(ir::Scalar(type))));
}
node parameter_array(scalar element, unsigned rank, bool writable, unsigned elem_bytes) {
  Recorder& r = trace::recorder();
  return r.node_of(r.at().new_param(
      r.function().body,
      ir::array_type(ir::Scalar(element), ir::Space::Global, rank, writable, elem_bytes)));
}

node parameter_aggregate(unsigned bytes) {
  Recorder& r = trace::recorder();
  return r.node_of(r.at().new_param(r.function().body, ir::argument_type(bytes)));
}

void* finish_recording(void* recording) {
  const std::unique_ptr<Recorder> r(static_cast<Recorder*>(recording));
  trace::set_recorder(nullptr);
  return r->finish().release();
}
void abandon_recording(void* recording) noexcept {
  trace::set_recorder(nullptr);
  delete static_cast<Recorder*>(recording);
}
void overlap_launches(bool second) {
  trace::recorder().functions.kernel().overlap = second ? ir::Overlap::Second : ir::Overlap::First;
}
bool recording_active() noexcept { return trace::find_recorder() != nullptr; }
void misuse(const char* text, location where) {
  Recorder& r = trace::recorder();
  r.found.misuse(text, where.file ? where : r.found.where());
}

void throw_usage(const char* message, location where) {
  throw error(error::kind_type::usage, message, where.file, where.line);
}

// ---- values -------------------------------------------------------------------------------------

void set_location(location where) {
  if (Recorder* r = trace::find_recorder()) r->now().location(where);
}
void set_caller(const void* return_address) {
  if (Recorder* r = trace::find_recorder()) r->spots.note(return_address);
}

node literal(scalar type, std::uint64_t bits) {
  Recorder& r = trace::recorder();
  return r.node_of(r.constant(ir::Scalar(type), bits));
}
node convert(scalar type, node x) {
  Recorder& r = trace::recorder();
  return r.node_of(r.use_as(ir::Scalar(type), x));
}
node bit_convert(scalar type, node x) {
  Recorder& r = trace::recorder();
  const ir::ValueId v = r.use(x);
  if (v == ir::none) return r.node_of(r.constant(ir::Scalar(type), 0));
  return r.node_of(r.function().type_of(v).scalar == ir::Scalar(type)
                       ? v
                       : r.emit(Op::Bitcast, ir::Scalar(type), {v}));
}

node convert_saturating(scalar type, node x) {
  Recorder& r = trace::recorder();
  const ir::ValueId v = r.use(x);
  if (v == ir::none) return r.node_of(r.constant(ir::Scalar(type), 0));
  const Scalar from = r.function().type_of(v).scalar, to = ir::Scalar(type);
  if (!ir::is_float(to)) return convert(type, x);
  if (ir::is_float(from)) return r.node_of(r.emit(Op::CastSat, to, {v}));
  // Integers that f32 does not hold are beyond the small types, and all are inside of the others.
  return ir::info(to).exponent < ir::info(Scalar::F32).exponent
             ? r.node_of(r.emit(Op::CastSat, to, {r.use_as(Scalar::F32, x)}))
             : convert(type, x);
}

node apply(op what, scalar type, node x) {
  Recorder& r = trace::recorder();
  const Scalar t = ir::Scalar(type);
  if (!takes(r, Op(what), t)) return r.node_of(r.constant(result_of(Op(what), t), 0));
  return r.node_of(r.emit(Op(what), result_of(Op(what), t), {r.use_as(t, x)}));
}

node apply(op what, scalar type, node x, node y) {
  Recorder& r = trace::recorder();
  Op op = Op(what);
  Scalar t = ir::Scalar(type);
  respell_bools(op, t);
  ir::ValueId left = r.use(x), right = r.use(y);
  if (left == ir::none || right == ir::none || !takes(r, op, t))
    return r.node_of(r.constant(result_of(op, t), 0));
  const ir::Function& f = r.function();
  if (ir::info(op).rule == ir::Rule::Shift) {
    if (f.type_of(right).scalar == Scalar::Bool) right = r.cast(Scalar::I32, right);
    left = r.cast(t, left);
  } else if (op == Op::Shuffle) {
    left = r.cast(t, left), right = r.cast(Scalar::I32, right);
  } else {
    warn_of_operands(r, op, t, left, right);
    const bool bools =
        f.type_of(left).scalar == Scalar::Bool && f.type_of(right).scalar == Scalar::Bool;
    // the promotion to int changes nothing
    if (bools && (op == Op::Eq || op == Op::Ne)) t = Scalar::Bool;
    left = r.cast(t, left), right = r.cast(t, right);
  }
  return r.node_of(r.emit(op, result_of(op, t), {left, right}));
}

node apply(op what, scalar type, node x, node y, node z) {
  Recorder& r = trace::recorder();
  const Scalar t = ir::Scalar(type);
  if (!takes(r, Op(what), t)) return r.node_of(r.constant(result_of(Op(what), t), 0));
  const bool pairs = Op(what) == Op::DotPairs;
  const ir::ValueId first = r.use_as(Op(what) == Op::Select ? Scalar::Bool
                                     : pairs                ? Scalar::U32
                                                            : t,
                                     x);
  const ir::ValueId second = r.use_as(pairs ? Scalar::U32 : t, y), third = r.use_as(t, z);
  return r.node_of(r.emit(Op(what), result_of(Op(what), t), {first, second, third}));
}

node combine_lanes(op what, scalar type, node x, unsigned by) {
  Recorder& r = trace::recorder();
  const Scalar s = ir::Scalar(type);
  if (!ir::is_int(s) && (s == Scalar::Bool || ir::info(ir::combining[by]).bools)) {
    r.found.misuse(
        s == Scalar::Bool
            ? "warp reductions and scans need numbers: for bool use kr::warp::any, all or ballot"
            : "bitwise reductions and scans do not support floats: "
              "combine their bits with kr::bitcast<unsigned>(x)");
    return x;
  }
  return r.node_of(r.emit(Op(what), ir::Scalar(type), {r.use_as(ir::Scalar(type), x)}, by));
}

node position(op what, scalar type, unsigned dimension) {
  Recorder& r = trace::recorder();
  return r.node_of(r.emit(Op(what), ir::Scalar(type), {}, dimension));
}

mark mark_here(node left) {
  Recorder& r = trace::recorder();
  return r.now().mark(r.node_of(r.condition(left)));
}
node logical(op what, const mark& left, node right) {
  Recorder& r = trace::recorder();
  return r.node_of(r.logical(Op(what), left, right));
}

node logical(op what, bool left, node right) {
  Recorder& r = trace::recorder();
  const bool decided = left == (Op(what) == Op::Or);
  if (decided && r.now().has_effects(right))
    r.found.misuse(
        "the left operand of && or || is a plain bool that decides the result, "
        "but the right operand has side effects and is already recorded. "
        "Write if (flag) around it, or kr::value(flag) on the left");
  return r.node_of(decided ? r.constant(Scalar::Bool, left) : r.condition(right));
}

void perform(op what, scalar type, node x, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  r.append(Op(what), {}, {r.use_as(Scalar(type), x)});
}

// ---- mutable locals -----------------------------------------------------------------------------

node make_slot(scalar type, node first) {
  Recorder& r = trace::recorder();
  const ir::Type slot = ir::slot_type(ir::Scalar(type));
  const ir::ValueId x = r.use_as(ir::Scalar(type), first);
  return r.node_of(r.at().add_result(r.append(Op::Slot, slot, {x}), slot));
}
void assign(node slot, node x) {
  Recorder& r = trace::recorder();
  const ir::ValueId target = r.resolve(slot);
  if (target == ir::none) return;
  const ir::ValueId v = r.use_as(r.function().type_of(target).scalar, x);
  r.append(Op::Set, {}, {target, v});
}
void update(op what, scalar type, node slot, node x) { assign(slot, apply(what, type, slot, x)); }

// ---- memory -------------------------------------------------------------------------------------

void locate(place& at) {
  Recorder& r = trace::recorder();
  for (unsigned i = 0; i < at.rank; ++i)
    at.indices[i] = r.node_of(r.use_as(Scalar::I64, at.indices[i]));
}

node load(place& at) {
  Recorder& r = trace::recorder();
  const Place p = operands_of(r, at);
  if (p.operands.empty()) return {0, 0};
  // a var index is read once
  for (unsigned i = 0; i < at.rank; ++i) at.indices[i] = r.node_of(p.operands[i + 1]);
  const ir::Type element = ir::value_type(p.type);
  return r.node_of(r.at().add_result(r.append(Op::Load, element, p.operands, at.offset), element));
}

void make_streaming(node loaded) {
  Recorder& r = trace::recorder();
  const ir::ValueId v = r.resolve(loaded);
  if (v == ir::none) return;
  ir::Function& f = r.function();
  const ir::InstId by = f.values[v].def;
  if (by == ir::none || f.insts[by].op != Op::Load)
    return r.found.misuse(
        "kr::load_streaming takes a subscripted element: kr::load_streaming(x[i])");
  f.insts[by].streaming = true;
}

node store(const place& at, node x, bool streaming) {
  Recorder& r = trace::recorder();
  Place p = operands_of(r, at);
  if (p.operands.empty()) return x;
  const ir::ValueId stored = r.use_as(p.type, x);
  p.operands.push_back(stored);
  r.function().insts[r.append(Op::Store, ir::value_type(p.type), p.operands, at.offset)].streaming =
      streaming;
  return r.node_of(stored);
}

node atomic(op what, const place& at, const node* values, unsigned count, unsigned order,
            unsigned scope) {
  Recorder& r = trace::recorder();
  Place p = operands_of(r, at);
  if (p.operands.empty()) return {0, 0};
  if (Op(what) == Op::AtomicLoad &&
      (ir::Order(order) == ir::Order::Release || ir::Order(order) == ir::Order::AcquireRelease)) {
    r.found.misuse("an atomic load cannot release: its order must be relaxed, acquire or seq_cst");
    order = 0;
  }
  for (unsigned i = 0; i < count; ++i) p.operands.push_back(r.use_as(p.type, values[i]));
  const ir::Type element = ir::value_type(p.type);
  const ir::InstId inst = r.append(Op(what), element, p.operands, at.offset);
  r.function().insts[inst].order = ir::Order(order),
  r.function().insts[inst].scope = ir::Scope(scope);
  return r.node_of(r.at().add_result(inst, element));
}

node extent(node array, unsigned dimension) {
  Recorder& r = trace::recorder();
  const ir::ValueId a = r.resolve(array);
  if (a == ir::none) return r.node_of(r.constant(Scalar::I64, 0));
  if (dimension >= r.function().type_of(a).rank) {
    r.found.misuse(fmt::format("extent({}) is out of range for a view of {} dimensions", dimension,
                               unsigned(r.function().type_of(a).rank)));
    return r.node_of(r.constant(Scalar::I64, 0));
  }
  const ir::Inst* def = r.function().def(a);
  return r.node_of(r.emit(Op::Extent, Scalar::I64,
                          {def && def->op == Op::SharedOf ? def->operands[0] : a}, dimension));
}

constexpr std::int64_t after_misuse = 1;  // elements of an array that was refused

node make_array(op what, scalar element, std::size_t elem_bytes, const std::int64_t* extents,
                unsigned rank) {
  Recorder& r = trace::recorder();
  const ir::Space space = Op(what) == Op::Shared ? ir::Space::Shared : ir::Space::Local;
  std::uint64_t room = ir::max_array_bytes / elem_bytes;  // elements
  for (unsigned d = 0; d < rank; ++d) room /= std::uint64_t(extents[d]);
  if (room == 0) {
    r.found.misuse(fmt::format("a {} array of {} elements of {} bytes exceeds the limit of {} GiB",
                               space == ir::Space::Shared ? "shared" : "local",
                               fmt::join(extents, extents + rank, " x "), elem_bytes,
                               ir::max_array_bytes >> 30));
    rank = 1, extents = &after_misuse;
  }
  const ir::Type type =
      ir::array_type(ir::Scalar(element), space, rank, true, std::uint32_t(elem_bytes));
  const ir::InstId inst = r.append(Op(what), type, {});
  r.function().insts[inst].list.assign(extents, extents + rank);
  return r.node_of(r.at().add_result(inst, type));
}

node make_shared(scalar element, std::size_t elem_bytes, node length) {
  Recorder& r = trace::recorder();
  const ir::ValueId given = r.use(length);
  if (given != ir::none && r.function().is_const(given)) {
    std::int64_t extent =
        ir::as_int(r.function().type_of(given).scalar, r.function().const_bits(given));
    if (extent <= 0)
      r.found.misuse(
          fmt::format("dynamic_shared of {} elements: the number must be above 0", extent));
    extent = std::max<std::int64_t>(extent, 1);
    return make_array(op::Shared, element, elem_bytes, &extent, 1);
  }
  if (&r.function() != &r.functions.kernel())
    r.found.misuse(
        "dynamic_shared inside a kr::function: declare it in the kernel and pass it, "
        "as its length is computed before the kernel runs");
  else if (r.at().region() != r.function().body)
    r.found.misuse(
        "dynamic_shared inside a branch or loop: declare it before that, "
        "as its length is computed before the kernel runs");
  const ir::ValueId n = r.use_as(Scalar::I64, length);
  if (n == ir::none) return make_array(op::Shared, element, elem_bytes, &after_misuse, 1);
  const ir::Type type =
      ir::array_type(ir::Scalar(element), ir::Space::Shared, 1, true, std::uint32_t(elem_bytes));
  const ir::InstId inst = r.append(Op::Shared, type, {n});
  r.function().insts[inst].list.assign(1, 0);
  return r.node_of(r.at().add_result(inst, type));
}

node constant_array(scalar element, std::size_t elem_bytes, const void* data, std::size_t count,
                    location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  if (r.in_function())
    r.found.misuse(
        "kr::constant inside a kr::function: capture the table in the kernel, "
        "and pass elements of it");
  if (count > trace::max_table_bytes / elem_bytes) {
    r.found.misuse(fmt::format(
        "kr::constant captures {} elements of {} bytes; a table can have at most {} MiB: "
        "pass the data as an array",
        count, elem_bytes, trace::max_table_bytes >> 20));
    count = 0;
  }
  const auto* const first = static_cast<const std::byte*>(data);
  const trace::Table table{{first, first + count * elem_bytes}, std::uint32_t(elem_bytes)};
  const ir::Type type =
      ir::array_type(Scalar(element), ir::Space::Global, 1, false, std::uint32_t(elem_bytes));
  ir::Function& f = r.function();
  if (r.in_function()) return r.node_of(r.at().new_param(f.body, type));  // after the misuse
  std::vector<trace::Table>& tables = r.tables;
  const auto parameter_of = [&](std::size_t i) {
    return ir::hidden_parameter(f, {ir::HiddenKind::Table, std::uint32_t(i)}, type);
  };
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (const ir::ValueId known = parameter_of(i);
        tables[i].bytes == table.bytes && f.type_of(known) == type)
      return r.node_of(known);
  tables.push_back(table);
  return r.node_of(parameter_of(tables.size() - 1));
}

void synchronise(op what, unsigned scope) {
  Recorder& r = trace::recorder();
  const bool clusters = r.functions.kernel().in_clusters();
  if (Op(what) == Op::GridBarrier && clusters)
    return r.found.misuse(
        "grid_sync() in a kernel with clusters: clusters run one after another if not all fit");
  if (Op(what) == Op::ClusterBarrier && !clusters)
    return r.found.misuse(
        "cluster_sync() in a kernel without clusters: give it the option cluster, "
        "as in kr::kernel(f, {.cluster = 2})");
  r.append(Op(what), {}, {}, scope);
}

// ---- what the host is told ----------------------------------------------------------------------

void report(op what, const char* text, const node* values, unsigned count, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  std::vector<ir::ValueId> operands;
  std::vector<Scalar> types;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(r.use(values[i]));
    if (operands.back() == ir::none) return;
    types.push_back(r.function().type_of(operands.back()).scalar);
  }
  std::string form = text;
  if (what == op::Print && form.ends_with('\n')) form.pop_back();  // a line ends by itself
  if (count && trace::is_printf_text(form)) {
    trace::PrintfText printf = trace::of_printf(form, types);
    if (!printf.wrong.empty()) return r.found.misuse(printf.wrong);
    for (unsigned i = 0; i < count; ++i) operands[i] = r.cast(printf.types[i], operands[i]);
    form = std::move(printf.text), types = std::move(printf.types);
  }
  if (const std::string wrong = ir::misfit(form, types); !wrong.empty())
    return r.found.misuse(wrong);
  const ir::InstId inst = r.append(Op(what), {}, operands);
  r.function().insts[inst].text = std::move(form);
}

void report_unless(node condition, const char* text, const node* values, unsigned count,
                   location where) {
  set_location(where);
  const node fails = apply(op::Not, scalar::boolean, condition);
  record_if(
      fails, [&] { report(op::Fault, text, values, count, where); }, where);
}

}  // namespace krait::detail
