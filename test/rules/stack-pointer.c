// Assembly that uses the stack pointer.
// RUN: %verify-rule -Wskein-stack-pointer %s
#include <skein/skein.h>

unsigned long reads(void) {
  unsigned long here;
  __asm__("movq %%rsp, %0" : "=r"(here)); // expected-warning {{inline assembly uses the stack pointer}}
  return here;
}

void writes(unsigned long to) {
  __asm__ volatile("mov %0, %%rsp" : : "r"(to)); // expected-warning {{inline assembly uses the stack pointer}}
}

void addresses(void) {
  __asm__ volatile("orl $0, -4096(%rsp)"); // expected-warning {{inline assembly uses the stack pointer}}
}

unsigned long in_register(void) {
  register unsigned long here __asm__("rsp"); // expected-warning {{variable 'here' is the stack pointer}}
  return here;
}

// Near misses: other registers, names that contain the letters, and functions that never move.
unsigned long other(void) {
  unsigned long low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return low | high << 32;
}
void named(void) { __asm__ volatile("# crisp wrspan response"); }
unsigned long in_another(unsigned long n) {
  register unsigned long word __asm__("r12") = n;
  __asm__ volatile("" : "+r"(word));
  return word;
}
SKEIN_NOMIGRATE unsigned long stays(void) {
  unsigned long here;
  __asm__("movq %%rsp, %0" : "=r"(here));
  return here & 15;
}
SKEIN_UNTRACKED void meant(void) { __asm__ volatile("orl $0, -4096(%rsp)"); }
