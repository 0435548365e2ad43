# What keeps a cold build short. For code whose own speed nobody waits for: tests, and the command line around the libraries.
set(tensortide_quick_to_compile $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)
