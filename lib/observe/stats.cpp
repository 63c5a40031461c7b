// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/stats.h"

#include <algorithm>
#include <map>

#include "host/jit.h"

namespace krait {

struct statistics::state {
  std::vector<std::shared_ptr<const host::Compiled>> code;  // the texts in `kernels` are its
  std::vector<kernel_stats> kernels;
};

statistics::statistics(statistics&& o) noexcept
    : state_(o.state_),
      first_(o.first_),
      size_(o.size_),
      compiled_(o.compiled_),
      improved_(o.improved_),
      from_disk_(o.from_disk_),
      from_memory_(o.from_memory_),
      launches_(o.launches_) {
  o.state_ = nullptr, o.first_ = nullptr, o.size_ = 0;
}
statistics::~statistics() { delete state_; }

statistics stats() {
  statistics s;
  const host::Counts sums = host::counts();
  s.compiled_ = sums.compiled, s.improved_ = sums.improved, s.from_disk_ = sums.from_disk,
  s.from_memory_ = sums.from_memory, s.launches_ = sums.launches;
  s.state_ = new statistics::state;
  auto& code = s.state_->code;
  code = host::all_code();
  // Code that was improved is one entry: the best, with what was told of the quick code and the
  // launches of both.
  std::map<const host::Compiled*, const host::Compiled*> asked;  // by what runs now
  for (const auto& c : code) asked.emplace(c.get(), c.get());
  for (const auto& c : code)
    if (const auto best = asked.find(c->next.code.load(std::memory_order_acquire));
        best != asked.end())
      best->second = c.get(), asked.erase(c.get());
  std::vector<std::pair<const host::Compiled*, const host::Compiled*>> entries(asked.begin(),
                                                                               asked.end());
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.second->number < b.second->number; });
  for (const auto& [now, first] : entries) {
    const runtime::Executable::Attributes a = now->code->attributes();
    const auto both = [now = now, first = first](auto count) {
      return (now->*count).load() + (now == first ? 0 : (first->*count).load());
    };
    s.state_->kernels.push_back(
        {first->name.c_str(), first->where.c_str(), first->hash.c_str(), first->device->id.c_str(),
         first->from_disk, now->effort == host::Effort::Quick,
         both(&host::Compiled::found_in_memory), first->record_ms, first->passes_ms,
         first->codegen_ms, first->load_ms, both(&host::Compiled::launches), a.registers,
         a.shared_bytes, a.local_bytes});
  }
  s.first_ = s.state_->kernels.data(), s.size_ = s.state_->kernels.size();
  return s;
}

}  // namespace krait
