# Headers that most files of a target include and that take long to read are read once:
#
#   skein_precompile_headers(name <gtest/gtest.h> ...)
#   skein_precompile_headers(name REUSE_FROM other)        # of a target with the same options
#
# Without the times of files in it ccache finds again what was compiled with such a header.
function(skein_precompile_headers target)
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()
