/* The C library and the kernel keep addresses that they are given by functions of the real headers, in the shapes in
 * which a compiler passes them. The thread stays, and is told which function it was. Growing a stack must not lose them
 * either: a stack with such an address does not move. (library-keeps-all.test tries the whole list.) */

// RUN: %plain-skeincc -O0 %s -o %t.O0
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 %t.O0 | FileCheck %s --implicit-check-not=lost
// RUN: %plain-skeincc -O2 %s -o %t.O2
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 %t.O2 | FileCheck %s --implicit-check-not=lost
// RUN: %plain-skeincc -O2 -fskein-stacks=growable %s -o %t.grow
// RUN: env SKEIN_OPTIONS=steal=off,workers=1,grow_first=16384 %run -n 2 %t.grow > %t.printed
// RUN: FileCheck %s --implicit-check-not=lost < %t.printed
// RUN: %plain-skeincc -O2 -fskein-heap=private -fskein-globals=private %s -o %t.private
// RUN: env SKEIN_OPTIONS=steal=off,workers=1 %run -n 2 %t.private | FileCheck %s --implicit-check-not=lost
// CHECK: epoll_ctl: {{.*}}given to epoll_ctl
// CHECK: sigqueue: {{.*}}given to sigqueue
// CHECK: timer_create: {{.*}}given to timer_create
// CHECK: mq_notify: {{.*}}given to mq_notify
// CHECK: tss_set: {{.*}}given to tss_set
// CHECK: pthread_setspecific: {{.*}}given to pthread_setspecific
// CHECK: aio_write: {{.*}}given to aio_write
// CHECK: aio_write into a local: {{.*}}given to aio_write
// CHECK: lio_listio: {{.*}}given to lio_listio
// CHECK: hsearch: {{.*}}given to hsearch
// CHECK: getcontext: {{.*}}given to getcontext
// CHECK: strtol: {{.*}}given to strtol
// CHECK: syscall: {{.*}}given to syscall(SYS_epoll_ctl)
// CHECK: others: moves

#define _GNU_SOURCE 1
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* Opaque to the optimiser. */
#define SEEN(object) __asm__ volatile("" ::"r"(&(object)) : "memory")

/* This needs room that the thread's stack may not have; it grows at this point or not at all. */
__attribute__((noinline)) static void deep(void) {
  char room[40000];
  room[0] = 1;
  SEEN(room);
  if (room[0] != 1)
    skein_yield(); /* code that reaches no migration point always runs on the deep stack */
}

#define ASK(who, local)                                                                                                \
  do {                                                                                                                 \
    deep();                                                                                                            \
    int code = skein_push_self(1);                                                                                     \
    printf("%s: %s\n", who, code ? skein_error_text() : "moves");                                                      \
    fflush(stdout);                                                                                                    \
    SEEN(local);                                                                                                       \
  } while (0)

static void polls(void) {
  int local = 1;
  int set = epoll_create1(0), event = dup(0);
  struct epoll_event what = {.events = EPOLLIN, .data.ptr = &local};
  epoll_ctl(set, EPOLL_CTL_ADD, event, &what);
  ASK("epoll_ctl", local);
}

static void queues(void) {
  int local = 1;
  sigqueue(getpid(), SIGURG, (union sigval){.sival_ptr = &local});
  ASK("sigqueue", local);
}

static void clocks(void) {
  int local = 1;
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG, .sigev_value.sival_ptr = &local};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  ASK("timer_create", local);
}

static void notified(void) {
  int local = 1;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG, .sigev_value.sival_ptr = &local};
  mq_notify(-1, &event);
  ASK("mq_notify", local);
}

static void specific(void) {
  int local = 1;
  tss_t key;
  tss_create(&key, NULL);
  tss_set(key, &local);
  deep();
  if (tss_get(key) != &local)
    printf("tss_set: the address was lost\n");
  ASK("tss_set", local);
}

static void specific_posix(void) {
  int local = 1;
  pthread_key_t key;
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &local);
  deep();
  if (pthread_getspecific(key) != &local)
    printf("pthread_setspecific: the address was lost\n");
  ASK("pthread_setspecific", local);
}

/* The C library writes the result of a request into its block, from a kernel thread of its own: the block must outlive
 * the request. */
static void finish(struct aiocb *request) {
  while (aio_error(request) == EINPROGRESS)
    sched_yield();
}

static void asynchronous(void) {
  struct aiocb local = {.aio_fildes = -1};
  aio_write(&local);
  ASK("aio_write", local);
  finish(&local);
}

static struct aiocb blocks[2];

static void asynchronous_buffer(void) {
  char local[10] = "text";
  SEEN(local);
  blocks[0] = (struct aiocb){.aio_fildes = -1, .aio_buf = local, .aio_nbytes = 4};
  aio_write(&blocks[0]);
  finish(&blocks[0]);
  blocks[0] = (struct aiocb){.aio_fildes = -1};
  ASK("aio_write into a local", local);
}

static void asynchronous_list(void) {
  char local[10] = "text";
  SEEN(local);
  blocks[1] = (struct aiocb){.aio_fildes = -1, .aio_buf = local, .aio_nbytes = 4, .aio_lio_opcode = LIO_WRITE};
  struct aiocb *list[] = {NULL, &blocks[1]};
  lio_listio(LIO_NOWAIT, list, 2, NULL);
  finish(&blocks[1]);
  blocks[1] = (struct aiocb){.aio_fildes = -1};
  ASK("lio_listio", local);
}

static void searches(void) {
  char local[4] = "key";
  SEEN(local);
  hcreate(8);
  hsearch((ENTRY){.key = local, .data = NULL}, ENTER);
  ASK("hsearch", local);
}

static ucontext_t context;
__attribute__((noinline)) static void save(void) { getcontext(&context); }

static void contexts(void) {
  int local = 1;
  save();
  ASK("getcontext", local);
}

struct parser {
  char *at;
};

static void parses(void) {
  char local[] = "12 rest";
  SEEN(local);
  /* This memory is neither the thread's own nor searched. */
  struct parser *parser = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strtol(local, &parser->at, 10);
  ASK("strtol", local);
}

static void by_number(void) {
  int local = 1;
  struct epoll_event what = {.events = EPOLLIN, .data.ptr = &local};
  syscall(SYS_epoll_ctl, -1, EPOLL_CTL_ADD, 0, &what);
  ASK("syscall", local);
}

/* None of these keeps anything. */
static void others(void) {
  char local[] = "12 rest", *end;
  SEEN(local);
  struct epoll_event what = {.events = EPOLLIN, .data.fd = 3};
  epoll_ctl(-1, EPOLL_CTL_ADD, 0, &what);
  sigqueue(getpid(), SIGURG, (union sigval){.sival_int = 7});
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  mq_notify(-1, NULL);
  if (strtol(local, &end, 10) != 12 || *end != ' ')
    printf("others: lost\n");
  deep();
  int code = skein_push_self(1);
  printf("others: %s\n", code ? skein_error_text() : "moves");
  fflush(stdout);
  if (*end != ' ' || end != local + 2)
    printf("others: the end was lost\n");
}

int main(void) {
  void (*all[])(void) = {polls,
                         queues,
                         clocks,
                         notified,
                         specific,
                         specific_posix,
                         asynchronous,
                         asynchronous_buffer,
                         asynchronous_list,
                         searches,
                         contexts,
                         parses,
                         by_number,
                         others};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    skein_join(skein_spawn(all[i]));
  return 0;
}
