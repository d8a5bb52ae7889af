// Digests and seals; see seals.h.
#include "checkpoint/store/seals.h"
#include "net/wire/siphash.h"

#include <cstring>

namespace skein::store {

namespace {

/// That of a header's digest, which only finds accidents.
constexpr uint8_t known_key[key_bytes + 1] = "skein checkpoint";

struct Nonce {
  uint8_t bytes[aegis_nonce_bytes];
  Nonce(const uint8_t *id, uint32_t part) {
    constexpr size_t of_file = sizeof bytes - sizeof part;
    memcpy(bytes, id, of_file);
    memcpy(bytes + of_file, &part, sizeof part);
  }
};

struct ChunkNonce : Nonce {
  ChunkNonce(const uint8_t *id, const StoreEntry &entry)
      : Nonce(id, static_cast<uint32_t>(entry.address / chunk_bytes)) {}
};

/// What is said about a chunk and must stay true; where it lies does not matter.
struct Said {
  uint64_t address;
  uint16_t there, data;
  uint32_t coding;
  explicit Said(const StoreEntry &entry)
      : address(entry.address), there(entry.there), data(entry.data), coding(static_cast<uint32_t>(entry.coding)) {}
};
static_assert(sizeof(Said) == 16);

void mac(const uint8_t *key, const uint8_t *nonce, const void *bytes, size_t count, uint8_t *tag) {
  aegis_seal(key, nonce, {bytes, count, nullptr, nullptr, 0}, tag);
}

bool same(const uint8_t *one, const uint8_t *other) { return memcmp(one, other, tag_bytes) == 0; }

} // namespace

uint64_t key_id_of(const uint8_t *key) {
  static constexpr char words[] = "which key seals this checkpoint";
  const uint64_t id = siphash(key, words, sizeof words - 1);
  return id ? id : 1;
}

void digest_chunk(const uint8_t *digest_key, const StoreEntry &entry, const void *data, uint8_t *digest) {
  uint8_t nonce[aegis_nonce_bytes] = {};
  memcpy(nonce, &entry.address, sizeof entry.address);
  memcpy(nonce + 8, &entry.there, sizeof entry.there);
  memcpy(nonce + 10, &entry.data, sizeof entry.data);
  mac(digest_key, nonce, data, data_bytes(entry), digest);
}

void digest_bytes(const uint8_t *digest_key, const uint8_t *id, const void *bytes, size_t count, uint8_t *digest) {
  mac(digest_key, id, bytes, count, digest);
}

void seal_chunk(const uint8_t *key, const uint8_t *id, const StoreEntry &entry, void *bytes, size_t count,
                uint8_t *tag) {
  const Said said(entry);
  aegis_seal(key, ChunkNonce(id, entry).bytes, {&said, sizeof said, bytes, bytes, count}, tag);
}

bool open_chunk(const uint8_t *key, const uint8_t *id, const StoreEntry &entry, void *bytes, size_t count,
                const uint8_t *tag) {
  const Said said(entry);
  return aegis_open(key, ChunkNonce(id, entry).bytes, {&said, sizeof said, bytes, bytes, count}, tag);
}

void seal_part(const uint8_t *key, const uint8_t *id, Part part, void *bytes, size_t count, uint8_t *tag) {
  aegis_seal(key, Nonce(id, static_cast<uint32_t>(part)).bytes, {nullptr, 0, bytes, bytes, count}, tag);
}

bool open_part(const uint8_t *key, const uint8_t *id, Part part, void *bytes, size_t count, const uint8_t *tag) {
  return aegis_open(key, Nonce(id, static_cast<uint32_t>(part)).bytes, {nullptr, 0, bytes, bytes, count}, tag);
}

void seal_header(const uint8_t *key, StoreHeader &header) {
  if (key)
    mac(key, Nonce(header.id, static_cast<uint32_t>(Part::header)).bytes, &header, offsetof(StoreHeader, tag),
        header.tag);
  mac(known_key, header.id, &header, offsetof(StoreHeader, digest), header.digest);
}

bool header_is_whole(const StoreHeader &header) {
  uint8_t digest[tag_bytes];
  mac(known_key, header.id, &header, offsetof(StoreHeader, digest), digest);
  return same(digest, header.digest);
}

bool header_is_genuine(const uint8_t *key, const StoreHeader &header) {
  uint8_t tag[tag_bytes];
  mac(key, Nonce(header.id, static_cast<uint32_t>(Part::header)).bytes, &header, offsetof(StoreHeader, tag), tag);
  return same(tag, header.tag);
}

} // namespace skein::store
