/* The directories of objects; see directory.h. */
#include "objects/directory.h"
#include "library.h"

#include <skein/deaths.h>
#include <skein/nodes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int object_error(int code, const char *format, ...) {
  char text[320];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return __skein_error(code, text);
}

int node_has_died(int node) {
  for (int i = 0, n = skein_deaths(); i < n; i++)
    if (skein_dead_node(i) == node)
      return 1;
  return 0;
}

/* --- the tables of this node ------------------------------------------------------------------------------------ */

enum { nowhere = -1 };

struct entry {
  char *name; /* null: it has none */
  uint32_t moves;
  int32_t node;       /* nowhere: it has ended */
  uint32_t same_hash; /* the next one whose name begins the same chain; 0: none */
};

/* The objects of a grid of which this node is the directory, or (grid 0) the single ones, from index 1 on. */
struct group {
  struct entry *entries; /* that of index `first` is the first one */
  uint32_t first, count, room;
  uint32_t living; /* of a grid */
};

SKEIN_NODE_LOCAL static struct group *groups;
SKEIN_NODE_LOCAL static uint32_t group_count, last_grid;
/* Chains of single objects by the hash of their names. */
SKEIN_NODE_LOCAL static uint32_t *chains;
SKEIN_NODE_LOCAL static uint32_t chain_count, named_count;

