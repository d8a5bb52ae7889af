#include "greet.h"

static int greeted;

int greet_all(FILE *to, const struct guest *list) {
  char line[64];
  for (; list; list = list->next) {
    snprintf(line, sizeof line, "hello, %s", list->name);
    fprintf(to, "%s\n", line);
    greeted++;
  }
  return greeted;
}
