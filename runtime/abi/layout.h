/* Layouts: where the addresses are in a block of the private heap. docs/abi.md draws one.
 *
 * The compiler emits one for each type that a program allocates, and one for each place that allocates something whose
 * type cannot be told. They lie in section `skein_layouts`, 8-aligned, one after the other in no particular order;
 * equal ones are merged by the linker. A block's header holds (layout - section) / 8 + 1, which is the same in every
 * process that runs the program, and 0 for none. */
#ifndef SKEIN_ABI_LAYOUT_H
#define SKEIN_ABI_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  SKEIN_LAYOUT_UNTYPED = 1, /* the type is not known; `name` is the place of the allocation, "file.c:12" */
  SKEIN_LAYOUT_WHOLE = 2,   /* the block was allocated as whole parts: what is left at its end is not used */
};

/* Words of a part: `count` of them, the first `offset` bytes from the beginning of the part, `stride` bytes apart. */
struct skein_layout_words {
  uint32_t offset;
  uint16_t count;
  uint16_t stride;
};

/* A block is a head of `head` bytes, once, then parts of `part` bytes, again and again to its end (part == 0: nothing
 * is known beyond the head). So an array of T has head 0 and part sizeof(T); a structure with a flexible array member
 * has both. Words that are not listed are no pointers as far as the type says: an address found there is ambiguous. */
struct skein_layout {
  int32_t name; /* text: at &name + name */
  uint32_t flags;
  uint32_t head;
  uint32_t part;
  uint16_t head_words; /* so many skein_layout_words follow, for the head */
  uint16_t part_words; /* then so many for each part */
  uint32_t reserved;   /* 0 */
  struct skein_layout_words words[];
};

#ifdef __cplusplus
}
static_assert(sizeof(skein_layout) == 24 && sizeof(skein_layout_words) == 8);
#endif
#endif
