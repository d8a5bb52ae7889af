// Reads a node's file; see store_reader.h. A *piece* is a row of pages of one chunk that all hold data, or all zeros.
#include "checkpoint/store/store_reader.h"
#include "checkpoint/store/compression.h"
#include "checkpoint/store/crew.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace skein::store;

namespace {

constexpr uint64_t deal = 16; // chunks

struct Piece {
  unsigned first, pages;
  bool zeros;
};

/// Calls `each` for every piece of a chunk, in ascending order.
template <class Each> void for_pieces(const StoreEntry &entry, Each each) {
  for (unsigned i = 0; i < chunk_pages;) {
    if (!(entry.there >> i & 1)) {
      i++;
      continue;
    }
    const unsigned first = i, data = entry.data >> i & 1u;
    while (i < chunk_pages && (entry.there >> i & 1) && (entry.data >> i & 1u) == data)
      i++;
    each(Piece{first, i - first, data == 0});
  }
}

} // namespace

/// Of one kernel thread.
struct skein_checkpoint_reader::Worker {
  void *decompressor;
  char *stored; // as it was in the file
  char *plain;  // data whose places do not lie together
};

skein_checkpoint_reader::~skein_checkpoint_reader() {
  for (uint32_t i = 0; i < others_begun_; i++)
    others_[i].close();
}

bool skein_checkpoint_reader::open(const char *path, const unsigned char *key, Fault &fault) {
  const size_t length = path ? strlen(path) : 0;
  if (length == 0 || length > name_max)
    return fault.set("the path of a checkpoint has %zu characters, and may have 1 to %zu", length, name_max);
  memcpy(path_, path, length + 1);
  if (key)
    key_ = static_cast<const uint8_t *>(memcpy(key_bytes_, key, sizeof key_bytes_));
  return file_.open(path_, fault) && file_.check_key(key_, fault) && file_.read_tail(key_, fault);
}

const void *skein_checkpoint_reader::head(size_t &bytes) const {
  bytes = static_cast<size_t>(file_.header.head_bytes);
  return file_.head;
}

bool skein_checkpoint_reader::open_holders(Fault &fault) {
  const uint32_t count = file_.header.holders;
  if (others_ || count == 0)
    return others_open_ == count || fault.set("%s: files that it needs could not be opened before", path_);
  others_ = memory_.get<StoreFile>(count);
  other_paths_ = memory_.get<char[name_max + 1]>(count);
  if (!others_ || !other_paths_)
    return fault.set("%s: no memory for the %u files that it needs", path_, count);
  for (; others_open_ < count; others_open_++) {
    const Holder &holder = file_.holders[others_open_];
    char (&there)[name_max + 1] = other_paths_[others_open_];
    StoreFile *other = new (&others_[others_begun_++]) StoreFile(memory_);
    if (!path_beside(path_, holder.name, there))
      return fault.set("%s: needs %s, and that path is too long", path_, holder.name);
    char reason[512];
    Fault why{reason, sizeof reason};
    if (!other->open_holder(there, holder.id, key_, why))
      return fault.set("%s: needs another file: %s", path_, reason);
  }
  return true;
}

bool skein_checkpoint_reader::place_all(skein_checkpoint_place_fn place, void *context, Fault &fault) {
  const uint64_t chunks = file_.header.chunks;
  uint64_t pieces = 0;
  for (uint64_t i = 0; i < chunks; i++)
    for_pieces(file_.entries[i], [&](Piece) { pieces++; });
  first_places_ = memory_.get<uint64_t>(chunks);
  places_ = memory_.get<void *>(pieces);
  if (!first_places_ || !places_)
    return fault.set("%s: no memory for %llu places", path_, static_cast<unsigned long long>(pieces));
  uint64_t next = 0;
  for (uint64_t i = 0; i < chunks; i++) {
    const StoreEntry &entry = file_.entries[i];
    first_places_[i] = next;
    for_pieces(entry, [&](Piece piece) {
      places_[next++] = place(context, entry.address + piece.first * page_bytes, piece.pages * page_bytes, piece.zeros);
    });
  }
  return true;
}

bool skein_checkpoint_reader::fail(Wrong wrong, uint64_t chunk, int error) {
  Wrong nothing = Wrong::nothing;
  if (wrong_.compare_exchange_strong(nothing, wrong)) {
    wrong_chunk_ = chunk; // read when all threads have ended
    wrong_error_ = error;
  }
  return false;
}

