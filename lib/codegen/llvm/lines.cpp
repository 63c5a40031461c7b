// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/lines.h"

#include <cstdlib>
#include <mutex>
#include <sstream>

#include <fmt/core.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/Symbolize/Symbolize.h>

namespace krait::codegen {
namespace {

llvm::symbolize::LLVMSymbolizer& symbolizer() {
  static auto& made = *[] {
    llvm::symbolize::LLVMSymbolizer::Options o;
    o.PrintFunctions = llvm::symbolize::FunctionNameKind::None;
    o.PathStyle = llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath;
    o.UseSymbolTable = false, o.Demangle = false;
    return new llvm::symbolize::LLVMSymbolizer(o);
  }();
  return made;
}

}  // namespace

std::string find_lines(const std::string& request) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::string out, file;
  std::istringstream in(request);
  for (std::string offset; in >> offset && std::getline(in >> std::ws, file); out += '\n') {
    const llvm::object::SectionedAddress at{std::strtoull(offset.c_str(), nullptr, 16),
                                            llvm::object::SectionedAddress::UndefSection};
    llvm::Expected<llvm::DIInliningInfo> found = symbolizer().symbolizeInlinedCode(file, at);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    for (std::uint32_t i = 0; i < found->getNumberOfFrames(); ++i) {
      const llvm::DILineInfo& frame = found->getFrame(i);
      if (frame.Line && frame.FileName != llvm::DILineInfo::BadString)
        out += fmt::format("{}{}\t{}", i ? "\t" : "", frame.Line, frame.FileName);
    }
  }
  return out;
}

}  // namespace krait::codegen
