/* Source words: what the words of a frame are called in the source, for messages.
 *
 * A program compiled with -g has, beside its frame maps, the section `.debug_skein`. It is debug information like the
 * others: it is not loaded, nothing depends on it, and `strip` removes it. The runtime reads it from the program's file
 * when it refuses a move; `skein maps` lists it.
 *
 * For each function with a frame map it has one *function record*, without alignment:
 *
 *     +--------------------------+
 *     | skein_source_function    |  header, 16 bytes
 *     +--------------------------+
 *     | skein_source_words       |  a group of words, 16 bytes, followed by its three texts, each with its NUL:
 *     | name, type, inlined      |  "list.head", "struct node *", "push"
 *     +--------------------------+
 *     :                          :
 *
 * A function that the linker left out has 0 as its entry. */
#ifndef SKEIN_ABI_SOURCE_WORDS_H
#define SKEIN_ABI_SOURCE_WORDS_H

#include "frame_map.h"

#define SKEIN_SOURCE_WORDS_SECTION ".debug_skein"

struct skein_source_function {
  uint64_t entry; /* address of the function in the file */
  uint32_t size;  /* bytes of this record with its groups and texts */
  uint32_t count; /* groups */
};

/* The texts are the variable (with the member, if the words are part of it; empty if no variable has the value), its
 * type, and the function whose variable it is, if that was inlined (else empty). Of the groups that contain a word the
 * smallest one describes it best. */
struct skein_source_words {
  int32_t offset; /* first byte, relative to base, as in skein_local_map */
  uint32_t bytes; /* the words lie within that many */
  uint32_t line;  /* where the value is computed, or the variable is declared; 0: unknown */
  uint32_t base;  /* SKEIN_BASE_* */
};

SKEIN_ABI_ASSERT(sizeof(struct skein_source_function) == 16, "header of a function's source words");
SKEIN_ABI_ASSERT(sizeof(struct skein_source_words) == 16, "source words");

#endif
