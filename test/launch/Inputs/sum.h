/* What threads compute while nodes come and leave: it takes a while, and they may move in it. */
#include <skein/skein.h>
#include <stdint.h>

static int64_t sum(int64_t of) {
  int64_t all = 0;
  for (int64_t i = 0; i < 20000; i++) {
    all += of * (i % 7) % 1001;
    if (i % 500 == 0)
      skein_yield();
  }
  return all % 1000000;
}
