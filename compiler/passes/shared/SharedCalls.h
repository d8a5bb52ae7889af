//===- SharedCalls.h - Accesses that the runtime makes -----------------------===//
#ifndef SKEIN_PASSES_SHARED_SHAREDCALLS_H
#define SKEIN_PASSES_SHARED_SHAREDCALLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/AtomicOrdering.h"

namespace llvm {
class AAResults;
class AllocaInst;
class CallInst;
class Function;
class Instruction;
class IRBuilderBase;
class LLVMContext;
class Module;
class Type;
class Value;
} // namespace llvm

namespace skein {

class SharedCalls {
public:
  explicit SharedCalls(llvm::Function &F);

  /// Replaces accesses of one block, in their order, by calls. Neighbouring accesses to one object become one call.
  void lower(llvm::ArrayRef<llvm::Instruction *> Accesses, llvm::AAResults &AA);

private:
  struct Field;
  void lowerOne(llvm::Instruction &Access);
  void lowerAtomic(llvm::Instruction &Access);
  llvm::Value *operate(llvm::IRBuilderBase &B, llvm::Value *Address, unsigned Operation, uint64_t Bytes,
                       llvm::AtomicOrdering Order, llvm::Value *Operand, llvm::Value *Expected);
  void getTogether(llvm::ArrayRef<Field> Fields);
  void putTogether(llvm::ArrayRef<Field> Fields);

  llvm::CallInst *call(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result,
                       llvm::ArrayRef<llvm::Value *> Arguments);
  llvm::Value *address(llvm::IRBuilderBase &B, llvm::Value *Shared, int64_t Offset = 0);
  llvm::AllocaInst *slot(llvm::Type *T);

  llvm::Function &F;
  llvm::Module &M;
  llvm::LLVMContext &C;
  llvm::DenseMap<llvm::Type *, llvm::AllocaInst *> Slots;
};

} // namespace skein

#endif
