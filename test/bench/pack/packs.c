// What Ariadne's tables have, and what packing costs:
//
//     packs basics COUNT            Table II on one worker: null thread, create, switch, setjmp and longjmp,
//                                   synchronisation
//     packs trips COUNT BYTES...    Table III, with `skein run -n 2`: to the other node and back, with so many bytes
//                                   more on the stack: a thread that pushes itself, one that packs itself and goes on
//                                   by a message of the program, and a message of as many bytes as the thread's image,
//                                   which is sent back
//     packs packing COUNT BYTES...  in place: to pack a thread with so many bytes more on the stack; to unpack it and
//                                   let it go on; to go back to an image
//
// It prints lines of a name, the bytes of the image if there is one, and nanoseconds: the median of nine rounds.
#include <setjmp.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/pack.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, ROOM_MOST = 64 << 10 };

SKEIN_NOMIGRATE static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void must(int code, const char *what) {
  if (code > SKEIN_OK) {
    fprintf(stderr, "packs: %s: %s\n", what, skein_error_text());
    exit(1);
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *samples) {
  qsort(samples, ROUNDS, sizeof *samples, ascending);
  return samples[ROUNDS / 2];
}

static long count;

/* --- Table II --- */

static void null(void) {}
static void switches(void) {
  for (long i = 0; i < count; i++)
    skein_yield();
}
static skein_sem_t turns[2];
static void takes_turns(int mine) {
  for (long i = 0; i < count; i++) {
    skein_sem_wait(&turns[mine]);
    skein_sem_signal(&turns[!mine]);
  }
}
__attribute__((noinline)) static void jumps_back(jmp_buf *buffer) { longjmp(*buffer, 1); }

static double null_threads(void) {
  const double begin = now_ns();
  for (long i = 0; i < count; i++)
    skein_join(skein_spawn(null));
  return (now_ns() - begin) / (double)count;
}
static skein_thread_t *made;
static double creations(void) {
  const double begin = now_ns();
  for (long i = 0; i < count; i++)
    made[i] = skein_spawn(null);
  const double took = (now_ns() - begin) / (double)count;
  for (long i = 0; i < count; i++)
    skein_join(made[i]);
  return took;
}
static double two_threads(int synchronise) {
  skein_thread_t both[2];
  skein_sem_init(&turns[0], 1);
  skein_sem_init(&turns[1], 0);
  const double begin = now_ns();
  for (int i = 0; i < 2; i++)
    both[i] = synchronise ? skein_spawn(takes_turns, i) : skein_spawn(switches);
  for (int i = 0; i < 2; i++)
    skein_join(both[i]);
  return (now_ns() - begin) / (double)count / 2;
}
static double jumps(void) {
  const double begin = now_ns();
  for (volatile long i = 0; i < count; i++) {
    jmp_buf buffer;
    if (setjmp(buffer) == 0)
      jumps_back(&buffer);
  }
  return (now_ns() - begin) / (double)count;
}

static void basics(void) {
  made = calloc((size_t)count, sizeof *made);
  double samples[5][ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    samples[0][i] = null_threads();
    samples[1][i] = creations();
    samples[2][i] = two_threads(0);
    samples[3][i] = jumps();
    samples[4][i] = two_threads(1);
  }
  const char *names[] = {"null-thread", "create", "switch", "setjmp-longjmp", "synchronise"};
  for (int i = 0; i < 5; i++)
    printf("%s 0 %.1f\n", names[i], median(samples[i]));
}

/* --- threads with bytes on their stacks --- */

/* Calls act(argument) below a frame that has so many bytes more, and checks them afterwards. */
static void with_room(size_t bytes, void (*act)(void *argument), void *argument) {
  unsigned char room[bytes + 8];
  memset(room, 0x5a, sizeof room);
  act(argument);
  for (size_t i = 0; i < sizeof room; i++)
    if (room[i] != 0x5a)
      abort();
}

/* --- Table III --- */

static SKEIN_NODE_LOCAL skein_sem_t back; /* a copy has come back to node 0 */
static SKEIN_NODE_LOCAL double copies_ns;

SKEIN_THREADED_HANDLER(unpacks, message) { must(skein_unpack(message->data, message->bytes, NULL), "skein_unpack"); }
SKEIN_HANDLER(echoes, message) { skein_reply(message, message->data, message->bytes); }

static void pushes(void *to) {
  double samples[ROUNDS] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
      must(skein_push_self(1), "skein_push_self");
      must(skein_push_self(0), "skein_push_self");
    }
    samples[round] = (now_ns() - begin) / (double)count;
  }
  *(double *)to = median(samples);
}

