/* The places of objects on this node; see places.h. */
#include "objects/places.h"
#include "library.h"

#include <stdlib.h>

/* No call is made under it that blocks. */
SKEIN_NODE_LOCAL static atomic_flag table_lock = ATOMIC_FLAG_INIT;
SKEIN_NODE_LOCAL static struct place **chains;
SKEIN_NODE_LOCAL static size_t chain_count, place_count; /* chain_count: 0 or a power of two */

/* Where objects were found: each has one row for it, from which another one may drive it out. */
enum { note_count = 1024 };
struct note {
  skein_object_t object;
  int node;
};
SKEIN_NODE_LOCAL static struct note notes[note_count];

SKEIN_NOMIGRATE static void lock_table(void) { library_lock(&table_lock); }
SKEIN_NOMIGRATE static void unlock_table(void) { library_unlock(&table_lock); }

static size_t hash_of(skein_object_t object) {
  const uint64_t hash = object * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static struct place **chain_of(skein_object_t object) { return &chains[hash_of(object) & (chain_count - 1)]; }

SKEIN_NOMIGRATE static int chains_grow(void) {
  if (place_count < chain_count)
    return 1;
  struct place **const former = chains, **more = calloc(chain_count ? 2 * chain_count : 64, sizeof *more);
  if (!more)
    return 0;
  const size_t former_count = chain_count;
  chains = more;
  chain_count = former_count ? 2 * former_count : 64;
  for (size_t i = 0; i < former_count; i++)
    for (struct place *place = former[i], *next; place; place = next) {
      next = place->next;
      struct place **chain = chain_of(place->object);
      place->next = *chain;
      *chain = place;
    }
  free(former);
  return 1;
}

SKEIN_NOMIGRATE static struct place *find(skein_object_t object) {
  struct place *place = chain_count ? *chain_of(object) : NULL;
  while (place && place->object != object)
    place = place->next;
  return place;
}

SKEIN_NOMIGRATE static void unlist(struct place *place) {
  if (!place->listed)
    return;
  struct place **link = chain_of(place->object);
  while (*link != place)
    link = &(*link)->next;
  *link = place->next;
  place->listed = 0;
  place_count--;
}

struct place *place_make(skein_object_t object) {
  struct place *place = calloc(1, sizeof *place);
  if (!place)
    return NULL;
  place->object = object;
  place->users = 1;
  skein_mutex_init(&place->lock);
  skein_sem_init(&place->wanted, 0);
  skein_sem_init(&place->done, 0);
  lock_table();
  struct place *former = find(object);
  if (former)
    unlist(former);
  const int room = chains_grow();
  if (room) {
    struct place **chain = chain_of(object);
    place->next = *chain;
    *chain = place;
    place->listed = 1;
    place_count++;
  }
  unlock_table();
  if (room)
    return place;
  free(place);
  return NULL;
}

struct place *place_use(skein_object_t object) {
  lock_table();
  struct place *place = find(object);
  if (place)
    place->users++;
  unlock_table();
  return place;
}

struct place *place_of(skein_object_t object) {
  lock_table();
  struct place *place = find(object);
  unlock_table();
  return place;
}

size_t places_list(skein_object_t *objects, size_t most) {
  size_t count = 0;
  lock_table();
  for (size_t i = 0; i < chain_count; i++)
    for (const struct place *place = chains[i]; place; place = place->next, count++)
      if (count < most)
        objects[count] = place->object;
  unlock_table();
  return count;
}

void place_leave(struct place *place) {
  lock_table();
  const int last = --place->users == 0;
  if (last)
    unlist(place);
  unlock_table();
  if (last)
    free(place);
}

/* Places whose objects are under way to another node. */
SKEIN_NODE_LOCAL static struct place *awaited;
SKEIN_NODE_LOCAL static uint64_t last_ticket;

uint64_t place_awaits(struct place *place) {
  lock_table();
  place->ticket = ++last_ticket;
  place->next_awaited = awaited;
  awaited = place;
  unlock_table();
  return place->ticket;
}

void place_awaits_no_more(struct place *place) {
  lock_table();
  struct place **link = &awaited;
  while (*link != place)
    link = &(*link)->next_awaited;
  *link = place->next_awaited;
  place->ticket = 0;
  unlock_table();
}

void place_arrived(uint64_t ticket) {
  lock_table();
  struct place *place = awaited;
  while (place && place->ticket != ticket)
    place = place->next_awaited;
  if (place)
    skein_sem_signal(&place->done);
  unlock_table();
}

void place_note(skein_object_t object, int node) {
  lock_table();
  notes[hash_of(object) % note_count] = (struct note){object, node};
  unlock_table();
}

int place_noted(skein_object_t object) {
  lock_table();
  const struct note note = notes[hash_of(object) % note_count];
  unlock_table();
  return note.object == object ? note.node : -1;
}
