// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/image/image.h"

#include <cstring>
#include <map>

#include <fmt/core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include "codegen/llvm/machine_passes.h"
#include "codegen/llvm/widen_steps.h"

namespace krait::codegen::cpu {
namespace {

// The loops come out of the lowering in the form the machine wants, with common values shared and
// constants folded; these passes give the speed of O3 at a fraction of its time.
/// `{}`: WidenSteps, where arrays are below 2^31 elements.
constexpr const char* pipeline =
    "mem2reg,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate<header-duplication>,licm),{}early-cse<memssa>,simplifycfg";
/// Of one thread at a time: short loops of constant trips go, as a loop by hand would lose them.
/// Other loops, and neighbours in straight code, become vectors where that changes no result:
/// floats are added in their order, but for sums that fast code may reorder (Pure::find_sums).
constexpr const char* scalar_pipeline =
    "mem2reg,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate<header-duplication>,licm),{}loop(indvars,loop-unroll-full),"
    "early-cse<memssa>,simplifycfg,loop-vectorize,slp-vectorizer,"
    "instcombine<no-verify-fixpoint>,loop(loop-unroll-full),early-cse,simplifycfg,loop-mssa(licm)";
/// For the first launch: what the lowering leaves to a pass in any case.
constexpr const char* quick_pipeline = "mem2reg,early-cse";

/// LLVM warns of instructions that it does not know, and goes on.
void check_features(const llvm::Target& target, const llvm::Triple& triple,
                    llvm::StringRef features) {
  const std::unique_ptr<llvm::MCSubtargetInfo> known(target.createMCSubtargetInfo(triple, "", ""));
  llvm::SmallVector<llvm::StringRef> asked;
  features.split(asked, ',', -1, false);
  for (const llvm::StringRef feature : asked)
    if (llvm::none_of(known->getAllProcessorFeatures(),
                      [&](const auto& f) { return feature.drop_front() == f.Key; }))
      unsupported(
          "target: \"" + feature.str() +
          "\" is not a feature of an x86-64 processor: expected LLVM's names, such as +avx2");
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(const Machine& on) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) defect("LLVM has no x86-64: " + error);
  // of one that it does not know LLVM makes 32-bit code, and ends
  for (const std::string& name : {on.cpu, on.tune})
    if (name != "generic" && llvm::X86::parseArchX86(name, true) == llvm::X86::CK_None)
      unsupported("target: \"" + name +
                  "\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  check_features(*target, triple, on.features);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.NoTrappingFPMath = true;
  // Level 1 leaves out a second scheduling that gained nothing. Level 0 takes a third to a half of
  // its time, and its quick instruction selection, though it knows scalars only, a quarter less
  // than without.
  const auto level = on.quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, on.cpu, on.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!machine) defect("LLVM cannot make code for " + on.cpu);
  return machine;
}

}  // namespace

BorrowedMachine borrow_machine(const Machine& on) {
  return BorrowedMachine(on.cpu + " " + on.tune + " " + on.features + (on.quick ? " quick" : ""),
                         [&on] { return make_target_machine(on); });
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Shape& shape, bool small) {
  const char* const passes = shape.machine.quick ? quick_pipeline
                             : shape.gang() == 1 ? scalar_pipeline
                                                 : pipeline;
  const std::string steps = small ? std::string(WidenSteps::pipeline_name) + "," : "";
  codegen::optimise(module, machine, fmt::format(fmt::runtime(passes), steps).c_str(),
                    Rare::Included);
}

/// As TargetMachine::addPassesToEmitFile does, without what hoists out of loops: load_constants has
/// decided what stays in registers.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, Order order, bool assembly,
                     bool verified) {
  auto& x86 = static_cast<llvm::CodeGenTargetMachineImpl&>(machine);
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  MachinePasses passes(verified);
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  auto* info = new llvm::MachineModuleInfoWrapperPass(&x86);
  llvm::TargetPassConfig* config = x86.createPassConfig(passes);
  config->setDisableVerify(true);  // Session::verify has looked at what we made
  config->disablePass(&llvm::EarlyMachineLICMID);
  config->disablePass(&llvm::MachineLICMID);
  if (order == Order::AsLowered) config->disablePass(&llvm::MachineSchedulerID);
  passes.add(config);
  passes.add(info);
  const bool failed = config->addISelPasses();
  if (!failed) {
    config->addMachinePasses();
    config->setInitialized();
  }
  const auto kind =
      assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (failed || x86.addAsmPrinter(passes, stream, nullptr, kind, info->getMMI().getContext()))
    defect("LLVM cannot emit code for x86-64");
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.generate(module);
  return std::string(out);
}

// ---- linking ------------------------------------------------------------------------------------

namespace {

using Object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

template <class T>
T take(llvm::Expected<T> value, const char* what) {
  if (!value)
    defect(std::string("the object file's ") + what + ": " + llvm::toString(value.takeError()));
  return std::move(*value);
}

struct Image {
  std::string bytes;
  std::map<unsigned, std::size_t> at;  // by section index

