// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of files (docs/testing.md has their form) on a back end and compares what they
// leave with the interpreter:
//   kernels --back-end interpreter|cpu|vulkan|opencl|cuda|webgpu|ptx [--jobs N] [--only TEXT] [--print yes] [--races yes] [--third FOLDER]
//     [--device TEXT] FILE|FOLDER…
// interpreter: the kernel's text, every pass and every pipeline, interpreted; kernels that are for
// more than the CPU must not race. ptx: they compile for NVIDIA GPUs, are assembled where ptxas is
// found, and those without arrays of a thread take no stack. The others launch. webgpu: what needs
// what WebGPU lacks has to be refused, and in native mode an element may be what the device's own
// floats make of it (device_floats.h). A file has a line for each choice of its words: the first
// difference, or how many launches gave the interpreter's bits. --jobs: so many processes; one that
// dies or hangs counts as a difference. What a file says is known to go wrong on the device does
// not count: drivers have defects of their own. --only: launches whose name has the text. --races:
// data races are differences. --third: also a third of that folder's files, which KRAIT_TEST_SEED
// draws; all of them where it is not set. --device: nothing runs, and it ends with 77, where the
// device's name does not have the text. Ends with 1 where something differs, with 77 where the back
// end is missing and KRAIT_TEST_BACK_ENDS does not name it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "host/plugin.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "krait/error.h"
#include "passes/passes.h"
#include "support/checks.h"
#include "support/error.h"
#include "support/blobs/envelope.h"
#include "support/kernel_file.h"
#include "support/meaning.h"
#include "support/ptxas.h"
#include "support/workers.h"

using namespace krait;

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string back_end = "cpu", only, device;
  std::vector<fs::path> paths;
  fs::path third;
  bool print = false, races = false;
  unsigned jobs = 1;
};

Options parse(int argc, char** argv) {
  Options o;
  std::map<std::string, std::string> given;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--") && i + 1 < argc)
      given[argv[i]] = argv[i + 1], ++i;
    else o.paths.emplace_back(argv[i]);
  }
  if (given.count("--back-end")) o.back_end = given["--back-end"];
  if (given.count("--jobs")) o.jobs = std::max(1u, unsigned(std::stoul(given["--jobs"])));
  o.third = given["--third"], o.device = given["--device"], o.only = given["--only"],
  o.print = given.count("--print"), o.races = given.count("--races");
  return o;
}

std::vector<fs::path> kernels_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& e : fs::directory_iterator(folder))
    if (e.path().extension() == ".kir") files.push_back(e.path());
  return files;
}

