/* Entry points that compiled code calls, and the data it reads. Programs never name them; the compiler does.
 *
 * Each is called with the plain C calling convention from a thread's own stack. Those marked "may migrate" are
 * migration points: the caller has a site for them. */
#ifndef SKEIN_ABI_ENTRY_POINTS_H
#define SKEIN_ABI_ENTRY_POINTS_H

#include "growable_mark.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Relocation stress (-fskein-stress=calls) calls this at the entry of functions and around every call that may migrate.
 * May migrate (to another stack). */
void __skein_stress(void);

/* Polls (-fskein-polls=loops): compiled code reads the flag, which belongs to the kernel thread, and calls the function
 * if it is not zero. May migrate. Units with polls define __skein_polls_compiled.
 *
 * Likewise units compiled with -fskein-stacks=common define __skein_stacks_common, which lets the runtime park threads
 * (thread/parked.h). */
extern __thread volatile unsigned char __skein_poll_flag;
void __skein_poll(void);

/* Called before main returns, and before calls of exit(), atexit() and on_exit(): main goes back to node 0, where exit
 * handlers find its variables. If it may not move, it goes on where it is. May migrate. */
void __skein_home(void);

/* Growable stacks (-fskein-stacks=growable, runtime/thread/growable.h). None of these follows the C calling convention:
 * they are for prologues and calls that the compiler makes, and change no register but r11 (and r10 where that is
 * said).
 *
 * A prologue that finds rsp - frame below %fs:0x70 calls the first with the frame's bytes in r11, and goes on after the
 * check; then there is room, or the program has ended. */
void __skein_grow(void);
/* The same for a function with arguments in vector registers wider than 128 bits. */
void __skein_grow_wide(void);
/* Call the function in r11, which is foreign (and runs on the worker's deep stack) or perhaps foreign (its mark
 * decides). For those with _memory, r10 holds the bytes of arguments in memory, a multiple of 16. */
void __skein_call(void);
void __skein_call_memory(void);
void __skein_foreign_call(void);
void __skein_foreign_call_memory(void);
/* Call the function to which a cell leads, whose address is in r11 and which has two words: what the program calls
 * through it, and the function's address. If the function has the mark, the first word becomes its address. */
void __skein_bind(void);
void __skein_bind_memory(void);
/* Called before a block of variable size is made on the stack: it makes sure that there is room for it. It is an
 * ordinary function, which never migrates. */
void __skein_reserve(size_t bytes);

/* How one argument of a spawned function travels: 2 bits each in `classes`, argument i at bits [2i, 2i+2). */
enum { SKEIN_ARGUMENT_INTEGER, SKEIN_ARGUMENT_POINTER, SKEIN_ARGUMENT_DOUBLE, SKEIN_ARGUMENT_FLOAT };
enum { SKEIN_ARGUMENTS_MAX = 14 }; /* at most 6 integers or pointers and 8 floating-point values */
/* Added to the count: the words are those of one object, which the function takes by value and which the calling
 * convention passes in memory (more than 16 bytes, and aligned to 16 at most). They are integers or pointers. */
#define SKEIN_IN_MEMORY 0x80u
/* What the function returns: 4 bits of `classes` from SKEIN_RESULT_SHIFT on. An integer of 2^n bytes is
 * SKEIN_RESULT_SIGNED + 2 n, or SKEIN_RESULT_UNSIGNED + 2 n. No other result can be asked for. */
enum {
  SKEIN_RESULT_NONE,
  SKEIN_RESULT_POINTER,
  SKEIN_RESULT_DOUBLE,
  SKEIN_RESULT_FLOAT,
  SKEIN_RESULT_SIGNED,
  SKEIN_RESULT_UNSIGNED,
  SKEIN_RESULT_SHIFT = 28
};

/* A call `skein_spawn(f, ...)` becomes a call of this. words[i] is argument i zero- or sign-extended as the callee
 * expects it (a float in the low 4 bytes). Returns the thread's id, or 0 if it could not be created (skein_error_text()
 * says why). Does not block or migrate. */
uint64_t __skein_spawn(void (*function)(void), const uint64_t *words, uint32_t count, uint32_t classes);
/* The same for `skein_spawn_with(attributes, f, ...)`, and with SKEIN_CREATE for skein_create. May block, may migrate.
 */
struct skein_attributes;
uint64_t __skein_spawn_with(const struct skein_attributes *attributes, void (*function)(void), const uint64_t *words,
                            uint64_t count_and_classes); /* the count in bits 32 to 39 */
