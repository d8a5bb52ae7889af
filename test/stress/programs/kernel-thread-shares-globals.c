// Kernel threads of the program's own use its globals and its heap; the thread that started them waits where it is.
// refused: kernel-thread
// flags: -fskein-globals=private -fskein-heap=private
#include "hop.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
  int number;
  char *text;
  struct job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *todo, *finished;
static int total, *shared_place;

static void *work(void *unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    struct job *mine = todo;
    if (mine)
      todo = mine->next;
    pthread_mutex_unlock(&lock);
    if (!mine)
      return NULL;
    hop();
    char *longer = realloc(mine->text, 100);
    strcat(longer, "!");
    free(strdup(longer));
    pthread_mutex_lock(&lock);
    mine->text = longer;
    mine->next = finished;
    finished = mine;
    *shared_place += mine->number;
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  static int place;
  shared_place = &place;
  pthread_t threads[3];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 40; i++) {
      struct job *job = malloc(sizeof *job);
      job->number = i;
      job->text = malloc(8);
      strcpy(job->text, "job");
      job->next = todo;
      todo = job;
    }
    pthread_mutex_lock(&lock); // so that none ends before the hop
    for (int i = 0; i < 3; i++)
      pthread_create(&threads[i], NULL, work, NULL);
    hop();
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
      pthread_join(threads[i], NULL);
    hop();
    while (finished) {
      struct job *job = finished;
      finished = job->next;
      total += !strcmp(job->text, "job!");
      free(job->text);
      free(job);
    }
  }
  printf("%d %d %d\n", total, place, shared_place == &place);
}
