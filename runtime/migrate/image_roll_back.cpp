// Takes a thread back to an image that was made of it earlier; see image.h.
#include "migrate/image_unpacking.h"

#include "base/log.h"
#include "migrate/image_room.h"
#include "sched/sched.h"
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

namespace skein {

namespace {

// A stack, as it will be.
struct Aside {
  ImageRoom room;
  explicit Aside(size_t bytes) : room(image_room_take(bytes)) {}
  ~Aside() { image_room_give(room); }
};
// An image of what a thread has is not left where addresses of stacks are searched for.
struct BeforeIt {
  Buffer image;
  ~BeforeIt() { memset(image.data(), 0, image.size()); }
};

// Buffers that setjmp has filled since the thread was packed may still be there, so their numbers are not used again.
struct NumbersOfJumps {
  JumpTable *table = nullptr; // with the last number; null: setjmp was never called
  ~NumbersOfJumps() {
    if (table != nullptr)
      table->destroy();
  }
  // False: no memory.
  bool note(const Thread &thread) {
    if (thread.jumps == nullptr)
      return true;
    table = JumpTable::create(1);
    if (table == nullptr)
      return false;
    table->last_serial = thread.jumps->last_serial;
    return true;
  }
  void go_on(Thread &thread) {
    if (thread.jumps == nullptr) {
      thread.jumps = table;
      table = nullptr;
    } else if (thread.jumps->last_serial < table->last_serial) {
      thread.jumps->last_serial = table->last_serial;
    }
  }
};

// What a thread owned before it went back, so that the regions it does not own any more are given back.
class Formerly {
public:
  ~Formerly() { free(extents); }
  // False: no memory.
  bool note(const Thread &thread) {
    if (thread.owned == nullptr)
      return true;
    const size_t bytes = thread.owned->count * sizeof(Extent);
    extents = (Extent *)malloc(bytes);
    if (extents == nullptr && bytes != 0)
      return false;
    memcpy(extents, thread.owned->extents, bytes);
    count = thread.owned->count;
    return true;
  }
  void give_back_what_is_not_of(const Thread &thread) const {
    for (uint32_t i = 0; i < count; ++i)
      if (extent_containing(thread, extents[i].begin) == nullptr)
        region_give_back(
            {extents[i].begin, region_bytes(extents[i].region) | (extents[i].kept ? region_kept : 0), thread.id});
  }

private:
  Extent *extents = nullptr;
  uint32_t count = 0;
};

} // namespace

bool image_roll_back(const ImageHeader &header, Thread &thread, ImageFault &fault, Refusal &why) {
  auto out_of_memory = [&] {
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY, "no memory for a copy of it");
  };
  MoveCounts counts;
  Unpacking unpacking(header, counts, fault, why);
  const Stack stack = thread.stack;
  const size_t live = unpacking.live_bytes();
  Aside aside(live);
  Formerly formerly;
  NumbersOfJumps numbers;
  if (aside.room.memory == nullptr || !formerly.note(thread) || !numbers.note(thread))
    return out_of_memory();
  if (!unpacking.unpack_stack(stack, (std::byte *)aside.room.memory + live))
    return false;
  // If a word of its private memory refuses, what it has now is gone already.
  BeforeIt before;
  const bool owns = thread.owned != nullptr;
  if (owns && unpacking.changes_addresses() && !image_write(thread, {}, before.image, why))
    return out_of_memory();
  private_depart(thread);
  if (!unpacking.unpack_owned(thread)) {
    if (!owns)
      return false;
    if (before.image.size() == 0)
      fatal("thread %s cannot go back to its image, and is lost: %s", thread_name(thread.id).text, why.text);
    image_put_back(*(const ImageHeader *)before.image.data(), thread);
    return false;
  }
  const Travels now = thread;
  const char *numbered = thread.numbered; // what it has made numbers of since then is still there
  if (!unpacking.unpack_record(stack, thread))
    fatal("thread %s cannot go back to its image, and is lost: %s", thread_name(thread.id).text, why.text);
  memcpy(stack.high - live, aside.room.memory, live);
  formerly.give_back_what_is_not_of(thread);
  if (numbers.table != nullptr)
    numbers.go_on(thread);
  thread.daemon = now.daemon;
  thread.moves = now.moves;
  thread.follow_home = now.follow_home;
  thread.follow_patience = now.follow_patience;
  if (thread.numbered == nullptr)
    thread.numbered = numbered;
  count_in_turn(statistics.pointers_relocated, counts.pointers);
  return true;
}

} // namespace skein
