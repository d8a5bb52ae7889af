//===- AddressSignatures.h - Which integer arguments and results are addresses //
#ifndef SKEIN_PASSES_ADDRESSES_ADDRESSSIGNATURES_H
#define SKEIN_PASSES_ADDRESSES_ADDRESSSIGNATURES_H

#include "llvm/IR/PassManager.h"

namespace skein {

class AddressSignaturesPass : public llvm::PassInfoMixin<AddressSignaturesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "address-signatures"; }
};

} // namespace skein

#endif
