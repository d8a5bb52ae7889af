// Keys and proofs; see keys.h.
#include "net/wire/tcp/keys.h"

#include <cstring>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <sys/random.h>

namespace skein::tcp {

namespace {

/// HMAC-SHA-256 of a word and of bytes.
void hmac(const void *key, size_t key_size, const char *word, const void *bytes, size_t count, uint8_t out[key_bytes]) {
  uint8_t text[256];
  const size_t word_bytes = strlen(word) + 1; // with its end, so that no word begins another
  memcpy(text, word, word_bytes);
  memcpy(text + word_bytes, bytes, count); // at most 144
  unsigned size = key_bytes;
  HMAC(EVP_sha256(), key, static_cast<int>(key_size), text, word_bytes + count, out, &size);
}

/// Where the proof of a part lies: what comes before it is what it proves.
size_t proof_at(PlainPart part) {
  switch (part) {
  case PlainPart::hello:
    return offsetof(PlainHandshake, hello.proof);
  case PlainPart::answer:
    return offsetof(PlainHandshake, answer.proof);
  case PlainPart::finish:
    break;
  }
  return offsetof(PlainHandshake, finish.proof);
}

void proof_of(const uint8_t key[key_bytes], PlainPart part, const PlainHandshake &handshake, uint8_t proof[key_bytes]) {
  static const char *const words[] = {"skein hello", "skein answer", "skein finish"};
  hmac(key, key_bytes, words[static_cast<int>(part)], &handshake, proof_at(part), proof);
}

} // namespace

void pair_key(const unsigned char *secret, const Pair &pair, bool sealed, uint8_t key[key_bytes]) {
  hmac(secret, SKEIN_TRANSPORT_SECRET_BYTES, sealed ? "skein tcp sealed" : "skein tcp plain", &pair, sizeof pair, key);
}

bool fresh_nonce(uint8_t nonce[nonce_bytes]) {
  return getrandom(nonce, nonce_bytes, 0) == static_cast<ssize_t>(nonce_bytes);
}

void prove(const uint8_t key[key_bytes], PlainPart part, PlainHandshake &handshake) {
  uint8_t proof[key_bytes];
  proof_of(key, part, handshake, proof);
  memcpy(reinterpret_cast<char *>(&handshake) + proof_at(part), proof, sizeof proof);
}

bool proved(const uint8_t key[key_bytes], PlainPart part, const PlainHandshake &handshake) {
  uint8_t proof[key_bytes];
  proof_of(key, part, handshake, proof);
  return CRYPTO_memcmp(proof, reinterpret_cast<const char *>(&handshake) + proof_at(part), sizeof proof) == 0;
}

} // namespace skein::tcp
