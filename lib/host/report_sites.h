// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of a recording print, check or may fault: the numbers in the records that
// devices/reports.h reads.
#pragma once

#include "devices/reports.h"
#include "host/jit.h"

namespace krait::host {

/// The recording with calls inlined and accesses checked, as the pipeline begins: its sites have
/// the numbers of records.
ir::Module with_reports(const Recorded& recorded);

/// Null for a kernel that reports nothing.
const ReportSource* find_reports(const Recorded& recorded);

}  // namespace krait::host
