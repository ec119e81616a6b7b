# SPDX-License-Identifier: MIT

# Runs a program and compares what it prints with a file.
# cmake -D COMMAND=program;argument... -D EXPECTED=file -D ACTUAL=file -P run_and_compare.cmake

execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_FILE ${ACTUAL})
if(NOT status EQUAL 0)
    message(FATAL_ERROR "ended with ${status}; its output is in ${ACTUAL}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${EXPECTED} ${ACTUAL}
    RESULT_VARIABLE different ERROR_QUIET)
if(different)
    execute_process(COMMAND diff -u ${EXPECTED} ${ACTUAL})
    message(FATAL_ERROR "the output differs from ${EXPECTED}")
endif()
