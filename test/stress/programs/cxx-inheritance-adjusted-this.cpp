// Pointers to second bases: this-adjustment makes pointers into the middle of objects, thunks lie between frames.
#include "hop.h"

struct Left {
  long l = 1;
  virtual long left() { return hop(), l; }
};
struct Right {
  long r = 2;
  virtual long right() { return hop(), r; }
  virtual Right *self() { return hop(), this; }
};
struct Both : Left, Right {
  long *sum;
  explicit Both(long *sum) : sum(sum) {}
  long right() override {
    hop();
    *sum += left();
    return r * 10 + *sum;
  }
  Both *self() override {
    hop();
    ++*sum;
    return this;
  }
};

static NOINLINE long use(Right *right, Left *left) {
  long n = right->right();
  hop();
  Right *again = right->self();
  n = n * 10 + (again == right);
  hop();
  return n * 10 + left->left();
}

int main() {
  long sum = 5;
  Both both(&sum);
  Right single;
  for (int i = 0; i < 4; i++) {
    printf("%ld\n", use(&both, &both));
    printf("%ld\n", use(&single, &both));
  }
}
