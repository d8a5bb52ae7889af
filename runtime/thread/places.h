// Where Skein's memory lies in the address space of a run of several nodes. One random number of the run gives the
// places of the arenas of stacks, so that they are the same on all nodes, and others in each run.
//
//     0x1100'0000'0000  private regions (private/regions/regions.h)   ranges that compiled code compares with: constant
//     0x2000'0000'0000  shared memory                         likewise
//     0x4000'0000'0000  stacks of fixed size                  somewhere in here
//     0x4a00'0000'0000  stacks that grow                      somewhere in here
//     0x5400'0000'0000  programs, and beyond them libraries, where the kernel puts them
#ifndef SKEIN_THREAD_PLACES_H
#define SKEIN_THREAD_PLACES_H

#include "base/node.h"
#include "base/random.h"

#include <cstddef>
#include <cstdint>

namespace skein {

enum class RunPlace : unsigned { stacks, growing, stacks_of_node };

/// Where so many bytes of that kind begin, at a multiple of 64 KiB. The place is equal on all nodes, except for
/// stacks_of_node.
inline uintptr_t place_in_run(RunPlace what, size_t bytes) {
  const bool growing = what == RunPlace::growing;
  const uintptr_t begin = growing ? UINT64_C(0x4a00'0000'0000) : UINT64_C(0x4000'0000'0000);
  const uintptr_t end = growing ? UINT64_C(0x5400'0000'0000) : UINT64_C(0x4a00'0000'0000);
  if (node.seed == 0 || bytes >= end - begin)
    return begin;
  uint64_t random = node.seed + static_cast<unsigned>(what);
  if (what == RunPlace::stacks_of_node)
    random += static_cast<uint64_t>(node.self + 1) << 32;
  random = splitmix64(random);
  constexpr uintptr_t grain = 64 << 10;
  return begin + random % ((end - begin - bytes) / grain) * grain;
}

} // namespace skein

#endif
