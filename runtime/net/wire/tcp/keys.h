// What is derived from the secret of a run: a key for each ordered pair of nodes and each kind of connection, so that
// nothing that one node says to another can be used anywhere else. And the messages of the handshake of connections
// that are authenticated, but not sealed (SKEIN_OPTIONS=tcp=plain); those of sealed ones are TLS's.
//
//     from: smaller number                           to: larger number
//       | -- PlainHello: from, to, nonce, proof ------->|  the proof shows at once that it is no stranger
//       |<- PlainAnswer: nonce, proof ------------------|  of the hello and both nonces
//       | -- PlainFinish: proof ----------------------->|  of all that
//
// A proof is HMAC-SHA-256 under the pair's key of a word that says which one it is, and of all bytes before it. Both
// nonces are fresh, so a recorded handshake is of no use: the hello of one draws an answer to which nobody has a
// finish.
#ifndef SKEIN_NET_WIRE_TCP_KEYS_H
#define SKEIN_NET_WIRE_TCP_KEYS_H

#include "net/wire/transport.h"

#include <cstddef>
#include <cstdint>

namespace skein::tcp {

inline constexpr size_t key_bytes = 32, nonce_bytes = 16;
inline constexpr uint8_t protocol_version = 1;

/// The two nodes of a connection, the one that connects first; also the identity of the pre-shared key in TLS. It
/// contains no address in memory.
struct Pair {
  char magic[3]; // "SKT"
  uint8_t version;
  uint32_t from, to;

  static Pair of(uint32_t from, uint32_t to) { return {{'S', 'K', 'T'}, protocol_version, from, to}; }
};
static_assert(sizeof(Pair) == 12);

struct PlainHello {
  Pair pair;
  uint32_t zero;
  uint8_t nonce[nonce_bytes];
  uint8_t proof[key_bytes];
};
struct PlainAnswer {
  uint8_t nonce[nonce_bytes];
  uint8_t proof[key_bytes];
};
struct PlainFinish {
  uint8_t proof[key_bytes];
};
static_assert(sizeof(PlainHello) == 64 && sizeof(PlainAnswer) == 48 && sizeof(PlainFinish) == 32);

/// All of one handshake, as far as it has come.
struct PlainHandshake {
  PlainHello hello;
  PlainAnswer answer;
  PlainFinish finish;
};
static_assert(sizeof(PlainHandshake) == 144);

/// The key of a pair, for sealed connections or plain ones.
void pair_key(const unsigned char *secret, const Pair &pair, bool sealed, uint8_t key[key_bytes]);

/// Fill in a nonce, from the kernel's generator. False: it has none.
bool fresh_nonce(uint8_t nonce[nonce_bytes]);

/// Write the proof of the last part of the handshake so far, or compare.
enum class PlainPart { hello, answer, finish };
void prove(const uint8_t key[key_bytes], PlainPart part, PlainHandshake &handshake);
bool proved(const uint8_t key[key_bytes], PlainPart part, const PlainHandshake &handshake);

} // namespace skein::tcp

#endif
