# tensortide_relocatable(TARGETS...): programs and libraries that tests/gpu/pack moves to another machine find the libraries beside them.
# DT_RPATH, not DT_RUNPATH: it also holds for the libraries that our libraries need.
function(tensortide_relocatable)
  foreach(target ${ARGN})
    set_target_properties(${target} PROPERTIES BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN/../lib")
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
endfunction()
