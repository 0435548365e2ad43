# What keeps a cold build short. With TENSORTIDE_PRECOMPILE what most files read from the system is compiled once per kind of target
# instead of once per file (a fifth of the time of a cold build); every file includes what it uses all the same. It is off behind a
# compiler cache, which serves unchanged files anyway and would lose all of them with each change of a precompiled header.
option(TENSORTIDE_PRECOMPILE "Precompile the system's headers" ON)
if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT TENSORTIDE_PRECOMPILE)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(tensortide_system_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map> <memory> <numeric> <optional>
  <set> <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# GCC 12 forgets of precompiled headers that they are the system's, whose false alarms about std::string it keeps quiet otherwise.
function(tensortide_quiet_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
  endif()
endfunction()

# tensortide_precompile(TARGET [HEADERS...])  These and more for the C++ files of TARGET.
function(tensortide_precompile target)
  target_precompile_headers(${target} PRIVATE ${tensortide_system_headers} ${ARGN})
  tensortide_quiet_precompiled(${target})
endfunction()

# tensortide_reuse_precompiled(TARGET OTHER)  Those of OTHER, which is compiled with the same flags and definitions.
function(tensortide_reuse_precompiled target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  tensortide_quiet_precompiled(${target})
endfunction()

# Vector loops are compiled once per instruction set. Processors that have SSSE3 but not SSE4.1 (before 2008) run the scalar ones.
add_compile_definitions(HWY_DISABLED_TARGETS=HWY_SSSE3)

# For code whose own speed nobody waits for: tests, and the command line around the libraries.
set(tensortide_quick_to_compile $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)

# With TENSORTIDE_UNITY the compiler reads several files of a target as one, so that what they share is parsed once: a cold build takes
# about half the time, a change costs more. All presets but `dev` have it on.
option(TENSORTIDE_UNITY "Compile several files as one" OFF)
set(tensortide_unity_files 16)  # at most so many in one

# Names that FILE declares at the start of a line, as everything outside of classes and functions is here: functions, types, constants,
# aliases and macros. Test cases and members (`Type::member`) are no such names. A using-declaration (`using engine::Graph;`) may stand in
# several files: its name goes to IMPORTED. So do names of a test's own headers (`tests/<room>/x.h`), which may be common words.
function(tensortide_names_of file out imported)
  file(STRINGS ${file} lines REGEX "^([A-Za-z]|#define |#include \"tests/)")
  set(names)
  set(taken)
  foreach(line IN LISTS lines)
    if(line MATCHES "^(namespace|INSTANTIATE_|TEST)")
      continue()
    endif()
    if(line MATCHES "^#include \"(tests/.*)\"")
      set(header ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1})
      if(NOT header MATCHES "/tests/support/" AND EXISTS ${header})
        tensortide_names_of(${header} of_header from_header)
        list(APPEND taken ${of_header})
      endif()
      continue()
    endif()
    if(line MATCHES "^using +[^=]*::([A-Za-z_0-9]+);")
      list(APPEND taken "${CMAKE_MATCH_1}")
      continue()
    endif()
    if(line MATCHES "^#define +([A-Za-z_0-9]+)|^(struct|class|enum class|enum|using) +([A-Za-z_0-9]+)")
      list(APPEND names "${CMAKE_MATCH_1}${CMAKE_MATCH_3}")
    elseif(line MATCHES "^const")  # several may stand in a line, with figures and types in their values
      string(REGEX MATCHALL "[A-Za-z_0-9]+( =|\\[|{|;)" several "${line}")
      list(TRANSFORM several REPLACE "[^A-Za-z_0-9].*" "")
      list(FILTER several EXCLUDE REGEX "^[0-9]|_t$")
      list(APPEND names ${several})
    endif()
    if(line MATCHES "^[^(=]*[^:A-Za-z_0-9]([A-Za-z_0-9]+)(\\(|\\[| =|{|;)")
      list(APPEND names "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(FILTER names EXCLUDE REGEX "^[0-9]")
  set(${out} ${names} PARENT_SCOPE)
  set(${imported} ${taken} PARENT_SCOPE)
endfunction()

# tensortide_unite(TARGET [ALONE REGEX [BUT REGEX]] [OVERLOADED NAME...])  Call after the sources of TARGET are known. Files that declare the same name, hidden or not, stay
# apart, so that no file can call another file's function by accident; so do a declaration and a using-declaration of one name. OVERLOADED
# are names of functions that headers declare for several types. Compiled one by one are files that match ALONE, but not BUT, and those
# that Highway compiles once per instruction set.
function(tensortide_unite target)
  cmake_parse_arguments(U "" "ALONE;BUT" "OVERLOADED" ${ARGN})
  if(NOT TENSORTIDE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Neighbours' hidden functions are no names that a local variable hides (options.cmake leaves -Wshadow out), and hidden types of files
  # are no types of headers: files compiled one by one (preset `dev`) are warned of both.
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(groups 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    if(NOT source MATCHES "\\.cpp$" OR NOT EXISTS ${source} OR (U_ALONE AND source MATCHES "${U_ALONE}" AND NOT (U_BUT AND source MATCHES "${U_BUT}")))
      continue()
    endif()
    file(STRINGS ${source} highway REGEX "HWY_TARGET_INCLUDE")
    if(highway)
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    tensortide_names_of(${source} names imported)
    if(U_OVERLOADED)
      list(REMOVE_ITEM names ${U_OVERLOADED})
    endif()
    set(found)
    foreach(group RANGE ${groups})
      if(size_${group} AND size_${group} GREATER_EQUAL tensortide_unity_files)
        continue()
      endif()
      set(apart FALSE)
      foreach(name IN LISTS names)
        if(DEFINED name_${group}_${name} OR DEFINED import_${group}_${name})
          set(apart TRUE)
          break()
        endif()
      endforeach()
      foreach(name IN LISTS imported)
        if(DEFINED name_${group}_${name})
          set(apart TRUE)
          break()
        endif()
      endforeach()
      if(NOT apart)
        set(found ${group})
        break()
      endif()
    endforeach()
    if(found EQUAL groups)
      math(EXPR groups "${groups} + 1")
    endif()
    math(EXPR size_${found} "0${size_${found}} + 1")
    foreach(name IN LISTS names)
      set(name_${found}_${name} 1)
    endforeach()
    foreach(name IN LISTS imported)
      set(import_${found}_${name} 1)
    endforeach()
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${found}")
  endforeach()
endfunction()
