// A thread's first access to a private variable faults, and the runtime makes its copy. So it must get that fault even
// where the program has blocked all signals: when it starts a kernel thread, in one that runs, in a thread of Skein, and
// in the handler of a signal.
// RUN: %skeincc -fskein-globals=private -O0 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-heap=private -fskein-stacks=growable -fskein-polls=loops -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -O1 -static %s -o %t && %t | FileCheck %s
// CHECK: begun with all blocked: 11
// CHECK-NEXT: blocked later: 11
// CHECK-NEXT: blocked by sigprocmask: 11
// CHECK-NEXT: a thread: 11
// CHECK-NEXT: in a handler: 11
// CHECK-NEXT: others are blocked: 1, a fault is: 0
#include <pthread.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdio.h>

static int ten = 10;
static _Thread_local int one = 1;
static volatile sig_atomic_t seen;

static sigset_t all_signals(void) {
  sigset_t all;
  sigfillset(&all);
  return all;
}

static void *add(void *unused) {
  (void)unused;
  return (void *)(long)(ten + one);
}

static void *block_and_add(void *by_process) {
  sigset_t all = all_signals();
  if (by_process)
    sigprocmask(SIG_BLOCK, &all, NULL);
  else
    pthread_sigmask(SIG_SETMASK, &all, NULL);
  return add(NULL);
}

static void run(const char *what, void *(*function)(void *), void *argument) {
  pthread_t thread;
  void *result;
  if (pthread_create(&thread, NULL, function, argument) == 0 && pthread_join(thread, &result) == 0)
    printf("%s: %ld\n", what, (long)result);
}

static void blocked_thread(void) {
  sigset_t all = all_signals(), before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  printf("a thread: %d\n", ten + one);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_signal(int number) {
  (void)number;
  seen = ten + one;
}

static void signalled_thread(void) {
  raise(SIGUSR1); // its handler is the first to touch a private variable of this thread
  printf("in a handler: %d\n", (int)seen);
}

int main(void) {
  sigset_t all = all_signals(), before;
  pthread_sigmask(SIG_SETMASK, &all, &before);
  run("begun with all blocked", add, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  run("blocked later", block_and_add, NULL);
  run("blocked by sigprocmask", block_and_add, (void *)1);
  skein_join(skein_spawn(blocked_thread));
  struct sigaction action = {.sa_handler = on_signal, .sa_mask = all};
  sigaction(SIGUSR1, &action, NULL);
  skein_join(skein_spawn(signalled_thread));
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_sigmask(SIG_SETMASK, &before, &all);
  printf("others are blocked: %d, a fault is: %d\n", sigismember(&all, SIGUSR1), sigismember(&all, SIGSEGV));
}
