# SPDX-License-Identifier: MIT

# Writes a C file with files in it, as NAME_files of embed.h.
# cmake -D NAME=name -D ROOT=folder -D FILES="a;b" -D OUTPUT=file -P embed.cmake

set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    file(READ ${ROOT}/${file} content)
    # Our licence is not that of whoever starts from it.
    string(REGEX REPLACE "^[^\n]*SPDX-License-Identifier[^\n]*\n(// Copyright[^\n]*\n)?\n?" ""
        content "${content}")
    string(HEX "${content}" hex)
    string(REGEX REPLACE "(..)" "0x\\1, " bytes "${hex}")
    string(APPEND arrays
        "static const unsigned char file_${number}[] = {\n${bytes}\n    0x00};\n\n")
    string(APPEND rows "    {\"${file}\", file_${number}, sizeof(file_${number}) - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by embed.cmake.\n\n#include \"embed.h\"\n\n${arrays}"
    "const embedded_file ${NAME}_files[] = {\n${rows}};\n"
    "const uint32_t ${NAME}_file_count = ${number};\n")
