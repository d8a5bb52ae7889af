// A stream with a buffer that lies in the stack.
#include "words.h"

#include <streambuf>
struct Buffer : std::streambuf {
  char room[32];
  Buffer() { setp(room, room + sizeof room), setg(room, room, room + sizeof room); }
  long filled() const { return pptr() - pbase(); }
};
static NOINLINE long use(long *p) {
  Buffer b;
  b.sputc('a' + (char)*p);
  hop();
  b.sputn("xyz", 3);
  hop();
  return b.sgetc() * 100 + b.filled();
}

int main() {
  long a = 5;
  printf("%ld\n", use(&a));
}
