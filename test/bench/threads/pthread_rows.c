/* `skein bench threads`: the same rows with kernel threads, on one core. */
#include "rows.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

enum { many = 1000000, threads_at_once = 1000, switches = 20000, lives = 20000 };

static void *null(void *unused) { return unused; }

static void thread_create(void) {
  static pthread_t threads[threads_at_once];
  for (int round = 0; round < 2; round++) {
    double begin = now_ns();
    for (int i = 0; i < threads_at_once; i++)
      if (pthread_create(&threads[i], NULL, null, NULL))
        return;
    double end = now_ns();
    for (int i = 0; i < threads_at_once; i++)
      pthread_join(threads[i], NULL);
    if (round == 1)
      row("create", begin, end, threads_at_once);
  }
}

static void null_thread(void) {
  double begin = now_ns();
  for (int i = 0; i < lives; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, null, NULL))
      return;
    pthread_join(thread, NULL);
  }
  row("null", begin, now_ns(), lives);
}

static void *yields(void *unused) {
  for (int i = 0; i < switches; i++)
    sched_yield();
  return unused;
}

static void context_switch(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, yields, NULL);
  double begin = now_ns();
  yields(NULL);
  row("switch", begin, now_ns(), 2.0 * switches);
  pthread_join(thread, NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem, ping, pong;

static void uncontested(void) {
  double begin = now_ns();
  for (int i = 0; i < many; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  row("mutex", begin, now_ns(), many);
  begin = now_ns();
  for (int i = 0; i < many; i++) {
    sem_wait(&sem);
    sem_post(&sem);
  }
  row("semaphore", begin, now_ns(), many);
}

static int refused;
static void tries(void) {
  sem_wait(&sem);
  pthread_mutex_lock(&mutex);
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    refused += pthread_mutex_trylock(&mutex) != 0;
  row("mutex-try", begin, now_ns(), many);
  begin = now_ns();
  for (int i = 0; i < many; i++)
    refused += sem_trywait(&sem) != 0;
  row("semaphore-try", begin, now_ns(), many);
  pthread_mutex_unlock(&mutex);
  sem_post(&sem);
}

static void *mutex_player(void *unused) {
  for (int i = 0; i < switches; i++) {
    pthread_mutex_lock(&mutex);
    sched_yield();
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void *semaphore_player(void *unused) {
  for (int i = 0; i < switches; i++) {
    sem_wait(&ping);
    sem_post(&pong);
  }
  return unused;
}

static void ping_pong(void) {
  pthread_t other;
  double begin = now_ns();
  pthread_create(&other, NULL, mutex_player, NULL);
  mutex_player(NULL);
  pthread_join(other, NULL);
  row("mutex-ping-pong", begin, now_ns(), switches);
  pthread_create(&other, NULL, semaphore_player, NULL);
  begin = now_ns();
  for (int i = 0; i < switches; i++) {
    sem_post(&ping);
    sem_wait(&pong);
  }
  row("semaphore-ping-pong", begin, now_ns(), switches);
  pthread_join(other, NULL);
}

int main(void) {
  cpu_set_t one;
  if (sched_getaffinity(0, sizeof one, &one) == 0) {
    int core = 0;
    while (!CPU_ISSET(core, &one))
      core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  sem_init(&sem, 0, 1);
  sem_init(&ping, 0, 0);
  sem_init(&pong, 0, 0);
  thread_create();
  null_thread();
  context_switch();
  uncontested();
  tries();
  ping_pong();
  return refused != 2 * many;
}
