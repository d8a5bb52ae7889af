// The other unit of unseen-struct.c.
#include <stdint.h>

struct two {
  uintptr_t word;
  long number;
};
struct many {
  unsigned char bytes[16];
  union {
    long *pointer;
    double real;
  } u;
  uint64_t hidden;
};

struct two words_two(struct two t) { return (struct two){t.word, t.number + 1}; }
struct many words_many(struct many m) { return m; }
