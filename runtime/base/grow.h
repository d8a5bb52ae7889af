// Arrays in memory from malloc that double when they are full.
#ifndef SKEIN_BASE_GROW_H
#define SKEIN_BASE_GROW_H

#include <cstdlib>

namespace skein {

/// Makes room for one more element after the first `count`. `first` is the first capacity. False without memory, and
/// then nothing has changed.
template <class T, class Size> bool grow(T *&array, Size count, Size &capacity, Size first) {
  if (count < capacity)
    return true;
  const Size wanted = capacity ? 2 * capacity : first;
  auto *larger = static_cast<T *>(std::realloc(array, wanted * sizeof(T)));
  if (!larger)
    return false;
  array = larger;
  capacity = wanted;
  return true;
}

} // namespace skein

#endif
