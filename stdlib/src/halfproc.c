/* The memory, mutexes and conditions of <skein/halfproc.h>.
 *
 * A block of halfproc_malloc is a block of shared memory that begins with its size, which halfproc_realloc needs: only
 * the owner knows it otherwise. `check` shows that what a caller names is such a block.
 *
 *     skein_shared_alloc -> | bytes | check |  what halfproc_malloc returns ...
 *
 * A mutex is a global one, kept on the node of the memory that it lies in. A global condition is made for one mutex; a
 * program that follows POSIX names the mutex when it waits. So the first wait makes the condition: until then nobody
 * waits, and a signal has nobody to wake. */
#include <skein/halfproc.h>

#include "abi/library_calls.h"

#include <inttypes.h>
#include <stdio.h>

struct head {
  uint64_t bytes, check;
};

static uint64_t check_of(const shared struct head *head) { return (uint64_t)head ^ UINT64_C(0x68616c6670726f63); }

shared void *halfproc_malloc(size_t bytes) {
  /* The size that nobody has, so that skein_shared_alloc says what is wrong. */
  const size_t whole = bytes > SIZE_MAX - sizeof(struct head) ? SIZE_MAX : bytes + sizeof(struct head);
  shared struct head *head = skein_shared_alloc(skein_node(), whole);
  if (!head)
    return NULL;
  head->bytes = bytes;
  head->check = check_of(head);
  return head + 1;
}

int halfproc_free(shared void *block) { return block ? skein_shared_free((shared struct head *)block - 1) : SKEIN_OK; }

shared void *halfproc_realloc(shared void *block, size_t bytes) {
  if (!block)
    return halfproc_malloc(bytes);
  const shared struct head *head = (shared struct head *)block - 1;
  if (head->check != check_of(head)) {
    char text[120];
    snprintf(text, sizeof text,
             "halfproc_realloc: %#" PRIx64 " is no block of halfproc_malloc, or its first bytes were overwritten",
             (uint64_t)block);
    __skein_error(SKEIN_EPOINTER, text);
    return NULL;
  }
  const size_t before = head->bytes;
  shared void *moved = halfproc_malloc(bytes);
  if (!moved)
    return NULL;
  memcpy(moved, block, before < bytes ? before : bytes);
  halfproc_free(block);
  return moved;
}

int halfproc_mutex_init(shared halfproc_mutex_t *mutex) {
  const skein_global_mutex_t id = skein_global_mutex_create(skein_shared_node(mutex));
  mutex->id = id;
  return id ? SKEIN_OK : SKEIN_EMEMORY;
}

int halfproc_mutex_lock(shared halfproc_mutex_t *mutex) { return skein_global_mutex_lock(mutex->id); }
int halfproc_mutex_trylock(shared halfproc_mutex_t *mutex) { return skein_global_mutex_trylock(mutex->id); }
int halfproc_mutex_unlock(shared halfproc_mutex_t *mutex) { return skein_global_mutex_unlock(mutex->id); }

int halfproc_mutex_destroy(shared halfproc_mutex_t *mutex) {
  const skein_global_mutex_t id = mutex->id;
  const int taken = skein_global_mutex_trylock(id);
  if (taken)
    return taken;
  mutex->id = 0;
  return skein_global_free(id);
}

int halfproc_cond_init(shared halfproc_cond_t *condition) {
  condition->mutex = 0;
  __atomic_store_n(&condition->id, 0, __ATOMIC_RELEASE);
  return SKEIN_OK;
}

/* Makes the condition for the mutex, unless another thread has done so meanwhile. */
static int begin_with(shared halfproc_cond_t *condition, skein_global_mutex_t mutex) {
  skein_global_mutex_t of = 0;
  if (!__atomic_compare_exchange_n(&condition->mutex, &of, mutex, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && of != mutex)
    return __skein_error(SKEIN_ELOCK, "halfproc_cond_wait: the condition belongs to another mutex, that of its first "
                                      "wait; destroy and initialise it before it is used with this one");
  skein_global_condition_t id = __atomic_load_n(&condition->id, __ATOMIC_ACQUIRE);
  if (id)
    return SKEIN_OK;
  const skein_global_condition_t made = skein_global_condition_create(mutex);
  if (!made)
    return SKEIN_ETHREAD;
  if (__atomic_compare_exchange_n(&condition->id, &id, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return SKEIN_OK;
  return skein_global_free(made);
}

int halfproc_cond_wait(shared halfproc_cond_t *condition, shared halfproc_mutex_t *mutex) {
  const int code = begin_with(condition, mutex->id);
  return code ? code : skein_global_condition_wait(__atomic_load_n(&condition->id, __ATOMIC_ACQUIRE));
}

int halfproc_cond_signal(shared halfproc_cond_t *condition) {
  const skein_global_condition_t id = __atomic_load_n(&condition->id, __ATOMIC_ACQUIRE);
  return id ? skein_global_condition_signal(id) : SKEIN_OK;
}

int halfproc_cond_broadcast(shared halfproc_cond_t *condition) {
  const skein_global_condition_t id = __atomic_load_n(&condition->id, __ATOMIC_ACQUIRE);
  return id ? skein_global_condition_broadcast(id) : SKEIN_OK;
}

int halfproc_cond_destroy(shared halfproc_cond_t *condition) {
  const skein_global_condition_t id = __atomic_exchange_n(&condition->id, 0, __ATOMIC_ACQ_REL);
  condition->mutex = 0;
  return id ? skein_global_free(id) : SKEIN_OK;
}
