// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of what the search finds: a name that is the one asked for comes first, with kr::, krait:: or neither.
var Scorer = {
  score: function (result) {
    const last = (text) => text.toLowerCase().trim().split("::").pop().split(" ").pop();
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    const name = result[1].startsWith("kr::") || result[1].startsWith("krait_");
    return result[4] + (name && last(asked) === last(result[1]) ? 100 - result[1].split("::").length : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
