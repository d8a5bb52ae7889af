//===- PointersInTypes.h - Whether a type holds pointers -----------------===//
#ifndef SKEIN_RULES_POINTERSINTYPES_H
#define SKEIN_RULES_POINTERSINTYPES_H

#include "rules/SharedMemory.h"
#include "clang/AST/Decl.h"

namespace skein {

/// Whether objects of this type contain a pointer that a move may make wrong: any but those to shared memory.
inline bool holdsPointer(const clang::ASTContext &Context, clang::QualType T) {
  T = Context.getBaseElementType(T);
  if (T->isAnyPointerType() || T->isReferenceType())
    return !leadsToShared(Context, T);
  const clang::RecordDecl *Record = T->getAsRecordDecl();
  if (!Record || !(Record = Record->getDefinition()))
    return false;
  for (const clang::FieldDecl *Field : Record->fields())
    if (holdsPointer(Context, Field->getType()))
      return true;
  return false;
}

} // namespace skein

#endif
