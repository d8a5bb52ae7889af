/* Objects that can be found: creation, visits, methods; see <skein/object.h>. What is behind it: directory.h,
 * places.h, keeper.c. */
#include "library.h"
#include "objects/directory.h"
#include "objects/places.h"

#include <skein/nodes.h>
#include <stdio.h>
#include <string.h>

enum { text_bytes = 320, on_stack_bytes = 512 };

/* --- finding the way -------------------------------------------------------------------------------------------- */

/* What came of an attempt to get into an object on this node. */
enum entrance {
  entrance_open,      /* the caller is inside */
  entrance_elsewhere, /* the object is not here */
  entrance_refused    /* with a code and a text */
};

/* `*node`: if it is elsewhere, where this place knows that it went, or -1. */
static enum entrance enter_here(skein_object_t object, struct place **to, int *node, int *code) {
  struct place *place = place_use(object);
  *node = -1;
  if (!place)
    return entrance_elsewhere;
  if (place->inside == skein_self())
    *code = object_error(SKEIN_ELOCK, "the caller is inside of object %#llx already", (unsigned long long)object);
  else
    *code = skein_mutex_lock(&place->lock);
  if (*code) {
    place_leave(place);
    return entrance_refused;
  }
  if (place->state == place_here) {
    place->inside = skein_self();
    *to = place;
    return entrance_open;
  }
  const enum place_state state = place->state;
  *node = place->node;
  skein_mutex_unlock(&place->lock);
  place_leave(place);
  if (state == place_gone)
    return entrance_elsewhere;
  *code = object_error(SKEIN_EEMPTY, "object %#llx has been deleted", (unsigned long long)object);
  return entrance_refused;
}

SKEIN_NOMIGRATE static void leave_here(struct place *place) {
  place->inside = 0;
  skein_mutex_unlock(&place->lock);
  place_leave(place);
}

/* The way of a thread, or of its message, to an object. */
struct way {
  skein_object_t object;
  int start;
  uint32_t hops;
  uint64_t pause_ns;
  int asked; /* where it went last is what the directory said, and nothing newer is known */
};

/* The next stop, from one where the object is not. `known`: the node to which it went from there, or -1. */
static int way_next(struct way *way, int known, int *to) {
  enum { first_pause_ns = 20000, most_pause_ns = 5000000 };
  if (known >= 0) {
    *to = known;
    way->asked = 0;
    return SKEIN_OK;
  }
  if (way->hops == 0 && !way->asked) {
    *to = place_noted(way->object);
    if (*to >= 0 && *to != skein_node())
      return SKEIN_OK;
  }
  /* It may be between two nodes, or have been created a moment ago: the directory hears of that a little later. */
  if (way->asked) {
    way->pause_ns = way->pause_ns ? 2 * way->pause_ns : first_pause_ns;
    if (way->pause_ns > most_pause_ns)
      way->pause_ns = most_pause_ns;
    skein_sleep_ns(way->pause_ns);
  }
  way->asked = 1;
  return directory_where(way->object, to);
}

struct found {
  skein_object_t object;
  int node;
};
SKEIN_HANDLER(skein_object_found, message) {
  struct found found;
  memcpy(&found, message->data, sizeof found);
  place_note(found.object, found.node);
}

/* The object is at `node`. So that the next one has a shorter way, this node knows that now, and the first stop is told
 * if it was wrong. */
static void way_found(const struct way *way, int node) {
  place_note(way->object, node);
  const struct found found = {way->object, node};
  if (way->hops > 1 && way->start != skein_node())
    skein_send(way->start, &skein_object_found, &found, sizeof found);
}

/* What a failure to get from here to `to` means: a stop that was only remembered is asked for again. */
static int way_failed(struct way *way, int to, int code) {
  /* A node that leaves lets nobody in any more, and its objects go to others. */
  if (code == SKEIN_ELEAVES || ((code == SKEIN_EDEAD || code == SKEIN_ENODE) && !way->asked)) {
    place_note(way->object, -1);
    way->hops++;
    return SKEIN_OK;
  }
  char why[text_bytes];
  snprintf(why, sizeof why, "%s", skein_error_text());
  return object_error(code, "object %#llx is on node %d: %s", (unsigned long long)way->object, to, why);
}

/* --- visits ----------------------------------------------------------------------------------------------------- */

/* Goes to the object, and in. A code, with a text. */
static int get_in(skein_object_t object, struct place **to) {
  struct way way = {.object = object, .start = skein_node()};
  for (;;) {
    int code = SKEIN_OK, known, next;
    switch (enter_here(object, to, &known, &code)) {
    case entrance_open:
      if (way.hops)
        way_found(&way, skein_node());
      return SKEIN_OK;
    case entrance_refused:
      return code;
    case entrance_elsewhere:
      break;
    }
    if ((code = way_next(&way, known, &next)))
      return code;
    if (next == skein_node())
      continue;
    code = skein_push_self(next);
    if (!code)
      way.hops++;
    else if ((code = way_failed(&way, next, code)))
      return code;
  }
}

