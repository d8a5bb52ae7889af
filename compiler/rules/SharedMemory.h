//===- SharedMemory.h - Types that lead to shared memory -----------------===//
#ifndef SKEIN_RULES_SHAREDMEMORY_H
#define SKEIN_RULES_SHAREDMEMORY_H

#include "rules/AddressSpace.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/AddressSpaces.h"

namespace skein {

/// Whether an object of this type, or an array's elements, lie in shared memory.
inline bool isShared(const clang::ASTContext &Context, clang::QualType T) {
  return Context.getBaseElementType(T).getAddressSpace() == clang::getLangASFromTargetAS(SharedSpace);
}

/// A pointer to shared memory.
inline bool leadsToShared(const clang::ASTContext &Context, clang::QualType T) {
  return T->isPointerType() && isShared(Context, T->getPointeeType());
}

} // namespace skein

#endif
