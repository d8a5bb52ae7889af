// A virtual base is found by an offset in a table of the program; references to it in an array of words.
#include "words.h"

struct Root {
  long n = 1;
  virtual ~Root() = default;
};
struct Left : virtual Root {
  long l = 2;
};
struct Right : virtual Root {
  long r = 3;
};
struct Both : Left, Right {
  long b = 4;
};

static NOINLINE long use(Root *root, Left &left, Right &right) {
  uintptr_t words[3] = {(uintptr_t)root, (uintptr_t)&left, (uintptr_t)&right};
  hop();
  auto *both = dynamic_cast<Both *>((Root *)words[0]);
  hop();
  return both->b * 1000 + ((Left *)words[1])->n * 100 + ((Right *)words[2])->r * 10 +
         (both == dynamic_cast<Both *>(&left));
}

int main() {
  Both both;
  printf("%ld\n", use(&both, both, both));
}
