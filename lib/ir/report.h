// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels tell the host: lines (print) and faults. The pass lower_reports makes a kernel write
// records into a buffer of u32 words; the host knows each record's text and types from the kernel's
// list of sites, and puts both together.
//
// The buffer has an area for lines and one for faults, so that lines cannot drown faults. An area's
// head is four words: the word where the next record goes, the end of the area, and how many
// records found no room (64 bits, low word first). A record is
//   the launch's number, the site's number,
//   in a fault also thread x, thread y | z << 16, block x (two words), y, z,
// then the values: one word each, floats and halves by their bits, two words for 64-bit types, low
// word first. Launches count from 1 and the buffer is zero at first: a zero ends the records, as
// the one that found no room moved the next word too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace krait::ir {

/// An instruction that reports.
struct ReportSite {
  bool fault = false;
  std::string text;  // a format text of the library fmt, with a place for each value
  std::vector<Scalar> types;
  Location where;
};

/// The sites of a module in text order: their numbers in records. Empty: the module reports
/// nothing.
std::vector<ReportSite> report_sites(const Module& module);

/// How many {…} the text has; {{ stands for a brace.
std::size_t places(const std::string& text);
/// Empty, or why values of these types do not fit the places of the text.
std::string misfit(const std::string& text, std::span<const Scalar> types);
/// The text with the values in its places. bool is true or false.
std::string format(const std::string& text, std::span<const Scalar> types,
                   std::span<const std::uint64_t> bits);
/// What a fault says where an assumption does not hold.
inline const std::string broken_assumption = "an assumption does not hold";
/// The text without places that gives `plain`.
std::string escaped(const std::string& plain);
/// "parameter 2", counted from 1; "the shared array of file:line".
std::string array_label(const Function& f, ValueId array);
/// What an access does, for messages: "load from", "store to", "atomic on".
const char* access_word(Op op);

// ---- the buffer ---------------------------------------------------------------------------------

enum ReportHead : std::uint32_t { ReportNext, ReportEnd, ReportLost, ReportLostHigh };
inline constexpr std::uint32_t report_head_words = 4;
constexpr std::uint32_t report_head(bool fault) { return fault ? report_head_words : 0; }
inline constexpr std::uint32_t report_first_word = 2 * report_head_words;
constexpr unsigned words_of(Scalar s) { return size_of(s) == 8 ? 2 : 1; }
/// Words of a record.
unsigned words_of(const ReportSite& site);

/// The heads of an empty buffer with room for that many words of lines and of faults behind them.
std::array<std::uint32_t, report_first_word> empty_reports(std::uint32_t lines,
                                                           std::uint32_t faults);

/// A record that was read back.
struct Report {
  const ReportSite* site = nullptr;
  std::uint32_t launch = 0;
  std::array<std::int64_t, 3> block{}, thread{};  // of a fault
  std::vector<std::uint64_t> values;
  std::string text() const { return format(site->text, site->types, values); }
};
/// The records of an area in the order of writing; `find` gives the sites of a launch's kernel, or
/// null.
std::vector<Report> read_reports(
    std::span<const std::uint32_t> buffer, bool fault,
    const std::function<const std::vector<ReportSite>*(std::uint32_t launch)>& find);
/// How many records of the area found no room.
std::uint64_t lost_reports(std::span<const std::uint32_t> buffer, bool fault);

}  // namespace krait::ir
