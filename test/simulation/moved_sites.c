// Sites that move in mid-run: processes keep pointers to their site's memory in variables and on their private heaps,
// and the memory has a list in itself. A site stays, and says why, as long as one of its processes is pinned or holds a
// lock, or if its memory leads to what stays behind; those that wait at it keep their places in the queue. The results
// are those of one node in any case. Who travels may still have no pointer to the site that it leaves.
//
// RUN: %skeincc -O2 -Wno-skein-global %s -lm -o %t
// RUN: %run -n 1 --timeout 60 %t free > %t.1 && FileCheck --check-prefix=RESULT %s < %t.1
// RUN: %run -n 2 --timeout 60 %t free 7 > %t.2 2> %t.said && cmp %t.1 %t.2
// RUN: FileCheck --check-prefix=FREE %s < %t.said
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 --timeout 60 %t free 8 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=FREE %s < %t.said
// RUN: %run -n 2 --timeout 60 %t free 9 4000000 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=FREE %s < %t.said
// RUN: %run -n 2 --timeout 60 %t pinned 7 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=PINNED %s < %t.said
// RUN: %run -n 2 --timeout 60 %t pinned 7 4000000 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=PINNED %s < %t.said
// RUN: %run -n 2 --timeout 60 %t lock 7 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=LOCK %s < %t.said
// RUN: %run -n 1 --timeout 60 %t queue > %t.queue && %run -n 2 --timeout 60 %t queue 7 > %t.2 2> %t.said
// RUN: cmp %t.queue %t.2 && FileCheck --check-prefix=PINNED %s < %t.said
// RUN: %run -n 2 --timeout 60 %t queue 7 4000000 > %t.2 2> %t.said
// RUN: cmp %t.queue %t.2 && FileCheck --check-prefix=PINNED %s < %t.said
// RUN: %run -n 3 --timeout 60 %t outside 7 > %t.2 2> %t.said
// RUN: cmp %t.1 %t.2 && FileCheck --check-prefix=OUTSIDE %s < %t.said
// RUN: not %run -n 2 --timeout 60 %t other 0 2>&1 | FileCheck --check-prefix=OTHER %s
// RESULT: {{[0-9]+}} events until {{.*}}, history {{[0-9a-f]+}}
// FREE: sites moved {{[1-9][0-9]*}} times, stayed 0 times
// PINNED: sites moved {{[1-9][0-9]*}} times, stayed {{[1-9][0-9]*}} times: site 2: {{.*}}SKEIN_PINNED
// LOCK: sites moved {{[1-9][0-9]*}} times, stayed {{[1-9][0-9]*}} times: {{.*}}holds the mutex
// OUTSIDE: sites moved {{[1-9][0-9]*}} times, stayed {{[1-9][0-9]*}} times: {{.*}}process heap
// OTHER: `carries` {{.*}}holds a pointer to private memory of another thread
#include <skein/heap.h>
#include <skein/shared.h>
#include <skein/simulation.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { sites = 6, customers = 10, visits = 40, teller = 0, kept = 8, odd_site = 2 };

struct note {
  uint64_t value;
  struct note *next;
};

struct bank {
  uint64_t hash, served;
  struct skein_tally waited;
  struct note notes[kept];
  struct note *first; /* of the notes */
  void *outside;
};

struct box {
  struct bank *bank;
};

/* What is odd about a site, which is the same on all nodes. */
static SKEIN_NODE_LOCAL char odd[16];
static SKEIN_NODE_LOCAL skein_mutex_t mutex;

/* The newest note goes to the front of the list. */
static void write_note(struct bank *bank, uint64_t value) {
  struct note *note = &bank->notes[bank->served++ % kept];
  for (struct note **at = &bank->first; *at; at = &(*at)->next)
    if (*at == note) {
      *at = note->next;
      break;
    }
  *note = (struct note){value, bank->first};
  bank->first = note;
  uint64_t place = 1;
  for (struct note *at = bank->first; at; at = at->next)
    bank->hash = (bank->hash ^ at->value * place++) * UINT64_C(0x100000001b3) ^ bank->hash >> 31;
}

