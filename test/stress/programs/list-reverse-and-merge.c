// A list in a local array, reversed in place and sorted by merging, with a call at every link changed.
#include "hop.h"

struct node {
  int key;
  struct node *next;
};

static NOINLINE struct node *reverse(struct node *list) {
  struct node *done = NULL;
  while (list) {
    struct node *next = list->next;
    hop();
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}

static NOINLINE struct node *merge(struct node *a, struct node *b) {
  struct node head, *tail = &head;
  while (a && b) {
    struct node **least = a->key <= b->key ? &a : &b;
    tail->next = *least;
    tail = *least;
    hop();
    *least = (*least)->next;
  }
  tail->next = a ? a : b;
  return head.next;
}

static NOINLINE struct node *sort(struct node *list) {
  if (!list || !list->next)
    return list;
  struct node *slow = list, *fast = list->next;
  while (fast && fast->next) {
    slow = slow->next;
    fast = fast->next->next;
  }
  struct node *second = slow->next;
  slow->next = NULL;
  hop();
  return merge(sort(list), sort(second));
}

int main(void) {
  struct node n[25];
  for (int i = 0; i < 25; i++)
    n[i] = (struct node){i * 11 % 25, i < 24 ? &n[i + 1] : NULL};
  struct node *list = sort(reverse(n));
  for (struct node *p = list; p; p = p->next)
    printf("%d ", p->key);
  list = reverse(list);
  printf("%d\n", list->key);
}
