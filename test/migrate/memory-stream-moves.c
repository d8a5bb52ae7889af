/* A stream of open_memstream on the private heap goes along with its thread, and tells it where the text is. What the C
 * library's memory for the stream held before does not keep the thread, even if it is an address together with the
 * flags of a FILE. */

// RUN: %plain-skeincc -O1 -fskein-heap=private %s -I%S/Inputs -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -fskein-heap=private -fskein-stress=calls %s -I%S/Inputs -o %t.stressed
// RUN: env SKEIN_OPTIONS=stress_report=on %t.stressed 2>&1 | FileCheck %s --check-prefixes=CHECK,STRESS
// CHECK-DAG: done: 1234 of 6789 characters
// STRESS-DAG: {{[1-9][0-9]*}} moves, {{.*}} 0 moves refused

#include "check.h"
#include <sys/mman.h>

static void hop(void) {
  if (skein_nodes() > 1)
    CHECK(skein_push_self(1 - skein_node()) == SKEIN_OK);
}

__attribute__((noinline)) static void put_number(FILE *to, int number) {
  hop();
  fprintf(to, "%d ", number);
}

/* The next FILE is made of a block that begins with an address of the C library, whose upper half with the flags below
 * it is an address as well. */
void *__libc_malloc(size_t bytes);
void __libc_free(void *block);
static void leave_address(size_t bytes) {
  enum { cached = 7 };
  void *blocks[cached], *last = NULL;
  for (int i = 0; i < cached; i++)
    blocks[i] = __libc_malloc(bytes);
  last = __libc_malloc(bytes);
  CHECK(last && __libc_malloc(1)); /* keeps it from joining the block after it */
  for (int i = 0; i < cached; i++)
    __libc_free(blocks[i]);
  __libc_free(last);
  for (int i = 0; i < cached; i++)
    CHECK(__libc_malloc(bytes));
}
static void leave_addresses(void) {
  const uintptr_t half = (uintptr_t)stdout >> 32 << 32, flags = 0xfbad0000;
  mmap((void *)(half | flags), 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  for (size_t bytes = sizeof(FILE); bytes < sizeof(FILE) + 128; bytes += 16)
    leave_address(bytes);
}

int main(void) {
  leave_addresses();
  char *text;
  size_t bytes;
  FILE *stream = open_memstream(&text, &bytes);
  CHECK(stream);
  size_t length = 0;
  for (int i = 0; i < 1000; i++) {
    put_number(stream, i * 7);
    length += (size_t)snprintf(NULL, 0, "%d ", i * 7);
    if (i % 100 == 0)
      CHECK(fflush(stream) == 0 && bytes == length && strlen(text) == length);
  }
  hop();
  putc('!', stream);
  CHECK(!ferror(stream) && ftell(stream) == (long)length + 1);
  CHECK(fclose(stream) == 0 && bytes == length + 1 && text[length] == '!' && text[length + 1] == 0);
  hop();
  const char *at = text;
  for (int i = 0; i < 1000; i++) {
    char *end;
    CHECK(strtol(at, &end, 10) == i * 7 && *end == ' ');
    at = end + 1;
  }
  free(text);

  stream = open_memstream(&text, &bytes);
  for (int i = 0; i < 6789; i++)
    fputc('x', stream);
  CHECK(fseek(stream, 1233, SEEK_SET) == 0);
  hop();
  fputc('y', stream);
  fclose(stream);
  CHECK(bytes == 1234 && text[1233] == 'y');
  printf("done: %zu of %d characters\n", strlen(text), 6789);
  free(text);
  while (skein_node() != 0)
    hop();
}
