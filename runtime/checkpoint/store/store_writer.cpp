// Writes a node's file; see store_writer.h.
#include "checkpoint/store/store_writer.h"
#include "checkpoint/store/compression.h"
#include "checkpoint/store/crew.h"
#include "checkpoint/store/relative_path.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>

using namespace skein::store;

namespace {

constexpr size_t buffer_bytes = size_t{4} << 20;
constexpr uint64_t deal = 64; // chunks
/// What is before the disk when it has enough to do; what is always compressed, whatever the disk does.
constexpr uint64_t disk_busy_bytes = uint64_t{16} << 20, always_compressed_bytes = uint64_t{16} << 20;
/// Higher levels are for those who want small files.
constexpr int level_adapts = 1;
constexpr uint64_t disk_step = uint64_t{8} << 20;
constexpr unsigned pending_max = 32768, stride_max = 32;
/// A file of which less than this part is in use is given up, and what is in use is written again.
constexpr uint64_t given_up_below = 8;

/// 0 or an errno. Where this call is unknown, fsync does it all; but an error that it tells, fsync does not tell again.
int sync_range(int file, uint64_t at, uint64_t bytes, unsigned how) {
  const long error = system(SYS_sync_file_range, file, at, bytes, how);
  return error == -EIO || error == -ENOSPC || error == -EDQUOT ? static_cast<int>(-error) : 0;
}

bool is_zero(const char *page) {
  for (size_t at = 0; at < page_bytes; at += 64) {
    uint64_t words[8], any = 0;
    memcpy(words, page + at, sizeof words);
    for (const uint64_t word : words)
      any |= word;
    if (any)
      return false;
  }
  return true;
}

} // namespace

/// Of one kernel thread.
struct skein_checkpoint_writer::Worker {
  void *compressor; // null: nothing is compressed
  char *gathered;   // data of a chunk that do not lie together
  char *buffer;
  size_t filled;
  StoreEntry **pending; // whose bytes are in the buffer, and offsets from its beginning
  unsigned pending_count;
  unsigned stride, skip;

  /// The data of a chunk, and in the entry which they are. An errno, if a page cannot be fetched.
  int collect(skein_checkpoint_writer &writer, StoreEntry &entry, const Run *run, const char *&data);
  void store(StoreEntry &entry, const char *data, bool quickly, const uint8_t *key, const uint8_t *id);
  int flush(int file, std::atomic<uint64_t> &end);
};

int skein_checkpoint_writer::Worker::collect(skein_checkpoint_writer &writer, StoreEntry &entry, const Run *run,
                                             const char *&data) {
  const char *pages[chunk_pages];
  unsigned count = 0;
  bool together = true;
  for (unsigned i = 0; i < chunk_pages; i++) {
    if (!(entry.there >> i & 1))
      continue;
    const uint64_t address = entry.address + i * page_bytes;
    while (address - run->address >= run->count)
      run++;
    char *fetched = gathered + count * page_bytes; // where it stays if the data do not lie together
    if (!run->bytes)
      if (const int error = writer.fetch_(writer.fetch_context_, address, fetched))
        return error;
    const char *page = run->bytes ? run->bytes + (address - run->address) : fetched;
    if (is_zero(page))
      continue;
    entry.data = static_cast<uint16_t>(entry.data | 1u << i);
    together = together && (count == 0 || page == pages[count - 1] + page_bytes);
    pages[count++] = page;
  }
  data = count == 0 ? nullptr : together ? pages[0] : gathered;
  if (data == gathered)
    for (unsigned i = 0; i < count; i++)
      if (pages[i] != gathered + i * page_bytes)
        memcpy(gathered + i * page_bytes, pages[i], page_bytes);
  return 0;
}

void skein_checkpoint_writer::Worker::store(StoreEntry &entry, const char *data, bool quickly, const uint8_t *key,
                                            const uint8_t *id) {
  const size_t plain = data_bytes(entry);
  char *to = buffer + filled;
  size_t bytes = 0;
  if (compressor && skip > 0) {
    skip--;
  } else if (compressor && !quickly) {
    bytes = compress(compressor, to, plain - plain / 16, data, plain);
    stride = bytes ? 0 : std::clamp(2 * stride, 1u, stride_max);
    skip = stride;
  }
  entry.coding = bytes ? Coding::zstd : Coding::raw;
  if (!bytes)
    memcpy(to, data, bytes = plain);
  if (key) {
    seal_chunk(key, id, entry, to, bytes, reinterpret_cast<uint8_t *>(to + bytes));
    bytes += tag_bytes;
  }
  entry.offset = filled;
  entry.stored = static_cast<uint32_t>(bytes);
  pending[pending_count++] = &entry;
  filled += bytes;
}