  void place(const Object& object, bool code) {
    for (const llvm::object::SectionRef& section : object.sections()) {
      llvm::object::ELFSectionRef elf(section);
      if (!(elf.getFlags() & llvm::ELF::SHF_ALLOC) || section.isText() != code ||
          elf.getSize() == 0)
        continue;
      if (elf.getType() == llvm::ELF::SHT_X86_64_UNWIND) continue;
      if (elf.getFlags() & llvm::ELF::SHF_WRITE)
        unsupported("the code needs writable data (" + take(section.getName(), "name").str() + ")");
      std::size_t align = std::max<std::uint64_t>(section.getAlignment().value(), 1);
      bytes.resize((bytes.size() + align - 1) / align * align, '\0');
      at[unsigned(section.getIndex())] = bytes.size();
      llvm::StringRef contents = take(section.getContents(), "contents");
      bytes.append(contents.data(), contents.size());
    }
  }

  void relocate(const Object& object) {
    for (const llvm::object::SectionRef& section : object.sections()) {
      auto relocated = take(section.getRelocatedSection(), "relocated section");
      if (relocated == object.section_end() || !at.count(unsigned(relocated->getIndex()))) continue;
      std::size_t base = at[unsigned(relocated->getIndex())];
      for (const llvm::object::ELFRelocationRef relocation : section.relocations()) {
        llvm::object::ELFSymbolRef symbol(*relocation.getSymbol());
        auto home = take(symbol.getSection(), "symbol's section");
        if (home == object.section_end() || !at.count(unsigned(home->getIndex())))
          unsupported("the CPU code calls " + take(symbol.getName(), "symbol name").str() +
                      ", which it does not contain");
        std::int64_t value =
            std::int64_t(at[unsigned(home->getIndex())] + take(symbol.getValue(), "symbol value"));
        std::int64_t addend = take(relocation.getAddend(), "addend");
        std::size_t place = base + relocation.getOffset();
        switch (relocation.getType()) {
          case llvm::ELF::R_X86_64_PC32:
          case llvm::ELF::R_X86_64_PLT32: {
            auto distance = std::int32_t(value + addend - std::int64_t(place));
            std::memcpy(&bytes[place], &distance, 4);
            break;
          }
          case llvm::ELF::R_X86_64_PC64: {
            std::int64_t distance = value + addend - std::int64_t(place);
            std::memcpy(&bytes[place], &distance, 8);
            break;
          }
          default:
            defect("a relocation that depends on the load address: type " +
                   std::to_string(relocation.getType()));
        }
      }
    }
  }
};

/// The object as debuggers take it, whose code lies where the image has it.
void append_object(Image& image, const Object& object, const std::string& object_bytes,
                   CpuCode& own) {
  const bool tells = llvm::any_of(object.sections(), [](const llvm::object::SectionRef& section) {
    return take(section.getName(), "name") == ".debug_info";
  });
  if (!tells) return;  // the kernel carries no lines
  std::string bytes = object_bytes;
  const std::size_t headers = object.getELFFile().getHeader().e_shoff;
  for (const auto& [index, place] : image.at) {
    const std::uint64_t address = place;
    const std::size_t field = offsetof(llvm::ELF::Elf64_Shdr, sh_addr);
    std::memcpy(&bytes[headers + index * sizeof(llvm::ELF::Elf64_Shdr) + field], &address,
                sizeof address);
  }
  own.debug = std::uint32_t(image.bytes.size());
  image.bytes += bytes;
}

}  // namespace

std::string link_image(const std::string& object_bytes, CpuCode& own, bool debug) {
  auto file = take(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object_bytes, "kernel")),
      "format");
  const auto* object = llvm::dyn_cast<Object>(file.get());
  if (!object) defect("the object file is not ELF64");
  Image image;
  image.place(*object, true);
  image.bytes.resize((image.bytes.size() + 63) & ~std::size_t(63), '\0');
  image.place(*object, false);
  image.bytes.resize((image.bytes.size() + 63) & ~std::size_t(63), '\0');
  image.relocate(*object);
  for (const llvm::object::ELFSymbolRef& symbol : object->symbols()) {
    llvm::StringRef name = take(symbol.getName(), "symbol name");
    if (name != "entry" && name != "extent") continue;
    auto home = take(symbol.getSection(), "symbol's section");
    auto offset = std::uint32_t(image.at[unsigned(home->getIndex())] +
                                take(symbol.getValue(), "symbol value"));
    (name == "entry" ? own.entry : own.extent) = offset;
  }
  if (own.entry == CpuCode::no_entry) defect("the object file has no entry");
  if (debug) append_object(image, *object, object_bytes, own);
  return std::move(image.bytes);
}

}  // namespace krait::codegen::cpu
