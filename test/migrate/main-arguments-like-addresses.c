// Among main's arguments are texts in which some characters look like an address of main's stack, wherever that lies.
// They hold none, so main moves. When main has put an address there, it stays.
// RUN: %skeincc -O2 -fskein-globals=private -fskein-heap=private %s -o %t
// RUN: env SKEIN_OPTIONS=stacks=relocate,stack_max=1G %t %skein | FileCheck %s
// CHECK: there: moved, and back: moved
// CHECK: then: {{.*}}a text among main's arguments holds an address of its own stack
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A word for each GiB of where stacks lie (runtime/thread/places.h), which is as much as a stack has here.
static void start(char *self, char *skein) {
  char *text = malloc(256 << 10), *at = text;
  for (int first = 0x40; first < 0x4b; first++)
    for (int second = 1; second < 256; second++)
      for (int third = 0x20; third < 256; third += 0x40) {
        const char word[6] = {'a', 'a', 'a', (char)third, (char)second, (char)first};
        memcpy(at, word, sizeof word);
        at += sizeof word;
      }
  strcpy(at, "aa");
  execl(skein, skein, "run", "-n", "2", self, text, "run", NULL);
  perror("execl");
}

static const char *pushed(int node) { return skein_push_self(node) == 0 ? "moved" : skein_error_text(); }

int main(int argc, char **argv) {
  if (argc == 2)
    start(argv[0], argv[1]);
  const char *there = pushed(1), *back = pushed(0);
  printf("there: %s, and back: %s\n", there, back);
  int *local = &argc;
  memcpy(argv[1] + 1, &local, sizeof local);
  printf("then: %s\n", pushed(1));
}
