//===- TypeLayout.h - Which words of a C or C++ type can hold pointers -----===//
//
// This tells, from its source type, which words of an object can hold pointers. It serves those who have to find the
// pointers in memory of that type: allocations on the private heap (HeapTypeRule.cpp), and -skein-print-layouts.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_FRONTEND_TYPELAYOUT_H
#define SKEIN_FRONTEND_TYPELAYOUT_H

#include "passes/Annotations.h"
#include "clang/AST/Type.h"

namespace clang {
class ASTContext;
class FieldDecl;
class RecordDecl;
} // namespace clang

namespace skein {

enum class WordsOf { Pointers, All };

/// Appends the words of an object of type `T` that are pointers (SKEIN_LOCAL_POINTER), and with `All` also those that
/// may be pointers although their type does not say so (SKEIN_LOCAL_AMBIGUOUS), in any order. Words in no group hold no
/// pointer, as far as the type tells. Returns false if the words are too many to list.
bool appendWordsOf(const clang::ASTContext &Context, clang::QualType T, WordsOf Which,
                   llvm::SmallVectorImpl<WordGroup> &Groups);

/// The last member of a structure, or null if it has none or is a union.
const clang::FieldDecl *lastMember(const clang::RecordDecl &Record);
/// Whether a member is an array without a length, or with at most `Longest` elements.
bool isShortArray(const clang::ASTContext &Context, const clang::FieldDecl &Member, uint64_t Longest);

} // namespace skein

#endif
