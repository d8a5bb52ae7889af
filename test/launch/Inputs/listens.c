/* Runs until its input ends. */
#include <skein/skein.h>
#include <stdio.h>
#include <unistd.h>

static void visit(void) {
  for (int i = 0; i < 4; i++)
    if (skein_push_self(i % skein_nodes()))
      printf("staying: %s\n", skein_error_text());
}

int main(void) {
  skein_join(skein_spawn(visit));
  puts("running");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) == 1)
    ;
  return 0;
}
