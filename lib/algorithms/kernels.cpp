// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/kernels.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <tuple>

#include "devices/layout.h"
#include "krait/algorithm/detail/form.h"

namespace krait::host {

const ElementType* type_of(const detail::element_type& erased) {
  using Key = std::tuple<std::vector<std::pair<scalar, std::uint32_t>>, std::uint32_t, bool>;
  const auto make = [&]() -> const ElementType* {
    return new ElementType{{erased.scalars, erased.scalars + erased.count},
                           erased.bytes,
                           erased.whole,
                           erased.as_bytes};
  };
  if (erased.whole != scalar::none) {
    static const ElementType* numbers[64];
    static std::once_flag once[64];
    const auto at = std::size_t(erased.whole);
    std::call_once(once[at], [&] { numbers[at] = make(); });
    return numbers[at];
  }
  static auto& mutex = *new std::mutex;
  static auto& made = *new std::map<Key, const ElementType*>;
  Key key{{}, erased.bytes, erased.as_bytes};
  for (unsigned i = 0; i < erased.count; ++i)
    std::get<0>(key).emplace_back(erased.scalars[i].type, erased.scalars[i].offset);
  std::lock_guard lock(mutex);
  const ElementType*& type = made[key];
  if (!type) type = make();
  return type;
}

std::size_t Parameters::first(std::size_t parameter) const {
  std::size_t node = 0;
  for (std::size_t p = 0; p < parameter; ++p)
    node += types_[p].rank > 0 || types_[p].type->as_bytes ? 1 : types_[p].type->scalars.size();
  return node;
}
Element Parameters::element(std::size_t parameter) const {
  const ElementType* type = types_[parameter].type;
  const node* at = nodes_ + first(parameter);
  if (type->as_bytes) return Place(type, {*at, {detail::literal(scalar::i64, 0)}, 1}).get();
  return {type, {at, at + type->scalars.size()}};
}

Array::Array(const ElementType* of, const std::int64_t* extents, int rank, void* on)
    : type(of), at(detail::dense(extents, rank, false)), device(on) {
  detail::check_shape(extents, rank, of->bytes);
  if (const std::int64_t elements = size(); elements > 0)
    memory = detail::memory_share(detail::allocate(on, std::size_t(elements) * of->bytes));
}
Array::Array(const ElementType* of, std::initializer_list<std::int64_t> extents, void* on)
    : Array(of, extents.begin(), int(extents.size()), on) {}

std::int64_t Array::size() const { return size_of(at); }

Array Array::reshaped(std::initializer_list<std::int64_t> extents) const {
  layout turned;
  if (detail::reshape(at, extents.begin(), int(extents.size()), turned))
    return {type, turned, memory, device};
  const Array copy(type, at.extents, at.rank, device);
  detail::copy_elements({copy.memory.get(), &copy.at, type->bytes},
                        {memory.get(), &at, type->bytes});
  return copy.reshaped(extents);
}
Array Array::memory_as(std::int64_t rows, std::int64_t length) const {
  const std::int64_t extents[] = {rows, length};
  layout dense = detail::dense(extents, 2, false);
  dense.offset = at.offset;
  return {type, dense, memory, device};
}
Array Array::rows_along(std::int64_t axis) const {
  const Array turned(type, detail::axis_last(at, axis), memory, device);
  const std::int64_t length = turned.extent(at.rank - 1), rows = length > 0 ? size() / length : 0;
  return at.rank == 2 ? turned : turned.reshaped({rows, length});
}

Argument::Argument(const Array& x) : type_(x.type) {
  packed_.kind = argument::device_array, packed_.memory = x.memory.get();
  packed_.rank = static_cast<unsigned char>(x.at.rank);
  packed_.offset = std::uint64_t(x.at.offset) * type_->bytes;
  std::copy_n(x.at.extents, x.at.rank, packed_.extents);
  std::copy_n(x.at.strides, x.at.rank, packed_.strides);
}
void Argument::pack(const Parameter& as, argument*& to) const {
  assert(type_ == as.type && packed_.rank == as.rank);
  static_cast<void>(as);
  if (!element_) {
    *to++ = packed_;
  } else if (type_->as_bytes) {
    (to++)->data = const_cast<void*>(element_);
  } else {
    for (const detail::leaf& l : type_->scalars) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, static_cast<const char*>(element_) + l.offset,
                  ir::size_of(ir::Scalar(l.type)));
      (to++)->bits = bits;
    }
  }
}

Kernel::Kernel(const options& with, std::vector<Parameter> parameters, Body body)
    : parameters_(std::move(parameters)), body_(std::move(body)) {
  for (const Parameter& p : parameters_) {
    if (p.rank > 0)
      types_.push_back(
          {p.type->whole, static_cast<unsigned char>(p.rank), p.writes, false, p.type->bytes});
    else if (p.type->as_bytes) types_.push_back({scalar::none, 0, false, false, p.type->bytes});
    else
      for (const detail::leaf& l : p.type->scalars) types_.push_back({l.type, 0, false, false, 0});
  }
  as_ = {types_.data(), unsigned(types_.size()), &record};
  state_ = detail::make_kernel_state(with, with.block, detail::location::here());
}

void Kernel::record(const void* kernel, const node* nodes) {
  const Kernel& k = *static_cast<const Kernel*>(kernel);
  k.body_(Parameters(k.parameters_, nodes));
}

void Kernel::call(const detail::call_config& config,
                  std::initializer_list<Argument> arguments) const {
  assert(arguments.size() == parameters_.size());
  argument few[16];
  std::vector<argument> many;  // structs that do not travel as bytes are up to 16 scalars each
  argument* packed = few;
  if (types_.size() > std::size(few)) many.resize(types_.size()), packed = many.data();
  argument* next = packed;
  std::size_t p = 0;
  for (const Argument& a : arguments) a.pack(parameters_[p++], next);
  detail::call(state_, this, as_, packed, config);
}
void Kernel::launch(const launch_config& with, std::initializer_list<Argument> arguments) const {
  detail::call_config config;
  config.grid = with.grid, config.block = with.block, config.on = with.on;
  call(config, arguments);
}
void Kernel::forall(std::int64_t n, std::initializer_list<Argument> arguments) const {
  detail::call_config config;
  config.form = detail::call_config::threads, config.count = n;
  call(config, arguments);
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
