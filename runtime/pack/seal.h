// A packed thread: its image (migrate/image.h), encrypted and sealed, behind a header that anybody may read.
//
//     +--------------+  0
//     | SealedHeader |  authenticated
//     +--------------+  88
//     | image        |  encrypted
//     +--------------+  header.bytes
//
// The image is made by the same code as that of a thread that moves, so what is true of the one is true of the other.
// It is sealed because it decides where a thread returns to: whoever could make one up could run anything. It is
// encrypted for another reason, too. It lies in memory of the program, perhaps on the stack or the heap of a thread,
// and it is full of addresses of stacks: in words that are no pointers, where they would refuse moves for nothing.
//
// Opening an image copies it. So the program cannot change what has been checked before it is used.
#ifndef SKEIN_PACK_SEAL_H
#define SKEIN_PACK_SEAL_H

#include "base/buffer.h"
#include "migrate/image.h"
#include "pack/seal_keys.h"

namespace skein {

inline constexpr uint16_t sealed_version = 1;
inline constexpr char sealed_magic[8] = {'S', 'K', 'E', 'I', 'N', 'P', 'A', 'K'};

struct SealedHeader {
  char magic[8];
  uint16_t version;
  uint8_t key; // SealedWith
  uint8_t zero;
  uint32_t nodes; // of the run
  uint64_t bytes; // of all
  uint64_t key_id;
  uint64_t run;      // its number
  uint64_t process;  // the number of the only process that can unpack it; 0: any can
  uint64_t bound_by; // the reason: an address of that process that it holds
  uint8_t nonce[aegis_nonce_bytes];
  uint8_t tag[aegis_tag_bytes];
};
static_assert(sizeof(SealedHeader) == 88);

/// Bytes of a sealed image of so many bytes.
inline size_t sealed_bytes(size_t image) { return sizeof(SealedHeader) + image; }

/// Writes the sealed image to `to`, of sealed_bytes(bytes); `image` is changed. `bound_by`: as image_capture says.
/// False with a reason: there is no key.
bool seal(void *image, size_t bytes, uintptr_t bound_by, void *to, Refusal &why);

/// Whether these are the bytes of a sealed image that can be opened here; `header` is a copy of what they begin with.
bool sealed_check(const void *sealed, size_t bytes, SealedHeader &header, Refusal &why);
/// Writes the image, header.bytes - sizeof(SealedHeader) bytes, to `to`. False with a reason: somebody has changed it,
/// or it was sealed with another key.
bool seal_open(const SealedHeader &header, const void *sealed, void *to, Refusal &why);

/// Whether the image is of this run.
bool sealed_here(const SealedHeader &header);

} // namespace skein

#endif
