// flags: -fskein-heap=private
// A function of the program is given the size of a type, as in generated scanners, and returns a void *. Only that size
// tells the type of the block. The blocks hold addresses of locals.
#include "hop.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
  int state;
  size_t length;
  long *value, *place;
};
struct line {
  struct line *before;
  long *number;
  char text[];
};
typedef void *scanner_t;

static NOINLINE void *allocate(int bytes, void *unused) {
  (void)unused;
  void *block = malloc((size_t)bytes);
  hop();
  return block;
}
static NOINLINE void *zeroed(size_t count, size_t bytes) {
  void *block = allocate((int)(count * bytes), NULL);
  return block ? memset(block, 0, count * bytes) : NULL;
}

static NOINLINE int begin(scanner_t *to) {
  *to = (scanner_t)allocate(sizeof(struct scanner), NULL);
  return *to == NULL;
}

static NOINLINE long scan(scanner_t given) {
  struct scanner *scanner = given;
  hop();
  *scanner->value += 3;
  hop();
  *scanner->place += *scanner->value;
  return *scanner->place;
}

int main(void) {
  scanner_t scanner;
  long value = 1, place = 10;
  if (begin(&scanner))
    return 1;
  struct scanner *inside = scanner;
  inside->value = &value;
  inside->place = &place;
  for (int i = 0; i < 4; i++)
    printf("%ld\n", scan(scanner));

  size_t bytes = 5 * sizeof(struct scanner);
  void *many = allocate((int)bytes, NULL);
  for (int i = 0; i < 5; i++)
    ((struct scanner *)many)[i] = (struct scanner){i, 0, i % 2 ? &value : &place, &place};
  void *more = zeroed(5 + 1, sizeof(struct scanner));
  memcpy(more, many, bytes);
  void *line = allocate(offsetof(struct line, text) + 20, NULL);
  ((struct line *)line)->number = &value;
  strcpy(((struct line *)line)->text, "a line");
  hop();
  for (int i = 0; i < 5; i++)
    printf("%ld %ld\n", *((struct scanner *)more)[i].value, *((struct scanner *)many)[i].value);
  printf("%s %ld\n", ((struct line *)line)->text, *((struct line *)line)->number);
  free(scanner);
  free(many);
  free(more);
  free(line);
}
