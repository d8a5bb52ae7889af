/* Gravity between bodies through pointers and small functions that are not inlined. */
#include <math.h>
#include <stdio.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct vector {
  double x, y, z;
};
struct body {
  struct vector position, velocity;
  double mass;
  struct body *next;
};
__attribute__((noinline)) static void pull(struct body *a, struct body *b, double dt) {
  double dx = a->position.x - b->position.x, dy = a->position.y - b->position.y, dz = a->position.z - b->position.z;
  double d2 = dx * dx + dy * dy + dz * dz;
  double magnitude = dt / (d2 * sqrt(d2));
  a->velocity.x -= dx * b->mass * magnitude;
  a->velocity.y -= dy * b->mass * magnitude;
  a->velocity.z -= dz * b->mass * magnitude;
  b->velocity.x += dx * a->mass * magnitude;
  b->velocity.y += dy * a->mass * magnitude;
  b->velocity.z += dz * a->mass * magnitude;
}
__attribute__((noinline)) static void move(struct body *b, double dt) {
  b->position.x += dt * b->velocity.x;
  b->position.y += dt * b->velocity.y;
  b->position.z += dt * b->velocity.z;
}
__attribute__((noinline)) static double energy(const struct body *first) {
  double e = 0;
  for (const struct body *a = first; a; a = a->next) {
    e +=
        0.5 * a->mass * (a->velocity.x * a->velocity.x + a->velocity.y * a->velocity.y + a->velocity.z * a->velocity.z);
    for (const struct body *b = a->next; b; b = b->next) {
      double dx = a->position.x - b->position.x, dy = a->position.y - b->position.y, dz = a->position.z - b->position.z;
      e -= a->mass * b->mass / sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return e;
}
__attribute__((noinline)) static void step(struct body *first, double dt) {
  for (struct body *a = first; a; a = a->next)
    for (struct body *b = a->next; b; b = b->next)
      pull(a, b, dt);
  for (struct body *a = first; a; a = a->next)
    move(a, dt);
}
int main(void) {
  enum { COUNT = 8 };
  struct body bodies[COUNT];
  for (int i = 0; i < COUNT; i++)
    bodies[i] = (struct body){{i * 1.5, i % 3 - 1.0, i % 2 + 0.25 * i},
                              {0.05 * (i % 3 - 1), 0.03 * (i % 5 - 2), 0.02 * (i % 2)},
                              i ? 0.01 * i : 30,
                              i + 1 < COUNT ? &bodies[i + 1] : 0};
  double before = energy(bodies);
  for (int i = 0; i < ROUNDS(4200000); i++)
    step(bodies, 0.0005);
  printf("%.12f %.12f\n", before, energy(bodies));
  return 0;
}
