// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <iterator>

#include <fmt/core.h>
#include <krait/web.h>

#include "commands.h"

namespace tool {

int export_(const ExportOptions& o) {
  std::vector<const char*> files;
  std::transform(o.files.begin(), o.files.end(), std::back_inserter(files), [](const std::string& f) { return f.c_str(); });
  krait::detail::export_kernel_files(o.folder.c_str(), files.data(), files.size(), o.target.c_str());
  fmt::print("{}/index.html runs and checks {} kernel{}; serve the folder by https or from localhost\n", o.folder, files.size(),
             files.size() == 1 ? "" : "s");
  return 0;
}

}  // namespace tool
