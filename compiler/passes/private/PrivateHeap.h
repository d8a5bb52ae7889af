//===- PrivateHeap.h - Allocations on the private heap, and their types -----===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H
#define SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H

#include "passes/Annotations.h"
#include "llvm/IR/PassManager.h"

namespace skein {

/// A function was compiled with -fskein-heap=private.
inline constexpr const char *PrivateHeapAttribute = "skein-private-heap";

/// -fskein-heap=private
bool privateHeapRequested();

/// What the frontend says about the type of an allocation (HeapTypeRule.cpp): calls that this pass takes away again.
///
///     size_t __skein_sized(size_t, const char *type)    an argument of an allocation, or of a function that may
///     allocate:
///                                                       the size, or the number of elements
///     void *__skein_typed(void *, const char *type)     the result of a function that may allocate
///
/// `type` is the text of a HeapLayout.
inline constexpr const char *SizedFunction = "__skein_sized";
inline constexpr const char *TypedFunction = "__skein_typed";
/// A new expression calls a function of the name `__skein_new:OPERATOR:TYPE`: the operator by its mangled name, the
/// type as above.
inline constexpr const char *NewPrefix = "__skein_new:";

/// A skein_layout (abi/layout.h) on its way from the frontend to the section of layouts.
struct HeapLayout {
  std::string Name; ///< of the type, without a bar
  uint32_t Flags = 0, Head = 0, Part = 0;
  llvm::SmallVector<WordGroup, 8> HeadWords, PartWords; ///< all pointers, each number as large as its field

  /// "name|flags|head|part|offset.count.stride …|… ": the fifth field belongs to the head, the sixth to the parts.
  std::string text() const;
  static std::optional<HeapLayout> parse(llvm::StringRef Text);
};

} // namespace skein

#endif
