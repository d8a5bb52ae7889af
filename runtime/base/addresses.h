// What of a word is an address. Programs keep tags in the two highest bytes of pointers, where no address has anything
// but zeros: with a tag there, the word still leads where the rest of it says, and moves with that.
#ifndef SKEIN_BASE_ADDRESSES_H
#define SKEIN_BASE_ADDRESSES_H

#include <stdint.h>

namespace skein {

inline constexpr uintptr_t address_bits = (UINT64_C(1) << 48) - 1;

} // namespace skein

#endif
