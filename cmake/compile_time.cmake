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

# For code whose own speed nobody waits for: tests, and the command line around the libraries.
set(tensortide_quick_to_compile $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)