int skein_checkpoint_writer::Worker::flush(int file, std::atomic<uint64_t> &end) {
  if (!filled)
    return 0;
  const uint64_t at = end.fetch_add(filled, std::memory_order_relaxed);
  for (unsigned i = 0; i < pending_count; i++)
    pending[i]->offset += at;
  if (const int error = write_all(file, buffer, filled, at))
    return error;
  filled = pending_count = 0;
  return 0;
}

bool skein_checkpoint_writer::create(const skein_checkpoint_setup &setup, Fault &fault) {
  const size_t length = setup.path ? strlen(setup.path) : 0;
  if (length == 0 || length > name_max)
    return fault.set("the path of a checkpoint has %zu characters, and may have 1 to %zu", length, name_max);
  if (setup.level < level_min || setup.level > level_max)
    return fault.set("%s: the level of compression is %d, and may be %d to %d", setup.path, setup.level, level_min,
                     level_max);
  memcpy(path_, setup.path, length + 1);
  if (setup.key)
    key_ = static_cast<const uint8_t *>(memcpy(key_bytes_, setup.key, sizeof key_bytes_));
  level_ = setup.level;
  fetch_ = setup.fetch;
  fetch_context_ = setup.fetch_context;
  threads_ = std::clamp(static_cast<unsigned>(std::max(setup.threads, 1)), 1u, crew_max);
  memcpy(header_.magic, store_magic, sizeof header_.magic);
  header_.version = store_version;
  header_.sealed = key_ != nullptr;
  header_.key_id = key_ ? key_id_of(key_) : 0;
  for (uint8_t *drawn : {header_.id, header_.digest_key})
    if (const long got = system(SYS_getrandom, drawn, id_bytes, 0); got != id_bytes)
      return fault.set_system(path_, "given a random number", got < 0 ? static_cast<int>(-got) : EIO);
  const long opened =
      system(SYS_openat, AT_FDCWD, path_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); // it is all of a memory
  if (opened < 0)
    return fault.set_system(path_, "made", static_cast<int>(-opened));
  file_ = static_cast<int>(opened);
  if (setup.previous)
    use_previous(setup.previous);
  return true;
}

void skein_checkpoint_writer::use_previous(const char *path) {
  Fault why{note_, sizeof note_};
  previous_there_ = previous_.open(path, why) && previous_.check_key(key_, why) && previous_.read_tail(key_, why);
  previous_.close();
  if (previous_there_) {
    memcpy(header_.digest_key, previous_.header.digest_key, sizeof header_.digest_key);
    weigh_holders(path);
  }
}

/// Decides which files may go on holding chunks.
void skein_checkpoint_writer::weigh_holders(const char *path) {
  const unsigned count = previous_.header.holders + 1;
  for (unsigned i = 0; i < count; i++)
    candidates_[i] = {};
  for (uint64_t i = 0; i < previous_.header.chunks; i++)
    candidates_[previous_.entries[i].holder].used += previous_.entries[i].stored;
  for (unsigned i = 0; i < count; i++) {
    Candidate &candidate = candidates_[i];
    char there[name_max + 1], as_seen[name_max + 1];
    memcpy(candidate.holder.id, i ? previous_.holders[i - 1].id : previous_.header.id, id_bytes);
    const char *name = i ? (path_beside(path, previous_.holders[i - 1].name, there) ? there : nullptr) : path;
    Fault why{note_, sizeof note_};
    OwnMemory none;
    StoreFile holder(none);
    candidate.usable = name && relative_path(path_, name, candidate.holder.name) &&
                       path_beside(path_, candidate.holder.name, as_seen) &&
                       holder.open_holder(as_seen, candidate.holder.id, key_, why) &&
                       candidate.used >= (holder.header.tail_at - first_chunk_at) / given_up_below;
  }
  // The fullest ones.
  for (unsigned usable = 0;; usable = 0) {
    Candidate *least = nullptr;
    for (unsigned i = 0; i < count; i++)
      if (candidates_[i].usable && ++usable && (!least || candidates_[i].used < least->used))
        least = &candidates_[i];
    if (usable <= holders_max)
      break;
    least->usable = false;
  }
}

