/* The directories of objects; see directory.h. */
#include "objects/directory.h"
#include "library.h"
#include "objects/places.h"

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

struct table {
  struct group *groups;
  uint32_t group_count;
  uint32_t *chains; /* of single objects, by the hash of their names */
  uint32_t chain_count, named_count;
  int closed;   /* it is, or will be, node 0's */
  int complete; /* of an inherited one: all of it has come */
};

enum { tables_most = 1 << 12 }; /* an object's number names a directory in 12 bits */
SKEIN_NODE_LOCAL static struct table own;
SKEIN_NODE_LOCAL static struct table **inherited; /* on node 0, by node */
SKEIN_NODE_LOCAL static uint32_t last_grid;

/* The table of that directory, which is this node or one that has left; NULL if this node has none. */
SKEIN_NOMIGRATE static struct table *table_of(int directory, int make) {
  if (directory == skein_node())
    return &own;
  if (!inherited && make)
    inherited = calloc(tables_most, sizeof *inherited);
  if (!inherited || directory < 0 || directory >= tables_most)
    return NULL;
  if (!inherited[directory] && make)
    inherited[directory] = calloc(1, sizeof **inherited);
  return inherited[directory];
}

static uint64_t hash_of(const char *name) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *name; name++)
    hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

SKEIN_NOMIGRATE static struct group *group_of(struct table *table, uint32_t grid, int make) {
  if (grid >= table->group_count) {
    const uint32_t count = grid + 1;
    struct group *more = make ? realloc(table->groups, count * sizeof *more) : NULL;
    if (!more)
      return NULL;
    memset(more + table->group_count, 0, (count - table->group_count) * sizeof *more);
    table->groups = more;
    table->group_count = count;
  }
  return &table->groups[grid];
}

SKEIN_NOMIGRATE static struct entry *entry_of(struct table *table, skein_object_t object) {
  struct group *group = group_of(table, object_grid(object), 0);
  const uint32_t index = object_index(object);
  if (!group || index < group->first || index - group->first >= group->count)
    return NULL;
  return &group->entries[index - group->first];
}

