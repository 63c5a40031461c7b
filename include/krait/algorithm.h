// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait.h, and the algorithms that cost little to include: reductions, scans, sorts, searches,
// histograms, indices and masks, loops, random arrays, functions of elements, parts put together.
// The test header.budget_algorithm holds it to 20,000 preprocessed lines. docs/headers.md has the
// header of every other name.
#pragma once

#include <krait/algorithm/elements.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/moments.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/sort.h>
#include <krait/krait.h>
