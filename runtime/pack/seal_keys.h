// The keys with which images are sealed (pack/seal.h).
//
// Each run has a key of its own. In a run of several nodes it follows from the run's secret, which all nodes know
// (net/wire/secret.h); a process alone draws one. A file may have another one (knob pack_key), which is then used for
// all images that are packed, so that later runs can read them. Images of the run's own key stay readable.
//
// A checkpoint has the images that its threads keep, and so has the run's key, too: it lies in ordinary memory while
// the node has halted, and the nodes that are made of the checkpoint go on with it.
#ifndef SKEIN_PACK_SEAL_KEYS_H
#define SKEIN_PACK_SEAL_KEYS_H

#include "base/aegis.h"
#include "migrate/refusal.h"

#include <cstdint>

namespace skein {

enum class SealedWith : uint8_t { run = 1, file = 2 };

struct SealKey {
  uint8_t bytes[aegis_key_bytes];
  uint64_t id; // by which an image says which key it needs; says nothing about the key
};

struct SealKeys {
  SealKey run, file;
  uint64_t run_number;     // of this run; differs from those of all others
  uint64_t process_number; // likewise, not 0
  bool file_read;
  bool ready;

  const SealKey &of(SealedWith with) const { return with == SealedWith::file ? file : run; }
};

void seal_keys_start();
/// In the child of a fork, where the thread that may have held the lock does not exist.
void seal_keys_after_fork();

/// Reads the key (aegis_key_bytes) of a file, which that knob names. False with a reason: it cannot be used.
bool seal_key_read(const char *knob, const char *path, uint8_t *to, Refusal &why);

/// The keys of this process. Null with a reason: the file of the key cannot be used.
const SealKeys *seal_keys(Refusal &why);

/// Writes a nonce that no other image of these keys has.
void seal_nonce(uint8_t *nonce);

} // namespace skein

#endif
