// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/detail/text_kernel.h"

#include <vector>

#include "host/kernel_state.h"
#include "host/pack_kernels.h"
#include "devices/reports.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/error.h"

namespace krait::detail {

struct text_kernel {
  std::vector<parameter_type> parameters;
  signature as{};
  kernel_state* state = nullptr;
  host::Specialisation* spec = nullptr;
  ~text_kernel() { free_kernel_state(state); }
};

text_kernel* make_text_kernel(const char* kir, std::size_t size, const char* file, bool checked) {
  ir::ParseResult parsed = ir::parse(std::string_view(kir, size));
  if (!parsed.error.empty()) support::fail(error::kind_type::compile, "{}: {}", file, parsed.error);
  if (const std::string broken = ir::verify(parsed.module); !broken.empty())
    support::fail(error::kind_type::compile, "{}: {}", file, broken);
  const ir::Function& f = parsed.module.kernel();
  if (!f.hidden.empty())
    support::fail_usage(
        "{}: kernel {} reads data of kr::constant, or was taken after the passes: "
        "pass such data as an array, and take the text as recorded (kernel.ir(), "
        "krait dump --emit ir)",
        file, f.name);
  if (checked && f.flat)
    support::fail_usage(
        "{}: kernel {} was taken after the passes, where accesses can no longer be checked: "
        "take the text as recorded (kernel.ir(), krait dump --emit ir), "
        "or run it with --no-check",
        file, f.name);
  if (checked)
    for (ir::Function& each : parsed.module.functions) each.checked = true;
  auto made = std::make_unique<text_kernel>();
  made->parameters = host::parameters_of(f);
  made->as = {made->parameters.data(), unsigned(made->parameters.size()), nullptr};
  options with;
  with.name = f.name.c_str();
  const dims block{f.block[0], f.block[1], f.block[2]};
  with.cluster = {f.cluster[0], f.cluster[1], f.cluster[2]};
  made->state = make_kernel_state(with, f.block[0] ? block : dims{0, 0, 0}, {});
  made->spec = &host::adopt(*made->state, std::move(parsed.module), made->as);
  return made.release();
}

void free_text_kernel(text_kernel* kernel) noexcept { delete kernel; }
const signature& signature_of(const text_kernel* kernel) noexcept { return kernel->as; }
bool writes_parameter(const text_kernel* kernel, unsigned index) noexcept {
  return kernel->spec->writes[index];
}
dims fixed_block_of(const text_kernel* kernel) noexcept { return kernel->state->fixed_block; }

void launch(text_kernel* kernel, const argument* arguments, const call_config& config) {
  call(kernel->state, nullptr, kernel->as, arguments, config);
}

void write_pack(const char* file, const char* targets, const text_kernel* const* kernels,
                std::size_t count) {
  std::vector<const host::Recorded*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(&kernels[i]->spec->recorded);
  host::write_pack(file, host::make_pack(all, host::read_targets(targets)));
}

const char* name_of(scalar type) noexcept { return ir::info(ir::Scalar(type)).name.data(); }
std::size_t size_of(scalar type) noexcept { return ir::size_of(ir::Scalar(type)); }

}  // namespace krait::detail