#define SKEIN_CREATE (UINT64_C(1) << 40)

/* Tells the runtime that C library function `function` keeps the address `kept` after it returned (strtok, setvbuf,
 * putenv, ...). If it lies in the calling thread's stack, the thread is pinned from here on. Does not block. */
void __skein_library_keeps(const void *kept, const char *function);
/* The same for addresses inside of objects: `count` of them side by side, or (_each) behind as many pointers, which are
 * kept themselves. `layout` has in its low 7 bytes the places of words, each as 1 + offset / SKEIN_KEPT_UNIT, 0 ends;
 * above SKEIN_KEPT_ROW_SHIFT the bytes of one of those side by side, in the same unit. Null pointers lead nowhere. */
void __skein_library_keeps_words(const void *objects, uint64_t count, uint64_t layout, const char *function);
void __skein_library_keeps_each(const void *pointers, uint64_t count, uint64_t layout, const char *function);
#define SKEIN_KEPT_UNIT 4
#define SKEIN_KEPT_ROW_SHIFT 56
/* Tells the runtime that the function is about to store `address`, or one beside it, at `place` or beside it. If the
 * one lies in the calling thread's stack, and the other is memory that neither moves along nor is searched before a
 * move, the thread is pinned from here on. Null places are none. Does not block. */
void __skein_library_stores(const void *address, const void *place, const char *function);
/* Tells the runtime that the function changes what may be done with the pages that begin there. */
void __skein_memory_changed(const void *begin, const char *function);

/* Tells the runtime that getopt (or one of its variants) has returned `result`. Until that is -1 the thread does not
 * leave its process. Does not block. */
void __skein_options_read(int result);

/* Tells the runtime that `address` goes where the maps do not describe it: as a number, or stored at `place` (null:
 * unknown). If it lies in the calling thread's stack and `place` does not, the thread is pinned from here on; `how`
 * completes "an address of its stack ...". If it lies in the program or a library, and these may lie elsewhere on other
 * nodes, no thread leaves this node any more for one where they do. But if `place` lies in the thread's private memory,
 * the word there is relocated from now on, as long as it holds that address. Does not block. Keeps nearly all
 * registers, so that code which hardly ever calls it does not save any for it. */
__attribute__((preserve_most)) void __skein_address_escapes(const void *address, const void *place, const char *how);

/* The same for each of `count` words that begin at `words`, at any alignment, of which the callee of the next call may
 * make numbers: an ordinary C function. */
void __skein_words_escape(const void *words, uint64_t count, const char *how);

/* Called by constructors of units with functions that are compiled as clang does it (-fskein-moves=same): these may
 * make numbers of addresses of the stack, or of the program, and do not tell. So from here on every thread that has
 * begun keeps the address of its stack, as after a number in the function above. `how` completes the same texts. Does
 * not block. */
void __skein_numbers_untold(const char *how);

/* What compiled code compares an address with before it tells the runtime of it. `near`: the runtime wants to know of
 * addresses that are less than so far above a place below the frame: those of the stack, or all. `program`: whether it
 * wants to know of addresses of the program and its libraries. That is so until the nodes have told each other where
 * these lie, and afterwards if they do not lie at the same addresses everywhere. */
struct skein_watch {
  uint64_t near;
  uint64_t program;
};
#define SKEIN_WATCH_STACK (UINT64_C(1) << 30) /* where the size of stacks is not known: no stack is larger */
extern struct skein_watch __skein_watch;

/* Tells the runtime that `address`, which may lie in the calling thread's stack, is about to be stored at `place`. If
 * that is in the thread's private memory, the word there is relocated as above. Otherwise nothing happens. Keeps nearly
 * all registers. */
__attribute__((preserve_most)) void __skein_address_stored(const void *address, const void *place);

/* The same two functions for code without optimisation: the fast instruction selection of LLVM does not know
 * preserve_most. */
void __skein_address_escapes_c(const void *address, const void *place, const char *how);
void __skein_address_stored_c(const void *address, const void *place);

/* The private heap (skein/heap.h): these are called instead of malloc and the related functions. `layout` is the
 * block's skein_layout, or, with 1 added to the address, one that only names the place of the allocation; null: nothing
 * is known. A resized block keeps its layout unless the new one tells a type. They do not block. */
