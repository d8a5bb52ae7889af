/* A stream of open_memstream on the private heap goes along with its thread, which it tells where the text is. */

// RUN: %plain-skeincc -O1 -fskein-heap=private %s -I%S/Inputs -o %t
// RUN: %run -n 2 --timeout 30 %t | FileCheck %s
// RUN: %skeincc -O2 -fskein-heap=private -fskein-stress=calls %s -I%S/Inputs -o %t.stressed
// RUN: env SKEIN_OPTIONS=stress_report=on %t.stressed 2>&1 | FileCheck %s --check-prefixes=CHECK,STRESS
// CHECK-DAG: done: 1234 of 6789 characters
// STRESS-DAG: {{[1-9][0-9]*}} moves, {{.*}} 0 moves refused

#include "check.h"

static void hop(void) {
  if (skein_nodes() > 1)
    CHECK(skein_push_self(1 - skein_node()) == SKEIN_OK);
}

__attribute__((noinline)) static void put_number(FILE *to, int number) {
  hop();
  fprintf(to, "%d ", number);
}

int main(void) {
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
