// There are no variables in shared memory, since each process would have its own.
// RUN: %skeincc -std=gnu2x -fsyntax-only -Xclang -verify %s
#include <skein/shared.h>

struct node {
  int value;
};
shared int counter;              // expected-error {{'counter' would be another variable in each process; skein_shared says where a pointer leads: declare a pointer, and give it memory of skein_shared_alloc()}}
extern shared double samples[3]; // expected-error {{'samples' would be another variable in each process}}
shared int *pointer, *(*pointers)[3];
int count(void) {
  static shared struct node first; // expected-error {{'first' would be another variable in each process}}
  shared int here = 0;             // expected-error {{automatic variable qualified with an address space}}
  return 0;
}
