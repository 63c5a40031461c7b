# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails when SOURCE has more than LINES preprocessed lines or includes one of the FORBIDDEN standard headers.
execute_process(COMMAND ${COMPILER} ${FLAG} -I${INCLUDE} -E -P ${SOURCE} OUTPUT_VARIABLE text RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "cannot preprocess ${SOURCE}")
endif()
string(REGEX REPLACE "[^\n]" "" newlines "${text}")
string(LENGTH "${newlines}" count)
message(STATUS "${count} preprocessed lines, at most ${LINES}")
if(count GREATER LINES)
  message(FATAL_ERROR "${SOURCE} has ${count} preprocessed lines, more than ${LINES}")
endif()

execute_process(COMMAND ${COMPILER} ${FLAG} -I${INCLUDE} -E ${SOURCE} OUTPUT_VARIABLE text)
foreach(header ${FORBIDDEN})
  if(text MATCHES "\n# [0-9]+ \"[^\"\n]*/c\\+\\+/[^\"\n/]*/?${header}\"")
    message(FATAL_ERROR "${SOURCE} includes <${header}>")
  endif()
endforeach()
