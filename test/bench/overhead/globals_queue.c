/* A simulation whose event queue, clock and counters are globals: a binary heap in arrays, states by number. */
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
enum { PLACES = 512, EVENTS = 1024 };
struct event {
  unsigned time;
  int place;
};
static struct event heap[EVENTS];
static int heap_size, population[PLACES];
static unsigned now, seed = 12345;
static unsigned long moves, waited;
__attribute__((noinline)) static unsigned next_random(void) { return seed = seed * 1664525 + 1013904223; }
__attribute__((noinline)) static void push(unsigned time, int place) {
  int i = heap_size++;
  while (i > 0 && heap[(i - 1) / 2].time > time) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i].time = time;
  heap[i].place = place;
}
__attribute__((noinline)) static struct event pop(void) {
  struct event first = heap[0], last = heap[--heap_size];
  int i = 0;
  for (int child; (child = 2 * i + 1) < heap_size; i = child) {
    if (child + 1 < heap_size && heap[child + 1].time < heap[child].time)
      child++;
    if (heap[child].time >= last.time)
      break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return first;
}
__attribute__((noinline)) static void visit(struct event e) {
  waited += e.time - now;
  now = e.time;
  int to = (int)(next_random() >> 16) % PLACES;
  population[e.place]--;
  population[to]++;
  moves++;
  push(now + 1 + (next_random() >> 20), to);
}
int main(void) {
  for (int i = 0; i < PLACES; i++) {
    population[i] = 1;
    push(next_random() >> 20, i);
  }
  for (int i = 0; i < ROUNDS(4000000); i++)
    visit(pop());
  int fullest = 0;
  for (int i = 0; i < PLACES; i++)
    if (population[i] > population[fullest])
      fullest = i;
  printf("%lu %lu %u %d %d\n", moves, waited, now, fullest, population[fullest]);
  return 0;
}
