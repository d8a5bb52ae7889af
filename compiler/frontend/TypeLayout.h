//===- TypeLayout.h - Which words of a C or C++ type can hold pointers -----===//
//
// The layout of an object as its source type tells it, for whoever has to find the pointers in memory of that type:
// blocks of the private heap, private variables, locals.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_TYPELAYOUT_H
#define SKEIN_FRONTEND_TYPELAYOUT_H

#include "passes/Annotations.h"
#include "clang/AST/Type.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace skein {

/// Of kinds SKEIN_LOCAL_POINTER and SKEIN_LOCAL_AMBIGUOUS, with ascending offsets from the object's first byte. Words
/// that no group names hold no pointer.
struct TypeLayout {
  int64_t Size = 0; ///< sizeof the type; a run of objects repeats after as many bytes
  llvm::SmallVector<WordGroup, 4> Groups;
  /// A flexible array member (`T a[]`, `T a[0]`): from TailOffset to the end of the block, elements of TailSize bytes
  /// (0: there is none). Offsets in Tail count from the element.
  int64_t TailOffset = 0;
  int64_t TailSize = 0;
  llvm::SmallVector<WordGroup, 2> Tail;

  /// No word of it, nor of its flexible array, can hold a pointer.
  bool empty() const { return Groups.empty() && Tail.empty(); }
};

/// The layout of a complete object type. None: it has no layout (incomplete, dependent, of variable size) or too many
/// words to list; then nothing is known of its words.
std::optional<TypeLayout> layoutOf(const clang::ASTContext &Context, clang::QualType Type);

} // namespace skein

#endif
