/* Objects that can be found: memory that lies on some node, has a name or a number that is good on every node, and may
 * be moved while it is in use. Threads go to it, or send it a message. (Mascarenhas and Rego, *Ariadne*, section
 * "Object Location and Migration"; docs/sources.md. docs/language.md explains it with examples.)
 *
 *     struct account { long balance; };
 *     skein_object_t ours = skein_object_create("ours", sizeof(struct account), NULL, NULL);
 *     ...
 *     struct account *account;                        // in any thread, on any node
 *     skein_visit(skein_object_find("ours"), account) { account->balance += 100; }
 *
 *     SKEIN_METHOD(deposit, struct account *account, const long *amount, long *balance) {
 *       *balance = account->balance += *amount;
 *     }
 *     ...
 *     skein_object_call(ours, &deposit, &amount, sizeof amount, &balance, sizeof balance);   // the caller stays
 *
 *     skein_object_move(ours, 2);                     // visitors and messages that come too late are sent on
 *
 * One thread at a time is inside of an object: a visitor, or a method. The others wait, first come, first served. An
 * object's memory is private memory: it keeps its address wherever it goes, and a visitor uses it directly. It is moved
 * only while nobody is inside, and only if all that it holds means the same elsewhere: blocks of skein_object_malloc,
 * shared memory, numbers, objects' and threads' ids. If it holds a pointer to other memory of the process, or to a
 * stack, it stays, and skein_object_move says why.
 *
 * Where an object is, is kept by one node, its *directory*: a hash of its name says which. Each node remembers where it
 * has found objects, and corrects that when one has moved. An object is lost with its node. So is, with the node of its
 * directory, the way to it, but for those who remember.
 *
 * The program ends though objects live. All calls are for Skein threads. SKEIN_EDEAD: the object, or its directory, was
 * on a node that has died. SKEIN_EEMPTY: there is no such object, or no longer. */
#ifndef SKEIN_OBJECT_H
#define SKEIN_OBJECT_H

#include <skein/messages.h>
#include <skein/skein.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An object, on every node. 0: none. Never used again for another one. */
typedef uint64_t skein_object_t;

/* The most characters of a name. */
enum { SKEIN_OBJECT_NAME_MOST = 43 };

/* Makes an object of `bytes` zeroes on the node of the caller, and calls init(memory, argument) unless it is null,
 * before anybody else can come in. `name` may be null. 0 with an error text: SKEIN_EBUSY (the name is in use),
 * SKEIN_EREFUSED (a name has 1 to 43 characters), SKEIN_EMEMORY. Blocks; while `init` runs, the caller cannot move. */
skein_object_t skein_object_create(const char *name, size_t bytes, void (*init)(void *memory, const void *argument),
                                   const void *argument);

/* The object of that name; 0 with an error text if there is none now. Blocks. */
skein_object_t skein_object_find(const char *name);

/* The node where it was a moment ago; -1 with an error text. Blocks. */
int skein_object_node(skein_object_t object);

/* Moves it to `node`, when those who came before have left. SKEIN_EPOINTER and others: it cannot move, and
 * skein_error_text() says what holds it. Blocks until it has arrived; the caller stays where it is. */
int skein_object_move(skein_object_t object, int node);

/* Ends it and frees its memory, when those who came before have left. Who comes later gets SKEIN_EEMPTY. Blocks. */
int skein_object_delete(skein_object_t object);

/* --- visits ----------------------------------------------------------------------------------------------------- */

/* The calling thread goes to where the object is, waits for its turn, and runs the block with `pointer`, a variable of
 * its own, leading to the object's memory. It leaves the object at the end of the block, however that comes (break,
 * return, goto), and stays on that node. Within the block it cannot move. If it cannot get there (skein_error_text()),
 * a following `else` is executed instead. */
#define skein_visit(object, pointer)                                                                                   \
  for (struct skein_visit_ skein_visit_here_ __attribute__((cleanup(skein_visit_end_))) = {(object), 0, 0, 0};         \
       skein_visit_begin_(&skein_visit_here_); (pointer) = 0)                                                          \
    if (((pointer) = (__typeof__(pointer))skein_visit_here_.memory))

struct skein_visit_ {
  skein_object_t object;
  void *memory; /* null: the caller could not get there */
  void *place;
  int begun;
};
/* 1 when it is called first, 0 then. Blocks and migrates. */
int skein_visit_begin_(struct skein_visit_ *visit);
SKEIN_NOMIGRATE void skein_visit_end_(struct skein_visit_ *visit);

/* A block that belongs to the object, moves with it and is freed with it, zeroed. For who is inside of it; NULL with an
 * error text otherwise, or without memory. Both block. */
void *skein_object_malloc(skein_object_t object, size_t bytes);
int skein_object_free(skein_object_t object, void *block);

/* --- methods ---------------------------------------------------------------------------------------------------- */

/* Defines a method: SKEIN_METHOD(name, struct slice *slice, const struct question *in, struct answer *out) { ... }. It
 * runs inside of the object, as a thread of its own, and cannot move. `in` is a copy of what the caller gave, and
 * `*out` what it gets; their sizes are the caller's. */
#define SKEIN_METHOD(name, object, in, out)                                                                            \
  static void name##_method(object, in, out);                                                                          \
  SKEIN_THREADED_HANDLER(name, skein_message_) {                                                                       \
    skein_method_run_(skein_message_, (void (*)(void *, const void *, void *))name##_method);                          \
  }                                                                                                                    \
  static void name##_method(object, in, out)

/* Runs the method where the object is, and waits for its result of exactly `out_bytes`. The caller stays. Errors are
 * those of skein_call, too. Blocks. */
int skein_object_call(skein_object_t object, const struct skein_handler *method, const void *in, size_t in_bytes,
                      void *out, size_t out_bytes);

void skein_method_run_(struct skein_message *message, void (*method)(void *, const void *, void *));

/* --- grids ------------------------------------------------------------------------------------------------------ */

/* A row of objects, such as the slices of a grid, in equal blocks of neighbours over the nodes. Good on every node. It
 * says how many objects there are and on which nodes they began, so nobody need look an element up. 0: none. */
typedef uint64_t skein_grid_t; /* number : 20, objects : 32, nodes : 12 */

/* Makes `count` objects; init(memory, index) is called for each on its node, unless it is null. 0 with an error text:
 * then none exist. Blocks. */
skein_grid_t skein_grid_create(uint32_t count, size_t bytes, void (*init)(void *memory, uint32_t index));
/* Ends all of them. Blocks. */
int skein_grid_delete(skein_grid_t grid);

static inline uint32_t skein_grid_count(skein_grid_t grid) { return (uint32_t)(grid >> 12); }
/* The node on which an element began. */
static inline int skein_grid_owner(skein_grid_t grid, uint32_t index) {
  return (int)(index * (grid & 0xfff) / skein_grid_count(grid));
}
/* The object of that index, which is below the count. */
static inline skein_object_t skein_grid_at(skein_grid_t grid, uint32_t index) {
  return (uint64_t)skein_grid_owner(grid, index) << 52 | grid >> 44 << 32 | index;
}

#ifdef __cplusplus
}
#endif
#endif
