/* Words of a text in lists by length, copied, joined, cut and thrown away: blocks of many sizes that live for a while.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct word {
  struct word *next;
  char *text;
  int length;
};
enum { LISTS = 32, KEPT = 2000 };
static struct word *push(struct word *list, const char *text, int length) {
  struct word *w = malloc(sizeof *w);
  w->text = malloc((size_t)length + 1);
  memcpy(w->text, text, (size_t)length);
  w->text[length] = 0;
  w->length = length;
  w->next = list;
  return w;
}
static struct word *pop(struct word *list) {
  struct word *next = list->next;
  free(list->text);
  free(list);
  return next;
}
/* Makes one word of the first two. */
static struct word *join(struct word *list) {
  struct word *second = list->next;
  list->text = realloc(list->text, (size_t)(list->length + second->length + 1));
  memcpy(list->text + list->length, second->text, (size_t)second->length + 1);
  list->length += second->length;
  list->next = pop(second);
  return list;
}
int main(void) {
  static const char text[] =
      "a running thread can be copied to another stack another process or another machine and go on";
  struct word *lists[LISTS] = {0};
  unsigned seed = 7;
  int kept = 0;
  long letters = 0;
  for (int i = 0; i < ROUNDS(16000000); i++) {
    seed = seed * 1664525 + 1013904223;
    int length = 1 + (int)(seed >> 28), from = (int)((seed >> 16) % (sizeof text - 17)), at = (int)(seed >> 8) % LISTS;
    if (kept < KEPT) {
      lists[at] = push(lists[at], text + from, length);
      kept++;
    } else if (lists[at] && lists[at]->next && lists[at]->length < 400 && length > 8) {
      lists[at] = join(lists[at]);
      kept--;
    } else if (lists[at]) {
      letters += lists[at]->text[0];
      lists[at] = pop(lists[at]);
      kept--;
    }
  }
  for (int i = 0; i < LISTS; i++)
    while (lists[i]) {
      letters += lists[i]->length;
      lists[i] = pop(lists[i]);
    }
  printf("%ld\n", letters);
  return 0;
}
