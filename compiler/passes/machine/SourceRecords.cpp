//===- SourceRecords.cpp - Names for the words of a frame, as bytes ---------===//
#include "SourceRecords.h"
#include "MachineAddresses.h"
#include "abi/source_words.h"
#include "passes/ir/SourceWords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace skein {

SourceRecords::SourceRecords(const MachineFunction &Function)
    : Wanted(hasNamedVariables(Function.getFunction())), Size(sizeof(skein_source_function)) {}

/// A string with its NUL. What means something to the assembler, or to LLVM in inline assembly, is escaped.
static void writeText(raw_ostream &To, StringRef Text) {
  To << "\n.asciz \"";
  for (const char C : Text)
    if (isAlnum(C) || StringRef(" _.*&()[]<>:,").contains(C))
      To << C;
    else
      To << format("\\%03o", unsigned(static_cast<unsigned char>(C)));
  To << '"';
}

void SourceRecords::addWords(const AllocaInst &Slot, FrameAddress At, int64_t Offset, uint64_t Bytes) {
  const SourceWord Word = sourceOf(Slot, uint64_t(Offset), Bytes);
  if (!Word)
    return;
  raw_string_ostream To(Text);
  To << "\n.long " << uint32_t(At.Offset + Offset) << ", " << Bytes << ", " << Word.Line << ", " << unsigned(At.From);
  Size += sizeof(skein_source_words);
  for (const std::string *Part : {&Word.Name, &Word.Type, &Word.Inlined}) {
    writeText(To, *Part);
    Size += Part->size() + 1;
  }
  ++Count;
}

void SourceRecords::add(const FrameObjects::Local &Local, FrameAddress At) {
  constexpr int64_t MostWords = 16; // beyond, an array is named as a whole
  if (!Wanted || !Local.Alloca)
    return;
  for (const WordGroup &G : Local.Groups) {
    if (G.Kind != SKEIN_LOCAL_POINTER && G.Kind != SKEIN_LOCAL_AMBIGUOUS)
      continue; // blocks lie elsewhere
    if (G.Stride < 8 || G.Count > MostWords)
      addWords(*Local.Alloca, At, G.Offset, uint64_t((G.Count - 1) * G.Stride + 8));
    else
      for (int64_t N = 0; N < G.Count; ++N)
        addWords(*Local.Alloca, At, G.Offset + N * G.Stride, 8);
  }
}

void SourceRecords::emit(MachineFunction &Function, const MCSymbol &Entry) const {
  if (Count == 0)
    return;
  std::string All = "\n.pushsection " SKEIN_SOURCE_WORDS_SECTION ",\"\",@progbits\n.quad " + Entry.getName().str() +
                    "\n.long " + std::to_string(Size) + ", " + std::to_string(Count) + Text + "\n.popsection";
  MachineBasicBlock &First = Function.front();
  BuildMI(First, std::next(First.begin()), DebugLoc(),
          Function.getSubtarget().getInstrInfo()->get(TargetOpcode::INLINEASM))
      .addExternalSymbol(Function.createExternalSymbolName(All))
      .addImm(unsigned(InlineAsm::Extra_HasSideEffects));
}

} // namespace skein
