// Views; see views.h. The lock is a mutex, since it is held over system calls and a fork.
#include "private/globals/views.h"

#include "base/log.h"
#include "base/once.h"
#include "os/linux/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>

namespace skein {

namespace {

struct SharedCopy {
  uintptr_t copy;
  ViewPart parts[view_parts];
  void *before_fork[view_parts]; // the parts' contents; in the child alone, and while it is made
  SharedCopy *next;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
SharedCopy *copies; // under the lock
std::atomic<bool> any{false};

__thread struct {
  uintptr_t begin, copy;
  size_t bytes;
} mine;

void *at(uintptr_t base, const ViewPart &part) { return reinterpret_cast<void *>(base + part.offset); }

SharedCopy *find_copy(uintptr_t copy) {
  SharedCopy *shared = copies;
  while (shared && shared->copy != copy)
    shared = shared->next;
  return shared;
}

/// Pages of zeros are left untouched.
void copy_pages(void *to, const void *from, size_t bytes) {
  const size_t page = page_bytes();
  for (size_t i = 0; i < bytes; i += page) {
    const auto *source = static_cast<const unsigned char *>(from) + i;
    if (!memory_is_zero(source, page))
      std::memcpy(static_cast<unsigned char *>(to) + i, source, page);
  }
}

/// Puts new memory in the place of `begin`, with the contents of `from`. False without memory: nothing has changed.
bool replace(void *begin, const void *from, size_t bytes, int kind) {
  void *fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED)
    return false;
  copy_pages(fresh, from, bytes);
  if (mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == begin)
    return true;
  munmap(fresh, bytes);
  return false;
}

/// A length of 0 makes mremap map shared memory once more.
bool alias(const SharedCopy &shared, uintptr_t view) {
  for (const ViewPart &part : shared.parts)
    if (part.bytes &&
        mremap(at(shared.copy, part), 0, part.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at(view, part)) != at(view, part))
      return false;
  return true;
}

void prepare_fork() {
  pthread_mutex_lock(&lock);
  for (SharedCopy *shared = copies; shared; shared = shared->next)
    for (unsigned i = 0; i < view_parts; i++)
      if (const ViewPart &part = shared->parts[i]; part.bytes) {
        shared->before_fork[i] = memory_allocate(part.bytes);
        if (shared->before_fork[i])
          copy_pages(shared->before_fork[i], at(shared->copy, part), part.bytes);
      }
}

void after_fork() {
  for (SharedCopy *shared = copies; shared; shared = shared->next)
    for (unsigned i = 0; i < view_parts; i++)
      if (shared->before_fork[i]) {
        memory_free(shared->before_fork[i], shared->parts[i].bytes);
        shared->before_fork[i] = nullptr;
      }
  pthread_mutex_unlock(&lock);
}

void in_child() {
  for (SharedCopy *shared = copies; shared; shared = shared->next)
    for (unsigned i = 0; i < view_parts; i++)
      if (const ViewPart &part = shared->parts[i];
          part.bytes &&
          (!shared->before_fork[i] || !replace(at(shared->copy, part), shared->before_fork[i], part.bytes, MAP_SHARED)))
        fatal("no memory for the private globals of a fork's child (%zu KiB)", part.bytes >> 10);
  if (const SharedCopy *shared = mine.begin ? find_copy(mine.copy) : nullptr; shared && !alias(*shared, mine.begin))
    fatal("no memory for the private globals of a kernel thread (%zu KiB)", mine.bytes >> 10);
  after_fork();
}

Once once;
void follow_forks() { pthread_atfork(prepare_fork, after_fork, in_child); }

} // namespace

bool view_share(uintptr_t copy, const ViewPart (&parts)[view_parts]) {
  once(follow_forks);
  pthread_mutex_lock(&lock);
  auto *shared = find_copy(copy);
  bool done = shared != nullptr;
  if (!shared && (shared = static_cast<SharedCopy *>(std::calloc(1, sizeof *shared)))) {
    shared->copy = copy;
    done = true;
    for (unsigned i = 0; i < view_parts && done; i++)
      if (parts[i].bytes && (done = replace(at(copy, parts[i]), at(copy, parts[i]), parts[i].bytes, MAP_SHARED)))
        shared->parts[i] = parts[i];
    // Listed also if it was shared in part only: view_unshare will put that right.
    shared->next = copies;
    copies = shared;
    any.store(true, std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&lock);
  if (!done)
    view_unshare(copy);
  return done;
}

void view_unshare(uintptr_t copy) {
  if (!any.load(std::memory_order_relaxed))
    return;
  pthread_mutex_lock(&lock);
  SharedCopy **place = &copies;
  while (*place && (*place)->copy != copy)
    place = &(*place)->next;
  if (SharedCopy *shared = *place) {
    for (const ViewPart &part : shared->parts)
      if (part.bytes && !replace(at(copy, part), at(copy, part), part.bytes, MAP_PRIVATE))
        fatal("no memory for private globals (%zu KiB)", part.bytes >> 10);
    *place = shared->next;
    std::free(shared);
  }
  any.store(copies != nullptr, std::memory_order_relaxed);
  pthread_mutex_unlock(&lock);
}

uintptr_t view_make(uintptr_t copy, size_t bytes) {
  void *reserved = memory_reserve(bytes);
  if (!reserved)
    return 0;
  const auto begin = reinterpret_cast<uintptr_t>(reserved);
  pthread_mutex_lock(&lock);
  const SharedCopy *shared = find_copy(copy);
  const bool done = shared && alias(*shared, begin);
  pthread_mutex_unlock(&lock);
  if (!done) {
    memory_free(reserved, bytes);
    return 0;
  }
  mine = {begin, copy, bytes};
  return begin;
}

uintptr_t view_mine() { return mine.begin; }

void view_end() {
  if (mine.begin)
    memory_free(reinterpret_cast<void *>(mine.begin), mine.bytes);
  mine = {};
}

} // namespace skein
