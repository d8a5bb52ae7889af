/* The arithmetic of an n-body problem: particles that attract each other, by the sum over all pairs, with a softened
 * distance, and the leapfrog of Störmer and Verlet. Shared by examples/nbody.c and by the program for MPI that it is
 * measured beside (test/bench/dmi), so that the two differ only in how the positions come to all.
 *
 * The sums run over all particles in one order, so the result does not depend on who computes what. */
#ifndef NBODY_KERNEL_H
#define NBODY_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct position {
  double x, y, z;
};
struct velocity {
  double x, y, z;
};

static const double time_step = 1e-3, softening = 0.05;

/* The particles of a cubic lattice of `edge` to each side, a little displaced, numbered along z last: so equal parts of
 * the numbers are slabs across z. */
static inline struct position nbody_begin(size_t i, size_t edge) {
  uint64_t noise = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  noise = (noise ^ noise >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  const double off = (double)(noise >> 11) * 0x1p-53 * 0.1;
  const size_t x = i % edge, y = i / edge % edge, z = i / edge / edge;
  return (struct position){(double)x + off, (double)y + off * off, (double)z - off};
}

/* Moves the particles [first, end) one step: their new positions go to `to`, from index 0 on. `all`: the positions of
 * all `count` particles, as three arrays one after the other. */
static inline void nbody_step(const double *restrict all, size_t count, size_t first, size_t end,
                              struct velocity *restrict velocities, struct position *restrict to) {
  const double *restrict x = all, *restrict y = all + count, *restrict z = all + 2 * count;
  for (size_t i = first; i < end; i++) {
    double ax = 0, ay = 0, az = 0;
    for (size_t j = 0; j < count; j++) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const double square = dx * dx + dy * dy + dz * dz + softening * softening;
      const double pull = 1 / (square * sqrt(square));
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    struct velocity *v = &velocities[i - first];
    v->x += ax * time_step;
    v->y += ay * time_step;
    v->z += az * time_step;
    to[i - first] = (struct position){x[i] + v->x * time_step, y[i] + v->y * time_step, z[i] + v->z * time_step};
  }
}

/* A number for all positions, to the last bit. */
static inline uint64_t nbody_hash(uint64_t hash, struct position position) {
  union {
    double number;
    uint64_t bits;
  } words[] = {{position.x}, {position.y}, {position.z}};
  for (int i = 0; i < 3; i++)
    hash = (hash ^ words[i].bits) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
