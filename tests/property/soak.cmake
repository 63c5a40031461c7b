# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=random_kernels -DLOGS=FOLDER -P soak.cmake BACK_END COUNT
# COUNT random kernels of each kind: plain ones and those whose threads meet in both exact modes, and those that report. A log each;
# all are run, and differences are an error at the end.
foreach(i RANGE ${CMAKE_ARGC})
  if("${CMAKE_ARGV${i}}" STREQUAL "-P")
    math(EXPR at "${i} + 2")
    set(back_end ${CMAKE_ARGV${at}})
    math(EXPR at "${i} + 3")
    set(count ${CMAKE_ARGV${at}})
  endif()
endforeach()
file(MAKE_DIRECTORY ${LOGS})
set(different "")
function(soak name)
  set(log ${LOGS}/${back_end}.${name}.log)
  execute_process(COMMAND ${PROGRAM} --back-end ${back_end} --count ${count} --seed 1 --go-on yes ${ARGN} OUTPUT_FILE ${log} ERROR_FILE ${log}
    RESULT_VARIABLE result)
  file(STRINGS ${log} lines)
  list(POP_BACK lines last)
  message("${name}: ${last}")
  if(NOT result EQUAL 0)
    set(different "${different} ${log}" PARENT_SCOPE)
  endif()
endfunction()
foreach(mode strict reproducible)
  soak(${mode} --mode ${mode})
  soak(${mode}.meet --mode ${mode} --meet yes)
endforeach()
soak(reports --reports yes)
if(different)
  message(FATAL_ERROR "Differences: see${different}")
endif()
