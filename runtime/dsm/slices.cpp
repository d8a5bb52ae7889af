// Mapping slices; see slices.h.
//
// MAP_FIXED_NOREPLACE: if something else lies in the range (another library that likes round addresses), the run ends
// with a message; mapping over it would be a crash in somebody else's code.
#include "dsm/slices.h"
#include "base/knobs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/node.h"
#include "net/run/halting.h"
#include "net/run/joining.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" unsigned char __skein_slice_mapped[SKEIN_SLICE_COUNT];
unsigned char __skein_slice_mapped[SKEIN_SLICE_COUNT];

namespace skein {

static_assert(nodes_max <= SKEIN_SLICE_COUNT);
static_assert(SKEIN_SHARED_BASE + SKEIN_SLICE_COUNT * slice_bytes == SKEIN_SHARED_END);

namespace {

SpinLock lock{Rank::dsm};

} // namespace

bool slices_mapped[SKEIN_SLICE_COUNT], slices_adopted[SKEIN_SLICE_COUNT];
void (*slice_mapped)(int owner);
void (*slice_refill)(int owner);
void (*slice_has_been_mapped)(int owner);
void (*slice_is_cleared)(uint64_t address, uint64_t bytes);

namespace {

bool staged[SKEIN_SLICE_COUNT]; // under the lock

/// `again`: where a memory file of the former process was mapped.
void map_memory(int owner, bool again = false) {
  int file = net_slice_file(owner);
  void *wanted = reinterpret_cast<void *>(slice_begin(owner));
  int flags =
      (again ? MAP_FIXED : MAP_FIXED_NOREPLACE) | MAP_NORESERVE | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(slice_file_bytes)) != 0)
    fatal("cannot size the shared memory of node %d: %s (ulimit -f?)", owner, strerror(errno));
  if (mmap(wanted, slice_bytes, PROT_READ | PROT_WRITE, flags, file, 0) != wanted)
    fatal("cannot map the shared memory of node %d at %p: %s", owner, wanted,
          errno == EEXIST ? "something else lies there" : strerror(errno));
  if (file >= 0 && slice_has_been_mapped)
    slice_has_been_mapped(owner);
}

/// This process is made of a copy, and the launcher has given it new memory files (net_reborn). Nothing else runs.
void on_reborn() {
  for (int owner = 0; owner < node.count; owner++) {
    if (!slices_mapped[owner] || net_slice_file(owner) < 0)
      continue;
    map_memory(owner, true);
    if (slice_kept(owner) && knobs.fault != Fault::reborn) { // which brings the same files again
      SKEIN_ASSERT(slice_refill, "nobody knows what the shared memory of node %d had", owner);
      slice_refill(owner);
    }
    if (slice_mapped)
      slice_mapped(owner);
  }
}

} // namespace

void shared_slices_start() { node_reborn.add(on_reborn); }

void slice_stage(int owner) {
  Guard guard(lock);
  if (staged[owner] || slices_mapped[owner])
    return;
  map_memory(owner);
  staged[owner] = true;
}

void slice_unstage(int owner) {
  Guard guard(lock);
  if (!staged[owner] || slices_mapped[owner])
    return;
  munmap(pointer_to(slice_begin(owner)), slice_bytes);
  staged[owner] = false;
}

void slice_map_now(int owner) {
  Guard guard(lock);
  if (slices_mapped[owner])
    return;
  if (!staged[owner])
    map_memory(owner);
  if (slice_mapped)
    slice_mapped(owner);
  __atomic_store_n(&slices_mapped[owner], true, __ATOMIC_RELEASE); // pairs with slice_is_mapped
  if (knobs.shared == SharedAccess::mapped)
    __atomic_store_n(&__skein_slice_mapped[owner], 1, __ATOMIC_RELEASE);
}

extern "C" int __skein_slice_reach(uint64_t address) {
  int owner = slice_owner(address);
  if (owner < 0 || !slice_reachable(owner))
    return 0;
  slice_map(owner);
  return 1;
}

bool slice_clear(uint64_t address, uint64_t bytes) {
  if (slice_is_cleared)
    slice_is_cleared(address, bytes);
  auto *pages = reinterpret_cast<void *>(address);
  if (madvise(pages, bytes, MADV_REMOVE) == 0) // of the file; private memory has none
    return true;
  return net_slice_file(slice_owner(address)) < 0 && madvise(pages, bytes, MADV_DONTNEED) == 0;
}

} // namespace skein
