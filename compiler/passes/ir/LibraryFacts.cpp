//===- LibraryFacts.cpp ----------------------------------------------------===//
#include "LibraryFacts.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace skein {

namespace {

struct Entry {
  unsigned Facts = 0;
  bool Variable = false;
};

const StringMap<Entry> &entries() {
  static const StringMap<Entry> Entries = [] {
    constexpr unsigned Shallow = unsigned(LibraryFact::Shallow), TextOnly = unsigned(LibraryFact::TextOnly),
                       Stays = unsigned(LibraryFact::Stays), KeepsHandlers = unsigned(LibraryFact::KeepsHandlers),
                       TakesApart = unsigned(LibraryFact::TakesApart),
                       ReturnsAddress = unsigned(LibraryFact::ReturnsAddress),
                       NumbersOnly = unsigned(LibraryFact::NumbersOnly);
    StringMap<Entry> Result;
#define LIBRARY(Name, Known) Result[#Name].Facts = Known;
#define VARIABLE(Name) Result[#Name].Variable = true;
#include "LibraryFacts.def"
#undef LIBRARY
#undef VARIABLE
    return Result;
  }();
  return Entries;
}

} // namespace

bool library(StringRef Name, LibraryFact Fact) { return entries().lookup(Name).Facts & unsigned(Fact); }
bool library(const Function &Callee, LibraryFact Fact) { return library(Callee.getName(), Fact); }
bool isLibraryVariable(StringRef Name) { return entries().lookup(Name).Variable; }

} // namespace skein
