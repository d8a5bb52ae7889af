// AEGIS-128L; see aegis.h. The names of the parts are those of the draft.
#include "base/aegis.h"
#include "base/aes.h"
#include "base/processor_features.h"

#include <cstring>

namespace skein {

namespace {

using Block [[gnu::vector_size(16)]] = uint64_t;
constexpr size_t block_bytes = sizeof(Block);
constexpr size_t rate = 2 * block_bytes; // bytes of each step

inline Block load(const void *from) {
  Block block;
  memcpy(&block, from, sizeof block);
  return block;
}
inline void store(void *to, Block block) { memcpy(to, &block, sizeof block); }

/// By the instruction. As assembly it needs no compiler option, and so cannot bring other new instructions with it.
/// With three operands nothing has to be copied, which takes half of the time.
struct Instruction {
  static Block round(Block block, Block key) {
    Block next;
    asm("vaesenc %2, %1, %0" : "=x"(next) : "x"(block), "x"(key));
    return next;
  }
};

struct Portable {
  /// Not inlined, as it would be a hundred times.
  [[gnu::noinline]] static Block round(Block block, Block key) {
    AesBlock wide, by;
    memcpy(&wide, &block, sizeof block);
    memcpy(&by, &key, sizeof key);
    const AesBlock next = aes_round(wide, by);
    return load(&next);
  }
};

template <class Aes> struct State {
  Block s[8];

  [[gnu::always_inline]] void update(Block m0, Block m1) {
    const Block last = s[7];
    s[7] = Aes::round(s[6], s[7]);
    s[6] = Aes::round(s[5], s[6]);
    s[5] = Aes::round(s[4], s[5]);
    s[4] = Aes::round(s[3], s[4] ^ m1);
    s[3] = Aes::round(s[2], s[3]);
    s[2] = Aes::round(s[1], s[2]);
    s[1] = Aes::round(s[0], s[1]);
    s[0] = Aes::round(last, s[0] ^ m0);
  }
  [[gnu::always_inline]] State(const uint8_t *key_bytes, const uint8_t *nonce_bytes) {
    const Block c0 = {0x0d08050302010100, 0x6279e99059372215}, c1 = {0xf12fc26d55183ddb, 0xdd28b57342311120};
    const Block key = load(key_bytes), nonce = load(nonce_bytes);
    s[0] = key ^ nonce, s[1] = c1, s[2] = c0, s[3] = c1;
    s[4] = key ^ nonce, s[5] = key ^ c0, s[6] = key ^ c1, s[7] = key ^ c0;
    for (int i = 0; i < 10; i++)
      update(nonce, key);
  }
  [[gnu::always_inline]] void absorb(const uint8_t *at, size_t bytes) {
    for (; bytes >= rate; at += rate, bytes -= rate)
      update(load(at), load(at + block_bytes));
    if (bytes) {
      uint8_t last[rate] = {};
      memcpy(last, at, bytes);
      update(load(last), load(last + block_bytes));
    }
  }
  /// One step: `in` and `out` are `rate` bytes.
  template <bool Encrypts> [[gnu::always_inline]] void crypt(const uint8_t *in, uint8_t *out, size_t bytes = rate) {
    const Block z0 = s[6] ^ s[1] ^ (s[2] & s[3]), z1 = s[2] ^ s[5] ^ (s[6] & s[7]);
    const Block x0 = load(in), x1 = load(in + block_bytes);
    store(out, x0 ^ z0);
    store(out + block_bytes, x1 ^ z1);
    if (Encrypts) {
      update(x0, x1);
      return;
    }
    memset(out + bytes, 0, rate - bytes); // where there is no text, the text is zero
    update(load(out), load(out + block_bytes));
  }
  template <bool Encrypts> [[gnu::always_inline]] void crypt_all(const uint8_t *in, uint8_t *out, size_t bytes) {
    for (; bytes >= rate; in += rate, out += rate, bytes -= rate)
      crypt<Encrypts>(in, out);
    if (bytes) {
      uint8_t last[rate] = {}, done[rate];
      memcpy(last, in, bytes);
      crypt<Encrypts>(last, done, bytes);
      memcpy(out, done, bytes);
    }
  }
  [[gnu::always_inline]] void finalize(size_t with_bytes, size_t bytes, uint8_t *tag) {
    const Block lengths = {uint64_t{with_bytes} * 8, uint64_t{bytes} * 8};
    const Block t = s[2] ^ lengths;
    for (int i = 0; i < 7; i++)
      update(t, t);
    store(tag, s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6]);
  }
};

template <class Aes, bool Encrypts>
void run(const uint8_t *key, const uint8_t *nonce, const AegisText &text, uint8_t *tag) {
  State<Aes> state(key, nonce);
  state.absorb(static_cast<const uint8_t *>(text.with), text.with_bytes);
  state.template crypt_all<Encrypts>(static_cast<const uint8_t *>(text.from), static_cast<uint8_t *>(text.to),
                                     text.bytes);
  state.finalize(text.with_bytes, text.bytes, tag);
}

template <class Aes> bool open(const uint8_t *key, const uint8_t *nonce, const AegisText &text, const uint8_t *tag) {
  uint8_t found[aegis_tag_bytes];
  run<Aes, false>(key, nonce, text, found);
  unsigned different = 0; // in a time that does not tell where
  for (size_t i = 0; i < aegis_tag_bytes; i++)
    different |= static_cast<unsigned>(found[i] ^ tag[i]);
  return different == 0;
}

} // namespace

void aegis_seal_portable(const uint8_t *key, const uint8_t *nonce, const AegisText &text, uint8_t *tag) {
  run<Portable, true>(key, nonce, text, tag);
}
bool aegis_open_portable(const uint8_t *key, const uint8_t *nonce, const AegisText &text, const uint8_t *tag) {
  return open<Portable>(key, nonce, text, tag);
}

void aegis_seal(const uint8_t *key, const uint8_t *nonce, const AegisText &text, uint8_t *tag) {
  processor_has(feature_aes) ? run<Instruction, true>(key, nonce, text, tag)
                             : aegis_seal_portable(key, nonce, text, tag);
}
bool aegis_open(const uint8_t *key, const uint8_t *nonce, const AegisText &text, const uint8_t *tag) {
  return processor_has(feature_aes) ? open<Instruction>(key, nonce, text, tag)
                                    : aegis_open_portable(key, nonce, text, tag);
}

} // namespace skein
