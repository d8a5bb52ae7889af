//===- PrivateHeap.h - Allocations on the private heap, and their types -----===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H
#define SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H

#include "llvm/IR/PassManager.h"

namespace skein {

/// A function was compiled with -fskein-heap=private.
inline constexpr const char *PrivateHeapAttribute = "skein-private-heap";

/// -fskein-heap=private
bool privateHeapRequested();

class PrivateHeapPass : public llvm::PassInfoMixin<PrivateHeapPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "private-heap"; }
};

/// What the frontend says about the type of an allocation (HeapTypeRule.cpp): calls that this pass takes away again.
///
///     size_t __skein_sized(size_t, const char *type)    an argument of an allocation, or of a function that may
///     allocate:
///                                                       the size, or the number of elements
///     void *__skein_typed(void *, const char *type)     the result of a function that may allocate
///
/// `type` is a name and the words of a skein_layout (abi/layout.h): "name|flags|head|part|offset.count.stride …|… ".
/// The name has no bar; the fifth field belongs to the head, the sixth to the parts. An empty text: the type is not
/// known.
inline constexpr const char *SizedFunction = "__skein_sized";
inline constexpr const char *TypedFunction = "__skein_typed";
/// A new expression calls a function of the name `__skein_new:OPERATOR:TYPE`: the operator by its mangled name, the
/// type as above.
inline constexpr const char *NewPrefix = "__skein_new:";

} // namespace skein

#endif