static void customer(struct skein_process *self, uint64_t site) {
  struct bank *bank = skein_sim_memory(self);
  const struct skein_resource *look = skein_sim_resource(self, teller);
  struct box *box = skein_malloc(sizeof *box);
  *box = (struct box){bank};
  struct skein_stream stream = skein_stream_make(1, self->number);
  for (int visit = 0; visit < visits; visit++) {
    const double came = self->now;
    skein_sim_acquire(self, teller);
    skein_tally_add(&bank->waited, self->now - came);
    skein_sim_hold(self, skein_stream_exponential(&stream, 0.1));
    write_note(bank, look->waiting + look->taken);
    skein_sim_release(self, teller);
    skein_sim_hold(self, skein_stream_exponential(&stream, 1));
    write_note(box->bank, self->number);
  }
  skein_free(box);
  bank = NULL;
  look = NULL;
  if (self->number >> 32 == 1) {
    skein_sim_travel(self, (uint32_t)(site + 1) % sites, 1);
    write_note(skein_sim_memory(self), 7);
  }
}

static void hold(struct skein_process *self, int times) {
  while (times--)
    skein_sim_hold(self, 1);
}

/* Cannot leave for the first half of the time, nor while it waits among others that can. */
static void stays(struct skein_process *self, uint64_t unused) {
  (void)unused;
  if (!strcmp(odd, "queue"))
    for (int times = 0; times < 40; times++)
      SKEIN_PINNED {
        skein_sim_acquire(self, teller);
        skein_sim_hold(self, 0.5);
        skein_sim_release(self, teller);
      }
  skein_sim_certain(self);
  if (!strcmp(odd, "pinned"))
    SKEIN_PINNED { hold(self, 20); }
  else if (!strcmp(odd, "lock")) {
    skein_mutex_lock(&mutex);
    hold(self, 20);
    skein_mutex_unlock(&mutex);
  } else
    hold(self, 20);
}

/* Travels with a pointer to the site that it leaves, which is refused. */
static void carries(struct skein_process *self, uint64_t to) {
  struct bank *bank = skein_sim_memory(self);
  skein_sim_travel(self, (uint32_t)to, 1);
  write_note(bank, 1);
}

static void begin(struct skein_process *self, uint64_t site) {
  for (int i = 0; i < customers; i++)
    skein_sim_process(self, customer, site, 0);
  if (site == odd_site) {
    skein_sim_certain(self);
    struct bank *bank = skein_sim_memory(self);
    if (!strcmp(odd, "outside"))
      bank->outside = malloc(8);
    if (strcmp(odd, "other"))
      skein_sim_process(self, stays, 0, 0);
    else
      skein_sim_process(self, carries, sites - 1, 0);
  }
}

static void sum_up(uint32_t site, void *memory, uint64_t to) {
  const struct bank *bank = memory;
  const uint64_t hash = bank->hash ^ bank->served << 32 ^ (uint64_t)(bank->waited.mean * 0x1p40);
  __atomic_fetch_add((skein_shared uint64_t *)to, (hash + site) * UINT64_C(0xbf58476d1ce4e5b9), __ATOMIC_RELAXED);
}

static void tell(uint64_t what) { memcpy(odd, &what, sizeof what); }

int main(int argc, char **argv) {
  uint64_t what = 0;
  strncpy((char *)&what, argc > 1 ? argv[1] : "free", sizeof what - 1);
  for (int node = 0; node < skein_nodes(); node++) {
    const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
    skein_join(skein_spawn_with(&there, tell, what));
  }
  skein_shared uint64_t *history = skein_shared_alloc(0, sizeof *history);
  const struct skein_model model = {.sites = sites,
                                    .site_bytes = sizeof(struct bank),
                                    .resources = 1,
                                    .lookahead = 0.5,
                                    .until = 1e6,
                                    .optimistic = argc > 3 ? (size_t)atoll(argv[3]) : 0,
                                    .balance = 1,
                                    .shuffle = argc > 2 ? (uint64_t)atoll(argv[2]) : 1,
                                    .begin = begin,
                                    .end = sum_up,
                                    .argument = (uint64_t)history};
  struct skein_simulated done;
  if (skein_simulate(&model, &done)) {
    fprintf(stderr, "%s\n", skein_error_text());
    return 1;
  }
  printf("%llu events until %a, history %016llx\n", (unsigned long long)done.events, done.now,
         (unsigned long long)*history);
  fprintf(stderr, "sites moved %llu times, stayed %llu times: %s\n", (unsigned long long)done.sites_moved,
          (unsigned long long)done.sites_stayed, done.why_stayed);
  return 0;
}
