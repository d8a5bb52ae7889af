/* Figure 10 of the paper on Ariadne: a thread migrates by packing itself, sending the image by the program's own
   messages and ending here, while the receiver makes a thread of it. The messages, which are Conch's in the paper, are
   Skein's. Then the rest of Table I. */
// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 %t | FileCheck %s
// CHECK: on process 0, 3 hops to go, local 100
// CHECK-NEXT: on process 1, 2 hops to go, local 101
// CHECK-NEXT: on process 0, 1 hops to go, local 102
// CHECK-NEXT: on process 1, 0 hops to go, local 103
// CHECK-NEXT: priorities: 9 5 5 1
// CHECK-NEXT: semaphore: 3 wait, then 2, then 0
// CHECK-NEXT: ping: 1, destroyed, 0
// CHECK-NEXT: migrated by a_migrate to 1, and back to 0
#include <skein/ariadne.h>
#include <skein/messages.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global"

enum { THMIGR = 1 };
static sem *arrived; /* of each node */

/* What Figure 10 does periodically by recv_messages happens when the message comes. */
SKEIN_THREADED_HANDLER(recv_messages, message) {
  char *thread_ptr = a_thread_unpack(message->data, (int)message->bytes); /* create thread */
  a_ready_thread(thread_ptr);                                             /* make it runnable */
}

void a_migrate_by_message(int procid) {
  int jump;      /* differentiates between source/destination */
  char *image;   /* thread image is placed here */
  int size;      /* size of the packed thread */
  thread_t self; /* thread identifier */

  jump = a_thread_pack(ASELF, &image, &size);
  /* image now contains the thread tca and stack */
  if (!jump) { /* on source if jump == 0 */
    a_set_migrate(ASELF);
    skein_send(procid, &recv_messages, image, size); /* send the thread to procid */
    a_add_migrated();                                /* update counters */
    free(image);                                     /* free image no longer needed */
    a_self(&self);                                   /* find identifier */
    a_destroy(&self);                                /* destroy thread on source */
  } else
    a_reset_migrate(ASELF); /* on destination */
}

static void hopper(int hops) {
  int local = 100, *pointer = &local;
  a_updatep(&pointer);
  for (;; (*pointer)++) {
    printf("on process %d, %d hops to go, local %d\n", a_myid(), hops, local);
    fflush(stdout);
    if (hops-- == 0)
      return;
    a_migrate_by_message(1 - a_myid());
  }
}

static int order[4], ran;
static void in_order(int priority) { order[ran++] = priority; }

static sem *gate;
static void waits(void) { a_waits(gate); }
static void sleeps(void) { a_sleep(1000, 0); }
static void there_and_back(void) {
  a_migrate(1);
  const int there = a_myid();
  a_migrate(0);
  printf("migrated by a_migrate to %d, and back to %d\n", there, a_myid());
}

int main(void) {
  thread_t self, other;
  ariadne(&self, 7, 1024);
  a_limit(1000, 10);
  a_buffer(SMALL, 10);
  a_create(0, hopper, 5, SMALL, 1, 0, 0, 3);
  a_exit();
  /* main has priority 7: the first runs at once, the others when main waits. */
  a_create(0, in_order, 9, SMALL, 1, 0, 0, 9);
  a_create(0, in_order, 5, SMALL, 1, 0, 0, 5);
  a_create(0, in_order, 1, SMALL, 1, 0, 0, 1);
  a_create(0, in_order, 5, SMALL, 1, 0, 0, 5);
  a_exit();
  printf("priorities: %d %d %d %d\n", order[0], order[1], order[2], order[3]);
  gate = a_creates(0);
  for (int i = 0; i < 3; i++)
    a_create(0, waits, 8, SMALL, 0, 0, 0);
  printf("semaphore: %d wait, ", a_counts(gate));
  a_signals(gate);
  a_setpri(ASELF, 1);
  printf("then %d, ", a_counts(gate));
  a_signalns(gate, 2);
  a_exit();
  printf("then %d\n", a_counts(gate));
  a_create(&other, sleeps, 8, SMALL, 0, 0, 0);
  printf("ping: %d, ", a_ping(other));
  a_destroy(other);
  a_exit();
  printf("destroyed, %d\n", a_ping(other));
  a_create(0, there_and_back, 8, SMALL, 0, 0, 0);
  a_exit();
  return 0;
}
