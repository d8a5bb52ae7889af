/* What a node knows of objects (<skein/object.h>) that are on it, and where it has found others.
 *
 * A *place* is an object's here: its lock, and the thread that keeps its memory. It exists from before the object is
 * here until everybody has gone who waits at it. Who waits for its lock and then finds it `gone` has come too late, and
 * follows the object. */
#ifndef SKEIN_STDLIB_OBJECT_PLACES_H
#define SKEIN_STDLIB_OBJECT_PLACES_H

#include <skein/object.h>
#include <skein/sync.h>

enum place_state {
  place_here, /* or about to be: its lock is held meanwhile */
  place_gone, /* to `node` */
  place_ended
};

/* What the keeper of an object is asked to do by a thread that holds its place's lock and waits for `done`. */
enum order_kind { order_move, order_end, order_allocate, order_free };

struct place {
  struct place *next; /* in its chain of the table */
  int listed;         /* in the table */
  skein_object_t object;
  skein_mutex_t lock; /* whoever holds it is inside */
  void *memory;
  enum place_state state; /* changes under the lock */
  int node;
  uint32_t users; /* the object itself, and the threads that use the place; changes under the table's lock */

  skein_thread_t inside; /* whoever holds the lock, when it has entered; 0 */

  enum order_kind order;
  uint64_t argument;
  skein_sem_t wanted; /* signalled: there is an order */
  skein_sem_t done;
  int code; /* of the order */
  int lost; /* the object has died on its way */
  void *block;
  char text[320];
  uint64_t ticket; /* of a move that is waited for; 0: none */
  struct place *next_awaited;
};

/* A place for an object of this node: with one user, the object. If there is one of an earlier stay, whose last users
 * have not gone yet, that is in the table no more. NULL without memory. */
SKEIN_NOMIGRATE struct place *place_make(skein_object_t object);
/* The place of the object, with one user more; NULL if it is not here. */
SKEIN_NOMIGRATE struct place *place_use(skein_object_t object);
/* There is one user less. The last one takes it out of the table, and frees it. */
SKEIN_NOMIGRATE void place_leave(struct place *place);
/* The same place, without a further user. */
SKEIN_NOMIGRATE struct place *place_of(skein_object_t object);

/* An object leaves its place: a number by which its arrival is reported. */
SKEIN_NOMIGRATE uint64_t place_awaits(struct place *place);
SKEIN_NOMIGRATE void place_awaits_no_more(struct place *place);
/* The object with that ticket has arrived. (If nobody waits any more, nothing happens.) */
SKEIN_NOMIGRATE void place_arrived(uint64_t ticket);

/* The objects that have a place here, up to `most` of them. How many there are. */
SKEIN_NOMIGRATE size_t places_list(skein_object_t *objects, size_t most);
/* This node is about to leave the run: moves its objects to others. How many are still here. Blocks. */
size_t places_leave(void);

/* The object was found there. */
SKEIN_NOMIGRATE void place_note(skein_object_t object, int node);
/* Where it was found last; -1: nobody remembers. */
SKEIN_NOMIGRATE int place_noted(skein_object_t object);

/* Begins the thread that keeps a new object of this node, whose lock the caller holds; returns when it has its memory.
 * SKEIN_OK or SKEIN_EMEMORY with a text. Blocks. */
int keeper_begin(struct place *place, size_t bytes);
/* Gives the keeper an order, and waits until it is done. The caller holds the place's lock. Returns its code. Blocks.
 */
int keeper_order(struct place *place, enum order_kind order, uint64_t argument);

#endif
