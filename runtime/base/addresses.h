// Which part of a word is an address, and which words are none. In an address of a program the two highest bytes are
// zero, and programs keep tags there. With a tag, the word still leads where the rest of it says, and moves with that.
#ifndef SKEIN_BASE_ADDRESSES_H
#define SKEIN_BASE_ADDRESSES_H

#include <stdint.h>

namespace skein {

inline constexpr uintptr_t address_bits = (UINT64_C(1) << 48) - 1;
inline constexpr uintptr_t user_end = UINT64_C(1) << 47; // what lies beyond is no address of a program

/// What messages say behind an address that has a tag.
inline const char *tag_noted(uintptr_t value) { return value > address_bits ? ", under a tag" : ""; }

} // namespace skein

#endif
