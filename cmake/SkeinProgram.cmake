# Programs compiled by the skeincc of this build tree: examples and benchmarks.
#
#   skein_add_program(quadrature SOURCE quadrature.c [DIRECTORY examples] [OPTIONS -lm ...] [DEPENDS files of OPTIONS])
#
# builds <build>/<DIRECTORY>/<name> as target program-<name>, again whenever the source, a header, the compiler or the
# runtime changes. A call that cannot be proved to migrate safely is an error here, as in all our tests.
function(skein_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "SOURCE;DIRECTORY" "OPTIONS;DEPENDS")
  if(NOT program_DIRECTORY)
    set(program_DIRECTORY examples)
  endif()
  set(output ${CMAKE_BINARY_DIR}/${program_DIRECTORY}/${name})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${program_SOURCE})
  set(depfile ${CMAKE_CURRENT_BINARY_DIR}/${name}.d)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${program_DIRECTORY})
  add_custom_command(
    OUTPUT ${output}
    COMMAND skeincc -O2 -g1 -Wall -Wextra -Werror -Werror=skein-unproved -MD -MF ${depfile} -MT ${output}
            -o ${output} ${source} ${program_OPTIONS}
    DEPENDS ${source} ${program_DEPENDS} skeincc SkeinPlugin SkeinFrontend skein skein_library
            ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libskein_library.a
    DEPFILE ${depfile}
    COMMENT "Building ${program_DIRECTORY}/${name} with skeincc"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(program-${name} ALL DEPENDS ${output})
endfunction()
