// flags: -fskein-heap=private
// Addresses of locals lie in words of the heap whose type does not say that they are pointers: an arena of characters,
// a union with a number, a block that keeps integers. They are stored through arguments, and loaded and stored again.
#include "hop.h"
#include <stdlib.h>
#include <string.h>

static char *arena;
static size_t used;

static NOINLINE void *take(size_t bytes) {
  void *at = arena + used;
  used += (bytes + 15) & ~(size_t)15;
  return at;
}

struct parser {
  long count;
  struct parser *outer;
};
struct token {
  struct parser *owner;
  struct token *next;
  long kind;
};

static NOINLINE struct token *make(struct parser *owner, struct token *next, long kind) {
  struct token *token = take(sizeof *token);
  token->owner = owner;
  token->next = next;
  token->kind = kind;
  hop();
  owner->count++;
  return token;
}

union cell {
  struct {
    union cell *car, *cdr;
  } pair;
  double number;
  long integer;
};
struct world {
  union cell nil;
  union cell *cells;
  int used;
};

static NOINLINE union cell *cons(struct world *world, union cell *a, union cell *b) {
  union cell *cell = &world->cells[world->used++];
  cell->pair.car = a;
  cell->pair.cdr = b;
  hop();
  return cell;
}

static NOINLINE long parse(struct parser *outer, int depth) {
  struct parser mine = {0, outer};
  struct token *list = NULL;
  for (int i = 0; i < 3; i++)
    list = make(&mine, make(outer, list, i), depth);
  long sum = depth > 0 ? parse(&mine, depth - 1) : 0;
  for (struct token *t = list; t; t = t->next) {
    struct parser *owner = t->owner;
    hop();
    t->owner = owner->outer ? owner->outer : owner; /* loaded, and stored */
    hop();
    sum += t->owner->count + t->kind + owner->count;
  }
  memset(list, 0, sizeof *list);
  return sum;
}

int main(void) {
  struct parser top = {0, NULL};
  arena = malloc(4000);
  printf("%ld\n", parse(&top, 4));

  struct world world;
  world.cells = calloc(100, sizeof *world.cells);
  world.used = 0;
  world.nil.integer = 7;
  union cell *list = &world.nil;
  for (int i = 0; i < 20; i++) {
    union cell *number = cons(&world, NULL, NULL);
    number->integer = i; /* the word was a pointer */
    list = cons(&world, i % 3 ? number : &world.nil, list);
  }
  long sum = 0;
  for (; list != &world.nil; list = list->pair.cdr) {
    hop();
    sum = sum * 3 % 1000003 + list->pair.car->integer;
  }
  printf("%ld\n", sum);
  free(world.cells);
  free(arena);
}
