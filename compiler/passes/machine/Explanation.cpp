//===- Explanation.cpp - What a line of the source costs --------------------===//
#include "Explanation.h"
#include "abi/frame_map.h"
#include "passes/Annotations.h"
#include "passes/ir/SourceWords.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static cl::opt<std::string> Line("skein-explain", cl::init(""),
                                 cl::desc("Explain the calls on this line of the source, given as LINE or FILE:LINE"));

namespace skein {
namespace {

/// The line that is asked for. Without a file, it is a line of the file that is compiled.
struct Asked {
  StringRef File;
  unsigned Number = 0;

  explicit Asked(const Module &M) {
    auto [Before, After] = StringRef(Line).rsplit(':');
    File = After.empty() ? StringRef(M.getSourceFileName()) : Before;
    (After.empty() ? Before : After).getAsInteger(10, Number);
  }
  bool is(const DILocation &Where) const {
    const StringRef Name = Where.getFilename();
    return Where.getLine() == Number &&
           (Name == File || Name.ends_with(("/" + File).str()) || File.ends_with(("/" + Name).str()));
  }
};

std::string nameOf(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  return "'" + (Program && !Program->getName().empty() ? Program->getName().str() : demangle(F.getName())) + "'";
}

/// What a call calls; null: an address that is computed.
const Function *calleeOf(const MachineInstr &Call) {
  for (const MachineOperand &Operand : Call.operands()) {
    if (Operand.isGlobal())
      return dyn_cast<Function>(Operand.getGlobal()->stripPointerCastsAndAliases());
    if (Operand.isSymbol())
      return Call.getMF()->getFunction().getParent()->getFunction(Operand.getSymbolName());
  }
  return nullptr;
}

std::string nameOfCallee(const MachineInstr &Call) {
  if (const Function *Callee = calleeOf(Call))
    return nameOf(*Callee);
  for (const MachineOperand &Operand : Call.operands())
    if (Operand.isSymbol())
      return ("'" + Twine(Operand.getSymbolName()) + "'").str();
  return "a function through a pointer";
}

/// How a call leads to a migration point: "calls 'g' (line 12), which calls 'h' (line 20), whose body is elsewhere".
std::string wayOut(const Function &From) {
  std::string Way;
  SmallPtrSet<const Function *, 8> Seen;
  for (const Function *F = &From; F && Seen.insert(F).second;) {
    if (F->isDeclaration())
      return Way + (F->getName().starts_with("skein_") || F->getName().starts_with("__skein_")
                        ? " is a function of the runtime, where threads wait or move"
                        : " has its body elsewhere, so it is not known what it calls");
    const CallBase *Site = nullptr;
    for (const Instruction &I : instructions(*F))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && hasSiteInfo(*Call)) {
        Site = Call;
        break;
      }
    if (!Site)
      return Way + " may be replaced by another function of its name when the program is linked";
    const auto *Next = dyn_cast<Function>(Site->getCalledOperand()->stripPointerCastsAndAliases());
    Way += std::string(" calls ") + (Next ? nameOf(*Next) : "a function through a pointer");
    if (const DILocation *Where = Site->getDebugLoc().get())
      Way += " (line " + std::to_string(Where->getLine()) + ")";
    if (!Next)
      return Way + ", of which nothing is known";
    Way += ", which";
    F = Next;
  }
  return Way + " calls itself";
}

std::string whyItMayMigrate(const MachineInstr &Call) {
  const Function *Callee = calleeOf(Call);
  return Callee ? "it" + wayOut(*Callee) : "nothing is known of what it calls";
}

std::string whyItDoesNot(const MachineInstr &Call) {
  const Function *Callee = calleeOf(Call);
  if (!Callee)
    return "the call says so, or the compiler itself has made it";
  if (Callee->hasFnAttribute(ClaimedAttribute))
    return "it is SKEIN_NOMIGRATE";
  if (!Callee->isDeclaration())
    return "nothing that it calls reaches a migration point";
  return "it is a function of the C library, or declared in a system header or as SKEIN_NOMIGRATE";
}

std::string placeOf(const MachineFunction &MF, int FrameIndex, int64_t Offset) {
  static constexpr const char *Bases[] = {"CFA", "SP", "BP"};
  const FrameAddress At = frameAddressOf(MF, FrameIndex);
  return formatv("{0}{1}{2}", Bases[At.From], At.Offset + Offset < 0 ? "" : "+", At.Offset + Offset);
}

class Explanation {
public:
  Explanation(const MachineFunction &MF, const SiteTable &Sites) : MF(MF), Sites(Sites), Wanted(moduleOf(MF)) {}

