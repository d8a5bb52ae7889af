// Recursion without a visible bound.
// RUN: %verify-rule -Wskein-recursion %s
// RUN: %plain-skeincc -fsyntax-only -Wskein-pedantic -fskein-stacks=growable -Werror %s
// RUN: %plain-skeincc -fsyntax-only -Werror %s
#include <skein/skein.h>

struct tree {
  struct tree *left, *right;
  int value;
};

int sum(struct tree *tree) {
  return tree ? tree->value + sum(tree->left) + sum(tree->right) : 0; // expected-warning {{'sum' calls itself}}
}

void odd(struct tree *tree);
void even(struct tree *tree) {
  if (tree)
    odd(tree->left); // expected-warning {{'even' calls itself}}
}
void odd(struct tree *tree) {
  if (tree)
    even(tree->right); // expected-warning {{'odd' calls itself}}
}

const char *skip(const char *text) {
  return *text == ' ' ? skip(text + 1) : text; // expected-warning {{'skip' calls itself}}
}

// Near misses: a number counts, or there is no circle.
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
long power(long base, unsigned exponent) { return exponent ? base * power(base, exponent / 2) : 1; }
int depth(struct tree *tree, int limit) { return tree && limit ? depth(tree->left, limit - 1) : 0; }
int leaf(struct tree *tree) { return tree->value; }
int twice(struct tree *tree) { return leaf(tree->left) + leaf(tree->right); }
SKEIN_UNTRACKED int meant(struct tree *tree) { return tree ? meant(tree->left) : 0; }
