# One INTERFACE target for warnings, sanitizers and the include root; every target of ours links it.
add_library(tensortide_options INTERFACE)
target_include_directories(tensortide_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(tensortide_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms: std::string's operator+ (GCC bug 105651); std::vectors chosen by ?: at -O3.
  target_compile_options(tensortide_options INTERFACE -Wno-restrict $<$<CONFIG:Release>:-Wno-free-nonheap-object>)
endif()
target_compile_definitions(tensortide_options INTERFACE TENSORTIDE_VERSION="${PROJECT_VERSION}")
if(TENSORTIDE_WERROR)
  target_compile_options(tensortide_options INTERFACE -Werror)
endif()
if(TENSORTIDE_SANITIZE)
  target_compile_options(tensortide_options INTERFACE -fsanitize=${TENSORTIDE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tensortide_options INTERFACE -fsanitize=${TENSORTIDE_SANITIZE})
  # GCC 12 sees uninitialised reads in <regex> and <functional> where the sanitizers' checks stand between.
  target_compile_options(tensortide_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
