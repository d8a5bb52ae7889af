//===- WordGroups.cpp --------------------------------------------------------===//
#include "WordGroups.h"
#include "abi/frame_map.h"

using namespace llvm;

namespace skein {

void appendGroup(const WordGroup &Group, SmallVectorImpl<WordGroup> &Groups) {
  if (!Groups.empty()) {
    WordGroup &Last = Groups.back();
    if (Last.Kind == Group.Kind && Last.Stride == 8 && Group.Stride == 8 &&
        Last.Offset + 8 * Last.Count == Group.Offset) {
      Last.Count += Group.Count;
      return;
    }
  }
  Groups.push_back(Group);
}

void appendUntyped(int64_t Offset, int64_t Bytes, SmallVectorImpl<WordGroup> &Groups) {
  if (Bytes >= 8)
    appendGroup({SKEIN_LOCAL_AMBIGUOUS, Offset, Bytes == 8 ? 8 : 1, Bytes - 7}, Groups);
}

bool appendRepeated(ArrayRef<WordGroup> One, int64_t Size, int64_t Offset, int64_t Count,
                    SmallVectorImpl<WordGroup> &Groups) {
  for (const WordGroup &G : One) {
    if (G.Count == 1) {
      appendGroup({G.Kind, Offset + G.Offset, Size, Count}, Groups);
    } else if (G.Stride * G.Count == Size) {
      appendGroup({G.Kind, Offset + G.Offset, G.Stride, G.Count * Count}, Groups);
    } else {
      if (Groups.size() + Count > WordGroupLimit)
        return false;
      for (int64_t I = 0; I < Count; ++I)
        appendGroup({G.Kind, Offset + I * Size + G.Offset, G.Stride, G.Count}, Groups);
    }
  }
  return Groups.size() <= WordGroupLimit;
}

void appendGrouped(const std::map<int64_t, unsigned> &Words, SmallVectorImpl<WordGroup> &Groups) {
  size_t First = Groups.size();
  for (auto [Offset, Kind] : Words) {
    if (Groups.size() > First) {
      WordGroup &Last = Groups.back();
      if (Last.Kind == Kind && Last.Count == 1 && Offset - Last.Offset <= UINT16_MAX)
        Last.Stride = Offset - Last.Offset;
      if (Last.Kind == Kind && Last.Offset + Last.Stride * Last.Count == Offset) {
        ++Last.Count;
        continue;
      }
    }
    Groups.push_back({Kind, Offset, 8, 1});
  }
}

} // namespace skein
