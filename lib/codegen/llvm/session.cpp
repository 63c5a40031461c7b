// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Set-up of LLVM for one compilation. Diagnostics are kept as text instead of going to stderr or
// ending the process.
#include "codegen/llvm/session.h"

#include <cctype>
#include <map>

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen {

void initialise_llvm() {
  static const bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    // Loop strength reduction takes a tenth (PTX) to a half (x86) of code generation and gains
    // nothing: GPUs multiply and add an address in one instruction. The options belong to this
    // private copy of LLVM, and there is no other way to switch them.
    auto& options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end())
      static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
    // The scheduler compares each access to memory of a block with so many others, 1,000 unless
    // told otherwise: a sixth of the time of a block of hundreds of accesses.
    if (auto found = options.find("dag-maps-huge-region"); found != options.end())
      static_cast<llvm::cl::opt<unsigned>*>(found->second)->setValue(128);
    // Two stores of 16 bytes side by side, of halves of two vectors, would become one of a vector
    // that two shuffles put together first: bodies of 40 bytes took 14 % longer. What should be one
    // store is one in the IR.
    if (auto found = options.find("combiner-store-merging"); found != options.end())
      static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(false);
    return true;
  }();
  (void)once;
}

class Session::Listener final : public llvm::DiagnosticHandler {
 public:
  explicit Listener(Session& session) : session_(session) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) session_.errors_ += text + "\n";
    if (info.getSeverity() == llvm::DS_Warning) session_.warnings_ += text + "\n";
    return true;
  }
  bool isAnyRemarkEnabled() const override { return false; }

 private:
  Session& session_;
};

Session::Session(const std::string& name) : context_(std::make_unique<llvm::LLVMContext>()) {
  context_->setDiagnosticHandler(std::make_unique<Listener>(*this));
  module_ = std::make_unique<llvm::Module>(name, *context_);
}

void Session::read(std::string_view code) {
  llvm::SMDiagnostic wrong;
  const std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBufferCopy(code, "LLVM IR");
  std::unique_ptr<llvm::Module> parsed = llvm::parseIR(*buffer, wrong, *context_);
  if (!parsed) {
    const std::string place =
        wrong.getLineNo() > 0
            ? fmt::format(", line {}, column {}", wrong.getLineNo(), wrong.getColumnNo() + 1)
            : "";
    unsupported(fmt::format("LLVM {} cannot read the LLVM IR{}: {}", LLVM_VERSION_MAJOR, place,
                            wrong.getMessage().str()));
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  bool broken_lines = false;
  if (llvm::verifyModule(*parsed, &stream, &broken_lines))
    unsupported("LLVM's verifier rejects the LLVM IR: " + problem);
  if (broken_lines) llvm::StripDebugInfo(*parsed);
  check();
  module_ = std::move(parsed);
}

void Session::verify() {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module_, &stream))
    defect("LLVM rejects the lowered kernel: " + problem + "\n" + text());
}

void Session::check() const {
  if (!errors_.empty()) unsupported("LLVM: " + errors_);
}

std::string Session::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream, nullptr);
  return text;
}

std::string symbol_name(const std::string& kernel) {
  std::string name = "krait_" + (kernel.empty() ? std::string("kernel") : kernel);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

DebugLines::DebugLines(llvm::Module& module, llvm::Function& function, const ir::Function& kernel,
                       Kind kind)
    : kernel_(kernel) {
  std::uint32_t first = 0;
  ir::for_each_inst(kernel, [&](ir::InstId i, ir::RegionId) {
    if (first == 0) first = kernel.insts[i].loc;
  });
  if (first == 0) return;
  if (!module.getModuleFlag("Debug Info Version"))
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  builder_ = std::make_unique<llvm::DIBuilder>(module);
  const ir::Location& start = kernel.locations[first];
  llvm::DIFile* file = builder_->createFile(start.file, "");
  builder_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C_plus_plus), file,
                              "krait", true, "", 0, "", kind);
  auto* type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
  scope_ = builder_->createFunction(file, kernel.name, "", file, start.line, type, start.line,
                                    llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function.setSubprogram(scope_);
}

llvm::DebugLoc DebugLines::at(std::uint32_t location) const {
  if (!scope_ || location == 0) return {};
  const ir::Location& place = kernel_.locations[location];
  llvm::DIScope* in = scope();
  if (place.file != scope_->getFile()->getFilename())
    in = builder_->createLexicalBlockFile(in, builder_->createFile(place.file, ""));
  return llvm::DILocation::get(scope_->getContext(), place.line, 0, in);
}

llvm::DebugLoc DebugLines::anywhere() const {
  if (!scope_) return {};
  return llvm::DILocation::get(scope_->getContext(), 0, 0, scope());
}

llvm::DILocalScope* DebugLines::scope() const {
  if (copy_) return copy_;
  return scope_;
}

void DebugLines::begin_copy() {
  if (scope_)
    copy_ = builder_->createLexicalBlock(scope_, scope_->getFile(), scope_->getLine(), ++copies_);
}

void DebugLines::finish() {
  if (builder_) builder_->finalize();
}

}  // namespace krait::codegen
