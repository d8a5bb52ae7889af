/* `skein bench threads`: Skein's own rows. Runs on one worker of one node, so globals are one for all. */
#include "rows.h"

#include <skein/channel.h>
#include <skein/skein.h>
#include <skein/sync.h>

/* raw_switch.cpp: two threads give each other the worker, without the scheduler. */
void raw_park(void);
void raw_switch(void);
void raw_release(void);

enum { many = 1000000, threads_at_once = 100000 };

static void null(void) {}

static void thread_create(void) {
  static skein_thread_t threads[threads_at_once];
  for (int round = 0; round < 2; round++) { /* the first makes the memory warm */
    double begin = now_ns();
    for (int i = 0; i < threads_at_once; i++)
      threads[i] = skein_spawn(null);
    double end = now_ns();
    for (int i = 0; i < threads_at_once; i++)
      skein_join(threads[i]);
    if (round == 1)
      row("create", begin, end, threads_at_once);
  }
}

static void null_thread(void) {
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    skein_join(skein_spawn(null));
  row("null", begin, now_ns(), many);
}

static void yields(int count) {
  for (int i = 0; i < count; i++)
    skein_yield();
}

static void context_switch(void) {
  skein_thread_t other = skein_spawn(yields, many);
  double begin = now_ns();
  yields(many);
  row("switch", begin, now_ns(), 2.0 * many);
  skein_join(other);
}

static int raw_over;
static void raw_partner(void) {
  raw_park();
  while (!raw_over)
    raw_switch();
  raw_release();
}

static void raw(void) {
  skein_thread_t other = skein_spawn(raw_partner);
  skein_yield();
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    raw_switch();
  row("raw", begin, now_ns(), 2.0 * many);
  raw_over = 1;
  raw_switch();
  skein_join(other);
}

static skein_mutex_t mutex = SKEIN_MUTEX_INITIALIZER;
static skein_sem_t sem = SKEIN_SEM_INITIALIZER(1), ping = SKEIN_SEM_INITIALIZER(0), pong = SKEIN_SEM_INITIALIZER(0);

static void uncontested(void) {
  double begin = now_ns();
  for (int i = 0; i < many; i++) {
    skein_mutex_lock(&mutex);
    skein_mutex_unlock(&mutex);
  }
  row("mutex", begin, now_ns(), many);
  begin = now_ns();
  for (int i = 0; i < many; i++) {
    skein_sem_wait(&sem);
    skein_sem_signal(&sem);
  }
  row("semaphore", begin, now_ns(), many);
}

static int refused;
static void tries(void) {
  skein_sem_wait(&sem);
  skein_mutex_lock(&mutex);
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    refused += skein_mutex_trylock(&mutex) != 0;
  row("mutex-try", begin, now_ns(), many);
  begin = now_ns();
  for (int i = 0; i < many; i++)
    refused += skein_sem_trywait(&sem) != 0;
  row("semaphore-try", begin, now_ns(), many);
  skein_mutex_unlock(&mutex);
  skein_sem_signal(&sem);
}

static void mutex_player(int count) {
  for (int i = 0; i < count; i++) {
    skein_mutex_lock(&mutex);
    skein_yield(); /* so that the other one has to wait for it */
    skein_mutex_unlock(&mutex);
  }
}

static void semaphore_player(int count) {
  for (int i = 0; i < count; i++) {
    skein_sem_wait(&ping);
    skein_sem_signal(&pong);
  }
}

static void ping_pong(void) {
  int count = many / 2;
  double begin = now_ns();
  skein_thread_t other = skein_spawn(mutex_player, count);
  mutex_player(count);
  skein_join(other);
  row("mutex-ping-pong", begin, now_ns(), count);
  other = skein_spawn(semaphore_player, count);
  begin = now_ns();
  for (int i = 0; i < count; i++) {
    skein_sem_signal(&ping);
    skein_sem_wait(&pong);
  }
  row("semaphore-ping-pong", begin, now_ns(), count);
  skein_join(other);
}

enum { choices = 8 };
static skein_channel_t channels[choices];

/* Sends `count` messages to the first `all` channels in turn. */
static void sender(int count, int all) {
  for (long i = 0; i < count; i++)
    skein_channel_send(channels[i % all], &i, sizeof i);
}

static void channel(void) {
  for (int i = 0; i < choices; i++)
    channels[i] = skein_channel_create(0);
  long got;
  skein_thread_t other = skein_spawn(sender, many, 1);
  double begin = now_ns();
  for (int i = 0; i < many; i++)
    skein_channel_receive(channels[0], &got, sizeof got, 0);
  row("channel", begin, now_ns(), many);
  skein_join(other);
  other = skein_spawn(sender, many, choices);
  struct skein_alternative cases[choices];
  for (int i = 0; i < choices; i++)
    cases[i] = (struct skein_alternative)SKEIN_RECEIVES(channels[i], got);
  begin = now_ns();
  for (int i = 0; i < many; i++)
    skein_alt(cases, choices);
  row("alternative", begin, now_ns(), many);
  skein_join(other);
}

int main(void) {
  thread_create();
  null_thread();
  context_switch();
  raw();
  uncontested();
  tries();
  ping_pong();
  channel();
  return refused != 2 * many;
}
