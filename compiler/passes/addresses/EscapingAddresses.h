//===- EscapingAddresses.h - Addresses of locals that leave our sight -------===//
#ifndef SKEIN_PASSES_ADDRESSES_ESCAPINGADDRESSES_H
#define SKEIN_PASSES_ADDRESSES_ESCAPINGADDRESSES_H

#include "llvm/IR/PassManager.h"

namespace skein {

class EscapingAddressesPass : public llvm::PassInfoMixin<EscapingAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "escaping-addresses"; }
};

} // namespace skein

#endif
