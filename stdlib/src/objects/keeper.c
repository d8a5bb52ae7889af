/* The thread that keeps an object's memory (<skein/object.h>): the memory is on its private heap, so to move the object
 * is to move this thread. All that makes threads move safely holds for objects: their words are relocated or refuse the
 * move, an object is never on two nodes, and it stays where it is if its destination refuses it.
 *
 * The thread waits for orders, each given by a thread that holds the lock of the object's place, so it never meets a
 * visitor. It is pinned but for the moment in which it moves, so neither a thief nor a policy takes it. Whoever ordered
 * a move waits at the place that the object leaves until a message says that it has arrived, or its destination dies.
 */
#include "library.h"
#include "objects/directory.h"
#include "objects/places.h"

#include <skein/bundle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { look_ns = 100000000 }; /* so often who waits for an arrival looks whether the destination lives */

SKEIN_HANDLER(skein_object_arrived, message) {
  uint64_t ticket;
  memcpy(&ticket, message->data, sizeof ticket);
  place_arrived(ticket);
}

/* The order has been carried out, or refused: whoever gave it goes on. */
SKEIN_NOMIGRATE static void done(struct place *place, int code) {
  place->code = code;
  snprintf(place->text, sizeof place->text, "%s", code ? skein_error_text() : "");
  skein_sem_signal(&place->done);
}

struct kept {
  skein_object_t object;
  void *memory;
  uint32_t moves;
};

static void move(struct kept *kept, int to, uint64_t ticket) {
  const int from = skein_node();
  const int code = skein_push_self(to);
  if (code) {
    done(place_of(kept->object), code);
    return;
  }
  SKEIN_PINNED {
    struct place *place = place_make(kept->object);
    if (!place) {
      fprintf(stderr, "skein: node %d has no memory for object %#llx, which has arrived there\n", skein_node(),
              (unsigned long long)kept->object);
      abort();
    }
    place->memory = kept->memory;
    place_note(kept->object, skein_node());
    directory_moved(kept->object, ++kept->moves); /* if that node is dead, only those who remember find it */
    skein_send(from, &skein_object_arrived, &ticket, sizeof ticket);
  }
}

/* Carries out one order. False: the object has ended. */
static int serve(struct kept *kept) {
  enum order_kind order;
  uint64_t argument, ticket;
  SKEIN_PINNED {
    struct place *place = place_of(kept->object);
    skein_sem_wait(&place->wanted);
    order = place->order;
    argument = place->argument;
    ticket = place->ticket;
    switch (order) {
    case order_allocate:
      place->block = skein_calloc(1, argument);
      done(place,
           place->block ? SKEIN_OK : object_error(SKEIN_EMEMORY, "no memory for a block of %zu bytes", argument));
      break;
    case order_free:
      skein_free((void *)argument);
      done(place, SKEIN_OK);
      break;
    case order_end:
      done(place, SKEIN_OK);
      break;
    case order_move:
      break;
    }
  }
  if (order == order_move)
    move(kept, (int)argument, ticket);
  return order != order_end;
}

/* `place` is memory of this process, so the thread cannot be stolen before it has begun. */
static void keep(struct place *place, uint64_t bytes) {
  skein_daemon();
  struct kept kept = {.object = place->object};
  kept.memory = place->memory = skein_calloc(1, bytes);
  done(place, kept.memory ? SKEIN_OK : object_error(SKEIN_EMEMORY, "no memory for an object of %zu bytes", bytes));
  place = NULL;
  while (kept.memory && serve(&kept))
    ;
}

int keeper_begin(struct place *place, size_t bytes) {
  const struct skein_attributes attributes = {.name = "object", .bundle = skein_bundle_root()};
  if (!skein_spawn_with(&attributes, keep, place, (uint64_t)bytes))
    return SKEIN_EMEMORY;
  skein_sem_wait(&place->done);
  return place->code ? object_error(place->code, "%s", place->text) : SKEIN_OK;
}

int keeper_order(struct place *place, enum order_kind order, uint64_t argument) {
  place->order = order;
  place->argument = argument;
  place->code = SKEIN_OK;
  if (order != order_move) {
    skein_sem_signal(&place->wanted);
    skein_sem_wait(&place->done);
    return place->code ? object_error(place->code, "%s", place->text) : SKEIN_OK;
  }
  place_awaits(place);
  skein_sem_signal(&place->wanted);
  while (skein_sem_timedwait_ns(&place->done, look_ns) == SKEIN_ETIME)
    if (node_has_died((int)argument)) {
      place->code = SKEIN_EDEAD;
      place->lost = 1;
      snprintf(place->text, sizeof place->text, "node %d died when the object was on its way there", (int)argument);
      break;
    }
  place_awaits_no_more(place);
  return place->code ? object_error(place->code, "%s", place->text) : SKEIN_OK;
}
