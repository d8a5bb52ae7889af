// Functions keep words that are addresses on a list of things to do at the end.
#include "words.h"

struct task {
  long (*run)(uintptr_t);
  uintptr_t word;
};

static long plain(uintptr_t word) {
  hop();
  return *(long *)word;
}
static long hidden(uintptr_t word) {
  hop();
  return *(long *)(word ^ key());
}
static long number_only(uintptr_t word) {
  hop();
  return (long)word;
}

static NOINLINE long all(struct task *tasks, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
    struct task t = tasks[i];
    hop();
    sum = sum * 10 + t.run(t.word);
  }
  return sum;
}

int main(void) {
  long a = 5;
  struct task tasks[] = {{plain, (uintptr_t)&a}, {hidden, (uintptr_t)&a ^ key()}, {number_only, 7}};
  printf("%ld\n", all(tasks, 3));
}
