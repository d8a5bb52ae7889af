// Two threads, one shared object, and nothing between them.
// RUN: %verify-rule -Wskein-shared-race %s
#include <skein/shared.h>
#include <skein/sync.h>

struct account {
  long balance;
  int number;
};
static void add(skein_shared long *total) { *total += 1; }
static void look(skein_shared long *total, skein_shared long *to) { *to = *total; }
static void deposit(skein_shared struct account *account) { account->balance++; }
static void add_atomically(skein_shared long *total) { __atomic_fetch_add(total, 1, __ATOMIC_RELAXED); }
static void add_in_order(skein_shared long *total, skein_semaphore_t turn) {
  skein_semaphore_wait(turn);
  *total += 1;
  skein_semaphore_signal(turn);
}
static void fill(skein_shared long *values, int i) { values[i] = i; }
void elsewhere(skein_shared long *total);

long reads(skein_shared long *total) {
  skein_thread_t thread = skein_spawn(add, total);
  long now = *total; // expected-warning {{'total' leads to is read while a thread that was given it may be writing it}}
  skein_join(thread);
  return now;
}

void writes(skein_shared long *total, skein_shared long *to) {
  skein_thread_t thread = skein_spawn(look, total, to);
  *total = 1; // expected-warning {{is written while a thread that was given it may be reading it}}
  skein_join(thread);
}

void two_threads(skein_shared long *total) {
  skein_thread_t one = skein_spawn(add, total);
  skein_thread_t two = skein_spawn(add, total); // expected-warning {{is given to a second thread while}}
  skein_join(one);
  skein_join(two);
}

void in_loop(skein_shared struct account *account, int n) {
  for (int i = 0; i < n; i++)
    skein_spawn(deposit, account); // expected-warning {{is given to a second thread while}}
}

// Near misses.
long joined(skein_shared long *total) {
  skein_thread_t thread = skein_spawn(add, total);
  skein_join(thread);
  return *total;
}
long before(skein_shared long *total) {
  *total = 0;
  skein_spawn(add, total);
  return 0;
}
void both_read(skein_shared long *total, skein_shared long *a, skein_shared long *b) {
  skein_spawn(look, total, a);
  skein_spawn(look, total, b);
}
void atomic(skein_shared long *total, int n) {
  for (int i = 0; i < n; i++)
    skein_spawn(add_atomically, total);
}
void ordered(skein_shared long *total, skein_semaphore_t turn, int n) {
  for (int i = 0; i < n; i++)
    skein_spawn(add_in_order, total, turn);
}
void elements(skein_shared long *values, int n) {
  for (int i = 0; i < n; i++)
    skein_spawn(fill, values, i);
}
void each_its_own(int n) {
  for (int i = 0; i < n; i++) {
    skein_shared long *total = (skein_shared long *)skein_shared_alloc(0, sizeof *total);
    skein_spawn(add, total);
  }
}
void unknown(skein_shared long *total) {
  skein_spawn(elsewhere, total);
  *total = 1;
}
SKEIN_UNTRACKED long meant(skein_shared long *total) {
  skein_spawn(add, total);
  return *total;
}