  void explain(const MachineInstr &Call) {
    const DILocation *Where = Call.getDebugLoc().get();
    const DILocation *On = Where;
    while (On && !Wanted.is(*On))
      On = On->getInlinedAt();
    if (!On)
      return;
    printHead(Call, *Where);
    if (const SiteInfo *Site = Sites.find(Call))
      explainSite(*Site);
  }

private:
  static const Module &moduleOf(const MachineFunction &MF) { return *MF.getFunction().getParent(); }

  void printHead(const MachineInstr &Call, const DILocation &Where) {
    outs() << Where.getFilename() << ':' << Where.getLine() << ':' << Where.getColumn() << ": the call of "
           << nameOfCallee(Call) << " in " << nameOf(MF.getFunction());
    if (const DILocation *Into = Where.getInlinedAt())
      outs() << " (of '" << Where.getScope()->getSubprogram()->getName() << "', inlined at line " << Into->getLine()
             << ")";
    const SiteInfo *Site = Sites.find(Call);
    if (!Site)
      outs() << " does not migrate: " << whyItDoesNot(Call) << "\n";
    else if (Site->Pin == SKEIN_PIN_SAME)
      outs() << " may migrate, but only to the same address: " << skein_pin_text(Site->Pin) << "\n";
    else if (Site->Pin)
      outs() << " keeps the thread where it is: " << skein_pin_text(Site->Pin) << "\n";
    else
      outs() << " may migrate: " << whyItMayMigrate(Call) << "\n";
  }

  void explainSite(const SiteInfo &Site) {
    if (Site.Pin)
      return;
    unsigned Homes = 0, Witnesses = 0;
    for (unsigned Index : Site.Locals)
      if (const FrameObjects::Local *L = Sites.objects().local(Index); L && L->FrameIndex)
        explainLocal(*L, Homes, Witnesses);
    if (Site.Locals.empty())
      outs() << "    no pointer is live across it\n";
    outs() << "    cost: " << Homes << (Homes == 1 ? " pointer is" : " pointers are")
           << " stored before it and loaded where used after it";
    if (Witnesses)
      outs() << ", " << Witnesses << (Witnesses == 1 ? " word is" : " words are") << " stored for the check of a move";
    constexpr unsigned SiteBytes = 4; // if another call has the same row: return offset, number of the row, line
    outs() << "; " << SiteBytes << " bytes of frame map\n";
  }

  void explainLocal(const FrameObjects::Local &L, unsigned &Homes, unsigned &Witnesses) {
    const bool Made = !L.Alloca || isMadeSlot(*L.Alloca);
    for (const WordGroup &G : L.Groups) {
      const bool Pointer = G.Kind == SKEIN_LOCAL_POINTER || G.Kind == SKEIN_LOCAL_DYNAMIC_POINTER;
      const uint64_t Bytes = uint64_t((G.Count - 1) * G.Stride + 8);
      const SourceWord Word = L.Alloca ? sourceOf(*L.Alloca, uint64_t(G.Offset), Bytes) : SourceWord();
      std::string Name = !Word.Name.empty() ? Word.Name
                         : Word.Line        ? "value of line " + std::to_string(Word.Line)
                                            : std::string("value of the compiler");
      if (!Word.Inlined.empty())
        Name += " of '" + Word.Inlined + "'";
      const std::string Place = placeOf(MF, *L.FrameIndex, G.Offset);
      outs() << "    " << formatv("{0,-24} {1,-24} {2,-8} ", Name, Word.Type, Place)
             << (Made && Pointer ? "home slot, relocated"
                 : Made          ? "copy of a word that may be an address: checked, never changed"
                 : Pointer       ? "variable in memory, relocated"
                                 : "variable in memory, may be a pointer or a number: checked, never changed");
      if (G.Count > 1)
        outs() << formatv(", {0} words", G.Stride < 8 ? (Bytes + 7) / 8 : uint64_t(G.Count));
      outs() << '\n';
      if (Made)
        ++(Pointer ? Homes : Witnesses);
    }
  }

  const MachineFunction &MF;
  const SiteTable &Sites;
  Asked Wanted;
};

} // namespace

void explainLine(const MachineFunction &MF, const SiteTable &Sites) {
  if (Line.empty())
    return;
  Explanation Here(MF, Sites);
  for (const MachineBasicBlock &Block : MF)
    for (const MachineInstr &MI : Block)
      if (MI.isCall() && MI.getDebugLoc())
        Here.explain(MI);
}

} // namespace skein