std::vector<fs::path> files_of(const Options& o) {
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& file) { files.push_back(file); };
  for (const fs::path& path : o.paths) {
    if (fs::is_directory(path)) std::ranges::for_each(kernels_in(path), add);
    else add(path);
  }
  if (!o.third.empty()) {
    const char* seed = std::getenv("KRAIT_TEST_SEED");
    for (const fs::path& file : kernels_in(o.third))
      if (!seed || std::hash<std::string>{}(seed + file.filename().string()) % 3 == 0) add(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool has(const ir::Module& m, auto&& wanted) {
  bool found = false;
  for (const ir::Function& f : m.functions)
    ir::for_each_inst(f,
                      [&](ir::InstId i, ir::RegionId) { found = found || wanted(f.insts[i].op); });
  return found;
}

/// Whether what it computes depends on how many lanes a warp has.
bool asks_for_warp(const ir::Module& m) {
  return has(m, [](ir::Op op) {
    return ir::is_warp_operation(op) || op == ir::Op::LaneId || op == ir::Op::WarpSize;
  });
}

/// A file with one choice of its words; or what is wrong with the file.
struct Piece {
  fs::path path;
  std::shared_ptr<const test::KernelFile> file;
  test::Choice choice;
  unsigned number = 0;  // in the file
  std::string wrong;
};

std::vector<Piece> pieces_of(const Options& o) {
  std::vector<Piece> pieces;
  for (const fs::path& path : files_of(o)) try {
      std::ifstream in(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      if (!in) support::fail_usage("cannot be read");
      const auto file = std::make_shared<const test::KernelFile>(text, path.parent_path().string());
      unsigned number = 0;
      for (test::Choice& choice : file->choices())
        pieces.push_back({path, file, std::move(choice), number++, {}});
    } catch (const std::exception& e) {
      pieces.push_back({path, nullptr, {}, 0, e.what()});
    }
  return pieces;
}

/// One piece on one back end.
class Run {
 public:
  Run(const Options& o, runtime::Device* device, const Piece& piece)
      : o_(o), device_(device), piece_(piece) {
    races_ = o.races || (piece.file && piece.file->back_ends() != std::vector<std::string>{"cpu"});
  }

  /// What to say of it, and whether it is right.
  std::pair<std::string, bool> operator()() try {
    if (!piece_.file) return {piece_.wrong, false};
    if (o_.back_end != "interpreter" &&
        !piece_.file->is_for(o_.back_end == "ptx" ? "cuda" : o_.back_end))
      return {"is for other back ends", true};
    unsigned launch = piece_.number;
    for (const test::Case& c : piece_.file->cases(piece_.choice)) {
      if (c.name.find(o_.only) == std::string::npos) continue;
      if (const std::string wrong = check(c, launch++); !wrong.empty())
        return {fmt::format("{}: {}", c.name, wrong), false};
      if (o_.back_end == "ptx") break;  // launches differ in what is not in the code
    }
    return {fmt::format("{} launches are right{}{}", right_,
                        other_ ? fmt::format(", {} are for other warps", other_) : "",
                        refused_ ? fmt::format(", {} are refused: {}", refused_, why_) : ""),
            true};
  } catch (const std::exception& e) {
    return {e.what(), false};
  }

 private:
  std::string check(const test::Case& c, unsigned number) {
    if (o_.back_end == "ptx") return ++right_, ptx(c.kernel);
    test::Kernel kernel = c.kernel;
    const support::Target target = device_ ? device_->target() : support::Target{};
    const int warp = device_ ? test::warp_of(target) : 32;
    const bool lacks = target.kind == support::TargetKind::OpenCl &&
                       !target.spirv.features.has(support::Feature::Warp);
    if (c.any_warp) kernel.launch.warp_size = warp;
    if (device_ && asks_for_warp(kernel.module) && (lacks || kernel.launch.warp_size != warp))
      return ++other_, "";
    ++right_;
    const std::vector<ir::Facts> facts = test::facts_of(kernel);
    const test::CheckOptions options{.passes = !device_, .print = o_.print, .races = races_};
    // Drivers of GPUs compile for long, and the CPU has many widths: launches take turns in what
    // the code may know of them, except on this processor's own.
    const bool all =
        o_.back_end == "cpu" && !std::getenv("KRAIT_CPU") && !std::getenv("KRAIT_TEST_EFFORT");
    for (std::size_t k = 0; k < facts.size(); ++k) {
      if (!all && k != number % facts.size()) continue;
      test::set_facts(kernel.module, facts[k]);
      const std::string wrong = test::check(kernel, device_, options);
      if (o_.back_end == "webgpu" && test::webgpu_lacks(wrong))
        return --right_, ++refused_, why_ = wrong, "";
      if (!wrong.empty()) return wrong + "\n" + ir::print(kernel.module);
    }
    return {};
  }

  /// For one GPU after another.
  std::string ptx(const test::Kernel& kernel) {
    constexpr std::pair<unsigned, unsigned> devices[] = {{90, 80}, {75, 63}, {100, 87}};
    const auto [sm, isa] = devices[piece_.number % std::size(devices)];
    ir::Module m = kernel.module;
    const support::ParsedTarget target =
        support::parse_target(fmt::format("ptx sm={} isa={}", sm, isa));
    test::set_facts(m, test::facts_of(kernel).back());
    if (const std::string refused =
            m.kernel().flat ? "" : passes::run_pipeline(m, target.target, true);
        !refused.empty())
      return refused;
    if (o_.print) std::fputs(ir::print(m).c_str(), stdout);
    const std::string made =
        host::generate(ir::print(m), target.target, "binary", m.kernel().name).bytes;
    support::Envelope envelope;
    if (const std::string wrong = support::open(made, target.target.kind, envelope); !wrong.empty())
      return wrong;
    const std::string text(envelope.code);
    const test::Assembled code = test::assemble(text, sm);
    if (!code.found) return {};
    if (code.status != 0) return fmt::format("sm_{}: {}\n{}", sm, code.log, text);
    const bool may_use_stack =
        has(m, [](ir::Op op) { return op == ir::Op::Local || op == ir::Op::Call; });
    return may_use_stack || !code.uses_stack()
               ? ""
               : fmt::format("sm_{}: a stack, {}\n{}", sm, code.log, text);
  }

  const Options& o_;
  runtime::Device* const device_;
  const Piece& piece_;
  bool races_;
  unsigned right_ = 0, other_ = 0, refused_ = 0;
  std::string why_;  // the last was refused
};

void tell(const Options& o, test::Progress& shared, const Piece& piece, const std::string& what,
          bool right) {
  const std::string known = piece.file ? piece.file->known_on(o.back_end, shared.device) : "";
  const char* const note = known.empty() ? "" : right ? "right, though listed: " : "listed: ";
  std::printf("%s: %s%s%s%s\n", piece.path.c_str(), note, known.c_str(), known.empty() ? "" : "; ",
              what.c_str());
  ++shared.done;
  if (!right) ++(known.empty() ? shared.different : shared.listed);
}

/// The pieces, until there are no more. False where the device was lost before.
bool run(const Options& o, const std::vector<Piece>& pieces, test::Progress& shared,
         std::atomic<long>& at) {
  std::string why;
  const bool launches = o.back_end != "interpreter" && o.back_end != "ptx";
  runtime::Device* const device = launches ? test::find_device(o.back_end, why) : nullptr;
  const std::string& name = device ? device->name() : why;
  shared.device[name.copy(shared.device, sizeof shared.device - 1)] = 0;
  if (launches && (!device || name.find(o.device) == std::string::npos))
    return shared.missing = true;
  for (long i; (i = shared.next++) < long(pieces.size());) {
    at = i;
    const Piece& piece = pieces[std::size_t(i)];
    const auto [what, right] = Run(o, device, piece)();
    tell(o, shared, piece, what, right);
    if (what.find("lost to this process") != std::string::npos) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options o = parse(argc, argv);
  const std::vector<Piece> pieces = pieces_of(o);
  const test::Progress& all = test::run_workers(
      o.jobs,
      [&](test::Progress& shared, std::atomic<long>& at) { return run(o, pieces, shared, at); },
      [&](test::Progress& shared, long at, int signal) {
        if (at < 0)
          std::printf("kernels: a process ended by signal %d without a kernel\n", signal),
              std::exit(1);
        tell(o, shared, pieces[std::size_t(at)],
             fmt::format("the process ended by signal {}", signal), false);
      });
  if (all.missing)
    return std::printf("kernels: %s\n", all.device),
           o.device.empty() ? test::missing(o.back_end) : 77;
  std::printf("%ld kernels on %s (%s), %ld differ, %ld more are listed\n", all.done.load(),
              o.back_end.c_str(), all.device, all.different.load(), all.listed.load());
  return all.different || all.done != long(pieces.size()) || pieces.empty() ? 1 : 0;
} catch (const std::exception& e) {
  std::printf("kernels: %s\n", e.what());
  return 1;
}
