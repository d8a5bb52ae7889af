/* A histogram that all nodes count into at once, by atomic additions to shared memory.
 *
 * A thread on each node draws its own samples (sums of four dice, so the result has a shape) and adds 1 to the sample's
 * bin, which lies on node 0. On the same host that is one instruction of the processor; on another host node 0 does it
 * when the message comes. The counts are then the same, one by one, as those of main, which draws all samples once more
 * alone. With `bins[i]++` on an int that is not _Atomic they would not be. */
#include <skein/shared.h>
#include <stdint.h>
#include <stdio.h>

enum { threads = 8, samples = 20000, faces = 8, bins = 4 * (faces - 1) + 1 };

/* The number after *state of a sequence (splitmix64). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static int sample(uint64_t *state) {
  uint64_t bits = draw(state);
  return (int)(bits % faces + (bits >> 8) % faces + (bits >> 16) % faces + (bits >> 24) % faces);
}

static void count(shared _Atomic long *histogram, int thread) {
  skein_push_self(thread % skein_nodes());
  uint64_t state = (uint64_t)thread;
  for (int i = 0; i < samples; i++)
    histogram[sample(&state)]++;
}

int main(void) {
  shared _Atomic long *histogram = skein_shared_alloc(0, bins * sizeof *histogram);
  skein_thread_t counters[threads];
  for (int i = 0; i < threads; i++)
    counters[i] = skein_spawn(count, histogram, i);
  for (int i = 0; i < threads; i++)
    skein_join(counters[i]);

  long expected[bins] = {0}, all = 0;
  for (int i = 0; i < threads; i++) {
    uint64_t state = (uint64_t)i;
    for (int j = 0; j < samples; j++)
      expected[sample(&state)]++;
  }
  int wrong = 0;
  for (int i = 0; i < bins; i++) {
    static const char bar[] = "############################################################";
    long here = histogram[i];
    printf("%2d %6ld %.*s\n", i, here, (int)(here / 300), bar);
    wrong += here != expected[i];
    all += here;
  }
  printf("%ld samples of %d threads on %d nodes; %d bins differ from the sequential count\n", all, threads,
         skein_nodes(), wrong);
  skein_shared_free(histogram);
  return wrong != 0;
}
