// An image on its way into a thread. image_unpack (unpack.h) takes all steps at once, for a thread that is made of an
// image. A thread that goes back to an image of its own (image_roll_back.cpp) takes them one by one.
#ifndef SKEIN_MIGRATE_IMAGE_UNPACKING_H
#define SKEIN_MIGRATE_IMAGE_UNPACKING_H

#include "migrate/image.h"
#include "migrate/image_layout.h"
#include "migrate/owned_image.h"
#include "migrate/relocate.h"
#include "migrate/unpack.h"

#include <cstddef>
#include <cstdint>

namespace skein {

// Frees the table unless it was taken over.
struct JumpsOwner {
  JumpTable *table = nullptr;
  ~JumpsOwner() {
    if (table != nullptr)
      table->destroy();
  }
};

// First its stack, then its private memory, then its record. Each step either is done as a whole, or refuses with fault
// and reason.
class Unpacking {
public:
  Unpacking(const ImageHeader &header, MoveCounts &counts, ImageFault &fault, Refusal &why,
            const Lender *lender = nullptr)
      : header(header), counts(counts), fault(fault), why(why), bytes((const unsigned char *)&header),
        layout(image_layout(header)), started((header.flags & image_started) != 0),
        in_place((header.flags & image_in_place) != 0), live(::skein::live_bytes(header)) {
    if ((header.flags & image_lends) != 0 && lender != nullptr)
      lent = {lender, image_lent(header), header.travels.id};
  }

  // Writes the live part of the stack as it will be on `stack`, to the memory that ends at `end`: there, or elsewhere.
  bool unpack_stack(const Stack &stack, std::byte *end);
  // Its private memory, which must not be mapped here.
  bool unpack_owned(Thread &into);
  // After that: whether what it does when it moves is a list of functions.
  bool handlers_sound(const Stack &stack, const Thread &into);
  bool unpack_record(const Stack &stack, Thread &into);
  size_t live_bytes() const { return live; }
  // After unpack_stack: whether addresses change, so that a word of the private memory may refuse.
  bool changes_addresses() const { return delta != 0 || others_move; }

private:
  bool refuse(ImageFault what) {
    fault = what;
    return false;
  }
  bool fill_stack(std::byte *end);

  const ImageHeader &header;
  MoveCounts &counts;
  ImageFault &fault;
  Refusal &why;
  LentReader lent = {};
  const unsigned char *bytes;
  ImageLayout layout;
  bool started;
  bool in_place;
  size_t live;
  intptr_t delta = 0;
  bool others_move = false;
  RangeTable ranges;
  JumpsOwner jumps;
  uintptr_t function = 0;
};
} // namespace skein

#endif
