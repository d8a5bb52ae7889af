// Random numbers of the fuzzers' mutators, which follow from a seed.
#ifndef SKEIN_FUZZ_DICE_H
#define SKEIN_FUZZ_DICE_H

#include <cstddef>
#include <cstdint>

struct Dice {
  uint64_t state;
  uint64_t roll() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
  size_t below(size_t n) { return n ? roll() % n : 0; }
};

#endif
