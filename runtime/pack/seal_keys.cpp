// The keys of images; see seal_keys.h.
#include "pack/seal_keys.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "base/once.h"
#include "net/run/halting.h"
#include "net/run/newcomers.h"
#include "net/wire/bootstrap.h"
#include "net/wire/link.h"
#include "net/wire/secret.h"
#include "net/wire/siphash.h"
#include "os/linux/memory.h"

#include <skein/skein.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein {

namespace {

/// On a page of secrets, which a child of fork finds empty. So it draws keys and nonces of its own.
struct Page {
  SealKeys keys;
  std::atomic<uint64_t> nonces; // so many were given out
  uint64_t nonces_of;           // random: of this process
};

SpinLock lock{Rank::leaf};
Page *secrets;
Once secrets_once;

Page &page() {
  secrets_once([] { secrets = static_cast<Page *>(memory_for_secrets()); });
  return *secrets;
}

void draw(void *to, size_t bytes) {
  for (auto *at = static_cast<uint8_t *>(to); bytes;) {
    const ssize_t drawn = getrandom(at, bytes, 0);
    if (drawn < 0 && errno != EINTR)
      fatal("the system has no random numbers (errno %d)", errno);
    if (drawn > 0) {
      at += drawn;
      bytes -= static_cast<size_t>(drawn);
    }
  }
}

uint64_t derived(const uint8_t *secret, const char *what) { return siphash(secret, what, strlen(what)); }

void name_key(SealKey &key) { key.id = derived(key.bytes, "which key seals this image"); }

void set_run_key(SealKeys &keys) {
  uint8_t secret[bootstrap::token_bytes];
  memcpy(secret, run_secret(), sizeof secret);
  if (std::all_of(secret, secret + sizeof secret, [](uint8_t byte) { return byte == 0; })) // alone
    draw(secret, sizeof secret);
  const uint64_t halves[2] = {derived(secret, "images, first half"), derived(secret, "images, second half")};
  static_assert(sizeof halves == sizeof keys.run.bytes);
  memcpy(keys.run.bytes, halves, sizeof halves);
  keys.run_number = derived(secret, "the number of the run");
  explicit_bzero(secret, sizeof secret);
  name_key(keys.run);
}

void draw_nonces(Page &here) {
  draw(&here.nonces_of, sizeof here.nonces_of);
  here.nonces.store(0, std::memory_order_relaxed);
}

/// Under the lock.
SealKeys &ready(Page &here) {
  SealKeys &keys = here.keys;
  if (!keys.ready) {
    set_run_key(keys);
    draw_nonces(here);
    draw(&keys.process_number, sizeof keys.process_number);
    keys.process_number |= 1;
    keys.ready = true;
  }
  return keys;
}

// What a copy of this process has of the keys.
SealKeys kept;

const char *keep(char *, size_t) {
  Guard guard(lock);
  kept = ready(page());
  explicit_bzero(&kept.file, sizeof kept.file); // it is read again
  kept.file_read = false;
  return nullptr;
}
void keep_no_more() { explicit_bzero(&kept, sizeof kept); }
HaltPart halt_part = {keep, keep_no_more, nullptr};

bool key_is_former; // it does not follow from the secret of the run as it is now

/// Two processes that are made of one copy have the same keys, and must not use the same nonces.
void on_reborn() {
  new (&lock) SpinLock(Rank::leaf);
  page().keys = kept;
  draw_nonces(page());
  key_is_former = true;
}

/// On node 0.
void on_met(int newcomer) {
  if (node.self != 0 || !key_is_former)
    return;
  auto *message = message_new<SealKeyMessage>();
  {
    Guard guard(lock);
    const SealKeys &keys = page().keys;
    memcpy(message->key, keys.run.bytes, sizeof message->key);
    message->run = keys.run_number;
  }
  link_send(newcomer, message);
}

/// On a node that joins the run, before it has any thread.
void on_key(Arrival &arrival) {
  const auto &told = arrival.body<SealKeyMessage>();
  Guard guard(lock);
  SealKeys &keys = ready(page());
  static_assert(sizeof told.key == sizeof keys.run.bytes);
  memcpy(keys.run.bytes, told.key, sizeof told.key);
  name_key(keys.run);
  keys.run_number = told.run;
  key_is_former = true;
}

bool cannot(Refusal &why, const char *knob, const char *path, const char *reason) {
  return why.set(SKEIN_EREFUSED,
                 "the file of the key, %s (SKEIN_OPTIONS=%s=), %s; `head -c %zu /dev/urandom > FILE; chmod 600 FILE` "
                 "makes one",
                 path, knob, reason, aegis_key_bytes);
}

bool read_file_key(SealKey &key, Refusal &why) {
  if (!seal_key_read("pack_key", knobs.pack_key, key.bytes, why))
    return false;
  name_key(key);
  return true;
}

} // namespace

bool seal_key_read(const char *knob, const char *path, uint8_t *to, Refusal &why) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return cannot(why, knob, path, strerror(errno));
  struct stat what;
  uint8_t bytes[aegis_key_bytes + 1];
  const bool known = fstat(file, &what) == 0;
  const ssize_t count = read(file, bytes, sizeof bytes);
  close(file);
  if (!known || count < 0)
    return cannot(why, knob, path, "cannot be read");
  if ((what.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return cannot(why, knob, path, "may be read or written by others than its owner");
  if (count != aegis_key_bytes)
    return cannot(why, knob, path, "does not have the size of a key");
  memcpy(to, bytes, aegis_key_bytes);
  explicit_bzero(bytes, sizeof bytes);
  return true;
}

void seal_keys_start() {
  halt_part_add(halt_part);
  node_reborn.add(on_reborn);
  node_met.add(on_met);
  link_handle<SealKeyMessage>(on_key);
}

void seal_keys_after_fork() { new (&lock) SpinLock(Rank::leaf); }

const SealKeys *seal_keys(Refusal &why) {
  Page &here = page();
  Guard guard(lock);
  SealKeys &keys = ready(here);
  if (*knobs.pack_key && !keys.file_read) {
    if (!read_file_key(keys.file, why))
      return nullptr;
    keys.file_read = true;
  }
  return &keys;
}

void seal_nonce(uint8_t *nonce) {
  Page &here = page();
  const uint64_t words[2] = {here.nonces_of, here.nonces.fetch_add(1, std::memory_order_relaxed)};
  static_assert(sizeof words == aegis_nonce_bytes);
  memcpy(nonce, words, sizeof words);
}

} // namespace skein