bool skein_checkpoint_reader::explain(Fault &fault) const {
  const StoreEntry &entry = file_.entries[wrong_chunk_];
  const char *path = holder_of(entry).path;
  switch (wrong_.load()) {
  case Wrong::nothing:
    return true;
  case Wrong::system:
    return fault.set_system(path, "read", wrong_error_);
  case Wrong::seal:
  case Wrong::contents:
    break;
  }
  return fault.set("%s: is %s: the memory at %#llx", path, key_ ? "damaged or forged" : "damaged",
                   static_cast<unsigned long long>(entry.address));
}

bool skein_checkpoint_reader::read_chunk(Worker &worker, uint64_t chunk) {
  const StoreEntry &entry = file_.entries[chunk];
  void *const *place = places_ + first_places_[chunk];
  char *together = nullptr, *end = nullptr; // where the data lie, if they lie together
  bool apart = false, wanted = false;
  for_pieces(entry, [&](Piece piece) {
    auto *at = static_cast<char *>(*place++);
    if (piece.zeros) {
      if (at)
        memset(at, 0, piece.pages * page_bytes);
      return;
    }
    apart = apart || !at || (end && at != end);
    if (!at)
      return;
    wanted = true;
    together = together ? together : at;
    end = at + piece.pages * page_bytes;
  });
  if (!wanted)
    return true;
  char *plain = apart ? worker.plain : together;
  const size_t bytes = data_bytes(entry);
  const StoreFile &holder = holder_of(entry);
  if (entry.offset > holder.header.tail_at || holder.header.tail_at - entry.offset < entry.stored)
    return fail(Wrong::contents, chunk);
  const bool direct = entry.coding == Coding::raw && !key_;
  char *stored = direct ? plain : worker.stored;
  if (const int error = read_all(holder.file, stored, entry.stored, entry.offset))
    return fail(Wrong::system, chunk, error);
  size_t count = entry.stored;
  if (key_) {
    count -= tag_bytes;
    if (!open_chunk(key_, holder.header.id, entry, stored, count, reinterpret_cast<const uint8_t *>(stored + count)))
      return fail(Wrong::seal, chunk);
  }
  if (entry.coding == Coding::zstd && !decompress(worker.decompressor, plain, bytes, stored, count))
    return fail(Wrong::contents, chunk);
  if (entry.coding == Coding::raw && !direct)
    memcpy(plain, stored, bytes);
  uint8_t digest[tag_bytes];
  digest_chunk(file_.header.digest_key, entry, plain, digest);
  if (memcmp(digest, entry.digest, sizeof digest) != 0)
    return fail(Wrong::contents, chunk);
  if (!apart)
    return true;
  place = places_ + first_places_[chunk];
  for_pieces(entry, [&](Piece piece) {
    void *at = *place++;
    if (piece.zeros)
      return;
    if (at)
      memcpy(at, plain, piece.pages * page_bytes);
    plain += piece.pages * page_bytes;
  });
  return true;
}

void skein_checkpoint_reader::work(unsigned i) {
  const uint64_t chunks = file_.header.chunks;
  for (uint64_t begin; (begin = next_.fetch_add(deal, std::memory_order_relaxed)) < chunks;)
    for (uint64_t at = begin; at < std::min(begin + deal, chunks); at++)
      if (wrong_.load(std::memory_order_relaxed) != Wrong::nothing || !read_chunk(workers_[i], at))
        return;
}

bool skein_checkpoint_reader::read(unsigned threads, skein_checkpoint_place_fn place, void *context, Fault &fault) {
  if (places_)
    return fault.set("%s: has been read already", path_);
  if (!open_holders(fault) || !place_all(place, context, fault))
    return false;
  const uint64_t deals = (file_.header.chunks + deal - 1) / deal;
  threads = static_cast<unsigned>(std::clamp<uint64_t>(deals, 1, std::clamp(threads, 1u, crew_max)));
  const size_t workspace = (decompressor_bytes() + 63) / 64 * 64, each = workspace + 3 * chunk_bytes;
  workers_ = memory_.get<Worker>(threads);
  auto *at = memory_.get<char>(each * threads);
  if (!workers_ || !at)
    return fault.set("%s: no memory for the work of %u kernel threads (%zu bytes each)", path_, threads, each);
  for (unsigned i = 0; i < threads; i++, at += each)
    workers_[i] = {decompressor_new(at + 3 * chunk_bytes, workspace), at, at + 2 * chunk_bytes};
  crew_run(
      threads, memory_,
      [](void *reader, unsigned number) { static_cast<skein_checkpoint_reader *>(reader)->work(number); }, this);
  return explain(fault);
}
