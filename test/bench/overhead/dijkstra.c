/* Shortest paths with a binary heap that knows where each vertex is, edges in linked lists. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { VERTICES = 20000, EDGES = 80000 };
struct vertex;
struct edge {
  struct edge *next;
  struct vertex *to;
  int length;
};
struct vertex {
  struct edge *edges;
  long distance;
  int place; /* in the heap, 0: not there */
};
struct heap {
  struct vertex **items;
  int count;
};
__attribute__((noinline)) static void set(struct heap *h, int place, struct vertex *v) {
  h->items[place] = v;
  v->place = place;
}
__attribute__((noinline)) static void up(struct heap *h, struct vertex *v, int place) {
  for (; place > 1 && h->items[place / 2]->distance > v->distance; place /= 2)
    set(h, place, h->items[place / 2]);
  set(h, place, v);
}
__attribute__((noinline)) static struct vertex *pop(struct heap *h) {
  struct vertex *top = h->items[1], *last = h->items[h->count--];
  int i = 1;
  for (int child; (child = 2 * i) <= h->count; i = child) {
    if (child < h->count && h->items[child + 1]->distance < h->items[child]->distance)
      child++;
    if (h->items[child]->distance >= last->distance)
      break;
    set(h, i, h->items[child]);
  }
  if (h->count)
    set(h, i, last);
  top->place = 0;
  return top;
}
__attribute__((noinline)) static void relax(struct heap *h, struct vertex *v, long distance) {
  if (distance >= v->distance)
    return;
  v->distance = distance;
  up(h, v, v->place ? v->place : ++h->count);
}
__attribute__((noinline)) static void search(struct heap *h, struct vertex *from) {
  relax(h, from, 0);
  while (h->count) {
    struct vertex *v = pop(h);
    for (struct edge *e = v->edges; e; e = e->next)
      relax(h, e->to, v->distance + e->length);
  }
}
static struct vertex vertices[VERTICES];
static struct edge edges[EDGES];
static struct vertex *items[VERTICES + 1];
int main(void) {
  unsigned seed = 3;
  for (int i = 0; i < EDGES; i++) {
    seed = seed * 1664525 + 1013904223;
    struct vertex *from = &vertices[i % VERTICES];
    edges[i] = (struct edge){from->edges, &vertices[(seed >> 8) % VERTICES], 1 + (int)(seed >> 24)};
    from->edges = &edges[i];
  }
  long total = 0;
  for (int round = 0; round < ROUNDS(70); round++) {
    struct heap heap = {items, 0};
    for (int i = 0; i < VERTICES; i++)
      vertices[i].distance = 1L << 40, vertices[i].place = 0;
    search(&heap, &vertices[round * 7]);
    for (int i = 0; i < VERTICES; i++)
      total += vertices[i].distance % 1000;
  }
  printf("%ld\n", total);
  return 0;
}