int skein_visit_begin_(struct skein_visit_ *visit) {
  if (visit->begun++)
    return 0;
  struct place *place = NULL; /* what it held before would keep the thread here */
  if (!get_in(visit->object, &place)) {
    visit->place = place;
    visit->memory = place->memory;
  }
  return 1;
}

void skein_visit_end_(struct skein_visit_ *visit) {
  if (visit->place)
    leave_here(visit->place);
  visit->place = visit->memory = NULL; /* nobody may hold them who moves */
}

/* --- messages to objects ---------------------------------------------------------------------------------------- */

/* What a message to an object begins with, and its answer; then the data of a method. */
struct call {
  skein_object_t object;
  uint64_t detail; /* of a method: the bytes of its result; else the order's argument */
  uint32_t order;
  uint32_t unused;
};
struct result {
  int32_t code;
  int32_t elsewhere; /* 1: the object is not there, but went to `known`, if that is not -1 */
  int32_t known;
  uint32_t unused;
};

static void reply_refused(struct skein_message *message, enum entrance entrance, int known, int code) {
  struct {
    struct result head;
    char text[text_bytes];
  } reply = {.head = {.code = code, .elsewhere = entrance == entrance_elsewhere, .known = known}};
  if (entrance == entrance_refused)
    snprintf(reply.text, sizeof reply.text, "%s", skein_error_text());
  skein_reply(message, &reply, sizeof reply);
}

/* Memory for a message, on the caller's stack if it is small. */
static void *message_memory(void *small, size_t bytes) {
  return bytes <= on_stack_bytes ? small : skein_calloc(1, bytes);
}
static void message_free(void *small, void *memory) {
  if (memory != small)
    skein_free(memory);
}

/* Sends the message to where the object is. The reply has room for `reply_bytes`, at least for a refusal. */
static int send_to_object(skein_object_t object, const struct skein_handler *handler, const void *data, size_t bytes,
                          void *reply, size_t reply_bytes) {
  struct way way = {.object = object, .start = skein_node()};
  struct result head;
  int to = skein_node(), known = -1;
  for (;;) {
    int code = SKEIN_OK;
    if (way.hops || !place_of(object))
      code = way_next(&way, known, &to);
    if (code)
      return code;
    known = -1;
    code = skein_call(to, handler, data, bytes, reply, reply_bytes, NULL);
    if (code) {
      if ((code = way_failed(&way, to, code)))
        return code;
      continue;
    }
    way.hops++;
    memcpy(&head, reply, sizeof head);
    if (!head.elsewhere)
      break;
    known = head.known;
  }
  if (to != skein_node())
    way_found(&way, to);
  return head.code ? object_error(head.code, "%.*s", text_bytes, (const char *)reply + sizeof head) : SKEIN_OK;
}

static size_t reply_room(size_t out_bytes) {
  return sizeof(struct result) + (out_bytes > text_bytes ? out_bytes : text_bytes);
}

int skein_object_call(skein_object_t object, const struct skein_handler *method, const void *in, size_t in_bytes,
                      void *out, size_t out_bytes) {
  _Alignas(16) char small_data[on_stack_bytes] = {0}, small_reply[on_stack_bytes] = {0};
  const size_t bytes = sizeof(struct call) + in_bytes, room = reply_room(out_bytes);
  char *data = message_memory(small_data, bytes), *reply = message_memory(small_reply, room);
  int code = SKEIN_EMEMORY;
  if (data && reply) {
    const struct call call = {.object = object, .detail = out_bytes};
    memcpy(data, &call, sizeof call);
    if (in_bytes)
      memcpy(data + sizeof call, in, in_bytes);
    code = send_to_object(object, method, data, bytes, reply, room);
    if (!code && out_bytes)
      memcpy(out, reply + sizeof(struct result), out_bytes);
  } else {
    object_error(code, "no memory for a message of %zu bytes", bytes + room);
  }
  message_free(small_data, data);
  message_free(small_reply, reply);
  return code;
}

