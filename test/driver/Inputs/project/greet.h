/* Greets everybody on a list. */
#ifndef GREET_H
#define GREET_H

#include <stdio.h>

struct guest {
  const char *name;
  const struct guest *next;
};

int greet_all(FILE *to, const struct guest *list);

#endif
