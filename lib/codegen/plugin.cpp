// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's three exports: a request is parsed, verified and given to the target's code
// generator on a guarded thread.
#include "codegen/codegen.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include <fmt/core.h>

#include "codegen/cpu/cpu.h"
#include "codegen/hints.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/lines.h"
#include "codegen/nvptx/nvptx.h"
#include "codegen/raw.h"
#include "codegen/reply.h"
#include "codegen/spirv/spirv.h"
#include "codegen/wgsl/wgsl.h"
#include "ir/unreachable_entries.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "support/build_id.h"
#include "support/target.h"

namespace krait::codegen {
namespace {

/// Owned by the compile thread and the caller both, because that thread may never end.
struct Task {
  std::string kir, target, emit;
  bool wants_hints = false, verified = false;
  bool is_raw = false;
  std::string raw, entry;
  Reply reply;
  Hints hints;
  double parse_ms = 0;
};

/// Types that are stored as another one are the passes' business: no generator knows them, except
/// on the way of a conversion that the target has.
void check_types(const ir::Function& f, bool float8) {
  const auto check = [&](ir::ValueId v) {
    const ir::Inst* def = f.def(v);
    const bool converts = float8 && def &&
                          (def->op == ir::Op::Bitcast || def->op == ir::Op::CastSat) &&
                          ir::size_of(def->type.scalar) == 1;
    if (const ir::Scalar s = f.type_of(v).scalar; ir::info(s).storage != s && !converts)
      defect(fmt::format("kernel {}: a value of type {}: lower_types has not run", f.name,
                         ir::name_of(s)));
  };
  for (const ir::ValueId v : f.params()) check(v);
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
    for (const ir::ValueId v : f.insts[i].results) check(v);
  });
}

/// Of a kernel whose code is given.
Reply compile_raw(const ir::Module& module, const support::Target& target, const RawText& raw,
                  Emit emit, bool verified) {
  switch (target.kind) {
    case support::TargetKind::Cpu: return cpu::compile_raw(module, target.cpu, raw, emit, verified);
    case support::TargetKind::Ptx: return nvptx::compile_raw(module, raw, emit);
    case support::TargetKind::Spirv: return spirv::compile_raw(module, target.spirv, raw, emit);
    case support::TargetKind::WebGpu: return wgsl::compile_raw(module, raw, emit);
    case support::TargetKind::OpenCl:
    case support::TargetKind::Interpreter: break;
  }
  unsupported(fmt::format("the target {} does not take raw code", support::info(target.kind).word));
}

void compile(Task& task) {
  if (task.emit == "lines") {
    task.reply.data = find_lines(task.kir);
    return;
  }
  Stopwatch watch;
  const support::ParsedTarget read = support::parse_target(task.target);
  if (!read.error.empty()) unsupported(read.error);
  const support::Target& target = read.target;
  Emit emit = parse_emit(task.emit);
  ir::ParseResult parsed = ir::parse(task.kir);
  if (!parsed.error.empty()) defect("kir: " + parsed.error);
  if (parsed.module.functions.empty()) defect("kir: no kernel");
  if (std::string broken = ir::verify(parsed.module); !broken.empty()) defect("kir: " + broken);
  for (const ir::Function& f : parsed.module.functions) check_types(f, target.has_float8());
  if constexpr (passes::verify_by_default) ir::add_unreachable_entries(parsed.module);
  task.parse_ms = watch.lap();
  if (task.is_raw) {
    // it takes the block of any call, whatever passes took for granted
    parsed.module.kernel().facts = {};
    task.reply = compile_raw(parsed.module, target, {task.raw, task.entry}, emit, task.verified);
    return;
  }
  switch (target.kind) {
    case support::TargetKind::Interpreter: unsupported("no code is made for the interpreter");
    case support::TargetKind::Cpu:
      task.reply = cpu::compile(parsed.module, target.cpu, emit,
                                task.wants_hints ? &task.hints : nullptr, task.verified);
      return;
    case support::TargetKind::Ptx:
      task.reply = nvptx::compile(parsed.module, target.ptx, emit, task.verified);
      break;
    case support::TargetKind::Spirv:
      task.reply = spirv::compile(parsed.module, target.spirv, spirv::Dialect::Shader, emit);
      break;
    case support::TargetKind::OpenCl:
      task.reply = spirv::compile(parsed.module, target.spirv, spirv::Dialect::Kernel, emit);
      break;
    case support::TargetKind::WebGpu:
      task.reply = wgsl::compile(parsed.module, target.web, emit);
      break;
  }
  if (task.wants_hints) find_gpu_hints(parsed.module, task.hints);
}

char* copy(const std::string& text) {
  char* memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory) std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

char* out_of_memory() {
  static char text[] = "out of memory";
  return text;
}

void answer(const krait_codegen_request& request, krait_codegen_reply& reply) {
  auto task = std::make_shared<Task>();
  task->kir.assign(request.kir, request.kir_size);
  task->target = request.target;
  task->emit = request.emit;
  task->wants_hints = request.hints != 0, task->verified = request.verify != 0;
  task->is_raw = request.raw != nullptr;
  if (task->is_raw) task->raw.assign(request.raw, request.raw_size), task->entry = request.entry;
  Failure failure = run_guarded([task] { compile(*task); });
  reply.status = failure.status;
  reply.log = copy(failure.status ? failure.message : task->reply.warnings);
  if (failure.status) return;  // the thread may still write to the task
  if (task->wants_hints) reply.hints = copy(task->hints.lines());
  reply.data = copy(task->reply.data);
  reply.size = task->reply.data.size();
  reply.parse_ms = task->parse_ms;
  reply.lower_ms = task->reply.lower_ms;
  reply.optimise_ms = task->reply.optimise_ms;
  reply.emit_ms = task->reply.emit_ms;
}

}  // namespace
}  // namespace krait::codegen

extern "C" {

__attribute__((visibility("default"))) void krait_codegen(const krait_codegen_request* request,
                                                          krait_codegen_reply* reply) {
  *reply = {};
  if (!krait::codegen::has_thread_data()) {
    reply->status = 3, reply->log = krait::codegen::out_of_memory();
    return;
  }
  try {
    krait::codegen::answer(*request, *reply);
  } catch (...) {  // std::bad_alloc: everything else was caught on the compile thread
    reply->status = 3;
  }
  if (!reply->log || (reply->status == 0 && !reply->data)) {
    reply->status = 3;
    if (!reply->log) reply->log = krait::codegen::out_of_memory();
  }
}

__attribute__((visibility("default"))) void krait_codegen_release(krait_codegen_reply* reply) {
  std::free(reply->data);
  std::free(reply->hints);
  if (reply->log != krait::codegen::out_of_memory()) std::free(reply->log);
  *reply = {};
}

__attribute__((visibility("default"))) const char* krait_codegen_build_id() {
  krait::codegen::end_of_loading();  // it is the first that is called
  if (!krait::codegen::has_thread_data()) return nullptr;
  try {
    static const std::string id =
        krait::support::build_id_at(reinterpret_cast<const void*>(&krait_codegen_build_id));
    return id.c_str();
  } catch (...) {
    return nullptr;
  }
}

}  // extern "C"
