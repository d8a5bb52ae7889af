// Designated initialisers with addresses of locals, elements in any order, ranges, nested, and zeroed gaps.
#include "hop.h"

struct view {
  int from, to;
  int *data;
  struct {
    const char *name;
    int **where;
  } label;
};

static NOINLINE int read(const struct view *v) {
  hop();
  int s = v->data ? 0 : -1;
  for (int i = v->from; v->data && i < v->to; i++)
    s = s * 10 + v->data[i];
  hop();
  return s + (v->label.where ? **v->label.where * 100000 : 0) + (v->label.name ? v->label.name[0] : 0);
}

int main(void) {
  int a[8] = {[6] = 6, [1] = 1, 2, 3}, *middle = &a[3];
  struct view v[4] = {
      [2] = {.to = 4, .data = a, .label.name = "two"},
      [0] = {.data = a + 1, .from = 0, .to = 3, .label = {.where = &middle}},
      [3] = {.label = {"three", &middle}},
  };
  for (int i = 0; i < 4; i++) {
    hop();
    printf("%d\n", read(&v[i]));
    middle++;
    a[4] = i;
  }
}
