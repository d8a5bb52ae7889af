/* Adding up a linked list and a tree whose elements lie on all nodes, in two ways: fetch each element, or follow the
 * data.
 *
 * The list goes through the nodes in stretches of 100 elements; the tree's subtrees lie on one node each from the third
 * level on. One thread walks them
 *
 *   - by plain pointers: what lies on another host comes by a message, one for each element;
 *   - going where the next element lies (skein_push_self) whenever that is another node: then all accesses are local,
 *     and its stack, with the recursion over the tree on it, travels instead.
 *
 * On one host both are plain memory, and following costs what moves cost. Over a network a move is worth its price if
 * it saves some messages: try SKEIN_OPTIONS=shared=remote, which lets all nodes talk as if on different hosts. */
#include <skein/shared.h>
#include <stdio.h>
#include <time.h>

enum { elements = 2000, stretch = 100, levels = 10 };

struct element {
  long value;
  shared struct element *next;
};

struct tree {
  long value;
  shared struct tree *left, *right;
};

struct result {
  long sum;
  double ms;
  int moves;
};

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Goes to the node of `data` if that is another one. */
static void follow(const shared void *data, int *moves) {
  int there = skein_shared_node(data);
  if (there != skein_node()) {
    skein_push_self(there);
    ++*moves;
  }
}

static shared struct element *make_list(void) {
  shared struct element *first = NULL;
  for (int i = elements; i-- > 0;) {
    shared struct element *e = skein_shared_alloc(i / stretch % skein_nodes(), sizeof *e);
    e->value = i;
    e->next = first;
    first = e;
  }
  return first;
}

/* Numbers 1 … 2^levels - 1 in heap order; from the third level on, subtrees stay on one node. */
static shared struct tree *make_tree(int number, int level, int node) {
  if (level == levels)
    return NULL;
  if (level <= 2)
    node = number % skein_nodes();
  shared struct tree *t = skein_shared_alloc(node, sizeof *t);
  t->value = number;
  t->left = make_tree(2 * number, level + 1, node);
  t->right = make_tree(2 * number + 1, level + 1, node);
  return t;
}

static long sum_of_list(shared struct element *e, int following, int *moves) {
  long sum = 0;
  for (; e; e = e->next) {
    if (following)
      follow(e, moves);
    sum += e->value;
  }
  return sum;
}

static long sum_of_tree(shared struct tree *t, int following, int *moves) {
  if (!t)
    return 0;
  if (following)
    follow(t, moves);
  struct tree here = *t; /* all of it at once */
  return here.value + sum_of_tree(here.left, following, moves) + sum_of_tree(here.right, following, moves);
}

static void walk(shared struct element *list, shared struct tree *tree, int following, shared struct result *results) {
  struct result result = {0};
  double begin = now_ms();
  result.sum = sum_of_list(list, following, &result.moves);
  result.ms = now_ms() - begin;
  results[0] = result;
  result.moves = 0;
  begin = now_ms();
  result.sum = sum_of_tree(tree, following, &result.moves);
  result.ms = now_ms() - begin;
  results[1] = result;
}

int main(void) {
  shared struct element *list = make_list();
  shared struct tree *tree = make_tree(1, 0, 0);
  shared struct result *results = skein_shared_alloc(0, 4 * sizeof *results);
  for (int following = 0; following < 2; following++)
    skein_join(skein_spawn(walk, list, tree, following, results + 2 * following));

  const long nodes_of_tree = (1L << levels) - 1;
  const long expected[2] = {(long)elements * (elements - 1) / 2, nodes_of_tree * (nodes_of_tree + 1) / 2};
  int wrong = 0;
  for (int i = 0; i < 4; i++) {
    struct result r = results[i];
    printf("%s, %s: sum %ld, %.3f ms, %d moves\n", i % 2 ? "tree" : "list",
           i / 2 ? "following the data" : "fetching it", r.sum, r.ms, r.moves);
    wrong += r.sum != expected[i % 2];
  }
  return wrong;
}
