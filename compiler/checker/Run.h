//===- Run.h - Checks many files at once ---------------------------------===//
#ifndef SKEIN_CHECKER_RUN_H
#define SKEIN_CHECKER_RUN_H

#include "checker/Findings.h"
#include "clang/Tooling/CompilationDatabase.h"

namespace skein {

struct CheckRequest {
  const clang::tooling::CompilationDatabase &Commands;
  std::vector<std::string> Files;
  std::vector<bool> Rules; ///< by Warning: whether it is wanted
  bool Pedantic = false;
  unsigned Jobs = 0; ///< files at a time; 0: one per core
  bool Progress = false;
  std::string Include; ///< where <skein/skein.h> lies
};

struct CheckOutcome {
  std::vector<FileFinding> Findings; ///< sorted
  unsigned Failed = 0;               ///< files that could not be read as C or C++; the reasons have gone to stderr
};

CheckOutcome runChecks(const CheckRequest &Request);

} // namespace skein

#endif
