// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/report_sites.h"

#include "ir/text/text.h"
#include "passes/passes.h"

namespace krait::host {

ir::Module with_reports(const Recorded& recorded) {
  ir::Module m = recorded.module;
  for (ir::Function& f : m.called()) f.inherit(m.kernel());
  passes::inline_calls(m);  // as the pipeline begins
  passes::check_accesses(m);
  return m;
}

const ReportSource* find_reports(const Recorded& recorded) {
  if (!recorded.module.kernel().checked && ir::report_sites(recorded.module).empty())
    return nullptr;
  const ir::Module m = with_reports(recorded);
  std::vector<ir::ReportSite> sites = ir::report_sites(m);
  if (sites.empty()) return nullptr;
  return keep_source(recorded.what + '\n' + ir::print(m, {.names = true, .locations = true}),
                     recorded.what, std::move(sites));
}

}  // namespace krait::host
