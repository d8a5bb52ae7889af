// Kernel threads share the program's private globals and have thread-local variables of their own; pointers lead from
// each kind to the other. A fork copies both. Afterwards the thread that started them moves again.
// refused: kernel-thread
// flags: -fskein-globals=private
#include "hop.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total = 1, wide[5000];
static int *last_place;
static _Thread_local int count = 5, many[3000];
static _Thread_local int *to_total = &total, *to_count;

static int forked(void) {
  int status = 0;
  pid_t child = fork();
  if (!child) {
    total += 1000;
    *to_total += wide[4999] + *to_count;
    _exit(total == 1000 + *last_place && to_total == &total ? 7 : 8);
  }
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static void *work(void *argument) {
  int number = *(int *)argument;
  to_count = &count;
  for (int i = 0; i < number; i++) {
    count++;
    many[2999 - i] = i;
    hop();
    pthread_mutex_lock(&lock);
    wide[i * 1000]++;
    ++*to_total;
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  total += *to_count * 100 + many[2999];
  int before = total;
  last_place = &before; // the child finds it where its parent has it
  before += wide[4999] + *to_count;
  int status = forked();
  total += status == 7 && total == before - wide[4999] - *to_count ? 0 : 1000000;
  last_place = NULL;
  pthread_mutex_unlock(&lock);
  return &count;
}

int main(void) {
  pthread_t threads[4];
  static int numbers[4] = {1, 2, 3, 4};
  int mine = 3;
  for (int round = 0; round < 2; round++) {
    pthread_mutex_lock(&lock); // so that none ends before the hop
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, work, &numbers[i]);
    hop();
    pthread_mutex_unlock(&lock);
    int apart = 0;
    for (int i = 0; i < 4; i++) {
      void *place;
      pthread_join(threads[i], &place);
      apart += place != &count;
    }
    last_place = &mine; // moves again, and so does this
    for (int i = 0; i < 4; i++)
      hop();
    ++*last_place;
    printf("%d %d %d %d %d %d\n", total, count, apart, wide[0], wide[3000], mine);
    last_place = NULL;
    to_count = &count;
    int before = total;
    last_place = &before;
    before += wide[4999] + *to_count;
    printf("%d\n", forked());
    last_place = NULL;
  }
  return total == *to_total ? 0 : 1;
}
