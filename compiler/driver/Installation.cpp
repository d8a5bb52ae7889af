//===- Installation.cpp - Paths relative to the running program ------------===//
#include "Installation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace skein {

static std::string below(StringRef Root, StringRef Directory, StringRef File = "") {
  SmallString<256> Path(Root);
  sys::path::append(Path, Directory);
  if (!File.empty())
    sys::path::append(Path, File);
  return std::string(Path);
}

Installation Installation::find() {
  SmallString<256> Self;
  if (sys::fs::real_path("/proc/self/exe", Self))
    Self = sys::fs::getMainExecutable(nullptr, nullptr);
  StringRef Root = sys::path::parent_path(sys::path::parent_path(Self));

  Installation Home;
  Home.Clang = SKEIN_CLANG;
  Home.Include = below(Root, "include");
  Home.Plugin = below(Root, "lib/skein", "SkeinPlugin.so");
  Home.Frontend = below(Root, "lib/skein", "SkeinFrontend.so");
  Home.Runtime = below(Root, "lib/skein", "libskein.a");
  Home.Interpose = below(Root, "lib/skein", "skein_interpose.o");
  Home.Template = below(Root, "lib/skein", "template.ld");
  Home.NoTemplate = below(Root, "lib/skein", "no_template.ld");
  Home.Library = below(Root, "lib/skein", "libskein_library.a");
  Home.Uninstrumented = below(Root, "lib/skein", "uninstrumented.txt");
  return Home;
}

} // namespace skein
