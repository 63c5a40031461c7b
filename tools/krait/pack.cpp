// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include <fmt/core.h>
#include <krait/detail/text_kernel.h>
#include <krait/pack.h>

#include "commands.h"

namespace tool {
namespace {

struct Freed {
  void operator()(krait::detail::text_kernel* k) const { krait::detail::free_text_kernel(k); }
};

}  // namespace

int pack(const PackOptions& o) {
  if (!o.files.empty()) {
    std::vector<std::unique_ptr<krait::detail::text_kernel, Freed>> owned;
    std::vector<const krait::detail::text_kernel*> kernels;
    for (const std::string& file : o.files) {
      const std::string text = read_file(file);
      owned.emplace_back(
          krait::detail::make_text_kernel(text.data(), text.size(), name_of_file(file).c_str()));
      kernels.push_back(owned.back().get());
    }
    krait::detail::write_pack(o.pack.c_str(), o.targets.c_str(), kernels.data(), kernels.size());
  }
  const krait::kernel_pack made = krait::load_pack(o.pack.c_str());
  for (std::size_t i = 0; i < made.size(); ++i)
    fmt::print("{} {}: {}\n", made.name(i), made.signature(made.name(i)).c_str(),
               made.targets(made.name(i)).c_str());
  return 0;
}

}  // namespace tool