void skein_method_run_(struct skein_message *message, void (*method)(void *, const void *, void *)) {
  struct call call;
  struct place *place = NULL;
  int code = SKEIN_OK, known;
  memcpy(&call, message->data, sizeof call);
  const enum entrance entrance = enter_here(call.object, &place, &known, &code);
  if (entrance != entrance_open)
    return reply_refused(message, entrance, known, code);
  _Alignas(16) char small[on_stack_bytes] = {0};
  const size_t bytes = sizeof(struct result) + call.detail;
  char *reply = message_memory(small, bytes);
  if (reply) {
    method(place->memory, (const char *)message->data + sizeof call, reply + sizeof(struct result));
    leave_here(place);
    skein_reply(message, reply, bytes);
  } else {
    leave_here(place);
    reply_refused(message, entrance_refused, -1,
                  object_error(SKEIN_EMEMORY, "no memory for a result of %zu bytes", call.detail));
  }
  message_free(small, reply);
}

/* --- moving and deleting ---------------------------------------------------------------------------------------- */

/* The object has left this place for good. The caller is inside. */
static void give_up(struct place *place, enum place_state state, int node) {
  place->state = state;
  place->node = node;
  place_leave(place);
}

/* Moves the object of this place, of which the caller is inside. */
static int move_from(struct place *place, int to) {
  if (to == skein_node())
    return SKEIN_OK;
  if (to < 0 || to >= skein_nodes())
    return object_error(SKEIN_ENODE, "there is no node %d, only 0 to %d", to, skein_nodes() - 1);
  const int code = keeper_order(place, order_move, (uint64_t)to);
  if (code && !place->lost)
    return code;
  if (place->lost)
    directory_end(place->object);
  place_note(place->object, place->lost ? -1 : to);
  give_up(place, place->lost ? place_ended : place_gone, to);
  return code;
}

/* The next node after `to` that takes objects, other than this one; -1: there is none. */
static int next_target(int to) {
  for (int i = 0, nodes = skein_nodes(); i < nodes; i++) {
    to = (to + 1) % nodes;
    if (to != skein_node() && skein_node_is_there(to))
      return to;
  }
  return -1;
}

/* Moves the object, if it is here and nobody is inside. False: it is still here. */
static int send_away(skein_object_t object, int to) {
  struct place *place = place_use(object);
  if (!place)
    return 1;
  if (skein_mutex_trylock(&place->lock)) {
    place_leave(place);
    return 0;
  }
  place->inside = skein_self();
  const int gone = place->state != place_here || !move_from(place, to);
  leave_here(place);
  return gone;
}

size_t places_leave(void) {
  const size_t room = places_list(NULL, 0);
  skein_object_t *objects = skein_calloc(room + 1, sizeof *objects);
  if (!objects)
    return room; /* the caller tries again */
  const size_t count = places_list(objects, room);
  size_t stay = count > room ? count - room : 0; /* these have come meanwhile */
  int to = skein_node();
  for (size_t i = 0; i < count && i < room; i++) {
    const int next = next_target(to);
    stay += next < 0 || !send_away(objects[i], next);
    to = next < 0 ? to : next;
  }
  skein_free(objects);
  return stay;
}

static int end_at(struct place *place) {
  keeper_order(place, order_end, 0);
  const int code = directory_end(place->object);
  give_up(place, place_ended, -1);
  return code;
}

SKEIN_THREADED_HANDLER(skein_object_order, message) {
  struct call call;
  struct place *place = NULL;
  int code = SKEIN_OK, known;
  memcpy(&call, message->data, sizeof call);
  enum entrance entrance = enter_here(call.object, &place, &known, &code);
  if (entrance == entrance_open) {
    code = call.order == order_move ? move_from(place, (int)call.detail) : end_at(place);
    leave_here(place);
    entrance = entrance_refused; /* as the answer with a code and a text */
  }
  reply_refused(message, entrance, known, code);
}

static int order(skein_object_t object, enum order_kind order, uint64_t argument) {
  const struct call call = {.object = object, .detail = argument, .order = order};
  _Alignas(16) char reply[sizeof(struct result) + text_bytes] = {0};
  return send_to_object(object, &skein_object_order, &call, sizeof call, reply, sizeof reply);
}

int skein_object_move(skein_object_t object, int node) { return order(object, order_move, (uint64_t)node); }
int skein_object_delete(skein_object_t object) { return order(object, order_end, 0); }

/* --- creating --------------------------------------------------------------------------------------------------- */

/* A place for a new object of this node, which has its memory; the caller is inside. NULL with a text. */
static struct place *place_new(skein_object_t object, size_t bytes) {
  struct place *place = place_make(object);
  if (!place) {
    object_error(SKEIN_EMEMORY, "no memory for an object");
    return NULL;
  }
  place->users++;
  skein_mutex_lock(&place->lock);
  place->inside = skein_self();
  if (!keeper_begin(place, bytes))
    return place;
  give_up(place, place_ended, -1);
  leave_here(place);
  return NULL;
}