void *__skein_malloc(size_t bytes, const void *layout);
void *__skein_calloc(size_t count, size_t bytes, const void *layout);
void *__skein_realloc(void *block, size_t bytes, const void *layout);
void *__skein_reallocarray(void *block, size_t count, size_t bytes, const void *layout);
void *__skein_aligned_alloc(size_t alignment, size_t bytes, const void *layout);
/* Called where the result of a function that may have allocated it is converted to a type. If it is one of the last
 * blocks without a type that the calling thread allocated, it has this type from now on. */
struct skein_layout;
void __skein_heap_type(void *block, const struct skein_layout *layout);

/* Whether `address` is the calling thread's own: on its stack or in its private memory, so that it moves along. False
 * on a kernel thread that runs no Skein thread. Does not block. */
int __skein_moves_along(const void *address);

/* Whether the thread lives, as its node of birth knows it: for others the answer is 0. Does not block. */
int __skein_lives(uint64_t thread);
#define SKEIN_THREAD_NODE_SHIFT 40 /* above it, an id has the node of birth */

/* How often the calling thread has come from another node. */
unsigned __skein_moves(void);

/* Tells the runtime that the calling thread got a descriptor on this node, or that the one that thread `holder` got
 * here is closed. A thread that has such a descriptor is not taken to another node, unless the program asks for it. */
void __skein_descriptor_opened(void);
void __skein_descriptor_closed(uint64_t holder);

/* Shared memory: the global range and its slices. An access to `address` is direct if
 * __skein_slice_mapped[(address - SKEIN_SHARED_BASE) >> SKEIN_SLICE_BITS] is not zero, else one of the calls. */
#define SKEIN_SHARED_BASE (UINT64_C(1) << 45)
#define SKEIN_SHARED_END (UINT64_C(1) << 46)
#define SKEIN_SLICE_BITS 36
#define SKEIN_SLICE_COUNT 512
extern unsigned char __skein_slice_mapped[SKEIN_SLICE_COUNT];
/* Whether the slice of an address can be accessed directly; it is mapped if it was not. 0 if that is no shared address.
 * Does not block or migrate. */
int __skein_slice_reach(uint64_t address);

/* Whether this process keeps copies of shared memory of other nodes: then direct atomic operations and fences that
 * acquire are followed by the first, those that release preceded by the second. May block, may migrate. The calls below
 * do that by themselves. */
extern unsigned char __skein_shared_caching;
void __skein_shared_acquire(void);
void __skein_shared_release(void);

/* Operations on shared memory that may be another host's; all are done directly where that can be. May block, may
 * migrate (the thread may be moved while parked). A private pointer may lead to the caller's stack. A thread whose
 * access hits no block in use, or whose owner is dead, ends with a message. Aligned copies of 1, 2, 4 or 8 bytes are
 * atomic. */
void __skein_shared_get(void *to, uint64_t from, size_t bytes);
void __skein_shared_put(uint64_t to, const void *from, size_t bytes);
void __skein_shared_copy(uint64_t to, uint64_t from, size_t bytes); /* both shared; they may overlap */
void __skein_shared_set(uint64_t to, int byte, size_t bytes);

/* Atomic operations at the owner, sequentially consistent; `what`: the operation, its bytes (1, 2, 4, 8) << 8, its C11
 * order (memory_order_…) << 16, which says what copies of other memory see. Returns what was there before,
 * zero-extended. COMPARE stores `operand` if `expected` is there. */
enum {
  SKEIN_ATOMIC_LOAD,
  SKEIN_ATOMIC_STORE, /* its result means nothing */
  SKEIN_ATOMIC_EXCHANGE,
  SKEIN_ATOMIC_COMPARE,
  SKEIN_ATOMIC_ADD,
  SKEIN_ATOMIC_SUB,
  SKEIN_ATOMIC_AND,
  SKEIN_ATOMIC_OR,
  SKEIN_ATOMIC_XOR,
  SKEIN_ATOMIC_NAND,
  SKEIN_ATOMIC_MAX,
  SKEIN_ATOMIC_MIN,
  SKEIN_ATOMIC_UMAX,
  SKEIN_ATOMIC_UMIN,
};
uint64_t __skein_shared_atomic(uint64_t address, uint64_t operand, uint64_t expected, uint64_t what);
/* The same for 16 bytes, LOAD, STORE, EXCHANGE and COMPARE: `value` holds the operand, and afterwards what was there.
 */
void __skein_shared_atomic16(uint64_t address, void *value, const void *expected, uint64_t what);

#ifdef __cplusplus
}
#endif
#endif
