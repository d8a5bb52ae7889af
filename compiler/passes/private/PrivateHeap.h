//===- PrivateHeap.h - Allocations on the private heap, and their types -----===//
#ifndef SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H
#define SKEIN_PASSES_PRIVATE_PRIVATEHEAP_H

#include "passes/Annotations.h"
#include "llvm/IR/PassManager.h"

namespace skein {

/// Function attribute: the function was compiled with -fskein-heap=private.
inline constexpr const char *PrivateHeapAttribute = "skein-private-heap";

/// Whether -fskein-heap=private was given.
bool privateHeapRequested();

/// What the frontend says about the type of an allocation (HeapTypeRule.cpp). It inserts calls that this pass removes:
///
///     size_t __skein_sized(size_t, const char *type)    an argument of a function that allocates or may allocate: the
///                                                       size, or the number of elements
///     void *__skein_typed(void *, const char *type)     the result of a function that may allocate
///
/// `type` is the text of a HeapLayout.
inline constexpr const char *SizedFunction = "__skein_sized";
inline constexpr const char *TypedFunction = "__skein_typed";
/// A new expression calls a function with the name `__skein_new:OPERATOR:TYPE`: the mangled name of the operator, and
/// the type as above.
inline constexpr const char *NewPrefix = "__skein_new:";

/// A skein_layout (abi/layout.h) on its way from the frontend to the section of layouts.
struct HeapLayout {
  std::string Name; ///< the name of the type, without a bar
  uint32_t Flags = 0, Head = 0, Part = 0;
  /// All words are pointers; each number is as large as its field.
  llvm::SmallVector<WordGroup, 8> HeadWords, PartWords;

  /// "name|flags|head|part|offset.count.stride …|… ": the fifth field belongs to the head, the sixth to the parts.
  std::string text() const;
  static std::optional<HeapLayout> parse(llvm::StringRef Text);
};

} // namespace skein

#endif