skein_object_t skein_object_create(const char *name, size_t bytes, void (*init)(void *memory, const void *argument),
                                   const void *argument) {
  skein_object_t object;
  SKEIN_PINNED { /* its directory is told that it is on this node */
    struct place *place;
    if (directory_add(name, &object)) {
      object = 0;
    } else if ((place = place_new(object, bytes))) {
      if (init)
        init(place->memory, argument);
      leave_here(place);
    } else {
      char why[text_bytes];
      snprintf(why, sizeof why, "%s", skein_error_text());
      directory_end(object);
      object_error(SKEIN_EMEMORY, "%s", why);
      object = 0;
    }
  }
  return object;
}

skein_object_t skein_object_find(const char *name) {
  skein_object_t object;
  return directory_find(name, &object) ? 0 : object;
}

int skein_object_node(skein_object_t object) {
  int node;
  return directory_where(object, &node) ? -1 : node;
}

/* --- memory of objects ------------------------------------------------------------------------------------------ */

/* The place of an object that the caller is inside of; NULL with a text. */
static struct place *place_inside(skein_object_t object, const char *call) {
  struct place *place = place_of(object);
  if (place && place->inside == skein_self())
    return place;
  object_error(SKEIN_EREFUSED, "%s: the caller is not inside of object %#llx", call, (unsigned long long)object);
  return NULL;
}

void *skein_object_malloc(skein_object_t object, size_t bytes) {
  struct place *place = place_inside(object, "skein_object_malloc");
  return place && !keeper_order(place, order_allocate, bytes) ? place->block : NULL;
}

int skein_object_free(skein_object_t object, void *block) {
  struct place *place = place_inside(object, "skein_object_free");
  return place ? keeper_order(place, order_free, (uint64_t)block) : SKEIN_EREFUSED;
}

/* --- grids ------------------------------------------------------------------------------------------------------ */

/* The thread that makes the elements of a grid that begin on that node, or on node 0 if that one has left. The result
 * is a code. */
static int make_part(skein_grid_t grid, uint32_t node, uint32_t first, uint32_t count, uint64_t bytes,
                     void (*init)(void *memory, uint32_t index)) {
  int code = SKEIN_OK;
  SKEIN_PINNED {
    code = directory_grid_here((int)node, (uint32_t)(grid >> 44), first, count);
    for (uint32_t index = first; index < first + count && !code; index++) {
      struct place *place = place_new(skein_grid_at(grid, index), bytes);
      if (!place) {
        code = SKEIN_EMEMORY;
        break;
      }
      if (init)
        init(place->memory, index);
      leave_here(place);
    }
  }
  return code;
}

/* The first element that begins on that node, or on one after it. */
static uint32_t first_of(skein_grid_t grid, uint32_t node) {
  const uint64_t nodes = grid & 0xfff;
  return (uint32_t)(((uint64_t)node * skein_grid_count(grid) + nodes - 1) / nodes);
}

skein_grid_t skein_grid_create(uint32_t count, size_t bytes, void (*init)(void *memory, uint32_t index)) {
  const uint32_t nodes = (uint32_t)skein_nodes();
  uint32_t number;
  if (!count)
    object_error(SKEIN_EREFUSED, "a grid has at least one object");
  if (!count || directory_grid_number(&number))
    return 0;
  const skein_grid_t grid = (uint64_t)number << 44 | (uint64_t)count << 12 | nodes;
  skein_thread_t makers[nodes];
  for (uint32_t node = 0; node < nodes; node++) {
    const uint32_t first = first_of(grid, node), end = first_of(grid, node + 1);
    /* Bound to a worker, they are not stolen before they begin. */
    const int place = __skein_node_leaves((int)node) ? 0 : (int)node;
    const struct skein_attributes attributes = {.node = SKEIN_ON(place), .worker = SKEIN_ON(0), .name = "grid"};
    makers[node] =
        first == end ? 0
                     : skein_spawn_with(&attributes, make_part, grid, node, first, end - first, (uint64_t)bytes, init);
  }
  int bad = -1, code = SKEIN_OK;
  for (uint32_t node = 0; node < nodes; node++) {
    int result = SKEIN_EMEMORY;
    if (first_of(grid, node) == first_of(grid, node + 1))
      continue;
    const int joined = makers[node] ? skein_join_result(makers[node], &result) : SKEIN_EMEMORY;
    if (joined || result) {
      bad = (int)node;
      code = joined ? joined : result;
    }
  }
  if (bad < 0)
    return grid;
  skein_grid_delete(grid);
  object_error(code, "skein_grid_create: node %d could not make its objects (%s)", bad, skein_error_name(code));
  return 0;
}

int skein_grid_delete(skein_grid_t grid) {
  int worst = SKEIN_OK;
  for (uint32_t index = 0; index < skein_grid_count(grid); index++) {
    const int code = skein_object_delete(skein_grid_at(grid, index));
    if (code)
      worst = code;
  }
  return worst;
}
