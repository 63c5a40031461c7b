// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/raw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/reply.h"
#include "ir/text/text.h"

namespace krait::codegen {
namespace {

using What = ir::ArgumentSlot::What;

std::string name_of(const ir::ArgumentSlot& s, const ir::Type& type) {
  const std::string parameter = fmt::format("parameter {} ({})", s.param + 1, ir::text_of(type));
  switch (s.what) {
    case What::Address: return "the address of " + parameter;
    case What::Extent: return fmt::format("extent {} of {}", s.dimension, parameter);
    case What::Stride: return fmt::format("stride {} of {}", s.dimension, parameter);
    case What::Scalar:
    case What::Bytes:
    case What::SharedLength: break;
  }
  return parameter;
}

}  // namespace

std::string RawItem::type() const {
  const std::string_view kind = slot.what == What::Address ? "an address"
                                : slot.what == What::Bytes ? "a struct"
                                : is_float                 ? "a float"
                                                           : "an integer";
  return fmt::format("{} of {} bytes", kind, slot.bytes);
}

std::vector<RawItem> raw_items(const ir::Function& kernel) {
  std::vector<RawItem> items;
  for (const ir::ArgumentSlot& s : ir::argument_layout(kernel).slots) {
    const ir::Type& t = kernel.type_of(kernel.params()[s.param]);
    items.push_back({s, s.what == What::Scalar && ir::is_float(t.scalar), name_of(s, t)});
  }
  return items;
}

std::string list_of(const std::vector<RawItem>& items) {
  std::string all;
  for (const RawItem& i : items)
    all += fmt::format("\n  at {:3}: {}, {}", i.slot.offset, i.type(), i.what);
  return all;
}

void no_entry(std::string_view language, std::string_view entry,
              const std::vector<std::string>& all) {
  if (all.empty())
    unsupported(fmt::format("the {} has no kernel \"{}\", nor any other", language, entry));
  unsupported(
      fmt::format("the {} has no kernel \"{}\"; it has {}", language, entry, fmt::join(all, ", ")));
}

}  // namespace krait::codegen
