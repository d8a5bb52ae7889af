# cmake --toolchain <prefix>/lib/cmake/Skein/SkeinToolchain.cmake: C and C++ are compiled by the skeincc of this installation,
# and find_package(Skein) finds it.
get_filename_component(SKEIN_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${SKEIN_PREFIX}/bin/skeincc")
set(CMAKE_CXX_COMPILER "${SKEIN_PREFIX}/bin/skein++")
list(PREPEND CMAKE_PREFIX_PATH "${SKEIN_PREFIX}")
