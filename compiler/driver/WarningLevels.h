//===- WarningLevels.h - What -W flags make of Skein's warnings ------------===//
//
// A clang plugin cannot add warning flags, so the driver reads the ones of Skein, in the order of the command line, and
// hands the outcome to the plugin (compiler/passes/Diagnostics.h says how):
//
//     -Wskein-X  -Wno-skein-X  -Werror=skein-X  -Wno-error=skein-X     and the same without -X: all of them
//     -Werror    -Wno-error                                            those that the source decides
//
// `unproved` and `pinned` depend on what the optimiser did, so plain -Werror leaves them warnings: a drop-in build of
// an existing project never fails because of them.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_DRIVER_WARNINGLEVELS_H
#define SKEIN_DRIVER_WARNINGLEVELS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace skein {

class WarningLevels {
public:
  enum class Outcome { NotOurs, Applied, Unknown };

  WarningLevels();

  /// Applies a flag, given as the text after -W.
  Outcome apply(llvm::StringRef Flag);

  /// Applies -w, which leaves only the warnings that were made errors by name.
  void silence();

  /// The setting for the plugin: unproved=warning,pinned=off,...
  std::string settings() const;

  struct Entry {
    llvm::StringRef Name;
    llvm::StringRef Help;
    bool FollowsWerror; ///< plain -Werror applies to it
    bool Default;       ///< on without a flag
  };
  static const std::vector<Entry> &all();

  /// What an option that names no warning may have been meant to be; empty if no name is near.
  static std::string nearest(llvm::StringRef Option);

private:
  struct State {
    bool On = true;
    bool Error = false;
    bool ErrorNamed = false; ///< by -W[no-]error=skein-..., which plain -W[no-]error does not overrule
  };
  std::vector<State> States;
};

} // namespace skein

#endif
