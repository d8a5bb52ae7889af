// See slice_contents.h.
#include "checkpoint/slice_contents.h"
#include "dsm/slices.h"
#include "net/run/joining.h"
#include "os/linux/memory.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein {

namespace {

struct Part {
  Part *next;
  int owner;
  uint64_t at; // offset in the slice
  size_t bytes;
  void *contents;
};
Part *parts;

bool note_part(int owner, off_t begin, off_t end) {
  auto *part = static_cast<Part *>(malloc(sizeof(Part)));
  const auto bytes = static_cast<size_t>(end - begin);
  void *contents = part ? memory_allocate(bytes) : nullptr;
  if (!contents) {
    free(part);
    return false;
  }
  const auto at = static_cast<uint64_t>(begin);
  // Parts of a slice may be inaccessible for threads (ranges.h), so this reads the file.
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = pread(net_slice_file(owner), static_cast<char *>(contents) + done, bytes - done,
                              begin + static_cast<off_t>(done));
    if (got <= 0) {
      memory_free(contents, bytes);
      free(part);
      return false;
    }
    done += static_cast<size_t>(got);
  }
  *part = {parts, owner, at, bytes, contents};
  parts = part;
  return true;
}

} // namespace

const char *slice_contents_note() {
  for (int owner = 0; owner < node.count; owner++) {
    const int file = net_slice_file(owner);
    if (file < 0 || !slice_is_mapped(owner) || !slice_kept(owner))
      continue;
    for (off_t end = 0, begin; (begin = lseek(file, end, SEEK_DATA)) >= 0;) {
      end = lseek(file, begin, SEEK_HOLE);
      if (end <= begin || !note_part(owner, begin, end)) {
        slice_contents_forget();
        return "has no memory for a copy of its shared memory";
      }
    }
  }
  return nullptr;
}

void slice_contents_forget() {
  while (Part *part = parts) {
    parts = part->next;
    memory_free(part->contents, part->bytes);
    free(part);
  }
}

void slice_contents_refill(int owner) {
  for (const Part *part = parts; part; part = part->next)
    if (part->owner == owner)
      memcpy(pointer_to(slice_begin(owner) + part->at), part->contents, part->bytes);
}

} // namespace skein
