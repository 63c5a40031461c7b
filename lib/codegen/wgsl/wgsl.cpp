// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/wgsl.h"

#include "codegen/wgsl/lower.h"
#include "ir/abi.h"
#include "support/blobs/envelope.h"

namespace krait::codegen::wgsl {

Reply compile(const ir::Module& module, const support::WebGpuTarget& target, Emit emit) {
  if (emit == Emit::Llvm) unsupported("WGSL is made without LLVM: there is no LLVM IR to show");
  Stopwatch watch;
  Reply reply;
  const ir::Function& f = module.kernel();
  if (!f.flat) defect("lower_access has not run");
  support::Envelope envelope = ir::envelope_of(f, support::TargetKind::WebGpu);
  envelope.entry = "main";
  support::WebGpuCode own;
  const std::string text = lower_module(module, target, envelope, own);
  envelope.set_own(own);
  reply.lower_ms = watch.lap();
  if (emit == Emit::Asm) {
    reply.data = text;
  } else {
    envelope.code = text;
    reply.data = support::seal(envelope);
  }
  reply.emit_ms = watch.lap();
  return reply;
}

}  // namespace krait::codegen::wgsl
