// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From SPIR-V to LLVM bitcode for OpenCL 1.2 (SPIR), by SPIRV-LLVM-Translator.
#include "support/translator.h"

#include <LLVMSPIRVLib/LLVMSPIRVLib.h>
#include <LLVMSPIRVLib/LLVMSPIRVOpts.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>

namespace {

/// The translator calls what OpenCL 1.2 names `mem_fence`, which PoCL 3 lacks.
void give_fence_a_body(llvm::Module& module) {
  llvm::Function* const fence = module.getFunction("_Z9mem_fencej");
  if (!fence || !fence->isDeclaration()) return;
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(module.getContext(), "", fence));
  at.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  at.CreateRetVoid();
  fence->setLinkage(llvm::GlobalValue::InternalLinkage);
}

bool translate(const std::uint32_t* words, std::size_t count, bool text, std::string& out) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(words), count * 4));
  llvm::LLVMContext context;
  context.setOpaquePointers(false);
  SPIRV::TranslatorOpts options;
  options.enableAllExtensions();
  options.setDesiredBIsRepresentation(SPIRV::BIsRepresentation::OpenCL12);
  llvm::Module* made = nullptr;
  if (!llvm::readSpirv(context, options, in, made, out)) return false;
  const std::unique_ptr<llvm::Module> module(made);
  give_fence_a_body(*module);
  out.clear();
  llvm::raw_string_ostream stream(out);
  // a driver's compiler may end the process at it
  if (llvm::verifyModule(*module, &stream)) return false;
  if (text) module->print(stream, nullptr);
  else llvm::WriteBitcodeToFile(*module, stream);
  stream.flush();
  return true;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int krait_translate(const std::uint32_t* words,
                                                           std::size_t count, int text, char** out,
                                                           std::size_t* size) {
  std::string result;
  const bool done = translate(words, count, text != 0, result);
  *size = result.size();
  *out = static_cast<char*>(std::malloc(result.size() + 1));
  if (*out) std::memcpy(*out, result.c_str(), result.size() + 1);
  return done ? 0 : 1;
}

__attribute__((visibility("default"))) void krait_translate_release(char* out) { std::free(out); }

}  // extern "C"
