// A lock of the process, held while the thread may move.
// RUN: %verify-rule -Wskein-held-lock %s
#include <pthread.h>
#include <skein/skein.h>
#include <skein/sync.h>

void elsewhere(void);
static pthread_mutex_t mutex, other;
struct queue {
  pthread_mutex_t lock;
  int length;
};

void held(void) {
  pthread_mutex_lock(&mutex);
  skein_yield();
  pthread_mutex_unlock(&mutex); // expected-warning {{the lock 'mutex' of this process is held}}
}

int in_struct(struct queue *queue, skein_thread_t thread) {
  pthread_mutex_lock(&queue->lock);
  int code = skein_join(thread);
  pthread_mutex_unlock(&queue->lock); // expected-warning {{the lock 'queue.lock' of this process is held}}
  return code;
}

void one_way(int wait) {
  pthread_mutex_lock(&mutex);
  if (wait)
    skein_yield();
  pthread_mutex_unlock(&mutex); // expected-warning {{the lock 'mutex'}}
}

void perhaps(void) {
  pthread_mutex_lock(&mutex);
  elsewhere();
  pthread_mutex_unlock(&mutex); // expected-warning {{[-Wskein-pedantic,-Wskein-held-lock]}}
}

// Near misses.
void short_section(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->length++;
  pthread_mutex_unlock(&queue->lock);
  skein_yield();
}

void released_before(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  skein_yield();
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

void another(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  skein_yield();
  pthread_mutex_unlock(&other);
}

static skein_mutex_t own;
void of_skein(void) {
  skein_mutex_lock(&own);
  skein_yield();
  skein_mutex_unlock(&own);
}

SKEIN_UNTRACKED void meant(void) {
  pthread_mutex_lock(&mutex);
  skein_yield();
  pthread_mutex_unlock(&mutex);
}
