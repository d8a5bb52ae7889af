/* Global semaphores by the names of Active Threads (TR-97-038, section 5.6). */
#ifndef SKEIN_GL_SEMA_H
#define SKEIN_GL_SEMA_H

#include <skein/global.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An object without contents: a pointer to it is a number that is good on every node. */
typedef skein_shared struct gl_sema gl_sema_t;

static inline gl_sema_t *gl_sema_create(int count) {
  return (gl_sema_t *)(uintptr_t)skein_semaphore_create((unsigned)count);
}
static inline void gl_sema_wait(gl_sema_t *sema) { skein_semaphore_wait((uintptr_t)sema); }
static inline void gl_sema_signal(gl_sema_t *sema) { skein_semaphore_signal((uintptr_t)sema); }
/* Returns 1 if one was taken, 0 if the thread would have had to wait. */
static inline int gl_sema_trywait(gl_sema_t *sema) { return skein_semaphore_trywait((uintptr_t)sema) == SKEIN_OK; }
/* To be called on every node, by one thread of each, in the same order of calls: `*sema` is then the same semaphore of
 * `node` everywhere. `key` tells several such semaphores apart. */
static inline void make_sema_global(gl_sema_t **sema, int node, int count, uint64_t key) {
  *sema = (gl_sema_t *)(uintptr_t)__skein_global_create(SKEIN_GLOBAL_SEMAPHORE, (uint64_t)count, node,
                                                        key << 16 | (uint64_t)skein_nodes());
}

#ifdef __cplusplus
}
#endif
#endif
