# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Passes when SOURCE is refused with EXPECTED among the messages, and the same file without its WRONG line compiles.
execute_process(COMMAND ${COMPILER} ${FLAG} -I${INCLUDE} -fsyntax-only ${SOURCE} RESULT_VARIABLE failed ERROR_VARIABLE text)
if(NOT failed)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
string(FIND "${text}" "${EXPECTED}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${SOURCE}: the message does not contain\n  ${EXPECTED}\nbut is\n${text}")
endif()
execute_process(COMMAND ${COMPILER} ${FLAG} -I${INCLUDE} -fsyntax-only -DRIGHT ${SOURCE} RESULT_VARIABLE failed ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "${SOURCE} does not compile with -DRIGHT either:\n${text}")
endif()
