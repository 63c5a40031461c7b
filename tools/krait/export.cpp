// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/core.h>
#include <krait/web.h>

#include "commands.h"

namespace tool {

int export_(const ExportOptions& o) {
  std::vector<std::string> texts;
  for (const std::string& file : o.files) texts.push_back(read_file(file));
  std::vector<krait::detail::web_kernel_file> files;
  for (std::size_t n = 0; n < texts.size(); ++n) files.push_back({o.files[n].c_str(), texts[n].data(), texts[n].size()});
  krait::detail::export_kernel_files(o.folder.c_str(), files.data(), files.size(), o.target.c_str());
  fmt::print("{}/index.html runs and checks {} kernel{}; serve the folder by https or from localhost\n", o.folder, files.size(),
             files.size() == 1 ? "" : "s");
  return 0;
}

}  // namespace tool
