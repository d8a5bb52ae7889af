// A union of structs that hold a pointer at the same place, as syntax trees do.
#include "hop.h"

struct expression {
  int kind;
  union {
    struct {
      struct expression *left, *right;
    } binary;
    struct {
      struct expression *of;
      const char *name;
    } unary;
    struct {
      int *at;
    } variable;
  } u;
};

static NOINLINE int evaluate(struct expression *e) {
  hop();
  switch (e->kind) {
  case '+': {
    int l = evaluate(e->u.binary.left);
    return l + evaluate(e->u.binary.right);
  }
  case '*': {
    int l = evaluate(e->u.binary.left);
    return l * evaluate(e->u.binary.right);
  }
  case '-':
    return -evaluate(e->u.unary.of);
  default:
    return *e->u.variable.at;
  }
}

int main(void) {
  int x = 3, y = 5;
  struct expression vx = {'v', {.variable = {&x}}}, vy = {'v', {.variable = {&y}}};
  struct expression minus = {'-', {.unary = {&vx, "minus"}}};
  struct expression sum = {'+', {.binary = {&minus, &vy}}}, product = {'*', {.binary = {&sum, &sum}}};
  struct expression all = {'+', {.binary = {&product, &vx}}};
  for (; x < 7; x++, y *= 2)
    printf("%d\n", evaluate(&all));
}
