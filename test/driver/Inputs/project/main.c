#include "greet.h"

int main(void) {
  const struct guest geese = {"geese", NULL}, world = {"world", &geese};
  return greet_all(stdout, &world) == 2 ? 0 : 1;
}