bool skein_checkpoint_writer::add(uintptr_t address, const void *bytes, size_t count, Fault &fault) {
  const Run *last = run_count_ ? &runs_[run_count_ - 1] : nullptr;
  const uint64_t end = last ? last->address + last->count : 0;
  if (address % page_bytes || count % page_bytes || address > address_end || count > address_end - address)
    return fault.set("%s: %#zx bytes at %#zx are not whole pages of a process", path_, count, address);
  if (address < end)
    return fault.set("%s: pages at %#zx come after those before %#zx", path_, address, static_cast<size_t>(end));
  if (count == 0)
    return true;
  if (!bytes && !fetch_)
    return fault.set("%s: pages at %#zx have no bytes, and nothing fetches them", path_, address);
  if (last && address == end && (bytes ? last->bytes && bytes == last->bytes + last->count : !last->bytes)) {
    runs_[run_count_ - 1].count += count;
    return true;
  }
  void *grown = run_count_ < UINT32_MAX ? memory_.grow(runs_, (run_count_ + 1) * sizeof(Run)) : nullptr;
  if (!grown)
    return fault.set("%s: no memory for the list of %zu pieces of memory", path_, run_count_ + 1);
  runs_ = static_cast<Run *>(grown);
  runs_[run_count_++] = {address, static_cast<const char *>(bytes), count};
  return true;
}

bool skein_checkpoint_writer::make_index(Fault &fault) {
  uint64_t chunks = 0, last = UINT64_MAX;
  for (size_t i = 0; i < run_count_; i++) {
    const uint64_t from = runs_[i].address / chunk_bytes, to = (runs_[i].address + runs_[i].count - 1) / chunk_bytes;
    chunks += to - from + (from != last);
    last = to;
  }
  header_.chunks = chunks;
  entries_ = memory_.get<StoreEntry>(chunks);
  first_runs_ = memory_.get<uint32_t>(chunks);
  if (!entries_ || !first_runs_)
    return fault.set("%s: no memory for an index of %llu chunks", path_, static_cast<unsigned long long>(chunks));
  StoreEntry *entry = entries_ - 1;
  for (size_t i = 0; i < run_count_; i++) {
    const uint64_t end = runs_[i].address + runs_[i].count;
    for (uint64_t at = runs_[i].address; at < end;) {
      const uint64_t chunk = at / chunk_bytes * chunk_bytes;
      if (entry < entries_ || entry->address != chunk) {
        (++entry)->address = chunk;
        first_runs_[entry - entries_] = static_cast<uint32_t>(i);
      }
      const uint64_t upto = std::min(end, chunk + chunk_bytes);
      const unsigned first = static_cast<unsigned>((at - chunk) / page_bytes);
      const unsigned pages = static_cast<unsigned>((upto - at) / page_bytes);
      entry->there = static_cast<uint16_t>(entry->there | ((1u << pages) - 1) << first);
      at = upto;
    }
  }
  return true;
}

const StoreEntry *skein_checkpoint_writer::unchanged(const StoreEntry &entry) const {
  if (!previous_there_)
    return nullptr;
  const StoreEntry *begin = previous_.entries, *end = begin + previous_.header.chunks;
  const StoreEntry *found =
      std::lower_bound(begin, end, entry.address, [](const StoreEntry &one, uint64_t at) { return one.address < at; });
  const bool same = found != end && found->address == entry.address && found->there == entry.there &&
                    found->data == entry.data && memcmp(found->digest, entry.digest, tag_bytes) == 0;
  return same && candidates_[found->holder].usable ? found : nullptr;
}

void skein_checkpoint_writer::fail(int error) {
  int none = 0;
  error_.compare_exchange_strong(none, error, std::memory_order_relaxed);
}

bool skein_checkpoint_writer::disk_is_idle() const {
  const uint64_t end = end_.load(std::memory_order_relaxed), on_disk = on_disk_.load(std::memory_order_relaxed);
  return adapts_ && end >= always_compressed_bytes && end - std::min(end, on_disk) < disk_busy_bytes;
}

