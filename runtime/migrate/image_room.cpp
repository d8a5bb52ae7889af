// Memory for images; see image_room.h.
#include "migrate/image_room.h"

#include "os/linux/memory.h"

namespace skein {

namespace {

constexpr size_t room_bytes_min = 64 << 10;
constexpr size_t kept_bytes_max = 1 << 20;
constexpr unsigned kept_max = 2; // a thread that goes back to an image needs two at a time

struct KeptRooms {
  ImageRoom rooms[kept_max];
  unsigned count;
};
__thread KeptRooms kept;

} // namespace

ImageRoom image_room_take(size_t bytes) {
  for (unsigned i = 0; i < kept.count; ++i)
    if (kept.rooms[i].bytes >= bytes) {
      const ImageRoom room = kept.rooms[i];
      kept.rooms[i] = kept.rooms[--kept.count];
      return room;
    }
  bytes = round_up(bytes < room_bytes_min ? room_bytes_min : bytes, page_bytes());
  return {(unsigned char *)memory_allocate(bytes), bytes};
}

void image_room_give(ImageRoom room) {
  if (room.memory == nullptr)
    return;
  if (kept.count < kept_max && room.bytes <= kept_bytes_max)
    kept.rooms[kept.count++] = room;
  else
    memory_free(room.memory, room.bytes);
}

} // namespace skein
