// Searches memory outside of the threads for addresses of a stack; see outside.h.
#include "migrate/outside.h"

#include "base/addresses.h"
#include "base/once.h"
#include "migrate/library_variables.h"
#include "migrate/modules.h"
#include "migrate/search.h"
#include "migrate/walk.h"

#include <atomic>
#include <link.h>
#include <malloc.h>
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace skein {

namespace {

struct Variables {
  uintptr_t begin;
  uintptr_t end;
};
Variables variables[2 * modules_max];
unsigned variables_count;
uintptr_t heap_begin;
std::atomic<bool> heap_changed;

// Notes the writable segments of every module but the program, whose globals have records (check.h).
int add_variables(dl_phdr_info *info, size_t, void *) {
  if (*info->dlpi_name == 0)
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_W) || variables_count == sizeof variables / sizeof *variables)
      continue;
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    variables[variables_count++] = {begin, begin + header.p_memsz};
  }
  return 0;
}

// Where the program break began: the mapping named [heap], or the break itself if there is no such mapping yet.
uintptr_t find_heap() {
  auto found = (uintptr_t)sbrk(0);
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr)
    return found;
  char line[512];
  while (fgets(line, sizeof line, maps) != nullptr) {
    size_t begin;
    if (strstr(line, "[heap]") != nullptr && sscanf(line, "%zx-", &begin) == 1 && begin < found)
      found = begin;
  }
  fclose(maps);
  return found;
}

} // namespace

namespace {
void prepare_search() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1); // what is being searched must not be unmapped by another kernel thread's free
  heap_begin = find_heap();
  dl_iterate_phdr(add_variables, nullptr);
}
Once once;
} // namespace

void outside_start() { once(prepare_search); }

void outside_changed(uintptr_t address) {
  const uintptr_t low = heap_begin ? heap_begin : find_heap();
  if (address - low < (uintptr_t)sbrk(0) - low)
    heap_changed.store(true, std::memory_order_relaxed);
}

bool check_outside(uintptr_t begin, uintptr_t end, size_t most, size_t *skipped, uintptr_t *address, Refusal &why) {
  size_t bytes = (uintptr_t)sbrk(0) - heap_begin;
  *skipped = bytes > most ? bytes - most : 0;
  for (unsigned i = 0; i < variables_count; ++i)
    if (const void *found =
            find_address((const void *)variables[i].begin, variables[i].end - variables[i].begin, begin, end))
      return refuse_library_variable(found, why);
  if (heap_changed.load(std::memory_order_relaxed))
    return why.set(SKEIN_EPINNED, "pages of the heap were protected or unmapped, so it cannot be searched");
  const void *found = find_address((const void *)heap_begin, bytes - *skipped, begin, end);
  if (found == nullptr)
    return true;
  memcpy(address, found, sizeof *address);
  *address &= address_bits;
  return why.set(SKEIN_EPINNED, "a heap block holds an address of its stack");
}

// The name of the frame in which an address of the stack lies; empty if no walk gets there.
[[gnu::cold]] static FrameName frame_of(const Thread &thread, uintptr_t address) {
  StackView stack;
  stack.sp = (uintptr_t)thread.sp;
  stack.high = (uintptr_t)thread.stack.high;
  FrameName name = {};
  Refusal nobody_reads;
  walk(program_maps(), stack, nobody_reads, [&](const Frame &frame, uintptr_t, WordKind) {
    if (address >= frame.cfa)
      return true;
    name = frame_name(frame);
    return false;
  });
  return name;
}

bool outside_allows(const Thread &thread, size_t most, size_t *skipped, Refusal &why) {
  uintptr_t address = 0;
  if (check_outside((uintptr_t)thread.sp, (uintptr_t)thread.stack.high, most, skipped, &address, why))
    return true;
  if (address != 0)
    if (const FrameName name = frame_of(thread, address); *name.text != 0)
      why.set(SKEIN_EPINNED, "a heap block holds an address of its stack, in the frame of %s", name.text);
  return false;
}

} // namespace skein
