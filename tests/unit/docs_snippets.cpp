// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every snippet of the documentation that names its source is that region of the source: after `<!-- from: file:name -->` comes a
// code block, whose text stands in the file between `// [name]` and `// [/name]`, in Python with #, but for its indentation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "passes/passes.h"

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t indentation(const std::string& line) { return line.find_first_not_of(' '); }

/// The region with its first line's indentation taken off; empty: there is none.
std::string region(const std::vector<std::string>& lines, const std::string& name) {
  std::string text;
  bool inside = false;
  std::size_t indent = 0;
  for (const std::string& line : lines) {
    const std::size_t start = indentation(line);
    const std::string trimmed = start == std::string::npos ? "" : line.substr(start);
    const auto is = [&](const std::string& mark) { return trimmed == "// " + mark || trimmed == "# " + mark; };
    if (is("[/" + name + "]")) return text;
    if (inside) text += (start == std::string::npos ? "" : line.substr(std::min(indent, start))) + '\n';
    if (is("[" + name + "]")) inside = true, indent = start;
  }
  return {};
}

TEST(docs, snippets_are_regions_of_compiled_files) {
  const std::filesystem::path root = KRAIT_SOURCE_DIR;
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::vector<std::string> lines = lines_of(entry.path());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string head = "<!-- from: ", tail = " -->";
      if (!lines[i].starts_with(head) || !lines[i].ends_with(tail)) continue;
      const std::string source = lines[i].substr(head.size(), lines[i].size() - head.size() - tail.size());
      const std::size_t colon = source.find(':');
      ASSERT_NE(colon, std::string::npos) << lines[i];
      std::string text;
      std::size_t line = i + 1;
      ASSERT_TRUE(line < lines.size() && lines[line].starts_with("```")) << entry.path() << ": no code block after " << lines[i];
      for (++line; line < lines.size() && !lines[line].starts_with("```"); ++line) text += lines[line] + '\n';
      const std::string expected = region(lines_of(root / source.substr(0, colon)), source.substr(colon + 1));
      EXPECT_EQ(text, expected) << entry.path() << ": " << source;
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(docs, architecture_lists_the_passes_in_their_order) {
  const std::string head = "| pass | targets | effect |", mark = "| `";
  std::vector<std::string> listed;
  bool inside = false;
  for (const std::string& line : lines_of(std::filesystem::path(KRAIT_SOURCE_DIR) / "docs/architecture.md")) {
    inside = line == head || (inside && line.starts_with("|"));
    if (inside && line.starts_with(mark)) listed.push_back(line.substr(mark.size(), line.find('`', mark.size()) - mark.size()));
  }
  const std::vector<std::string_view> run = krait::passes::pipeline_names();
  EXPECT_EQ(listed, std::vector<std::string>(run.begin(), run.end()));
}

}  // namespace