/// Waits for the disk, and notes how far it has come, until all workers have ended.
void skein_checkpoint_writer::follow_disk() {
  for (uint64_t synced = first_chunk_at, begun = first_chunk_at; !stopped();) {
    const uint32_t pulse = pulse_.load(std::memory_order_acquire);
    const bool last = working_.load(std::memory_order_acquire) == 0;
    const uint64_t end = end_.load(std::memory_order_acquire);
    if (end > begun) { // all at once, so that the disk has enough to do; this may wait, but no worker does
      if (const int error = sync_range(file_, begun, end - begun, SYNC_FILE_RANGE_WRITE))
        fail(error);
      begun = end;
    }
    if (begun > synced) {
      const uint64_t bytes = std::min(begun - synced, disk_step);
      constexpr unsigned done = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
      if (const int error = sync_range(file_, synced, bytes, done))
        fail(error);
      on_disk_.store(synced += bytes, std::memory_order_relaxed);
    } else if (last) {
      return;
    } else {
      system(SYS_futex, &pulse_, FUTEX_WAIT_PRIVATE, pulse, nullptr, nullptr, 0);
    }
  }
}

void skein_checkpoint_writer::compress_some(Worker &worker) {
  const auto flush = [&] {
    if (const int error = worker.flush(file_, end_))
      fail(error);
    pulse();
  };
  for (uint64_t begin; !stopped() && (begin = next_.fetch_add(deal, std::memory_order_relaxed)) < header_.chunks;) {
    for (uint64_t at = begin; at < std::min(begin + deal, header_.chunks); at++) {
      StoreEntry &entry = entries_[at];
      const char *data;
      if (const int error = worker.collect(*this, entry, runs_ + first_runs_[at], data))
        return fail(error);
      if (!data)
        continue;
      digest_chunk(header_.digest_key, entry, data, entry.digest);
      if (const StoreEntry *before = unchanged(entry)) {
        // For the moment with the number that it has among the candidates, from 1.
        entry.holder = static_cast<uint16_t>(before->holder + 1);
        entry.offset = before->offset;
        entry.stored = before->stored;
        entry.coding = before->coding;
        continue;
      }
      worker.store(entry, data, disk_is_idle(), key_, header_.id);
      if (worker.filled >= buffer_bytes || worker.pending_count == pending_max)
        flush();
      if (stopped())
        return;
    }
  }
  flush();
}

