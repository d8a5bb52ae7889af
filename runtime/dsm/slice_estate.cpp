// Sends and takes what a slice consists of; see slice_estate.h.
#include "dsm/slice_estate.h"
#include "base/log.h"
#include "dsm/allocator.h"
#include "dsm/cache.h"
#include "dsm/ranges.h"
#include "dsm/slices.h"
#include "net/run/joining.h"
#include "net/run/membership.h"
#include "os/linux/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

namespace {

constexpr uint64_t page = 4096;

char *kept_memory; // of the network's kernel thread

/// Memory for a piece that is being made. It is kept: a node leaves once.
char *piece_memory() {
  if (!kept_memory)
    kept_memory = static_cast<char *>(message_memory(estate_most));
  return kept_memory;
}

// --- blocks ----------------------------------------------------------------------------------------------------------

bool next_blocks(uint64_t &cursor) {
  ranges_freeze();
  const size_t bytes = blocks_tell(cursor, piece_memory(), estate_most);
  if (bytes)
    estate_send(EstateKind::blocks, piece_memory(), bytes);
  return bytes != 0;
}

void take_blocks(int from, const void *data, size_t bytes) {
  slice_map(from);
  if (!blocks_take(from, data, bytes))
    return;
  cache_adopt(from);
  ranges_adopt(from); // it is known already that the slice is kept here
}

// --- pages -----------------------------------------------------------------------------------------------------------

/// Pages in a row. Their contents follow.
struct Run {
  uint64_t begin, bytes;
};
static_assert(sizeof(Run) % 8 == 0);

/// The first area of this node's own slice that ends above `from` and may have contents. False: there is none.
bool area_above(uint64_t from, uint64_t &begin, uint64_t &end) {
  begin = slice_begin(node.self);
  end = (shared_used() + page - 1) & -page;
  return from < end || ranges_open(from, begin, end);
}

/// Tells which pages of private memory were never touched, as far as the kernel says so.
class Touched {
public:
  Touched() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~Touched() {
    if (file_ >= 0)
      close(file_);
  }
  bool at(uint64_t address) {
    const uint64_t number = address / page;
    if (number - first_ >= entries_) {
      first_ = number / entries_ * entries_;
      const ssize_t bytes = file_ < 0 ? -1 : pread(file_, words_, sizeof words_, static_cast<off_t>(first_ * 8));
      if (bytes != static_cast<ssize_t>(sizeof words_))
        memset(words_, 0xff, sizeof words_); // then their contents are looked at
    }
    return words_[number - first_] >> 62; // in memory, or swapped out
  }

private:
  static constexpr uint64_t entries_ = 512;
  int file_;
  uint64_t first_ = UINT64_MAX / 2;
  uint64_t words_[entries_];
};

/// A piece that is being made.
struct Pages {
  char *memory = piece_memory();
  size_t bytes = 0;
  Run run = {0, 0}; // the last one; its place is `at`
  size_t at = 0;

  /// False: there is no room.
  bool add(uint64_t address) {
    const bool goes_on = run.bytes && run.begin + run.bytes == address;
    if (bytes + page + (goes_on ? 0 : sizeof run) > estate_most)
      return false;
    if (!goes_on) {
      at = bytes;
      run = {address, 0};
      bytes += sizeof run;
    }
    memcpy(memory + bytes, pointer_to(address), page);
    bytes += page;
    run.bytes += page;
    memcpy(memory + at, &run, sizeof run);
    return true;
  }
};

/// The cursor is the address of the next page. A piece may be empty if there are many pages without contents, so that
/// this does not take long.
bool next_pages(uint64_t &cursor) {
  ranges_freeze();
  if (net_slice_file(node.self) >= 0 || !slice_is_mapped(node.self))
    return false;
  constexpr uint64_t looks_most = 65536;
  Pages pages;
  Touched touched;
  uint64_t begin, end, looks = 0;
  bool more, full = false;
  while ((more = area_above(cursor, begin, end)) && !full && looks < looks_most) {
    cursor = std::max(cursor, begin);
    for (; cursor < end && looks < looks_most; cursor += page, looks++)
      if (touched.at(cursor) && !memory_is_zero(pointer_to(cursor), page) && !pages.add(cursor)) {
        full = true;
        break; // this page begins the next piece
      }
  }
  if (more || pages.bytes)
    estate_send(EstateKind::pages, pages.memory, pages.bytes);
  return more || pages.bytes;
}

/// Calls function(run, contents) for each run of a piece. False: it is not made of runs, or the function said so.
template <class Function> bool each_run(const void *data, size_t bytes, Function &&function) {
  const auto *at = static_cast<const char *>(data), *const end = at + bytes;
  for (Run run; at < end; at += run.bytes) {
    if (static_cast<size_t>(end - at) < sizeof run)
      return false;
    memcpy(&run, at, sizeof run);
    at += sizeof run;
    if (run.bytes > static_cast<size_t>(end - at) || !function(run, at))
      return false;
  }
  return true;
}

bool check_pages(int from, const void *data, size_t bytes, Complaint &wrong) {
  if (net_slice_file(from) >= 0 || slice_is_mapped(from))
    return wrong.say("the shared memory of node %d is mapped here, and needs no contents", from);
  return each_run(data, bytes,
                  [&](const Run &run, const char *) {
                    return run.begin % page == 0 && run.bytes && run.bytes % page == 0 &&
                           slice_owner(run.begin) == from && slice_holds(run.begin, run.bytes);
                  }) ||
         wrong.say("%zu bytes are not pages of the shared memory of node %d", bytes, from);
}

void take_pages(int from, const void *data, size_t bytes) {
  slice_stage(from);
  each_run(data, bytes, [](const Run &run, const char *contents) {
    memcpy(pointer_to(run.begin), contents, run.bytes);
    return true;
  });
}

// --- what is waited for ----------------------------------------------------------------------------------------------

const char *stays(char *words, size_t bytes) {
  const bool writes = cache_remains();
  if (!writes && !ranges_change())
    return nullptr;
  snprintf(words, bytes, "%s",
           writes ? "has written shared memory of other nodes, which has not arrived"
                  : "makes a change of shared pages, which not all nodes have made");
  return words;
}

Remainder remainder = {stays, nullptr};

} // namespace

EstatePart blocks_estate = {EstateKind::blocks, false, next_blocks, blocks_check, take_blocks, nullptr};
EstatePart pages_estate = {EstateKind::pages, true, next_pages, check_pages, take_pages, nullptr};

void slice_estate_start() {
  estate_add(blocks_estate);
  estate_add(pages_estate);
  remainder_add(remainder);
  link_may_part = cache_settle;
  node_died.add(slice_unstage);
}

} // namespace skein
