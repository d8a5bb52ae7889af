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
  size_t stack;
  size_t owned;
};

inline ImageLayout image_layout(const ImageParts &parts) {
  ImageLayout layout;
  layout.modules = sizeof(ImageHeader);
  layout.words = layout.modules + parts.modules;
  layout.error = layout.words + parts.words;
  layout.jumps = layout.error + parts.error;
  layout.stack = layout.jumps + parts.jumps;
  layout.owned = layout.stack + parts.stack;
  layout.bytes = layout.owned + parts.owned;
  return layout;
}

// `jumps`: bytes of that part.
inline ImageLayout image_layout(const ImageHeader &header, size_t jumps) {
  const bool started = (header.flags & image_started) != 0;
  return image_layout({.modules = header.module_count * sizeof(ImageModule),
                       .words = started ? 0 : header.travels.start.count * sizeof(uint64_t),
                       .error = round_up_8(header.error_bytes),
                       .jumps = jumps,
                       .stack = started ? header.stack_high - header.sp : 0,
                       .owned = header.owned_bytes});
}

// The layout of an image whose header was found right.
inline ImageLayout image_layout(const ImageHeader &image) {
  if (!(image.flags & image_jumps))
    return image_layout(image, 0);
  auto *jumps = (const ImageJumps *)((const unsigned char *)&image + image_layout(image, 0).jumps);
  return image_layout(image, jumps_bytes(jumps->count));
}

} // namespace skein

#endif
