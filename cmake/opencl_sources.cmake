# Writes engine/opencl/*.cl as a C++ table: cmake -D FOLDER=... -D OUT=... -P opencl_sources.cmake.
file(GLOB files ${FOLDER}/*.cl)
set(rows)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"opencl(${text})opencl\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUT} @ONLY NEWLINE_STYLE UNIX CONTENT [[
// Made by cmake/opencl_sources.cmake of engine/opencl/*.cl.
#include "engine/opencl/sources.h"

namespace engine::opencl {

std::span<const Source> sources() {
  static constexpr Source all[] = {
@rows@  };
  return all;
}

}  // namespace engine::opencl
]])
