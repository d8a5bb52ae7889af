/* occam's PAR: threads that are waited for together.
 *
 *     SKEIN_PAR (both) {                        -- the block is left when all threads of `both` have ended
 *       skein_par_spawn(both, left, tree);
 *       skein_par_spawn(both, right, tree);
 *     }
 *
 * A group is a local variable of the thread that starts its members, and moves with it; the members may end on any
 * node. Groups nest, in a function and through calls: each thread waits for its own, however deep those have groups of
 * theirs. The block waits whichever way it is left: at its end, by break, goto and return, and in programs with an
 * unwinder (C++, C with -fexceptions) when an exception, skein_exit or skein_cancel goes through it.
 *
 * The code here is part of the program, since waiting is a migration point: it is compiled with its caller. Rejected: a
 * count of children in the thread, which its children would have to find from any node when they end; it would cost
 * every thread, and could not tell two groups apart.
 *
 * Source: occam's PAR, as in TR-97-038's section on thread creation; Active Threads' and Ariadne's programs wait
 * for their children one by one. */
#ifndef SKEIN_PAR_H
#define SKEIN_PAR_H

#include <skein/heap.h>
#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKEIN_PAR_FIRST_ 12

/* A group of threads; zero is an empty one. It is a local variable, used only by the thread that it belongs to. */
typedef struct skein_par {
  skein_thread_t *more_; /* those that first_ has no room for, in private memory of the thread */
  uint64_t count_, room_;
  int code_; /* the result of waiting for earlier members */
  skein_thread_t first_[SKEIN_PAR_FIRST_];
} skein_par_t;

#ifdef __cplusplus
#define SKEIN_PAR_INITIALIZER                                                                                          \
  {                                                                                                                    \
  }
#else
#define SKEIN_PAR_INITIALIZER {0}
#endif

/* Begins a block with a group of its own. */
#define SKEIN_PAR(name)                                                                                                \
  for (skein_par_t name __attribute__((cleanup(skein_par_leave_))) = SKEIN_PAR_INITIALIZER, *name##_once_ = &name;     \
       name##_once_; name##_once_ = 0)

/* Starts function(args...) as a member of the group, and otherwise like skein_spawn and skein_spawn_with. Returns the
 * id, or 0 with an error text: then there is no new thread. `par` is the group itself, not its address. Without memory
 * for one more member it waits for the earlier ones first. May block and migrate. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments" /* so that -pedantic is happy */
#define skein_par_spawn(par, function, ...)                                                                            \
  (skein_par_room_(&(par)), skein_par_add_(&(par), skein_spawn(function, ##__VA_ARGS__)))
#define skein_par_spawn_with(par, attributes, function, ...)                                                           \
  (skein_par_room_(&(par)), skein_par_add_(&(par), skein_spawn_with(attributes, function, ##__VA_ARGS__)))
#pragma clang diagnostic pop

/* Waits until all members have ended, wherever they are. The group is empty then, and can be used again. Returns 0, or
 * the first error that skein_join gave (SKEIN_EDEAD: a member was lost with its node); the others are waited for all
 * the same. Blocks, may migrate. */
static inline int skein_par_join(skein_par_t *par);

/* The number of members, ended or not. */
static inline uint64_t skein_par_count(const skein_par_t *par) { return par->count_; }

/* --- what the macros are made of -------------------------------------------------------------------------------- */

static inline int skein_par_join(skein_par_t *par) {
  int first = par->code_;
  for (uint64_t i = 0; i < par->count_; i++) {
    int code = skein_join(i < SKEIN_PAR_FIRST_ ? par->first_[i] : par->more_[i - SKEIN_PAR_FIRST_]);
    if (first == SKEIN_OK)
      first = code;
  }
  skein_free(par->more_);
  par->more_ = 0;
  par->count_ = par->room_ = 0;
  par->code_ = SKEIN_OK;
  return first;
}

static inline void skein_par_leave_(skein_par_t *par) { (void)skein_par_join(par); }

static inline void skein_par_room_(skein_par_t *par) {
  if (par->count_ < SKEIN_PAR_FIRST_ || par->count_ - SKEIN_PAR_FIRST_ < par->room_)
    return;
  const uint64_t room = par->room_ ? 2 * par->room_ : 64;
  skein_thread_t *more = (skein_thread_t *)skein_realloc(par->more_, room * sizeof(skein_thread_t));
  if (more) {
    par->more_ = more;
    par->room_ = room;
  } else {
    par->code_ = skein_par_join(par);
  }
}

static inline skein_thread_t skein_par_add_(skein_par_t *par, skein_thread_t thread) {
  if (thread) {
    *(par->count_ < SKEIN_PAR_FIRST_ ? &par->first_[par->count_] : &par->more_[par->count_ - SKEIN_PAR_FIRST_]) =
        thread;
    par->count_++;
  }
  return thread;
}

#ifdef __cplusplus
}
#endif
#endif
