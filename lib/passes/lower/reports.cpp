// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// print and fault become writes into a buffer (ir/report.h) that two hidden parameters bring: the
// buffer, a view of u32, and the kernel's number, u32. Everything is plain IR, atomics on the
// buffer's heads among it, so every back end has it. A record takes its place by one atomic
// addition; the next place is looked at before, so that it cannot pass 2^32 in a launch of any
// size, and a record that finds no room is counted instead.
//
// What writes a record of a length is one function, called wherever the kernel reports: sites
// differ in the words alone.
#include <algorithm>
#include <deque>
#include <map>

#include <fmt/core.h>

#include "ir/hidden.h"
#include "ir/report.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

/// Makes functions that write records.
class Writer {
 public:
  explicit Writer(Function& f) : f_(f), b_(f) {}

  /// The words are the function's parameters behind the buffer.
  void write(bool fault, std::uint32_t size) {
    buffer_ = b_.new_param(f_.body, array_type(Scalar::U32, Space::Global, 1));
    std::vector<ValueId> words;
    for (std::uint32_t k = 0; k < size; ++k)
      words.push_back(b_.new_param(f_.body, value_type(Scalar::U32)));
    b_.at(f_.body);
    const std::uint32_t head = report_head(fault);
    const ValueId end = load(head + ReportEnd);
    const auto fits = [&](ValueId from) {
      return b_.compare(Op::Le, {b_.binary(Op::Add, {from, word(size)}), end});
    };

    const InstId reserve = branch(fits(load(head + ReportNext)), value_type(Scalar::U32));
    yield({add(head + ReportNext, size)});
    b_.at(f_.insts[reserve].regions[1]);
    yield({end});
    b_.at(f_.body);
    const ValueId at = f_.insts[reserve].results[0];
    const InstId store = branch(fits(at), {});
    for (std::uint32_t k = 0; k < size; ++k) {
      const ValueId index = k == 0 ? at : b_.binary(Op::Add, {at, word(k)});
      const ValueId operands[] = {buffer_, index, words[k]};
      b_.append(Op::Store, value_type(Scalar::U32), operands);
    }
    yield({});
    b_.at(f_.insts[store].regions[1]);
    count_lost(head);
    b_.at(f_.body);
    yield({});
  }

 private:
  ValueId word(std::uint32_t x) { return b_.constant(Scalar::U32, x); }
  ValueId load(std::uint32_t at) { return b_.emit(Op::Load, Scalar::U32, {buffer_, word(at)}); }
  ValueId add(std::uint32_t at, std::uint32_t x) {
    return b_.emit(Op::AtomicAdd, Scalar::U32, {buffer_, word(at), word(x)});
  }
  /// An if with two regions; goes on in the first.
  InstId branch(ValueId condition, Type result) {
    const InstId i = b_.append(Op::If, result, std::span(&condition, 1));
    if (result != Type{}) b_.add_result(i, result);
    const RegionId yes = b_.new_region(i);
    b_.new_region(i);
    b_.at(yes);
    return i;
  }
  void yield(std::initializer_list<ValueId> values) {
    b_.append(Op::Yield, {}, std::span(values.begin(), values.size()));
  }

  void count_lost(std::uint32_t head) {
    const RegionId here = b_.region();
    const ValueId before = add(head + ReportLost, 1);
    const InstId carry = branch(b_.compare(Op::Eq, {before, word(~std::uint32_t(0))}), {});
    add(head + ReportLostHigh, 1);
    yield({});
    b_.at(f_.insts[carry].regions[1]);
    yield({});
    b_.at(here);
    yield({});
  }

  Function& f_;
  Builder b_;
  ValueId buffer_ = none;
};

class ReportLowerer {
 public:
  explicit ReportLowerer(Module& m) : m_(m), f_(m.kernel()), b_(f_) {}
  void run() {
    buffer_ = hidden_parameter(f_, {HiddenKind::Reports}),
    kernel_ = hidden_parameter(f_, {HiddenKind::KernelNumber});
    walk(f_.body);
    std::move(made_.begin(), made_.end(), std::back_inserter(m_.functions));
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (info(f_.insts[i].op).family == Family::Report) {
        lower(i);
        continue;
      }
      f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  ValueId word(std::uint32_t x) { return b_.constant(Scalar::U32, x); }
  /// The words of a value, low first.
  void append_words(std::vector<ValueId>& out, ValueId v) {
    Scalar s = f_.type_of(v).scalar;
    if (is_float(s)) {
      s = bits_type(s);
      v = b_.emit(Op::Bitcast, s, {v});
    }
    if (words_of(s) == 1) return out.push_back(b_.cast(Scalar::U32, v));
    const ValueId wide = b_.cast(Scalar::U64, v);
    out.push_back(b_.cast(Scalar::U32, wide));
    out.push_back(b_.cast(Scalar::U32, b_.emit(Op::Shr, Scalar::U64, {wide, word(32)})));
  }
  ValueId position(Op op, unsigned dimension) { return b_.emit(op, Scalar::I64, {}, dimension); }

  std::vector<ValueId> record(const Inst& inst, bool fault) {
    std::vector<ValueId> words{kernel_, word(site_++)};
    if (fault) {
      words.push_back(b_.cast(Scalar::U32, position(Op::ThreadIdx, 0)));
      const ValueId z = b_.emit(Op::Shl, Scalar::U32,
                                {b_.cast(Scalar::U32, position(Op::ThreadIdx, 2)), word(16)});
      words.push_back(b_.binary(Op::Or, {b_.cast(Scalar::U32, position(Op::ThreadIdx, 1)), z}));
      append_words(words, position(Op::BlockIdx, 0));
      words.push_back(b_.cast(Scalar::U32, position(Op::BlockIdx, 1)));
      words.push_back(b_.cast(Scalar::U32, position(Op::BlockIdx, 2)));
    }
    for (const ValueId v : inst.operands) append_words(words, v);
    return words;
  }

  void lower(InstId i) {
    const Inst inst = f_.insts[i];
    const bool fault = inst.op == Op::Fault;
    b_.location(inst.loc);
    std::vector<ValueId> operands = record(inst, fault);
    const std::size_t function = writer(fault, std::uint32_t(operands.size()));
    operands.insert(operands.begin(), buffer_);
    b_.append(Op::Call, {}, operands, function);
  }

  std::size_t writer(bool fault, std::uint32_t size) {
    const auto [at, fresh] =
        writers_.emplace(std::pair(fault, size), m_.functions.size() + made_.size());
    if (fresh) {
      Function& f = made_.emplace_back(new_function(name_for(fault, size)));
      f.called = true, f.rare = true;
      f.inherit(f_);
      Writer(f).write(fault, size);
    }
    return at->second;
  }
  std::string name_for(bool fault, std::uint32_t size) const {
    std::string name = fmt::format("{}_of_{}", fault ? "fault" : "line", size);
    while (std::any_of(m_.functions.begin(), m_.functions.end(),
                       [&](const Function& f) { return f.name == name; }))
      name += '_';
    return name;
  }

  Module& m_;
  Function& f_;
  Builder b_;
  std::deque<Function> made_;
  // what writes records, by kind and words
  std::map<std::pair<bool, std::uint32_t>, std::size_t> writers_;
  ValueId buffer_ = none, kernel_ = none;
  std::uint32_t site_ = 0;
};

}  // namespace

void lower_reports(Module& m) {
  if (!report_sites(m).empty()) ReportLowerer(m).run();
}

}  // namespace krait::passes
