// Memory for an image, or a part of one, that is looked at on its way into a thread. It is not from malloc: the process
// heap is searched for addresses of stacks, and images are full of them. Each kernel thread keeps what it was given
// back, so that small images cost no system call.
#ifndef SKEIN_MIGRATE_IMAGE_ROOM_H
#define SKEIN_MIGRATE_IMAGE_ROOM_H

#include <stddef.h>

namespace skein {

struct ImageRoom {
  unsigned char *memory;
  size_t bytes; // at least as many as were asked for
};

// Not initialised; page-aligned. `memory` is null if there is none.
ImageRoom image_room_take(size_t bytes);
// Any kernel thread. An empty one is fine.
void image_room_give(ImageRoom room);

} // namespace skein

#endif
