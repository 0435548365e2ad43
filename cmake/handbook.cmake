# Writes the pages of docs/pages.txt as a C++ table: cmake -D DOCS=... -D OUT=... -P handbook.cmake. Included, it lists their files
# and the pictures that they show.
file(STRINGS ${DOCS}/pages.txt lines REGEX "^[^#]")
set(handbook_files)
set(handbook_pictures)
set(rows)
foreach(line IN LISTS lines)
  separate_arguments(commands UNIX_COMMAND "${line}")
  list(POP_FRONT commands page)
  list(JOIN commands " " commands)
  list(APPEND handbook_files ${DOCS}/${page})
  file(READ ${DOCS}/${page} text)
  string(REGEX MATCHALL "!\\[[^]]*\\]\\([^)]*\\)" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE ".*\\(\\.\\./(.*)\\)" "${DOCS}/../\\1" picture "${link}")
    cmake_path(NORMAL_PATH picture)
    list(APPEND handbook_pictures ${picture})
  endforeach()
  if(OUT)
    string(APPEND rows "    {\"${page}\", \"${commands}\", R\"handbook(${text})handbook\"},\n")
  endif()
endforeach()
list(REMOVE_DUPLICATES handbook_pictures)
if(OUT)
  file(CONFIGURE OUTPUT ${OUT} @ONLY NEWLINE_STYLE UNIX CONTENT [[
// Made by cmake/handbook.cmake of docs/pages.txt.
#include "app/base/handbook.h"

namespace app {

std::span<const HandbookPage> handbook() {
  static constexpr HandbookPage pages[] = {
@rows@  };
  return pages;
}

}  // namespace app
]])
endif()
