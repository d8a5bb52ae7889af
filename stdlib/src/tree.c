/* tsearch, tfind, tdelete, twalk, twalk_r and tdestroy, compiled to migrate: comparisons and actions may move the
 * thread.
 *
 * A red-black tree, rebalanced on the way down as the GNU C library does it, so that twalk sees the same shape. A node
 * starts with its key, which is all that programs know of it.
 *
 * Nodes lie where the tree's root lies: a tree whose root is the thread's own (on its stack, in its private globals or
 * heap) goes with the thread, its nodes in the private heap, where keys that are addresses of the stack are followed. A
 * tree whose root is the process's stays there; a key on the stack then pins the thread. */
#include "library.h"

#include "abi/entry_points.h"
#include <search.h>
#include <stdlib.h>

typedef int (*compare_two)(const void *, const void *);

struct node {
  const void *key;
  struct node *left, *right;
  unsigned red;
};

enum { height_max = 2 * 64 };

static struct node *node_new(const void *key, void *const *root) {
  struct node *made;
  if (__skein_moves_along(root)) {
    made = skein_malloc(sizeof(struct node));
  } else {
    made = malloc(sizeof(struct node));
    __skein_library_keeps(key, "tsearch");
  }
  if (made)
    *made = (struct node){key, NULL, NULL, 1};
  return made;
}

static int is_red(const struct node *node) { return node && node->red; }

/* *link is red by itself or becomes so, with black children; if its parent is red, too, rotate at the grandparent. The
 * turns say where one went: < 0 left. */
static void split(struct node **link, struct node **parent_link, struct node **grand_link, int turn, int grand_turn) {
  struct node *node = *link;
  node->red = 1;
  if (node->left)
    node->left->red = 0;
  if (node->right)
    node->right->red = 0;
  if (!parent_link || !(*parent_link)->red)
    return;
  struct node *parent = *parent_link, *grand = *grand_link;
  if ((turn > 0) == (grand_turn > 0)) {
    parent->red = 0;
    grand->red = 1;
    if (turn < 0) {
      grand->left = parent->right;
      parent->right = grand;
    } else {
      grand->right = parent->left;
      parent->left = grand;
    }
    *grand_link = parent;
    return;
  }
  node->red = 0;
  parent->red = grand->red = 1;
  if (turn < 0) { /* node is left of parent, parent right of grand */
    parent->left = node->right;
    node->right = parent;
    grand->right = node->left;
    node->left = grand;
  } else {
    parent->right = node->left;
    node->left = parent;
    grand->left = node->right;
    node->right = grand;
  }
  *grand_link = node;
}

void *__skein_c_tsearch(const void *key, void **root, compare_two compare) {
  if (!root)
    return NULL;
  struct node **link = (struct node **)root, **parent = NULL, **grand = NULL, **place = link;
  int order = 0, turn = 0, grand_turn = 0;
  if (*link)
    (*link)->red = 0;
  while (*place) {
    struct node *node = *link;
    order = compare(key, node->key);
    if (order == 0)
      return node;
    /* After a rotation the links behind are stale, but then two black nodes follow before they could be looked at. */
    if (is_red(node->left) && is_red(node->right))
      split(link, parent, grand, turn, grand_turn);
    place = order < 0 ? &node->left : &node->right;
    if (!*place)
      break;
    grand = parent;
    parent = link;
    link = place;
    grand_turn = turn;
    turn = order;
  }
  struct node *made = node_new(key, root);
  if (made) {
    *place = made;
    if (place != link)
      split(place, link, parent, order, turn);
  }
  return made;
}

void *__skein_c_tfind(const void *key, void *const *root, compare_two compare) {
  struct node *node = root ? *(struct node *const *)root : NULL;
  while (node) {
    int order = compare(key, node->key);
    if (order == 0)
      return node;
    node = order < 0 ? node->left : node->right;
  }
  return NULL;
}

/* --- deletion ---------------------------------------------------------------------------------------------------- */

/* The links from the root to a node. */
struct path {
  struct node **link[height_max];
  int depth;
};

static void rotate_left(struct node **link) {
  struct node *node = *link, *right = node->right;
  node->right = right->left;
  right->left = node;
  *link = right;
}

static void rotate_right(struct node **link) {
  struct node *node = *link, *left = node->left;
  node->left = left->right;
  left->right = node;
  *link = left;
}

/* A black node was taken from below the last link of the path, where `child`, black or null, is now: paths through it
 * have one black node too few. */
