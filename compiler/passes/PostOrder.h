//===- PostOrder.h - The blocks of a function in post order ----------------===//
#ifndef SKEIN_PASSES_POSTORDER_H
#define SKEIN_PASSES_POSTORDER_H

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"

namespace skein {

/// The blocks that can be reached from `Entry`, each behind its successors but for cycles. A list that is made of
/// LLVM's range at once walks it twice, to know its length first, and copies the set of visited blocks several times.
template <class Block> llvm::SmallVector<Block *, 32> inPostOrder(Block &Entry) {
  llvm::SmallVector<Block *, 32> Order;
  for (Block *B : llvm::post_order(&Entry))
    Order.push_back(B);
  return Order;
}

} // namespace skein

#endif