static void goes_by_image(int node) {
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  must(side, "skein_pack");
  if (side == SKEIN_UNPACKED)
    return;
  must(skein_send(node, &unpacks, image, bytes), "skein_send");
  free(image);
  skein_exit(0);
}
static void packs_itself(void *unused) {
  (void)unused;
  double samples[ROUNDS] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
      goes_by_image(1);
      goes_by_image(0);
    }
    samples[round] = (now_ns() - begin) / (double)count;
  }
  copies_ns = median(samples);
  skein_sem_signal(&back);
}

static void image_bytes(void *to) {
  void *image;
  size_t bytes;
  must(skein_pack(skein_self(), &image, &bytes), "skein_pack");
  if (image) {
    *(size_t *)to = bytes;
    free(image);
  }
}

static double echo_ns(size_t bytes) {
  char *message = calloc(1, bytes), *reply = malloc(bytes);
  double samples[ROUNDS] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_ns();
    for (long i = 0; i < count; i++)
      must(skein_call(1, &echoes, message, bytes, reply, bytes, NULL), "skein_call");
    samples[round] = (now_ns() - begin) / (double)count;
  }
  free(message);
  free(reply);
  return median(samples);
}

static SKEIN_NODE_LOCAL size_t trip_bytes;

static void trips(size_t more) {
  skein_sem_init(&back, 0);
  skein_join(skein_spawn(with_room, more, image_bytes, (void *)&trip_bytes));
  skein_join(skein_spawn(with_room, more, packs_itself, (void *)0));
  skein_sem_wait(&back);
  printf("packed-%zu %zu %.1f\n", more, trip_bytes, copies_ns);
  printf("message-%zu %zu %.1f\n", more, trip_bytes, echo_ns(trip_bytes));
}

/* The thread that pushes itself keeps its result on its own stack until it is back. */
static void pushing(size_t more) {
  double ns;
  with_room(more, pushes, &ns);
  printf("thread-%zu 0 %.1f\n", more, ns);
}

/* --- packing in place --- */

static SKEIN_NODE_LOCAL void *kept;
static SKEIN_NODE_LOCAL size_t kept_bytes;
static SKEIN_NODE_LOCAL size_t pack_more;
static SKEIN_NODE_LOCAL long backs;
static SKEIN_NODE_LOCAL double back_begin, backs_ns;

static void packs_often(void *unused) {
  (void)unused;
  double samples[ROUNDS] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
      const int side = skein_pack(skein_self(), &kept, &kept_bytes);
      must(side, "skein_pack");
      if (side == SKEIN_UNPACKED)
        return;
      if (i + 1 < count || round + 1 < ROUNDS)
        free(kept);
    }
    samples[round] = (now_ns() - begin) / (double)count;
  }
  printf("pack-%zu %zu %.1f\n", pack_more, kept_bytes, median(samples));
}
static void goes_back(void *unused) {
  (void)unused;
  must(skein_pack(skein_self(), &kept, &kept_bytes), "skein_pack");
  if (backs == 0)
    back_begin = now_ns();
  if (backs++ < count)
    must(skein_roll_back(kept, kept_bytes), "skein_roll_back");
  backs_ns = (now_ns() - back_begin) / (double)count;
}

static void packing(size_t more) {
  pack_more = more;
  skein_join(skein_spawn(with_room, more, packs_often, (void *)0));
  double unpacks_ns[ROUNDS] = {0}, samples[ROUNDS] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
      skein_thread_t copy;
      must(skein_unpack(kept, kept_bytes, &copy), "skein_unpack");
      skein_join(copy);
    }
    unpacks_ns[round] = (now_ns() - begin) / (double)count;
  }
  free(kept);
  printf("unpack-%zu %zu %.1f\n", more, kept_bytes, median(unpacks_ns));
  for (int round = 0; round < ROUNDS; round++) {
    backs = 0;
    skein_join(skein_spawn(with_room, more, goes_back, (void *)0));
    samples[round] = backs_ns;
    free(kept);
  }
  printf("roll-back-%zu %zu %.1f\n", more, kept_bytes, median(samples));
}

int main(int arguments, char **argument) {
  if (arguments < 3)
    return 2;
  count = strtol(argument[2], NULL, 10);
  if (strcmp(argument[1], "basics") == 0)
    basics();
  for (int i = 3; i < arguments; i++) {
    const size_t more = strtoul(argument[i], NULL, 10);
    if (strcmp(argument[1], "trips") == 0) {
      skein_join(skein_spawn(pushing, more));
      trips(more);
    } else {
      packing(more);
    }
  }
  return 0;
}
