// Reads a node's file: every page straight to its place where that can be.
//
// A chunk whose data lie together at their place is decompressed there, or read there if it is neither compressed nor
// sealed; all others go through a buffer. The digest is taken of what has arrived.
#ifndef SKEIN_CHECKPOINT_STORE_STORE_READER_H
#define SKEIN_CHECKPOINT_STORE_STORE_READER_H

#include "checkpoint/store.h"
#include "checkpoint/store/store_file.h"

#include <atomic>

struct skein_checkpoint_reader {
  explicit skein_checkpoint_reader(void *own) : memory_(own) {}
  ~skein_checkpoint_reader();

  bool open(const char *path, const unsigned char *key, skein::store::Fault &fault);
  const void *head(size_t &bytes) const;
  bool read(unsigned threads, skein_checkpoint_place_fn place, void *context, skein::store::Fault &fault);

private:
  enum class Wrong : int { nothing, system, seal, contents };
  struct Worker;

  bool open_holders(skein::store::Fault &fault);
  bool place_all(skein_checkpoint_place_fn place, void *context, skein::store::Fault &fault);
  void work(unsigned i);
  bool read_chunk(Worker &worker, uint64_t chunk);
  bool fail(Wrong wrong, uint64_t chunk, int error = 0);
  bool explain(skein::store::Fault &fault) const;
  const skein::store::StoreFile &holder_of(const skein::store::StoreEntry &entry) const {
    return entry.holder ? others_[entry.holder - 1] : file_;
  }

  skein::store::OwnMemory memory_;
  skein::store::StoreFile file_{memory_};
  skein::store::StoreFile *others_ = nullptr;
  uint32_t others_begun_ = 0, others_open_ = 0;
  char path_[skein::store::name_max + 1];
  char (*other_paths_)[skein::store::name_max + 1] = nullptr;
  uint8_t key_bytes_[skein::store::key_bytes];
  const uint8_t *key_ = nullptr;

  /// Of each piece of each chunk (store_reader.cpp), and where those of a chunk begin.
  void **places_ = nullptr;
  uint64_t *first_places_ = nullptr;
  Worker *workers_ = nullptr;
  std::atomic<uint64_t> next_{0};
  std::atomic<Wrong> wrong_{Wrong::nothing};
  uint64_t wrong_chunk_ = 0; // set by who set wrong_
  int wrong_error_ = 0;
};

#endif
