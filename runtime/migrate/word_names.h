// What a word of a frame is in the source, for messages: by the section `.debug_skein` of a program that was compiled
// with -g (abi/source_words.h).
#ifndef SKEIN_MIGRATE_WORD_NAMES_H
#define SKEIN_MIGRATE_WORD_NAMES_H

#include "migrate/walk.h"

#include <stdint.h>

namespace skein {

// "`p` (struct node *) in `f` (file.c:12)", as messages name a word. If nothing is known about it, this is the name of
// its frame.
struct WordName {
  char text[400];
};
[[gnu::cold]] WordName word_name(Frame frame, uintptr_t at);

} // namespace skein

#endif
