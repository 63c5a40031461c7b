// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/stats.h"

#include <algorithm>

#include "driver/jit.h"

namespace krait {

struct statistics::state {
  std::vector<std::shared_ptr<const driver::Compiled>> code;  // the texts in `kernels` are its
  std::vector<kernel_stats> kernels;
};

statistics::statistics(statistics&& o) noexcept
    : state_(o.state_), first_(o.first_), size_(o.size_), compiled_(o.compiled_), from_disk_(o.from_disk_), from_memory_(o.from_memory_),
      launches_(o.launches_) {
  o.state_ = nullptr, o.first_ = nullptr, o.size_ = 0;
}
statistics::~statistics() { delete state_; }

statistics stats() {
  statistics s;
  const driver::Counts sums = driver::counts();
  s.compiled_ = sums.compiled, s.from_disk_ = sums.from_disk, s.from_memory_ = sums.from_memory, s.launches_ = sums.launches;
  s.state_ = new statistics::state;
  auto& code = s.state_->code;
  code = driver::all_code();
  std::sort(code.begin(), code.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  for (const auto& c : code)
    s.state_->kernels.push_back({c->name.c_str(), c->where.c_str(), c->hash.c_str(), c->device->id.c_str(), c->from_disk, c->found_in_memory,
                                 c->record_ms, c->passes_ms, c->codegen_ms, c->load_ms, c->launches});
  s.first_ = s.state_->kernels.data(), s.size_ = code.size();
  return s;
}

}  // namespace krait
