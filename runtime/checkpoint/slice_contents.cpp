// See slice_contents.h.
#include "checkpoint/slice_contents.h"
#include "checkpoint/kept_pages.h"
#include "checkpoint/slice_parts.h"
#include "dsm/slices.h"
#include "net/run/joining.h"
#include "os/linux/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein {

namespace {

using Part = FetchedMemory::Part; // `source`: the address of the memory; `mark`: the generation of its kept pages, or 0

/// First all that the writer fetches, then all that has been copied.
struct {
  Part *all; // of malloc
  size_t count, room, fetched;
  char *memory; // the room for the contents
  uint64_t bytes;
} noted;

bool no_memory;

/// What has contents; `begin` and `end` are offsets, until all is known.
void note_part(int owner, uint64_t begin, uint64_t end) {
  if (noted.count == noted.room) {
    const size_t room = 2 * noted.room + 64;
    void *grown = realloc(noted.all, room * sizeof(Part));
    if (!grown) {
      no_memory = true;
      return;
    }
    noted.all = static_cast<Part *>(grown);
    noted.room = room;
  }
  noted.all[noted.count++] = {begin, end, slice_begin(owner) + begin, 0};
}

/// The same for a slice whose pages are not kept.
void note_slice(int owner) {
  each_part(net_slice_file(owner), 0, slice_bytes, [owner](uint64_t begin, uint64_t end) {
    note_part(owner, begin, end);
    return true;
  });
}

/// Parts of a slice may be inaccessible for threads (ranges.h), so this reads the file.
bool copy_part(const Part &part) {
  const int owner = slice_owner(part.source);
  for (uint64_t done = 0; done < part.end - part.begin;) {
    const ssize_t got =
        pread(net_slice_file(owner), reinterpret_cast<void *>(part.begin + done), part.end - part.begin - done,
              static_cast<off_t>(part.source - slice_begin(owner) + done));
    if (got <= 0)
      return false;
    done += static_cast<uint64_t>(got);
  }
  return true;
}

bool note_all() {
  no_memory = false;
  kept_pages_cut(note_part);
  for (size_t i = 0; i < noted.count; i++)
    noted.all[i].mark = kept_pages_generation(slice_owner(noted.all[i].source));
  // Of a slice that could not be protected not all has been found.
  noted.fetched = noted.count = static_cast<size_t>(
      std::remove_if(noted.all, noted.all + noted.count, [](const Part &part) { return part.mark == 0; }) - noted.all);
  for (int owner = 0; owner < node.count; owner++)
    if (net_slice_file(owner) >= 0 && slice_is_mapped(owner) && slice_kept(owner) && !kept_pages_generation(owner))
      note_slice(owner);
  if (no_memory || noted.count == 0)
    return !no_memory;
  for (size_t i = 0; i < noted.count; i++)
    noted.bytes += noted.all[i].end - noted.all[i].begin;
  noted.memory = static_cast<char *>(memory_allocate(noted.bytes));
  if (!noted.memory)
    return false;
  auto at = reinterpret_cast<uint64_t>(noted.memory);
  for (size_t i = 0; i < noted.count; i++) {
    Part &part = noted.all[i];
    part = {at, at + (part.end - part.begin), part.source, part.mark};
    at = part.end;
    if (i >= noted.fetched && !copy_part(part))
      return false;
  }
  return true;
}

bool fetch(const Part &part, uint64_t offset, void *to) {
  const int owner = slice_owner(part.source);
  return kept_pages_read(owner, part.source - slice_begin(owner) + offset, static_cast<uint8_t>(part.mark), to);
}

const char *fault() {
  for (size_t i = 0; i < noted.fetched; i++)
    if (!kept_pages_good(slice_owner(noted.all[i].source), static_cast<uint8_t>(noted.all[i].mark)))
      return "its shared memory was written to by a process that could not keep what it had";
  return nullptr;
}

} // namespace

const char *slice_contents_note() {
  if (note_all())
    return nullptr;
  slice_contents_forget();
  return "has no memory for a copy of its shared memory";
}

FetchedMemory slice_contents_to_fetch() { return {noted.all, noted.fetched, fetch, fault}; }

void slice_contents_forget() {
  if (noted.memory)
    memory_free(noted.memory, noted.bytes);
  free(noted.all);
  noted = {};
}

void slice_contents_refill(int owner) {
  for (size_t i = 0; i < noted.count; i++)
    if (const Part &part = noted.all[i]; slice_owner(part.source) == owner)
      memcpy(pointer_to(part.source), reinterpret_cast<const void *>(part.begin), part.end - part.begin);
}

} // namespace skein
