// Destructors that run at the end of scopes, on early returns and for temporaries, writing through kept pointers.
#include "hop.h"

struct Trace {
  char *&at;
  char name;
  Trace(char *&at, char name) : at(at), name(name) { *at++ = name; }
  Trace(const Trace &other) : at(other.at), name(static_cast<char>(other.name - 32)) {
    hop();
    *at++ = name;
  }
  ~Trace() {
    hop();
    *at++ = '~';
    *at++ = name;
  }
};

static NOINLINE int work(char *&at, int n) {
  Trace a(at, 'a');
  if (n == 0)
    return 1;
  Trace b(at, 'b');
  for (int i = 0; i < n; i++) {
    Trace c(at, 'c');
    hop();
    if (i == 1)
      return n + (Trace(c), 2);
    Trace d(b);
  }
  hop();
  return 3;
}

int main() {
  for (int n = 0; n < 4; n++) {
    char text[100], *at = text;
    int r = work(at, n);
    *at = 0;
    printf("%d %s\n", r, text);
  }
}
