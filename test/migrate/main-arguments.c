/* main's argv and environment move with it: texts and words that it has changed, what a variable of the process and an
 * exit handler know of them, and the place that getopt has reached. */

// DEFINE: %{words} = %t -b -a one two -c=three four
// DEFINE: %{relocate} = GOOSE=grey %run -n 2 --timeout 30 %{words}
// DEFINE: %{reserve} = GOOSE=grey SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 --timeout 30 %{words}
// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 0 env %{relocate} | FileCheck %s
// RUN: %python %S/Inputs/status.py 0 env %{reserve} | FileCheck %s
// RUN: %skeincc -O2 -fskein-globals=private -fskein-heap=private -I%S/Inputs %s -o %t
// RUN: %python %S/Inputs/status.py 0 env %{relocate} | FileCheck %s

// CHECK: refused: {{.*}}getopt has not returned -1 yet
// CHECK: -b -a one -c=three two four : one
// CHECK: ONE and changed
// CHECK: at the end: ONE

#include "check.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

static char *volatile remembered;

static void at_end(void) { printf("at the end: %s\n", remembered); }

static void there(void) { CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK); }

/* This runs on node 0 while main is elsewhere: what the thread knew there can still be read. */
static void reader(char *text) { CHECK(skein_node() != 0 || !strcmp(text, "one") || !strcmp(text, "ONE")); }

int main(int argc, char **argv, char **environment) {
  CHECK(argc == 7 && !argv[argc]);
  there();
  CHECK(!strcmp(argv[1], "-b") && !argv[argc]);
  while (skein_node() != 0)
    there();

  const char *value = NULL;
  int option, refused = 0;
  while ((option = getopt(argc, argv, "a:bc:")) != -1) {
    if (!refused++) {
      CHECK(skein_push_self(1) == SKEIN_EPINNED);
      printf("refused: %s\n", skein_error_text());
    }
    if (option == 'a')
      value = optarg;
  }
  for (int turn = 0; turn < 5; turn++) {
    there(); /* getopt has reordered the words, and optind belongs to the process */
    CHECK(optind == 5 && argc - optind == 2);
    CHECK(!strcmp(argv[optind], "two") && !strcmp(value, "one"));
  }
  for (int i = 1; i < argc; i++)
    printf("%s ", argv[i]);
  printf(": %s\n", value);

  remembered = argv[3];
  char **goose = environment;
  while (*goose && strncmp(*goose, "GOOSE=", 6))
    goose++;
  char local[] = "changed";
  for (char *c = argv[3]; *c; c++)
    *c = (char)toupper(*c);
  argv[4] = local; /* an address of the stack, and one of the program */
  argv[5] = "literal";
  for (int turn = 0; turn < 5; turn++) {
    there();
    CHECK(!strcmp(*goose, "GOOSE=grey") && !strcmp(argv[4], "changed") && !strcmp(argv[5], "literal"));
    CHECK(argv[4] == local);
  }
  while (skein_node() != 0)
    there();
  skein_thread_t stays = skein_spawn(reader, argv[3]);
  there();
  CHECK(skein_join(stays) == SKEIN_OK);
  printf("%s and %s\n", argv[3], argv[4]);
  while (skein_node() != 0)
    there();
  remembered = argv[3];
  atexit(at_end);
  return 0;
}
