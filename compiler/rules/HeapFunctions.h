//===- HeapFunctions.h - The C library's allocators and ours --------------===//
#ifndef SKEIN_RULES_HEAPFUNCTIONS_H
#define SKEIN_RULES_HEAPFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace skein {

struct HeapFunction {
  enum What { Nothing, Block, ByAddress };
  llvm::StringLiteral Standard, Own; ///< malloc, skein_malloc
  What Gives;
  llvm::StringLiteral Typed; ///< "": there is no version with a layout
};

inline constexpr HeapFunction HeapFunctions[] = {
#define SKEIN_HEAP_FUNCTION(Name, Gives, Typed) {#Name, "skein_" #Name, HeapFunction::Gives, Typed},
#include "rules/HeapFunctions.def"
#undef SKEIN_HEAP_FUNCTION
};

/// The function of that name, the C library's or ours; null: it is none of them.
inline const HeapFunction *heapFunction(llvm::StringRef Standard) {
  for (const HeapFunction &F : HeapFunctions)
    if (F.Standard == Standard)
      return &F;
  return nullptr;
}
inline const HeapFunction *ownHeapFunction(llvm::StringRef Own) {
  return Own.consume_front("skein_") ? heapFunction(Own) : nullptr;
}

} // namespace skein

#endif
