/* Random streams and statistics, as simulations need them; <skein/simulation.h> includes this. Plain values: they may
 * be copied, lie anywhere and move with their thread. The program is linked with -lm. None of these calls blocks.
 *
 * A *stream* is made of a seed and a number, say of a process, and depends on nothing else: neither on the node nor on
 * what other threads draw. (Generator: xoroshiro128++, Blackman and Vigna, 2019; seeded by splitmix64.) */
#ifndef SKEIN_STATISTICS_H
#define SKEIN_STATISTICS_H

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- streams ---------------------------------------------------------------------------------------------------- */

struct skein_stream {
  uint64_t state[2];
};

static inline uint64_t skein_stream_mix_(uint64_t *state) {
  uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);
  mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ mixed >> 31;
}

static inline struct skein_stream skein_stream_make(uint64_t seed, uint64_t number) {
  uint64_t state = seed;
  state = skein_stream_mix_(&state) ^ number;
  struct skein_stream stream;
  stream.state[0] = skein_stream_mix_(&state);
  stream.state[1] = skein_stream_mix_(&state);
  return stream;
}

/* 64 random bits. */
static inline uint64_t skein_stream_bits(struct skein_stream *stream) {
  const uint64_t a = stream->state[0], sum = a + stream->state[1], b = stream->state[1] ^ a;
  stream->state[0] = (a << 49 | a >> 15) ^ b ^ b << 21;
  stream->state[1] = b << 28 | b >> 36;
  return (sum << 17 | sum >> 47) + a;
}

/* In [0, 1). */
static inline double skein_stream_uniform(struct skein_stream *stream) {
  return (double)(skein_stream_bits(stream) >> 11) * 0x1p-53;
}

/* In [0, below), without a bias that could be measured. `below` > 0. */
static inline uint32_t skein_stream_below(struct skein_stream *stream, uint32_t below) {
  return (uint32_t)((skein_stream_bits(stream) >> 32) * below >> 32);
}

static inline double skein_stream_exponential(struct skein_stream *stream, double mean) {
  return -mean * log1p(-skein_stream_uniform(stream));
}

/* Marsaglia's polar method. */
static inline double skein_stream_normal(struct skein_stream *stream, double mean, double deviation) {
  for (;;) {
    const double x = 2 * skein_stream_uniform(stream) - 1, y = 2 * skein_stream_uniform(stream) - 1, r = x * x + y * y;
    if (r > 0 && r < 1)
      return mean + deviation * x * sqrt(-2 * log(r) / r);
  }
}

/* --- statistics of observations --------------------------------------------------------------------------------- */

/* Welford's running mean and sum of squares. Zero: nothing was observed. */
struct skein_tally {
  uint64_t count;
  double mean, squares, least, greatest;
};

static inline void skein_tally_add(struct skein_tally *tally, double value) {
  const double off = value - tally->mean;
  tally->least = tally->count && tally->least < value ? tally->least : value;
  tally->greatest = tally->count && tally->greatest > value ? tally->greatest : value;
  tally->count++;
  tally->mean += off / (double)tally->count;
  tally->squares += off * (value - tally->mean);
}

/* Adds all that the other one has observed (Chan, Golub and LeVeque, 1979). */
static inline void skein_tally_join(struct skein_tally *tally, const struct skein_tally *other) {
  if (!other->count)
    return;
  const double a = (double)tally->count, b = (double)other->count, off = other->mean - tally->mean;
  tally->least = tally->count && tally->least < other->least ? tally->least : other->least;
  tally->greatest = tally->count && tally->greatest > other->greatest ? tally->greatest : other->greatest;
  tally->squares += other->squares + off * off * a * b / (a + b);
  tally->mean += off * b / (a + b);
  tally->count += other->count;
}

static inline double skein_tally_deviation(const struct skein_tally *tally) {
  return tally->count > 1 ? sqrt(tally->squares / (double)(tally->count - 1)) : 0;
}

/* Half the width of the interval that holds the true mean with a probability of 95 %, if the observations are
 * independent (else see skein_batches). Infinite below two observations. Student's quantile by Cornish and Fisher's
 * expansion, exact to 0.3 % from 4 degrees of freedom on, and tabulated below. */
static inline double skein_tally_half_width(const struct skein_tally *tally) {
  static const double few[] = {12.706, 4.303, 3.182};
  if (tally->count < 2)
    return INFINITY;
  const double freedom = (double)(tally->count - 1), z = 1.959963985, z3 = z * z * z, z5 = z3 * z * z;
  const double quantile = freedom < 4
                              ? few[(int)freedom - 1]
                              : z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
  return quantile * skein_tally_deviation(tally) / sqrt((double)tally->count);
}

/* Means of batches of observations that depend on each other, as waiting times of one queue do: the means of batches
 * that are long enough are nearly independent. Set `size`, the rest to zero. */
struct skein_batches {
  uint64_t size;
  struct skein_tally now, means;
};

static inline void skein_batches_add(struct skein_batches *batches, double value) {
  skein_tally_add(&batches->now, value);
  if (batches->now.count < batches->size)
    return;
  skein_tally_add(&batches->means, batches->now.mean);
  batches->now = (struct skein_tally){0, 0, 0, 0, 0};
}

/* --- statistics of levels --------------------------------------------------------------------------------------- */

/* A level that stays until it is changed, such as the length of a queue, and its mean over time. Zero: it is 0 from
 * time 0 on. */
struct skein_level {
  double value, since, area, begin;
};

static inline void skein_level_set(struct skein_level *level, double now, double value) {
  level->area += level->value * (now - level->since);
  level->since = now;
  level->value = value;
}
static inline double skein_level_mean(const struct skein_level *level, double now) {
  return now > level->begin ? (level->area + level->value * (now - level->since)) / (now - level->begin) : level->value;
}
/* Forgets what was before, as after the time in which a simulation warms up. */
static inline void skein_level_restart(struct skein_level *level, double now) {
  level->area = 0;
  level->since = level->begin = now;
}

#ifdef __cplusplus
}
#endif
#endif
