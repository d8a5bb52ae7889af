// Seals images and opens them; see seal.h.
#include "pack/seal.h"
#include "base/node.h"

#include <cstddef>
#include <cstring>
#include <skein/skein.h>

namespace skein {

namespace {

/// All of the header but the tag, and the image behind it.
AegisText text_of(const SealedHeader &header, const void *from, void *to) {
  return {&header, offsetof(SealedHeader, tag), from, to, header.bytes - sizeof header};
}

} // namespace

bool seal(void *image, size_t bytes, uintptr_t bound_by, void *to, Refusal &why) {
  const SealKeys *keys = seal_keys(why);
  if (!keys)
    return false;
  const SealedWith with = keys->file_read ? SealedWith::file : SealedWith::run;
  SealedHeader header = {};
  memcpy(header.magic, sealed_magic, sizeof header.magic);
  header.version = sealed_version;
  header.key = static_cast<uint8_t>(with);
  header.nodes = static_cast<uint32_t>(node.count);
  header.bytes = sealed_bytes(bytes);
  header.key_id = keys->of(with).id;
  header.run = keys->run_number;
  header.process = bound_by ? keys->process_number : 0;
  header.bound_by = bound_by;
  seal_nonce(header.nonce);
  // In place first, so that no image remains in memory that is used for others.
  aegis_seal(keys->of(with).bytes, header.nonce, text_of(header, image, image), header.tag);
  memcpy(to, &header, sizeof header);
  memcpy(static_cast<uint8_t *>(to) + sizeof header, image, bytes);
  return true;
}

bool sealed_check(const void *sealed, size_t bytes, SealedHeader &header, Refusal &why) {
  if (!sealed || bytes < sizeof header)
    return why.set(SKEIN_EREFUSED, "%zu bytes are less than the header of an image", sealed ? bytes : 0);
  memcpy(&header, sealed, sizeof header);
  if (memcmp(header.magic, sealed_magic, sizeof header.magic) != 0)
    return why.set(SKEIN_EREFUSED, "these bytes are no packed thread");
  if (header.version != sealed_version)
    return why.set(SKEIN_EREFUSED, "it was packed in format %u, and this program knows format %u", header.version,
                   sealed_version);
  if (header.bytes != bytes)
    return why.set(SKEIN_EREFUSED, "it has %llu bytes, and %zu were given",
                   static_cast<unsigned long long>(header.bytes), bytes);
  return true;
}

bool seal_open(const SealedHeader &header, const void *sealed, void *to, Refusal &why) {
  const SealKeys *keys = seal_keys(why);
  if (!keys)
    return false;
  const auto with = static_cast<SealedWith>(header.key);
  if (with == SealedWith::file && !keys->file_read)
    return why.set(SKEIN_EREFUSED, "it was sealed with the key of a file, and SKEIN_OPTIONS=pack_key= names none");
  if (with == SealedWith::run && header.key_id != keys->run.id)
    return why.set(SKEIN_EREFUSED, "it was sealed with the key of another run, which ended with that run; with "
                                   "SKEIN_OPTIONS=pack_key=FILE later runs can unpack it");
  if (with == SealedWith::file && header.key_id != keys->file.id)
    return why.set(SKEIN_EREFUSED, "it was sealed with another key than that of the file in SKEIN_OPTIONS=pack_key=");
  if (with != SealedWith::run && with != SealedWith::file)
    return why.set(SKEIN_EREFUSED, "the image is damaged or forged: its header");
  const void *image = static_cast<const uint8_t *>(sealed) + sizeof header;
  if (!aegis_open(keys->of(with).bytes, header.nonce, text_of(header, image, to), header.tag))
    return why.set(SKEIN_EREFUSED, "the image is damaged or forged: its seal");
  return header.process == 0 || header.process == keys->process_number ||
         why.set(SKEIN_EPOINTER,
                 "it holds a pointer (%#llx) to memory of the process in which it was packed (malloc, mmap, a stack or "
                 "private memory of another thread), so it can only be unpacked there",
                 static_cast<unsigned long long>(header.bound_by));
}

bool sealed_here(const SealedHeader &header) {
  Refusal why;
  const SealKeys *keys = seal_keys(why);
  return keys && header.run == keys->run_number;
}

} // namespace skein
