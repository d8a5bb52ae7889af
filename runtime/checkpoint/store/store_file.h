// Opens a node's file and checks all that it says about itself, for the reader, for a writer that refers to it, and for
// those who only ask whom it refers to.
#ifndef SKEIN_CHECKPOINT_STORE_STORE_FILE_H
#define SKEIN_CHECKPOINT_STORE_STORE_FILE_H

#include "checkpoint/store/seals.h"
#include "checkpoint/store/system.h"

namespace skein::store {

/// A line of explanation.
struct Fault {
  char *text;
  size_t bytes;
  /// False.
  [[gnu::format(printf, 2, 3)]] bool set(const char *format, ...);
  /// "PATH: cannot be WHAT: reason of the errno".
  bool set_system(const char *path, const char *what, int error);
};

struct Holder {
  uint8_t id[id_bytes];
  char name[name_max + 1]; // relative to the folder of the file that refers to it
};

/// The folder of `path` and `name`. False if that is too long.
bool path_beside(const char *path, const char *name, char (&to)[name_max + 1]);

class StoreFile {
public:
  explicit StoreFile(OwnMemory &memory) : memory_(memory) {}
  StoreFile(const StoreFile &) = delete;
  StoreFile &operator=(const StoreFile &) = delete;
  ~StoreFile() { close(); }

  /// Header and holders, which need no key. `path` must stay.
  bool open(const char *path, Fault &fault);
  /// Header only, of a file that another one refers to by this id. The key, if any, has to be that of both.
  bool open_holder(const char *path, const uint8_t *id, const uint8_t *key, Fault &fault);
  /// Whether the key, or its absence, is right.
  bool check_key(const uint8_t *key, Fault &fault) const;
  /// Index and head, after open and check_key.
  bool read_tail(const uint8_t *key, Fault &fault);
  void close();

  int file = -1;
  const char *path = nullptr;
  StoreHeader header;
  Holder *holders = nullptr; // header.holders of them
  StoreEntry *entries = nullptr;
  void *head = nullptr;

private:
  bool read_header(const char *path, Fault &fault);
  bool read_holders(Fault &fault);
  bool check_entries(Fault &fault) const;
  OwnMemory &memory_;
};

} // namespace skein::store

#endif
