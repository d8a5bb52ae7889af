// Digests and seals of the parts of a file.
//
// A digest is the tag of AEGIS-128L over data that stay readable: 10 GB/s, and no library that is not here anyway. Its
// key is drawn at random for each chain of files, so no contents are likelier to collide than others.
//
// A nonce of the seals is the first 12 bytes of the file's random number and the number of the part: that of a chunk is
// its address / 64 KiB. No file seals a part twice, so none is used twice with one key.
#ifndef SKEIN_CHECKPOINT_STORE_SEALS_H
#define SKEIN_CHECKPOINT_STORE_SEALS_H

#include "checkpoint/store/store_format.h"

namespace skein::store {

/// Parts that are no chunks.
enum class Part : uint32_t { head = 0xfffffffd, index = 0xfffffffe, header = 0xffffffff };

/// By which a file says which key it needs.
uint64_t key_id_of(const uint8_t *key);

void digest_chunk(const uint8_t *digest_key, const StoreEntry &entry, const void *data, uint8_t *digest);
/// Of a part, or of the holders: any bytes that belong to the file `id`.
void digest_bytes(const uint8_t *digest_key, const uint8_t *id, const void *bytes, size_t count, uint8_t *digest);

void seal_chunk(const uint8_t *key, const uint8_t *id, const StoreEntry &entry, void *bytes, size_t count,
                uint8_t *tag);
bool open_chunk(const uint8_t *key, const uint8_t *id, const StoreEntry &entry, void *bytes, size_t count,
                const uint8_t *tag);
/// In place.
void seal_part(const uint8_t *key, const uint8_t *id, Part part, void *bytes, size_t count, uint8_t *tag);
bool open_part(const uint8_t *key, const uint8_t *id, Part part, void *bytes, size_t count, const uint8_t *tag);

/// Sets `tag` (if there is a key) and `digest`.
void seal_header(const uint8_t *key, StoreHeader &header);
/// Whether nothing has changed it by accident; anybody can tell.
bool header_is_whole(const StoreHeader &header);
/// Whether who wrote it knew the key.
bool header_is_genuine(const uint8_t *key, const StoreHeader &header);

} // namespace skein::store

#endif
