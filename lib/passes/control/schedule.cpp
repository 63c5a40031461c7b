// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long straight code in the order in which a processor could compute it, for the CPU. A core runs
// ahead of an operation that waits, but not far: the scheduler of floating point holds 64 (Zen) to
// 97 operations (Golden Cove), and where a function's chain of dependent ones follows another's,
// most of those wait. So the passes' order, each operation close to its use, is played through: an
// operation a cycle, the first that has what it needs, as long as not too many values wait for
// their use. Nothing moves over what is left by a break, loops or meets other threads. Runs after
// canonicalise, which would undo it.
#include <algorithm>
#include <span>

#include "ir/calls.h"
#include "ir/latency.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/tuning/cpu.h"

namespace krait::passes {
namespace {

using namespace ir;

class Scheduler {
 public:
  Scheduler(Function& f, const Calls& calls, std::size_t shortest)
      : f_(f),
        calls_(calls),
        shortest_(shortest),
        left_(use_counts(f)),
        maker_(f.values.size(), none),
        pending_(f.insts.size()) {}

  void run(RegionId r) {
    const std::vector<InstId> insts = take_insts(f_, r);
    std::vector<InstId>& out = f_.regions[r].insts;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < insts.size(); ++k) {
      for (const RegionId inner : f_.insts[insts[k]].regions) run(inner);
      if (kind(insts[k]) != Kind::Fence) continue;
      schedule(std::span(insts).subspan(begin, k - begin), out);
      out.push_back(insts[k]);
      begin = k + 1;
    }
  }

 private:
  /// What reads keeps its place among what writes, which keeps its order; nothing passes a fence.
  enum class Kind : std::uint8_t { Free, Read, Write, Fence };
  struct Item {
    InstId inst = none;
    Kind kind = Kind::Free;
    std::vector<std::uint32_t> users;  // items that wait for this one
    std::vector<InstId> constants;     // that it uses
    // that it uses, of what the stretch makes, and how often
    std::vector<std::pair<ValueId, unsigned>> values;
    // items; the cycle in which the last of them is done
    unsigned waits_for = 0, ready = 0;
    bool done = false;
  };

  Kind kind(InstId i) const {
    const Inst& inst = f_.insts[i];
    if (is_loop(inst.op)) return Kind::Fence;
    if (inst.regions.empty()) {
      switch (calls_.effect(inst)) {
        case Effect::Pure: return Kind::Free;
        case Effect::Read: return Kind::Read;
        case Effect::Write: return Kind::Write;
        default: return Kind::Fence;
      }
    }
    Kind all = Kind::Free;
    for (const RegionId r : inst.regions)
      for (const InstId inner : f_.regions[r].insts)
        if (f_.insts[inner].op != Op::Yield) all = std::max(all, kind(inner));
    return all == Kind::Write ? Kind::Fence : all;
  }

  void schedule(std::span<const InstId> stretch, std::vector<InstId>& out) {
    if (stretch.size() < shortest_) {
      out.insert(out.end(), stretch.begin(), stretch.end());
      return;
    }
    find_items(stretch);
    std::size_t oldest = 0;
    unsigned cycle = 0;
    waiting_ = 0;
    while (true) {
      while (oldest < items_.size() && items_[oldest].done) ++oldest;
      if (oldest == items_.size()) break;
      std::size_t seen = 0, found = items_.size();
      unsigned next = ~0u;
      for (std::size_t k = oldest;
           k < items_.size() && seen < tuning::cpu::schedule_window && found == items_.size();
           ++k) {
        const Item& item = items_[k];
        seen += !item.done;
        if (item.done || item.waits_for != 0) continue;
        const int more = added(item);
        if (k != oldest && more > 0 && waiting_ + more > tuning::cpu::most_waiting) continue;
        if (item.ready <= cycle) found = k;
        else next = std::min(next, item.ready);
      }
      if (found == items_.size()) cycle = next;  // the oldest's at the latest
      else emit(items_[found], cycle++, out);
    }
    for (const InstId i : stretch) place(i, out);
    for (const Item& item : items_)
      for (const ValueId v : f_.insts[item.inst].results) maker_[v] = none;
  }
  /// A constant, where it is not yet.
  void place(InstId constant, std::vector<InstId>& out) {
    if (pending_[constant]) out.push_back(constant);
    pending_[constant] = false;
  }

  void find_items(std::span<const InstId> stretch) {
    items_.clear();
    std::vector<std::uint32_t> reads;
    std::uint32_t write = none;
    for (const InstId i : stretch) {
      if (f_.insts[i].op == Op::Const) {
        pending_[i] = true;
        continue;
      }
      const auto k = std::uint32_t(items_.size());
      Item& item = items_.emplace_back();
      item.inst = i, item.kind = kind(i);
      for_each_operand(f_, i, [&](ValueId v) {
        if (const Inst* def = f_.def(v); def && def->op == Op::Const) {
          item.constants.push_back(f_.values[v].def);
        } else if (maker_[v] != none) {
          wait(k, maker_[v]);
          count(item, v);
        }
      });
      if (item.kind != Kind::Free && write != none) wait(k, write);
      if (item.kind == Kind::Read) reads.push_back(k);
      if (item.kind == Kind::Write) {
        for (const std::uint32_t read : reads) wait(k, read);
        reads.clear();
        write = k;
      }
      for (const ValueId v : f_.insts[i].results) maker_[v] = k;
    }
  }
  void wait(std::uint32_t item, std::uint32_t for_other) {
    items_[for_other].users.push_back(item);
    ++items_[item].waits_for;
  }
  static void count(Item& item, ValueId v) {
    for (auto& [value, times] : item.values)
      if (value == v) {
        ++times;
        return;
      }
    item.values.emplace_back(v, 1u);
  }

  /// How many values more wait for their use after an item.
  int added(const Item& item) const {
    int more = int(f_.insts[item.inst].results.size());
    for (const auto& [v, times] : item.values) more -= left_[v] == times;
    return more;
  }
  void emit(Item& item, unsigned cycle, std::vector<InstId>& out) {
    waiting_ += added(item);
    for (const auto& [v, times] : item.values) left_[v] -= times;
    const unsigned done = cycle + latency(f_.insts[item.inst]);
    for (const std::uint32_t user : item.users) {
      --items_[user].waits_for;
      items_[user].ready = std::max(items_[user].ready, done);
    }
    item.done = true;
    for (const InstId constant : item.constants) place(constant, out);
    out.push_back(item.inst);
  }

  Function& f_;
  const Calls& calls_;
  std::size_t shortest_;
  std::vector<std::uint32_t> left_;   // by ValueId: uses that are still to come
  std::vector<std::uint32_t> maker_;  // by ValueId: the item of the stretch that makes it, or none
  // by InstId: a constant of the stretch that stands nowhere yet
  std::vector<bool> pending_;
  std::vector<Item> items_;
  int waiting_ = 0;
};

}  // namespace

void schedule(Module& m, std::size_t shortest) {
  const Calls calls(m);
  for (Function& f : m.functions) Scheduler(f, calls, shortest).run(f.body);
}

}  // namespace krait::passes
