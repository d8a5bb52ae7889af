//===- ArgumentPlaces.h - Where the arguments of a call travel --------------===//
//
// Four passes have to know in which register or word an argument lies: the map of a call names the pointers that were
// passed through `...`, a stack check preserves vector registers that are wide, the proof begins with the registers
// that hold pointers, and address-rematerialisation looks for the copies of these. They all ask this file, so they
// cannot disagree.
//
// The rules are the C convention of x86-64 as LLVM applies it to IR types (CC_X86_64_C of LLVM's X86CallingConv.td,
// whose generated code is not exported), and not those of the System V document, which clang has applied already when
// it chose the IR types. An aggregate is passed as its parts, each by itself:
//
//   integers and pointers    one of six registers, else a word
//   __int128                 two registers, or two words at a multiple of 16 if less than two registers are left; the
//                            register that is left then goes to the next argument
//   wider integers           as many registers and words as they have parts of 64 bits
//   floating point, vectors  one of eight registers, else memory at a multiple of their size. A vector wider than the
//                            registers of the processor takes several, and an argument list with `...` passes none in
//                            a register of more than 128 bits
//   long double              memory, 16 bytes
//   byval                    memory, at its alignment
//   nest                     r10
//
// Anything that is not in this list (a convention other than C's, vectors of odd lengths, soft floating point) makes
// the whole list unknown, and the caller has to assume the worst of every place.
//
// test/passes/argument-places compares these rules with the code that LLVM makes, by one function for each kind.
//
//===----------------------------------------------------------------------===//
#ifndef SKEIN_PASSES_MACHINE_ARGUMENTPLACES_H
#define SKEIN_PASSES_MACHINE_ARGUMENTPLACES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCRegister.h"
#include <cstdint>

namespace llvm {
class CallBase;
class MachineFunction;
class Type;
} // namespace llvm

namespace skein {

/// A piece of an argument that lies in one place.
struct ArgumentPart {
  enum Kind : uint8_t {
    Integer, ///< in integer register `Register` (rdi rsi rdx rcx r8 r9)
    Vector,  ///< in vector register `Register`
    Chain,   ///< in r10
    Memory,  ///< at `Offset`
  };
  Kind In;
  unsigned Argument; ///< its number in the list
  unsigned Register;
  int64_t Offset; ///< bytes from the lowest argument in memory
  int64_t Bytes;
  llvm::Type *Of; ///< the scalar or vector of which this is all or a part; for a byval argument its type in memory
  bool ByValue;   ///< a byval argument
  bool First;     ///< the first part of that scalar or vector
};

struct ArgumentPlaces {
  llvm::SmallVector<ArgumentPart, 8> Parts;
  int64_t MemoryBytes = 0; ///< of all arguments in memory, a multiple of 8
  bool Known = true;       ///< if it is false, the other members mean nothing
};

/// The places of the named arguments of a function.
ArgumentPlaces argumentPlaces(const llvm::MachineFunction &Function);
/// The places of all arguments of a call.
ArgumentPlaces argumentPlaces(const llvm::CallBase &Call);

/// The registers that hold pointers, or integers declared to be addresses, when the function starts; that of the hidden
/// result pointer is among them. If the places of the arguments are unknown, these are all registers for arguments: too
/// many are safe, but then they are not `Exact`.
llvm::SmallVector<llvm::MCRegister, 8> pointerArgumentRegisters(const llvm::MachineFunction &Function,
                                                                bool *Exact = nullptr);

} // namespace skein

#endif
