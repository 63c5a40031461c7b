// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/record/kernels.h"

#include <cstring>

namespace krait::host {

std::size_t Parameters::first(std::size_t parameter) const {
  std::size_t node = 0;
  for (const Parameter& p : types_.first(parameter))
    node += p.rank > 0 || p.type->as_bytes ? 1 : p.type->count;
  return node;
}
Element Parameters::element(std::size_t parameter) const {
  const ElementType* type = types_[parameter].type;
  const node* at = nodes_ + first(parameter);
  if (type->as_bytes) return Place(type, {*at, {detail::literal(scalar::i64, 0)}, 1}).get();
  return {type, {at, at + type->count}};
}

detail::parameter_type described(const Parameter& array) {
  return {array.type->whole, static_cast<unsigned char>(array.rank), array.writes, false,
          array.type->bytes};
}

Kernel::Kernel(const options& with, std::initializer_list<Parameter> parameters, Body body,
               std::span<const detail::parameter_type> others)
    : parameters_(parameters), body_(std::move(body)) {
  for (const Parameter& p : parameters_) {
    if (p.rank > 0) types_.push_back(described(p));
    else if (p.type->as_bytes) types_.push_back({scalar::none, 0, false, false, p.type->bytes});
    else
      for (const detail::leaf& l : scalars_of(p.type))
        types_.push_back({l.type, 0, false, false, 0});
  }
  types_.insert(types_.end(), others.begin(), others.end());
  as_ = {types_.data(), unsigned(types_.size()), &record};
  state_ = detail::make_kernel_state(with, with.block, detail::location::here());
}

void Kernel::record(const void* kernel, const node* nodes) {
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  k.body_(Parameters(k.parameters_, nodes));
}

text Kernel::ir() const {
  detail::compile(state_, this, as_);
  return detail::inspect(state_, "ir", nullptr);
}

void Kernel::Packed::check([[maybe_unused]] const ElementType* type, [[maybe_unused]] int rank) {
  assert(of_.parameters_[parameter_].type == type && of_.parameters_[parameter_].rank == rank);
  ++parameter_;
}
void Kernel::Packed::add(const any_array& x) {
  check(x.type, x.at.rank);
  *add() = argument_of(x);
}
void Kernel::Packed::add(const ElementArgument& x) {
  check(x.type, 0);
  if (x.type->as_bytes) {
    add()->data = const_cast<void*>(x.element);
    return;
  }
  for (const detail::leaf& l : scalars_of(x.type)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(x.element) + l.offset, bytes_of(l.type));
    add()->bits = bits;
  }
}

detail::kernel_set& own_kernels() {
  static auto& set = *new detail::kernel_set;
  return set;
}

}  // namespace krait::host

namespace krait::detail {

kernel_set* make_kernel_set() { return new kernel_set; }
void free_kernel_set(kernel_set* kernels) noexcept { delete kernels; }

}  // namespace krait::detail
