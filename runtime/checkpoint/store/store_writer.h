// Writes a node's file.
//
// `add` only notes where the pages are. `finish` knows all of them, so it can make the index at once and deal chunks to
// kernel threads, 64 at a time: each drops zeros, compares digests with the file before, compresses, seals, and writes
// what it has when that is 4 MiB. The place in the file is taken by an addition, so nobody waits for anybody, and the
// disk gets large pieces in order. One more kernel thread tells it to begin with them, waits until it has written them,
// which leaves little for the last fsync, and notes how much lies before it.
//
// What does not become smaller by a sixteenth is stored as it is. After that, only every second chunk is tried, then
// every fourth, up to every 32nd, until one is worth it.
//
// A core compresses text at 300 MB/s, and disks may be faster. So with fast levels chunks are stored as they are, too,
// while the disk has next to nothing to do: then what is compressed fills the time in which the disk is busy, and the
// whole takes less time than with all compressed, or none.
#ifndef SKEIN_CHECKPOINT_STORE_STORE_WRITER_H
#define SKEIN_CHECKPOINT_STORE_STORE_WRITER_H

#include "checkpoint/store.h"
#include "checkpoint/store/store_file.h"

#include <atomic>

struct skein_checkpoint_writer {
  bool create(const skein_checkpoint_setup &setup, skein::store::Fault &fault);
  bool add(uintptr_t address, const void *bytes, size_t count, skein::store::Fault &fault);
  bool finish(const void *head, size_t head_bytes, skein_checkpoint_result &result, skein::store::Fault &fault);
  /// Removes what there is of the file.
  void remove();

private:
  /// Pages that lie together both in memory and in the file.
  struct Run {
    uint64_t address;
    const char *bytes; // null: they are fetched
    uint64_t count;
  };
  struct Worker;

  void use_previous(const char *path);
  void weigh_holders(const char *path);
  bool make_index(skein::store::Fault &fault);
  bool write_chunks(skein::store::Fault &fault);
  bool write_tail(const void *head, size_t head_bytes, skein::store::Fault &fault);
  void sum_up(skein_checkpoint_result &result);
  uint32_t number_holders();
  void work(unsigned i);
  void compress_some(Worker &worker);
  void follow_disk();
  bool disk_is_idle() const;
  void pulse();
  void fail(int error);
  bool stopped() const { return error_.load(std::memory_order_relaxed) != 0; }
  const skein::store::StoreEntry *unchanged(const skein::store::StoreEntry &entry) const;

  skein::store::OwnMemory memory_;
  skein::store::StoreFile previous_{memory_};
  bool previous_there_ = false;
  /// Files that hold chunks of the one before, as that numbers them: 0 itself.
  struct Candidate {
    skein::store::Holder holder;
    uint64_t used; // bytes of it that the previous file needs
    bool usable;
    uint16_t number; // in the new file, from 1; 0: not needed
  };
  Candidate candidates_[skein::store::holders_max + 1];

  char path_[skein::store::name_max + 1];
  uint8_t key_bytes_[skein::store::key_bytes];
  const uint8_t *key_ = nullptr;
  int file_ = -1, level_ = 0;
  skein_checkpoint_fetch_fn fetch_ = nullptr;
  void *fetch_context_ = nullptr;
  unsigned threads_ = 1;
  char note_[512] = "";

  Run *runs_ = nullptr;
  size_t run_count_ = 0;
  skein::store::StoreHeader header_ = {};
  skein::store::StoreEntry *entries_ = nullptr;
  uint32_t *first_runs_ = nullptr; // of each chunk, the first run that reaches into it
  Worker *workers_ = nullptr;
  std::atomic<uint64_t> next_{0}, end_{skein::store::first_chunk_at};
  std::atomic<uint64_t> on_disk_{skein::store::first_chunk_at}; // what lies before is
  std::atomic<uint32_t> pulse_{0};                              // changes with end_, and when a worker ends
  std::atomic<unsigned> working_{1};                            // workers; the caller is one
  bool adapts_ = false;                                         // chunks are not compressed while the disk is idle
  std::atomic<int> error_{0};
};

#endif
