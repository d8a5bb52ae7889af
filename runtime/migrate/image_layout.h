// Where the parts of an image lie (image.h has the picture).
#ifndef SKEIN_MIGRATE_IMAGE_LAYOUT_H
#define SKEIN_MIGRATE_IMAGE_LAYOUT_H

#include "migrate/image.h"

namespace skein {

inline constexpr size_t checksum_begin = 16; // the bytes before it are compared one by one
constexpr size_t round_up_8(size_t bytes) { return (bytes + 7) & ~size_t{7}; }
constexpr size_t jumps_bytes(size_t count) { return sizeof(ImageJumps) + count * sizeof(JumpContext); }

// Offsets, and the size of the whole.
struct ImageLayout {
  size_t modules;
  size_t words;
  size_t error;
  size_t jumps;
  size_t lent;
  size_t stack;
  size_t owned;
  size_t bytes;
};

// How many bytes each part has.
struct ImageParts {
  size_t modules;
  size_t words;
  size_t error; // with padding
  size_t jumps;
  size_t lent;
  size_t stack;
  size_t owned;
};

inline ImageLayout image_layout(const ImageParts &parts) {
  ImageLayout layout;
  layout.modules = sizeof(ImageHeader);
  layout.words = layout.modules + parts.modules;
  layout.error = layout.words + parts.words;
  layout.jumps = layout.error + parts.error;
  layout.lent = layout.jumps + parts.jumps;
  layout.stack = layout.lent + parts.lent;
  layout.owned = layout.stack + parts.stack;
  layout.bytes = layout.owned + parts.owned;
  return layout;
}

// Of the stack of the thread, also if it is not in the image.
inline size_t live_bytes(const ImageHeader &header) {
  return (header.flags & image_started) != 0 ? header.stack_high - header.sp : 0;
}

// `jumps`: bytes of that part. `no_stack`: that is lent, or stays in place.
inline ImageLayout image_layout(const ImageHeader &header, size_t jumps, bool no_stack) {
  const bool started = (header.flags & image_started) != 0;
  return image_layout({.modules = header.module_count * sizeof(ImageModule),
                       .words = started ? 0 : header.travels.start.count * sizeof(uint64_t),
                       .error = round_up_8(header.error_bytes),
                       .jumps = jumps,
                       .lent = (header.flags & image_lends) != 0 ? sizeof(ImageLent) : 0,
                       .stack = no_stack ? 0 : live_bytes(header),
                       .owned = header.owned_bytes});
}

// For images whose header was found right: the bytes of that part, what is lent, or null, and the layout.
inline size_t jumps_bytes(const ImageHeader &image) {
  if ((image.flags & image_jumps) == 0)
    return 0;
  return jumps_bytes(
      ((const ImageJumps *)((const unsigned char *)&image + image_layout(image, 0, false).jumps))->count);
}

inline const ImageLent *image_lent(const ImageHeader &image) {
  if ((image.flags & image_lends) == 0)
    return nullptr;
  return (const ImageLent *)((const unsigned char *)&image + image_layout(image, jumps_bytes(image), false).lent);
}

inline ImageLayout image_layout(const ImageHeader &image) {
  const ImageLent *lent = image_lent(image);
  return image_layout(image, jumps_bytes(image),
                      (image.flags & image_in_place) != 0 || (lent != nullptr && lent->stack_bytes != 0));
}

} // namespace skein

#endif
