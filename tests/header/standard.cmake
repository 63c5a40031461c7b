# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Passes when by an older standard COMPILER refuses each of the HEADERS with Krait's own sentence first, and few lines: that and the way to it.
foreach(header ${HEADERS})
  file(WRITE ${SOURCE} "#include <${header}>\nint main() {}\n")
  execute_process(COMMAND ${COMPILER} -std=c++17 -I${INCLUDE} -fsyntax-only ${SOURCE} RESULT_VARIABLE failed ERROR_VARIABLE text)
  string(REGEX REPLACE "[^\n]" "" newlines "${text}")
  string(LENGTH "${newlines}" lines)
  string(REGEX MATCH "error: [^\n]*" first "${text}")
  if(NOT failed OR lines GREATER 30 OR NOT first MATCHES "Krait needs C.+20: compile with -std=c.+20")
    message(SEND_ERROR "<${header}> by C++17: ${lines} lines of errors, the first of them\n  ${first}")
  endif()
endforeach()