static uint64_t hash_of(const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

SKEIN_NOMIGRATE static struct group *group_of(uint32_t grid, int make) {
  if (grid >= group_count) {
    const uint32_t count = grid + 1;
    struct group *more = make ? realloc(groups, count * sizeof *more) : NULL;
    if (!more)
      return NULL;
    memset(more + group_count, 0, (count - group_count) * sizeof *more);
    groups = more;
    group_count = count;
  }
  return &groups[grid];
}

SKEIN_NOMIGRATE static struct entry *entry_of(skein_object_t object) {
  struct group *group = group_of(object_grid(object), 0);
  const uint32_t index = object_index(object);
  if (object_directory(object) != skein_node() || !group || index < group->first ||
      index - group->first >= group->count)
    return NULL;
  return &group->entries[index - group->first];
}

/* A new single object's index; 0 without memory. Index 0 is none. */
SKEIN_NOMIGRATE static uint32_t add_single(void) {
  struct group *group = group_of(0, 1);
  if (!group)
    return 0;
  if (group->count + 1 >= group->room) {
    const uint32_t room = group->room ? 2 * group->room : 64;
    struct entry *more = realloc(group->entries, room * sizeof *more);
    if (!more)
      return 0;
    group->entries = more;
    group->room = room;
    if (!group->count)
      more[group->count++] = (struct entry){.node = nowhere};
  }
  return group->count++;
}

SKEIN_NOMIGRATE static uint32_t *chain_of(const char *name) { return &chains[hash_of(name) & (chain_count - 1)]; }

SKEIN_NOMIGRATE static int chains_grow(void) {
  if (named_count < chain_count)
    return 1;
  const uint32_t count = chain_count ? 2 * chain_count : 64;
  uint32_t *more = calloc(count, sizeof *more);
  if (!more)
    return 0;
  free(chains);
  chains = more;
  chain_count = count;
  struct group *group = group_of(0, 0);
  for (uint32_t index = 1; group && index < group->count; index++) {
    struct entry *entry = &group->entries[index];
    if (!entry->name)
      continue;
    uint32_t *chain = chain_of(entry->name);
    entry->same_hash = *chain;
    *chain = index;
  }
  return 1;
}

/* The index of the object of that name; 0: there is none. */
SKEIN_NOMIGRATE static uint32_t index_of(const char *name) {
  if (!chain_count)
    return 0;
  uint32_t index = *chain_of(name);
  while (index && strcmp(groups[0].entries[index].name, name) != 0)
    index = groups[0].entries[index].same_hash;
  return index;
}

SKEIN_NOMIGRATE static void end_entry(struct entry *entry) {
  entry->node = nowhere;
  if (!entry->name)
    return;
  const uint32_t index = (uint32_t)(entry - groups[0].entries);
  uint32_t *link = chain_of(entry->name);
  while (*link != index)
    link = &groups[0].entries[*link].same_hash;
  *link = entry->same_hash;
  free(entry->name);
  entry->name = NULL;
  named_count--;
}

/* An element of a grid has ended. */
SKEIN_NOMIGRATE static void one_less(struct group *grid) {
  if (--grid->living)
    return;
  free(grid->entries);
  *grid = (struct group){0};
}

/* --- questions -------------------------------------------------------------------------------------------------- */

enum question_kind {
  question_add,
  question_find,
  question_where,
  question_moved,
  question_end,
  question_grid_number,
  question_grid_here
};

struct question {
  uint32_t kind;
  int32_t node; /* where the object is */
  skein_object_t object;
  uint32_t moves;
  uint32_t first, count; /* of a part of a grid, whose number is in `object` */
  char name[SKEIN_OBJECT_NAME_MOST + 1];
};

struct answer {
  int32_t code;
  int32_t node;
  skein_object_t object;
};

SKEIN_NOMIGRATE static struct answer answer_add(const struct question *question) {
  const uint32_t found = question->name[0] ? index_of(question->name) : 0;
  if (found && !node_has_died(groups[0].entries[found].node))
    return (struct answer){.code = SKEIN_EBUSY, .node = groups[0].entries[found].node};
  if (found)
    end_entry(&groups[0].entries[found]);
  char *name = question->name[0] ? strdup(question->name) : NULL;
  const uint32_t index = (name || !question->name[0]) && chains_grow() ? add_single() : 0;
  if (!index) {
    free(name);
    return (struct answer){.code = SKEIN_EMEMORY};
  }
  struct entry *entry = &groups[0].entries[index];
  *entry = (struct entry){.name = name, .node = question->node};
  if (name) {
    uint32_t *chain = chain_of(name);
    entry->same_hash = *chain;
    *chain = index;
    named_count++;
  }
  return (struct answer){.object = (uint64_t)skein_node() << 52 | index};
}

SKEIN_NOMIGRATE static struct answer answer_grid_here(const struct question *question) {
  struct group *group = group_of((uint32_t)question->object, 1);
  struct entry *entries = group ? malloc(question->count * sizeof *entries) : NULL;
  if (!entries)
    return (struct answer){.code = SKEIN_EMEMORY};
  for (uint32_t i = 0; i < question->count; i++)
    entries[i] = (struct entry){.node = question->node};
  *group =
      (struct group){.entries = entries, .first = question->first, .count = question->count, .living = question->count};
  return (struct answer){0};
}

SKEIN_NOMIGRATE static struct answer answer_to(const struct question *question) {
  const uint32_t named = question->kind == question_find ? index_of(question->name) : 0;
  struct entry *entry = named ? &groups[0].entries[named] : entry_of(question->object);
  switch (question->kind) {
  case question_add:
    return answer_add(question);
  case question_grid_number:
    return last_grid == 0xfffff ? (struct answer){.code = SKEIN_EMEMORY} : (struct answer){.object = ++last_grid};
  case question_grid_here:
    return answer_grid_here(question);
  case question_find:
    if (!named)
      return (struct answer){.code = SKEIN_EEMPTY};
    return (struct answer){.node = entry->node, .object = (uint64_t)skein_node() << 52 | named};
  default:
    break;
  }
  if (!entry || entry->node == nowhere)
    return (struct answer){.code = SKEIN_EEMPTY};
  if (question->kind == question_end) {
    end_entry(entry);
    if (object_grid(question->object))
      one_less(&groups[object_grid(question->object)]);
    return (struct answer){0};
  }
  if (question->kind == question_moved && question->moves > entry->moves) {
    entry->node = question->node;
    entry->moves = question->moves;
  }
  return (struct answer){.node = entry->node};
}

SKEIN_HANDLER(skein_object_directory, message) {
  struct question question;
  memcpy(&question, message->data, sizeof question);
  const struct answer answer = answer_to(&question);
  skein_reply(message, &answer, sizeof answer);
}

static int ask(int directory, const struct question *question, struct answer *answer) {
  const int code =
      skein_call(directory, &skein_object_directory, question, sizeof *question, answer, sizeof *answer, NULL);
  return code ? code : answer->code;
}

/* --- what the rest of the library calls ------------------------------------------------------------------------- */

static int directory_of_name(const char *name) { return (int)(hash_of(name) % (uint64_t)skein_nodes_at_start()); }

static int check_name(const char *name) {
  if (name && *name && strlen(name) <= SKEIN_OBJECT_NAME_MOST)
    return SKEIN_OK;
  return object_error(SKEIN_EREFUSED, "the name of an object has 1 to %d characters: '%.100s'", SKEIN_OBJECT_NAME_MOST,
                      name ? name : "");
}

int directory_add(const char *name, skein_object_t *object) {
  struct question question = {.kind = question_add, .node = skein_node()};
  struct answer answer = {0};
  if (name && check_name(name))
    return SKEIN_EREFUSED;
  if (name)
    strcpy(question.name, name);
  const int directory = name ? directory_of_name(name) : question.node;
  const int code = ask(directory, &question, &answer);
  *object = answer.object;
  if (code && answer.code == SKEIN_EBUSY)
    return object_error(code, "an object named '%s' is on node %d", name, answer.node);
  if (code && answer.code)
    return object_error(code, "node %d has no memory for an object's entry", directory);
  return code;
}

int directory_find(const char *name, skein_object_t *object) {
  struct question question = {.kind = question_find};
  struct answer answer = {0};
  if (check_name(name))
    return SKEIN_EREFUSED;
  strcpy(question.name, name);
  const int code = ask(directory_of_name(name), &question, &answer);
  *object = answer.object;
  if (answer.code)
    return object_error(code, "no object is named '%s'", name);
  return code;
}

int directory_where(skein_object_t object, int *node) {
  const struct question question = {.kind = question_where, .object = object};
  struct answer answer = {0};
  if (object_directory(object) >= skein_nodes())
    return object_error(SKEIN_EEMPTY, "%#llx is no object's number", (unsigned long long)object);
  const int code = ask(object_directory(object), &question, &answer);
  *node = answer.node;
  if (answer.code)
    return object_error(code, "there is no object %#llx, or no longer", (unsigned long long)object);
  return code;
}

int directory_moved(skein_object_t object, uint32_t moves) {
  const struct question question = {.kind = question_moved, .node = skein_node(), .object = object, .moves = moves};
  struct answer answer = {0};
  return ask(object_directory(object), &question, &answer);
}

int directory_end(skein_object_t object) {
  const struct question question = {.kind = question_end, .object = object};
  struct answer answer = {0};
  return ask(object_directory(object), &question, &answer);
}

int directory_grid_number(uint32_t *number) {
  const struct question question = {.kind = question_grid_number};
  struct answer answer = {0};
  const int code = ask(0, &question, &answer);
  *number = (uint32_t)answer.object;
  return answer.code ? object_error(code, "there were %d grids, which is the most", 0xfffff) : code;
}

int directory_grid_here(uint32_t number, uint32_t first, uint32_t count) {
  const struct question question = {
      .kind = question_grid_here, .node = skein_node(), .object = number, .first = first, .count = count};
  struct answer answer = {0};
  const int code = ask(skein_node(), &question, &answer);
  return answer.code ? object_error(code, "no memory for the %u entries of a grid", count) : code;
}
