# One INTERFACE target for warnings, sanitizers and the include root; every target of ours links it.
add_library(tensortide_options INTERFACE)
target_include_directories(tensortide_options INTERFACE ${CMAKE_SOURCE_DIR})
# Files the C++ compiler sees, and what nvcc and the host part of its output can bear: -Wpedantic objects to
# every line it writes.
set(CXX COMPILE_LANGUAGE:CXX)
set(CUDA COMPILE_LANGUAGE:CUDA)
target_compile_options(tensortide_options INTERFACE
  "$<$<${CXX}>:-Wall;-Wextra;-Wpedantic;-Wnon-virtual-dtor;-Wunused>"
  "$<$<AND:$<${CXX}>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>"  # one file at a time: see compile_time.cmake
  "$<$<${CUDA}>:-Xcompiler=-Wall,-Wextra,-Wnon-virtual-dtor;--expt-relaxed-constexpr>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms: std::string's operator+ (GCC bug 105651); std::vectors chosen by ?: at -O3.
  target_compile_options(tensortide_options INTERFACE
    "$<$<${CXX}>:-Wno-restrict;$<$<CONFIG:Release>:-Wno-free-nonheap-object>>"
    "$<$<${CUDA}>:-Xcompiler=-Wno-restrict,-Wno-free-nonheap-object>")
endif()
target_compile_definitions(tensortide_options INTERFACE TENSORTIDE_VERSION="${PROJECT_VERSION}")
if(TENSORTIDE_WERROR)
  target_compile_options(tensortide_options INTERFACE "$<$<${CXX}>:-Werror>" "$<$<${CUDA}>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()
if(TENSORTIDE_SANITIZE)
  target_compile_options(tensortide_options INTERFACE "$<$<${CXX}>:-fsanitize=${TENSORTIDE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(tensortide_options INTERFACE -fsanitize=${TENSORTIDE_SANITIZE})
  # Half the time to compile that -O2 -g takes; line numbers of reports stay.
  target_compile_options(tensortide_options INTERFACE "$<$<${CXX}>:-O1;-g1>")
  # GCC 12 sees uninitialised reads in <regex> and <functional> where the sanitizers' checks stand between.
  target_compile_options(tensortide_options INTERFACE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<${CXX}>>:-Wno-maybe-uninitialized>)
endif()
