/* A block digest in the manner of SHA-256: state and schedule by pointer, the round function called. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifndef ROUNDS
#define ROUNDS(n) (n)
#endif
struct state {
  uint32_t h[8];
};
static inline uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }
__attribute__((noinline)) static void round_step(struct state *s, uint32_t w, uint32_t k) {
  uint32_t *h = s->h;
  uint32_t t1 =
      h[7] + (rotate(h[4], 6) ^ rotate(h[4], 11) ^ rotate(h[4], 25)) + ((h[4] & h[5]) ^ (~h[4] & h[6])) + k + w;
  uint32_t t2 =
      (rotate(h[0], 2) ^ rotate(h[0], 13) ^ rotate(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
  memmove(h + 1, h, 7 * sizeof *h);
  h[4] += t1;
  h[0] = t1 + t2;
}
__attribute__((noinline)) static void schedule(uint32_t *w, const unsigned char *block) {
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 64; i++)
    w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
}
__attribute__((noinline)) static void absorb(struct state *s, const unsigned char *block) {
  uint32_t w[64];
  struct state before = *s;
  schedule(w, block);
  for (int i = 0; i < 64; i++)
    round_step(s, w[i], 0x428a2f98u * (uint32_t)(2 * i + 1));
  for (int i = 0; i < 8; i++)
    s->h[i] += before.h[i];
}
int main(void) {
  unsigned char block[64];
  struct state s = {{1, 2, 3, 4, 5, 6, 7, 8}};
  for (int i = 0; i < ROUNDS(1300000); i++) {
    for (int j = 0; j < 64; j++)
      block[j] = (unsigned char)(i * j + s.h[j % 8]);
    absorb(&s, block);
  }
  printf("%08x%08x\n", s.h[0], s.h[7]);
  return 0;
}
