# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails where docs/operations.md is not what the program prints.
execute_process(COMMAND ${PROGRAM} --table OUTPUT_FILE operations.md COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files operations.md ${PAGE} RESULT_VARIABLE different)
if(different)
  message(FATAL_ERROR "docs/operations.md is not what `op_matrix --table` prints: build the target operations_page")
endif()