/* A new single object's index; 0 without memory. Index 0 is none. */
SKEIN_NOMIGRATE static uint32_t add_single(struct table *table) {
  struct group *group = group_of(table, 0, 1);
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

SKEIN_NOMIGRATE static uint32_t *chain_of(struct table *table, const char *name) {
  return &table->chains[hash_of(name) & (table->chain_count - 1)];
}

/* A single object has a name from here on, which belongs to its entry. There is room in the chains. */
SKEIN_NOMIGRATE static void name_entry(struct table *table, uint32_t index, char *name) {
  struct entry *entry = &table->groups[0].entries[index];
  uint32_t *chain = chain_of(table, name);
  entry->name = name;
  entry->same_hash = *chain;
  *chain = index;
}

SKEIN_NOMIGRATE static int chains_grow(struct table *table) {
  if (table->named_count < table->chain_count)
    return 1;
  const uint32_t count = table->chain_count ? 2 * table->chain_count : 64;
  uint32_t *more = calloc(count, sizeof *more);
  if (!more)
    return 0;
  free(table->chains);
  table->chains = more;
  table->chain_count = count;
  const struct group *group = group_of(table, 0, 0);
  for (uint32_t index = 1; group && index < group->count; index++)
    if (group->entries[index].name)
      name_entry(table, index, group->entries[index].name);
  return 1;
}

/* The index of the object of that name; 0: there is none. */
SKEIN_NOMIGRATE static uint32_t index_of(struct table *table, const char *name) {
  if (!table->chain_count)
    return 0;
  const struct entry *entries = table->groups[0].entries;
  uint32_t index = *chain_of(table, name);
  while (index && strcmp(entries[index].name, name) != 0)
    index = entries[index].same_hash;
  return index;
}

SKEIN_NOMIGRATE static void end_entry(struct table *table, struct entry *entry) {
  entry->node = nowhere;
  if (!entry->name)
    return;
  struct entry *entries = table->groups[0].entries;
  const uint32_t index = (uint32_t)(entry - entries);
  uint32_t *link = chain_of(table, entry->name);
  while (*link != index)
    link = &entries[*link].same_hash;
  *link = entry->same_hash;
  free(entry->name);
  entry->name = NULL;
  table->named_count--;
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
  question_grid_here,
  question_close
};

struct question {
  uint32_t kind;
  int32_t directory; /* whose table it is about */
  int32_t node;      /* where the object is */
  skein_object_t object;
  uint32_t moves;
  uint32_t first, count; /* of a part of a grid, whose number is in `object` */
  char name[SKEIN_OBJECT_NAME_MOST + 1];
};

/* Codes of answers that the rest of the library does not see. */
enum {
  code_later = -1, /* node 0 has not got all of the table yet */
  code_passed = -2 /* node 0 answers for it, or will */
};

struct answer {
  int32_t code;
  int32_t node;
  skein_object_t object;
};

SKEIN_NOMIGRATE static struct answer answer_add(struct table *table, const struct question *question) {
  const uint32_t found = question->name[0] ? index_of(table, question->name) : 0;
  if (found && !node_has_died(table->groups[0].entries[found].node))
    return (struct answer){.code = SKEIN_EBUSY, .node = table->groups[0].entries[found].node};
  if (found)
    end_entry(table, &table->groups[0].entries[found]);
  char *name = question->name[0] ? strdup(question->name) : NULL;
  const uint32_t index = (name || !question->name[0]) && chains_grow(table) ? add_single(table) : 0;
  if (!index) {
    free(name);
    return (struct answer){.code = SKEIN_EMEMORY};
  }
  table->groups[0].entries[index] = (struct entry){.node = question->node};
  if (name) {
    name_entry(table, index, name);
    table->named_count++;
  }
  return (struct answer){.object = (uint64_t)question->directory << 52 | index};
}

SKEIN_NOMIGRATE static struct answer answer_grid_here(struct table *table, const struct question *question) {
  struct group *group = group_of(table, (uint32_t)question->object, 1);
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
  struct table *table = table_of(question->directory, 0);
  if (!table || (table != &own && !table->complete))
    return (struct answer){.code = code_later};
  if (question->kind == question_close) {
    const int was = table->closed;
    table->closed = 1;
    return (struct answer){.node = was};
  }
  if (table->closed)
    return (struct answer){.code = code_passed};
  const uint32_t named = question->kind == question_find ? index_of(table, question->name) : 0;
  struct entry *entry = named ? &table->groups[0].entries[named] : entry_of(table, question->object);
  switch (question->kind) {
  case question_add:
    return answer_add(table, question);
  case question_grid_number:
    return last_grid == 0xfffff ? (struct answer){.code = SKEIN_EMEMORY} : (struct answer){.object = ++last_grid};
  case question_grid_here:
    return answer_grid_here(table, question);
  case question_find:
    if (!named)
      return (struct answer){.code = SKEIN_EEMPTY};
    return (struct answer){.node = entry->node, .object = (uint64_t)question->directory << 52 | named};
  default:
    break;
  }
  if (!entry || entry->node == nowhere)
    return (struct answer){.code = SKEIN_EEMPTY};
  if (question->kind == question_end) {
    end_entry(table, entry);
    if (object_grid(question->object))
      one_less(&table->groups[object_grid(question->object)]);
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

/* Asks whoever answers for that directory. A node that leaves refuses questions from some moment on, and node 0 may not
 * have the answers yet: then the question is asked again. */
static int ask(int directory, struct question *question, struct answer *answer) {
  enum { first_pause_ns = 20000, most_pause_ns = 5000000 };
  uint64_t pause_ns = first_pause_ns;
  int passed = 0;
  question->directory = directory;
  for (;;) {
    const int to = passed || __skein_node_leaves(directory) ? 0 : directory;
    const int code = skein_call(to, &skein_object_directory, question, sizeof *question, answer, sizeof *answer, NULL);
    if (!code && answer->code == code_passed) {
      passed = 1;
      continue;
    }
    const int again = code ? code == SKEIN_ELEAVES : answer->code == code_later;
    if (!again || node_has_died(directory))
      return code ? code : answer->code == code_later ? SKEIN_EDEAD : answer->code;
    skein_sleep_ns(pause_ns);
    if (pause_ns < most_pause_ns)
      pause_ns *= 2;
  }
}

/* --- a node that leaves ------------------------------------------------------------------------------------------ */

/* Some entries of a table, or a name, or the end of it. */
struct piece {
  int32_t directory;
  uint32_t grid;
  uint32_t first, count, living; /* of the group */
  uint32_t at, entries;          /* which of them follow, from here */
  uint32_t is_last;
  char name[SKEIN_OBJECT_NAME_MOST + 1]; /* of entry `at`; then none follow */
};
struct passed_entry {
  uint32_t moves;
  int32_t node;
};
enum { entries_most = 1000 }; /* in a piece */

SKEIN_NOMIGRATE static int take_entries(struct table *table, const struct piece *piece,
                                        const struct passed_entry *entries) {
  struct group *group = group_of(table, piece->grid, 1);
  if (!group || piece->at + piece->entries > piece->count)
    return 0;
  if (!group->entries) {
    group->entries = calloc(piece->count, sizeof *group->entries);
    if (!group->entries)
      return 0;
    *group = (struct group){.entries = group->entries,
                            .first = piece->first,
                            .count = piece->count,
                            .room = piece->count,
                            .living = piece->living};
  }
  for (uint32_t i = 0; i < piece->entries; i++)
    group->entries[piece->at + i] = (struct entry){.moves = entries[i].moves, .node = entries[i].node};
  return 1;
}

SKEIN_NOMIGRATE static int take_name(struct table *table, const struct piece *piece) {
  char *name = strdup(piece->name);
  if (!name || !chains_grow(table)) {
    free(name);
    return 0;
  }
  name_entry(table, piece->at, name);
  table->named_count++;
  return 1;
}

/* The answer is whether there was memory. */
SKEIN_HANDLER(skein_object_inherit, message) {
  struct piece piece;
  memcpy(&piece, message->data, sizeof piece);
  struct table *table = table_of(piece.directory, 1);
  int done = table != NULL;
  if (done && piece.is_last)
    table->complete = 1;
  else if (done)
    done = piece.name[0] ? take_name(table, &piece)
                         : take_entries(table, &piece, (const void *)((const char *)message->data + sizeof piece));
  skein_reply(message, &done, sizeof done);
}

/* Until node 0 has it. */
static void pass(const struct piece *piece, size_t bytes) {
  int done = 0;
  while (skein_call(0, &skein_object_inherit, piece, bytes, &done, sizeof done, NULL) || !done)
    skein_sleep_ns(10000000);
}

static void pass_group(uint32_t grid) {
  const struct group *group = &own.groups[grid];
  char *memory = skein_calloc(1, sizeof(struct piece) + entries_most * sizeof(struct passed_entry));
  while (!memory) {
    skein_sleep_ns(10000000);
    memory = skein_calloc(1, sizeof(struct piece) + entries_most * sizeof(struct passed_entry));
  }
  struct piece *piece = (struct piece *)memory;
  struct passed_entry *entries = (struct passed_entry *)(memory + sizeof *piece);
  for (uint32_t at = 0; at < group->count; at += entries_most) {
    const uint32_t left = group->count - at, count = left < entries_most ? left : entries_most;
    *piece = (struct piece){.directory = skein_node(),
                            .grid = grid,
                            .first = group->first,
                            .count = group->count,
                            .living = group->living,
                            .at = at,
                            .entries = count};
    for (uint32_t i = 0; i < count; i++)
      entries[i] = (struct passed_entry){group->entries[at + i].moves, group->entries[at + i].node};
    pass(piece, sizeof *piece + count * sizeof *entries);
  }
  for (uint32_t at = 0; !grid && at < group->count; at++)
    if (group->entries[at].name) {
      *piece = (struct piece){.directory = skein_node(), .at = at};
      strcpy(piece->name, group->entries[at].name);
      pass(piece, sizeof *piece);
    }
  skein_free(memory);
}

/* Once for each node. The caller is pinned. */
static void pass_table(void) {
  struct question question = {.kind = question_close, .directory = skein_node()};
  struct answer answer = {0};
  if (skein_call(skein_node(), &skein_object_directory, &question, sizeof question, &answer, sizeof answer, NULL) ||
      answer.node)
    return; /* it has been passed on before */
  for (uint32_t grid = 0; grid < own.group_count; grid++)
    if (own.groups[grid].count)
      pass_group(grid);
  const struct piece last = {.directory = skein_node(), .is_last = 1};
  pass(&last, sizeof last);
}

static void leave(void) {
  SKEIN_PINNED {
    pass_table();
    while (!skein_node_is_there(skein_node()) && places_leave())
      skein_sleep_ns(1000000);
  }
}

__attribute__((constructor)) static void begin(void) { __skein_when_leaving(leave); }

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
  struct question question = {.kind = question_where, .object = object};
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
  struct question question = {.kind = question_moved, .node = skein_node(), .object = object, .moves = moves};
  struct answer answer = {0};
  return ask(object_directory(object), &question, &answer);
}

int directory_end(skein_object_t object) {
  struct question question = {.kind = question_end, .object = object};
  struct answer answer = {0};
  return ask(object_directory(object), &question, &answer);
}

int directory_grid_number(uint32_t *number) {
  struct question question = {.kind = question_grid_number};
  struct answer answer = {0};
  const int code = ask(0, &question, &answer);
  *number = (uint32_t)answer.object;
  return answer.code ? object_error(code, "there were %d grids, which is the most", 0xfffff) : code;
}

int directory_grid_here(int directory, uint32_t number, uint32_t first, uint32_t count) {
  struct question question = {
      .kind = question_grid_here, .node = skein_node(), .object = number, .first = first, .count = count};
  struct answer answer = {0};
  const int code = ask(directory, &question, &answer);
  return answer.code ? object_error(code, "no memory for the %u entries of a grid", count) : code;
}