static void restore_balance(struct path *path, struct node *child) {
  while (path->depth > 0 && !is_red(child)) {
    struct node **link = path->link[path->depth - 1], *parent = *link, *sibling;
    if (child == parent->left) {
      sibling = parent->right;
      if (is_red(sibling)) {
        sibling->red = 0;
        parent->red = 1;
        rotate_left(link);
        path->link[path->depth++] = link = &sibling->left;
        sibling = parent->right;
      }
      if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->red = 1;
        child = parent;
        --path->depth;
        continue;
      }
      if (!is_red(sibling->right)) {
        sibling->left->red = parent->red;
        parent->red = 0;
        rotate_right(&parent->right);
      } else {
        sibling->red = parent->red;
        sibling->right->red = parent->red = 0;
      }
      rotate_left(link);
    } else {
      sibling = parent->left;
      if (is_red(sibling)) {
        sibling->red = 0;
        parent->red = 1;
        rotate_right(link);
        path->link[path->depth++] = link = &sibling->right;
        sibling = parent->left;
      }
      if (!is_red(sibling->left) && !is_red(sibling->right)) {
        sibling->red = 1;
        child = parent;
        --path->depth;
        continue;
      }
      if (!is_red(sibling->left)) {
        sibling->right->red = parent->red;
        parent->red = 0;
        rotate_left(&parent->left);
      } else {
        sibling->red = parent->red;
        sibling->left->red = parent->red = 0;
      }
      rotate_right(link);
    }
    return;
  }
  if (child)
    child->red = 0;
}

void *__skein_c_tdelete(const void *restrict key, void **restrict root, compare_two compare) {
  struct node *found = root ? *root : NULL;
  if (!found)
    return NULL;
  /* While comparisons may move the thread only the turns are kept, which are no addresses. */
  unsigned char to_left[height_max];
  int depth = 0;
  for (int order; (order = compare(key, found->key)) != 0;) {
    to_left[depth++] = order < 0;
    found = order < 0 ? found->left : found->right;
    if (!found)
      return NULL;
  }
  struct path path;
  struct node **link = (struct node **)root;
  for (path.depth = 0; path.depth < depth; ++path.depth) {
    path.link[path.depth] = link;
    link = to_left[path.depth] ? &(*link)->left : &(*link)->right;
  }
  /* What the caller gets: the parent of the deleted node, or something that is not null. */
  void *parent = path.depth > 0 ? *path.link[path.depth - 1] : *link;

  struct node *deleted = *link, *taken = deleted;
  if (deleted->left && deleted->right) { /* the next greater one is taken in its stead, and its key moves */
    path.link[path.depth++] = link;
    for (link = &deleted->right; (*link)->left; link = &(*link)->left)
      path.link[path.depth++] = link;
    taken = *link;
    deleted->key = taken->key;
  }
  struct node *child = taken->left ? taken->left : taken->right;
  *link = child;
  if (!taken->red)
    restore_balance(&path, child);
  skein_free(taken);
  return parent;
}

/* --- walks ------------------------------------------------------------------------------------------------------- */

static void walk(const struct node *node, void (*action)(const void *, VISIT, int), int level) {
  if (!node->left && !node->right) {
    action(node, leaf, level);
    return;
  }
  action(node, preorder, level);
  if (node->left)
    walk(node->left, action, level + 1);
  action(node, postorder, level);
  if (node->right)
    walk(node->right, action, level + 1);
  action(node, endorder, level);
}

void __skein_c_twalk(const void *root, void (*action)(const void *, VISIT, int)) {
  if (root && action)
    walk(root, action, 0);
}

static void walk_with(const struct node *node, void (*action)(const void *, VISIT, void *), void *context) {
  if (!node->left && !node->right) {
    action(node, leaf, context);
    return;
  }
  action(node, preorder, context);
  if (node->left)
    walk_with(node->left, action, context);
  action(node, postorder, context);
  if (node->right)
    walk_with(node->right, action, context);
  action(node, endorder, context);
}

void __skein_c_twalk_r(const void *root, void (*action)(const void *, VISIT, void *), void *context) {
  if (root && action)
    walk_with(root, action, context);
}

void __skein_c_tdestroy(void *root, void (*destroy)(void *)) {
  struct node *node = root;
  if (!node)
    return;
  __skein_c_tdestroy(node->left, destroy);
  __skein_c_tdestroy(node->right, destroy);
  destroy((void *)node->key);
  skein_free(node);
}
