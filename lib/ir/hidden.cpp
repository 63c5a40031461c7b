// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/hidden.h"

#include <algorithm>
#include <cassert>

#include "ir/builder.h"

namespace krait::ir {
namespace {

using support::tile_map_bytes;

/// By kind: the type that its row names.
constexpr Type types[] = {
#define KRAIT_HIDDEN(Name, word, indexed, type, doc) type,
#include "support/hidden.def"
};

/// The parameter, or none.
ValueId find(const Function& kernel, Hidden what) {
  const auto at = std::find(kernel.hidden.begin(), kernel.hidden.end(), what);
  if (at == kernel.hidden.end()) return none;
  return kernel.params()[kernel.given_params().size() + std::size_t(at - kernel.hidden.begin())];
}

}  // namespace

bool fits(HiddenKind kind, const Type& type) {
  if (type_of(kind) != Type{}) return type == type_of(kind);
  return type.space == Space::Global && type.rank == 1 && !type.writable;
}

ValueId hidden_parameter(Function& kernel, Hidden what, Type type) {
  if (const ValueId known = find(kernel, what); known != none) return known;
  if (type_of(what.kind) != Type{}) type = type_of(what.kind);
  assert(fits(what.kind, type));
  kernel.hidden.push_back(what);
  return Builder(kernel).new_param(kernel.body, type);
}

Type type_of(HiddenKind kind) { return types[unsigned(kind)]; }

}  // namespace krait::ir
