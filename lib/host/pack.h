// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pack: kernels in one file, as recorded, with code for some targets. The file is an entry of the
// cache's format (cache/entry.h) whose payload is entries side by side: of each kernel its text,
// then its tables, then its code, each in an envelope. docs/shipping.md has the layout.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "support/target.h"
#include "trace/trace.h"

namespace krait::host {

struct Recorded;

/// Code for one target, for launches of which its facts hold.
struct PackedCode {
  support::Target target;
  ir::Facts facts;
  std::string_view bytes;  // an envelope
};

struct PackedKernel {
  std::string name, file;  // of the kernel, of the pack
  std::string source;      // where it was made: the file, or empty, and the line
  unsigned line = 0;
  std::string pack_hash;  // of the whole pack: equal kernels of two packs have code of their own
  ir::Module module;
  std::vector<trace::Table> tables;
  std::vector<PackedCode> codes;

  /// The code that is best for a launch with these facts; null where none fits.
  const PackedCode* find(const support::Target& device, const ir::Facts& facts) const;
  /// Those that it has code for, for messages: "cpu … and ptx sm=90 isa=80".
  std::string targets() const;
  /// Its parameters: "(f32, view<f32, 1, const>)".
  std::string signature() const;
};

class Pack {
 public:
  /// Throws error{usage} that begins with the file's name where it cannot be read or is no pack of
  /// this version.
  static std::shared_ptr<const Pack> read(const std::string& file);
  /// Of the bytes of a file.
  static std::shared_ptr<const Pack> parse(std::string bytes, const std::string& file);

  const std::vector<PackedKernel>& kernels() const { return kernels_; }
  const std::string& file() const { return file_; }

 private:
  void add(std::string_view entry_bytes);
  void check_tables(const PackedKernel& k) const;
  [[noreturn]] void damaged(std::string_view what) const;

  std::string bytes_, file_, hash_;
  std::vector<PackedKernel> kernels_;
};

/// "x86-64-v3; sm_90; vulkan". Throws error{usage}.
std::vector<support::Target> read_targets(std::string_view list);
/// The file's bytes; compiles each kernel for each target. Throws error, for two kernels of one
/// name, too.
std::string make_pack(const std::vector<const Recorded*>& kernels,
                      const std::vector<support::Target>& targets);
/// Whole, or as it was before. Throws error{usage}.
void write_pack(const std::string& file, std::string_view bytes);

}  // namespace krait::host
