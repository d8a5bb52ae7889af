//===- Installation.h - Where the parts of Skein lie -----------------------===//
//
//     <root>/bin/skeincc     this program (found by /proc/self/exe, so symbolic links to it work from anywhere)
//     <root>/lib/skein/      SkeinFrontend.so, SkeinPlugin.so, libskein.a, libskein_library.a
//     <root>/include/skein/  skein.h, ...
//
// <root> is build/<preset>; an installed tree looks the same. Only clang's place is fixed when skeincc is built,
// because the plugin must be loaded by the very LLVM it was built for.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_DRIVER_INSTALLATION_H
#define SKEIN_DRIVER_INSTALLATION_H

#include <string>

namespace skein {

struct Installation {
  std::string Clang;
  std::string Include;
  std::string Plugin;     ///< passes: what -fpass-plugin= names
  std::string Frontend;   ///< the Clang half, which loads the passes
  std::string Runtime;    ///< libskein.a
  std::string Interpose;  ///< replacements for functions of libc, for libraries too
  std::string Template;   ///< linker script: private variables of a program
  std::string NoTemplate; ///< the same for a shared object, which cannot have any
  std::string Library;    ///< libskein_library.a
  /// In a build with sanitizers: the list of sources that are not instrumented, which is all.
  std::string Uninstrumented;

  static Installation find();
};

} // namespace skein

#endif
