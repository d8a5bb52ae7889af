/* Shared memory as a type: `skein_shared double *p` is a global address, the same on every node. Plain C syntax reads
 * and writes it (`*p`, `p[i] += 1`, `n->next->value`); the compiler keeps it apart from `double *`.
 *
 * Semaphores are handles that work on every node. */
#ifndef SKEIN_SHARED_H
#define SKEIN_SHARED_H

#include <skein/skein.h>

#define skein_shared __attribute__((address_space(100)))
#ifndef __cplusplus
#define shared skein_shared
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates `bytes` of zeroed shared memory that lives on `node`, or on node 0 if that node has left the run
 * (`skein node drain`); 64-aligned. NULL with an error text if that is not possible. May block (the owner allocates).
 */
skein_shared void *skein_shared_alloc(int node, size_t bytes);
/* Frees a block, from any node; NULL is allowed. SKEIN_EPOINTER, with an error text, for what is no block or was freed
 * before. May block. */
int skein_shared_free(skein_shared void *block);

/* The node that keeps this memory: the one on which it was allocated, or node 0 once that has left the run. -1: it is
 * no shared memory. */
SKEIN_NOMIGRATE int skein_shared_node(const skein_shared void *address);

/* The plain pointer to a shared object, if it can be addressed in this process; else NULL. It is valid until the thread
 * moves; then it has to be asked for again. Does not block. */
#ifdef __cplusplus
} // extern "C"
extern "C" int __skein_slice_reach(uint64_t address);
template <typename T> T *skein_local(T skein_shared *object) {
  const auto address = reinterpret_cast<uintptr_t>(object);
  return __skein_slice_reach(address) ? reinterpret_cast<T *>(address) : nullptr;
}
extern "C" {
#else
int __skein_slice_reach(uint64_t address);
static inline void *skein_local(const volatile skein_shared void *object) {
  const uintptr_t address = (uintptr_t)object;
  return __skein_slice_reach(address) ? (void *)address : NULL;
}
#endif

/* A counting semaphore that lives on the node that created it. 0 is none. */
typedef uint64_t skein_semaphore_t;
skein_semaphore_t skein_semaphore_create(unsigned count);
/* Blocks, may migrate (a waiter stays where it is until it is woken). SKEIN_EDEAD if the semaphore's node died,
 * SKEIN_ETHREAD if it was freed. */
int skein_semaphore_wait(skein_semaphore_t semaphore);
/* SKEIN_EBUSY if the count is 0. May block, for the answer. */
int skein_semaphore_trywait(skein_semaphore_t semaphore);
/* When it returns, the signal has arrived. The caller may wait for that; it does not migrate meanwhile. */
SKEIN_NOMIGRATE int skein_semaphore_signal(skein_semaphore_t semaphore);
int skein_semaphore_free(skein_semaphore_t semaphore);

#ifdef __cplusplus
}
#endif

#include <skein/shared_string.h>

#endif
