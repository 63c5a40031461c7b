// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public side of packs: kernel objects in, kernel objects out.
#include <algorithm>
#include <memory>

#include "host/kernel_state.h"
#include "host/pack.h"
#include "host/pack_kernels.h"
#include "ir/builder.h"
#include "ir/text/text.h"
#include "krait/pack.h"
#include "support/error.h"

namespace krait::host {
namespace {

std::string names_of(const Pack& pack) {
  std::string all;
  for (const PackedKernel& k : pack.kernels()) all += (all.empty() ? "" : ", ") + k.name;
  return all.empty() ? "none" : all;
}

detail::parameter_type parameter_of(const ir::Type& t) {
  detail::parameter_type p{};
  p.type = detail::scalar(t.scalar);
  if (t.space == ir::Space::Global)
    p.rank = t.rank, p.writable = t.writable, p.elem_bytes = t.elem_bytes;
  else if (!t.is_value()) p.elem_bytes = t.elem_bytes;  // bytes by value
  return p;
}

bool is_same(const detail::parameter_type& a, const detail::parameter_type& b) {
  return a.type == b.type && a.rank == b.rank && a.writable == b.writable &&
         a.elem_bytes == b.elem_bytes;
}

ir::Type type_of(const detail::parameter_type& p) {
  if (p.rank)
    return ir::array_type(ir::Scalar(p.type), ir::Space::Global, p.rank, p.writable, p.elem_bytes);
  return p.elem_bytes ? ir::argument_type(p.elem_bytes) : ir::value_type(ir::Scalar(p.type));
}

}  // namespace

std::vector<detail::parameter_type> parameters_of(const ir::Function& kernel) {
  std::vector<detail::parameter_type> all;
  for (const ir::ValueId p : kernel.given_params()) all.push_back(parameter_of(kernel.type_of(p)));
  return all;
}

ir::Module module_of(std::string_view name, const detail::signature& as) {
  ir::Module m;
  m.functions.push_back(ir::new_function(std::string(name)));
  ir::Builder b(m.kernel());
  const ir::RegionId body = m.kernel().body;
  b.at(body);
  for (const detail::parameter_type& p : std::span(as.parameters, as.count))
    b.new_param(body, type_of(p));
  b.append(ir::Op::Return, {}, {});
  return m;
}

std::shared_ptr<const PackedKernel> find_kernel(const std::shared_ptr<const Pack>& pack,
                                                std::string_view name) {
  const auto& all = pack->kernels();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const PackedKernel& k) { return k.name == name; });
  if (at == all.end())
    support::fail_usage("the pack {} has no kernel \"{}\"; it has {}", pack->file(), name,
                        names_of(*pack));
  return {pack, &*at};
}

detail::kernel_state* make_kernel(std::shared_ptr<const PackedKernel> packed,
                                  const detail::signature& as) {
  const ir::Function& f = packed->module.kernel();
  options with;
  with.name = packed->name.c_str();
  detail::location where{};
  if (packed->line) where.file = packed->source.c_str(), where.line = packed->line;
  const dims block{f.block[0], f.block[1], f.block[2]};
  with.cluster = {f.cluster[0], f.cluster[1], f.cluster[2]};
  std::unique_ptr<detail::kernel_state> state(
      detail::make_kernel_state(with, f.block[0] ? block : dims{0, 0, 0}, where));
  adopt(*state, std::move(packed), as);
  return state.release();
}

}  // namespace krait::host

namespace krait::detail {

struct pack_state {
  std::shared_ptr<const host::Pack> pack;
};

void write_pack(const char* file, const char* targets, const kernel_reference* kernels,
                std::size_t count) {
  const std::vector<support::Target> chosen = host::read_targets(targets ? targets : "");
  std::vector<const host::Recorded*> all;
  for (std::size_t i = 0; i < count; ++i) {
    const kernel_reference& k = kernels[i];
    if (!k.state) support::fail_usage("a moved-from kernel object is packed");
    if (!k.state->with.name)
      support::fail_usage("{} has no name to load it by: give {{.name = \"…\"}} after its lambda",
                          host::describe(*k.state));
    const host::Recorded& recorded = host::specialise(*k.state, k.lambda, *k.as).recorded;
    if (recorded.raw)
      support::fail_usage("{} is given as code, but packs hold recorded kernels", recorded.what);
    all.push_back(&recorded);
  }
  host::write_pack(file, host::make_pack(all, chosen));
}

pack_state* load_pack(const char* file) { return new pack_state{host::Pack::read(file)}; }
void free_pack(pack_state* pack) noexcept { delete pack; }
std::size_t kernels_in_pack(const pack_state* pack) noexcept {
  return pack->pack->kernels().size();
}

const char* pack_name(const pack_state* pack, std::size_t index) {
  const auto& all = pack->pack->kernels();
  if (index >= all.size())
    support::fail_usage("the pack {} has {} kernels, so it has no kernel {}", pack->pack->file(),
                        all.size(), index);
  return all[index].name.c_str();
}

text pack_signature(const pack_state* pack, const char* name) {
  const std::string all = host::find_kernel(pack->pack, name)->signature();
  return {all.data(), all.size()};
}

text pack_targets(const pack_state* pack, const char* name) {
  const std::string all = host::find_kernel(pack->pack, name)->targets();
  return {all.data(), all.size()};
}

kernel_state* make_packed_kernel(const pack_state* pack, const char* name, const signature& as) {
  const std::shared_ptr<const host::PackedKernel> kernel = host::find_kernel(pack->pack, name);
  const std::vector<parameter_type> takes = host::parameters_of(kernel->module.kernel());
  if (!std::equal(takes.begin(), takes.end(), as.parameters, as.parameters + as.count,
                  host::is_same)) {
    std::string asked;
    for (unsigned i = 0; i < as.count; ++i)
      asked += (i ? ", " : "") + ir::text_of(host::type_of(as.parameters[i]));
    support::fail_usage("kernel {} of the pack {} takes {}, but is loaded as ({})", name,
                        kernel->file, kernel->signature(), asked);
  }
  return host::make_kernel(kernel, as);
}

}  // namespace krait::detail