void skein_checkpoint_writer::pulse() {
  pulse_.fetch_add(1, std::memory_order_release);
  system(SYS_futex, &pulse_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void skein_checkpoint_writer::work(unsigned i) {
  if (i == 1) {
    follow_disk();
    return;
  }
  if (i > 0)
    working_.fetch_add(1, std::memory_order_relaxed);
  compress_some(workers_[i ? i - 1 : 0]);
  working_.fetch_sub(1, std::memory_order_release);
  pulse();
}

bool skein_checkpoint_writer::write_chunks(Fault &fault) {
  const uint64_t deals = (header_.chunks + deal - 1) / deal;
  const unsigned threads = static_cast<unsigned>(std::clamp<uint64_t>(deals, 1, threads_));
  const size_t workspace = level_ ? (compressor_bytes(level_) + 63) / 64 * 64 : 0;
  constexpr size_t buffer_room = buffer_bytes + 2 * chunk_bytes;
  const size_t each = workspace + buffer_room + chunk_bytes + pending_max * sizeof(StoreEntry *);
  workers_ = memory_.get<Worker>(threads);
  auto *at = memory_.get<char>(each * threads);
  if (!workers_ || !at)
    return fault.set("%s: no memory for the work of %u kernel threads (%zu bytes each)", path_, threads, each);
  for (unsigned i = 0; i < threads; i++) {
    Worker &worker = workers_[i];
    worker.buffer = at, at += buffer_room;
    worker.gathered = at, at += chunk_bytes;
    worker.pending = reinterpret_cast<StoreEntry **>(at), at += pending_max * sizeof(StoreEntry *);
    worker.compressor = level_ ? compressor_new(at, workspace, level_) : nullptr, at += workspace;
    if (level_ && !worker.compressor)
      return fault.set("%s: zstd does not know level %d", path_, level_);
  }
  adapts_ = level_ <= level_adapts;
  // The second one follows the disk. If the system gives no such thread, that looks as if the disk were always busy.
  crew_run(
      threads + 1, memory_, [](void *writer, unsigned i) { static_cast<skein_checkpoint_writer *>(writer)->work(i); },
      this);
  return !stopped() || fault.set_system(path_, "written", error_.load(std::memory_order_relaxed));
}

/// Gives numbers to the files that are needed, and tells how many.
uint32_t skein_checkpoint_writer::number_holders() {
  uint32_t count = 0;
  for (uint64_t i = 0; i < header_.chunks; i++) {
    if (entries_[i].holder == 0)
      continue;
    uint16_t &number = candidates_[entries_[i].holder - 1].number;
    if (!number)
      number = static_cast<uint16_t>(++count);
    entries_[i].holder = number;
  }
  return count;
}

bool skein_checkpoint_writer::write_tail(const void *head, size_t head_bytes, Fault &fault) {
  header_.holders = number_holders();
  uint8_t holders[holders_max * (holder_bytes + name_max)];
  size_t filled = 0;
  for (unsigned number = 1; number <= header_.holders; number++)
    for (const Candidate &candidate : candidates_) {
      if (candidate.number != number)
        continue;
      const auto bytes = static_cast<uint16_t>(strlen(candidate.holder.name));
      memcpy(holders + filled, candidate.holder.id, id_bytes);
      memcpy(holders + filled + id_bytes, &bytes, sizeof bytes);
      memcpy(holders + filled + holder_bytes, candidate.holder.name, bytes);
      filled += holder_bytes + bytes;
    }
  const size_t index_bytes = static_cast<size_t>(header_.chunks) * sizeof(StoreEntry);
  void *own_head = memory_.get(head_bytes);
  if (!own_head)
    return fault.set("%s: no memory for a head of %zu bytes", path_, head_bytes);
  if (head_bytes)
    memcpy(own_head, head, head_bytes);
  const auto seal = [this](Part part, void *bytes, size_t count, uint8_t *tag) {
    if (key_)
      seal_part(key_, header_.id, part, bytes, count, tag);
    else
      digest_bytes(header_.digest_key, header_.id, bytes, count, tag);
  };
  digest_bytes(header_.digest_key, header_.id, holders, filled, header_.holders_digest);
  seal(Part::index, entries_, index_bytes, header_.index_tag);
  seal(Part::head, own_head, head_bytes, header_.head_tag);
  header_.holders_bytes = filled;
  header_.head_bytes = head_bytes;
  header_.tail_at = end_.load(std::memory_order_relaxed);
  header_.bytes = header_.tail_at + filled + index_bytes + head_bytes;
  seal_header(key_, header_);

  const struct {
    const void *bytes;
    size_t count;
  } parts[] = {{holders, filled}, {entries_, index_bytes}, {own_head, head_bytes}};
  uint64_t at = header_.tail_at;
  int error = 0;
  for (const auto &part : parts) {
    if (!error)
      error = write_all(file_, part.bytes, part.count, at);
    at += part.count;
  }
  if (!error) // for a file without a tail
    error = static_cast<int>(-system(SYS_ftruncate, file_, header_.bytes));
  if (!error)
    error = write_all(file_, &header_, sizeof header_, 0);
  if (error)
    return fault.set_system(path_, "written", error);
  if (const long synced = system(SYS_fsync, file_); synced < 0)
    return fault.set_system(path_, "brought to the disk", static_cast<int>(-synced));
  system(SYS_close, file_);
  file_ = -1;
  return true;
}

/// Before the index is sealed.
void skein_checkpoint_writer::sum_up(skein_checkpoint_result &result) {
  result = {};
  for (size_t i = 0; i < run_count_; i++)
    result.memory_bytes += runs_[i].count;
  result.zero_bytes = result.memory_bytes;
  for (uint64_t i = 0; i < header_.chunks; i++) {
    result.zero_bytes -= data_bytes(entries_[i]);
    result.chunks += entries_[i].data != 0;
    result.chunks_reused += entries_[i].holder != 0;
  }
  memcpy(result.note, note_, sizeof result.note);
}

bool skein_checkpoint_writer::finish(const void *head, size_t head_bytes, skein_checkpoint_result &result,
                                     Fault &fault) {
  if (head_bytes > head_max)
    return fault.set("%s: a head of %zu bytes is too long", path_, head_bytes);
  if (!make_index(fault) || !write_chunks(fault))
    return false;
  sum_up(result);
  if (!write_tail(head, head_bytes, fault))
    return false;
  result.bytes_written = header_.bytes;
  result.files_referred = header_.holders;
  return true;
}

void skein_checkpoint_writer::remove() {
  if (file_ < 0)
    return;
  system(SYS_close, file_);
  system(SYS_unlinkat, AT_FDCWD, path_, 0);
  file_ = -1;
}
