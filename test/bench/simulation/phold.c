/* PHOLD (Fujimoto, 1990), by processes: each of `population` processes at each site holds for an exponential time and
 * then goes on at a random site, with the given probability at another one than its own. A time is the lookahead and an
 * exponential time of mean 1 - lookahead, so the mean is 1. Prints events, seconds and events a second.
 *
 * With bytes to undo with it simulates optimistically, else conservatively. With some hot sites the processes stay in
 * the region where they began, the hot sites or the others, and 16 times less begin at each of the others. With
 * `balance` sites move to where less happens.
 *
 *     phold [sites [population [remote % [lookahead [until [bytes [hot sites [1: balance]]]]]]]] */
#include "bench_model.h"

static void wander(struct skein_process *self, uint64_t unused) {
  (void)unused;
  struct skein_stream stream = skein_stream_make(1, self->number);
  const struct parameters now = *(const struct parameters *)skein_sim_memory(self);
  for (;;) {
    go_on(self, &stream, &now);
    ((struct parameters *)skein_sim_memory(self))->visits++;
  }
}

static void begin(struct skein_process *self, uint64_t site) {
  (void)site;
  begin_with(self, wander);
}

int main(int argc, char **argv) {
  double until;
  simulate(argc, argv, begin, 0, &until);
  return 0;
}
