/* The string functions of <string.h> for shared memory are compared with the library's own, at all offsets in a line.
 */

// RUN: %skeincc -std=gnu2x -O2 -I%S/Inputs %s -o %t
// RUN: %run -n 2 --timeout 60 %t
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 2 --timeout 60 %t
// RUN: %skeincc -std=gnu2x -O0 -D_FORTIFY_SOURCE=0 -fskein-stress=calls -I%S/Inputs %s -o %t
// RUN: %t

#include "check.h"

static int sign(int order) { return (order > 0) - (order < 0); }

static void compare(shared char *a, shared char *b, const char *x, const char *y) {
  CHECK(strcpy(a, x) == a && strcpy(b, y) == b);
  char back[300];
  CHECK(strcpy(back, a) == back && strcmp(back, x) == 0);
  CHECK(strlen(a) == strlen(x) && strnlen(a, 70) == strnlen(x, 70));
  CHECK(sign(strcmp(a, b)) == sign(strcmp(x, y)) && sign(strcmp(a, y)) == sign(strcmp(x, y)) &&
        sign(strcmp(x, b)) == sign(strcmp(x, y)));
  for (size_t most = 0; most < 130; most += 13) {
    const int order = sign(strncmp(x, y, most));
    CHECK(sign(strncmp(a, b, most)) == order && sign(strncmp(a, y, most)) == order &&
          sign(strncmp(x, b, most)) == order);
  }
  for (int c = 0; c < 128; c += 16) {
    const char *first = strchr(x, c), *last = strrchr(x, c);
    shared char *here = strchr(a, c), *there = strrchr(a, c);
    CHECK(first ? here == a + (first - x) : !here);
    CHECK(last ? there == a + (last - x) : !there);
  }
  CHECK(strcat(a, y) == a && strlen(a) == strlen(x) + strlen(y) && memcmp(a + strlen(x), y, strlen(y) + 1) == 0);
  memset(back, 'z', sizeof back);
  CHECK(strncpy(back, b, 40) == back && strncpy(a, b, 40) == a && memcmp(a, back, 40) == 0 && back[40] == 'z');
  CHECK(strncpy(a, y, 3) == a && memcmp(back, a, 3) == 0 && memcmp(a, back, 0) == 0);
  CHECK(memchr(b, 0, 300) == b + strlen(y) && !memchr(b, 0, strlen(y)));
}

/* The result of the shared form leads to the same place as the plain one, or both are null. */
#define SAME(here, plain) ((plain) ? (here) == a + ((plain) - x) : !(here))

static void search(shared char *a, shared char *b, const char *x, const char *y) {
  strcpy(a, x);
  strcpy(b, y);
  const size_t bytes = strlen(y), tail = bytes < 4 ? 0 : bytes - 4;
  for (size_t from = 0; from <= bytes; from += 1 + bytes / 5) {
    CHECK(strspn(a, b + from) == strspn(x, y + from) && strspn(a, y + from) == strspn(x, y + from) &&
          strspn(x, b + from) == strspn(x, y + from));
    CHECK(strcspn(a, b + from) == strcspn(x, y + from) && strcspn(a, y + from) == strcspn(x, y + from) &&
          strcspn(x, b + from) == strcspn(x, y + from));
    const char *any = strpbrk(x, y + from);
    CHECK(SAME(strpbrk(a, b + from), any) && SAME(strpbrk(a, y + from), any) && strpbrk(x, b + from) == any);
    const char *found = strstr(x, y + from);
    CHECK(SAME(strstr(a, b + from), found) && SAME(strstr(a, y + from), found) && strstr(x, b + from) == found);
  }
  CHECK(SAME(strstr(a, y + tail), strstr(x, y + tail)) && SAME(strstr(a, b + bytes), x));
  char one[300], two[300];
  strncat(strcpy(one, x), y, 17);
  CHECK(strncat(strcpy(two, x), b, 17) == two && strcmp(one, two) == 0);
  CHECK(strncat(a, b, 17) == a && strcmp(a, one) == 0);
  CHECK(strncat(strcpy(a, x), y, 17) == a && strcmp(a, one) == 0);
}

static void work(shared char *block, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  char x[140], y[140];
  for (int i = 0; i < 60; i++) {
    const int long_x = i * 7 % 130, long_y = i % 3 ? long_x : i * 11 % 130;
    for (int j = 0; j < 139; j++) {
      x[j] = (char)(16 + j * i % 112);
      y[j] = (char)(j == i ? x[j] + 1 : x[j]);
    }
    x[long_x] = y[long_y] = 0;
    compare(block + i, block + 600 + i % 64, x, y);
    search(block + i, block + 600 + i % 64, x, y);
  }
}

int main(void) {
  for (int home = 0; home < skein_nodes(); home++) {
    shared char *block = skein_shared_alloc(home, 1000);
    CHECK(skein_join(skein_spawn(work, block, 0)) == SKEIN_OK);
    CHECK(skein_shared_free(block) == SKEIN_OK);
  }
  return 0;
}
