// What main does alone, before there are threads, is what it seems; and so is all of a program without any.
// RUN: %verify-rule -Wskein-global %s
// RUN: %plain-skeincc -fsyntax-only -DSERIAL -Werror %s
// RUN: %plain-skeincc -fsyntax-only -DLABEL -Xclang -verify=label %s
#include <skein/skein.h>
#include <stdio.h>

static int size = 8, total;

static int step(int i) { // a thread calls it, unless the program has none
  total += i;            // expected-warning {{'step' uses global}} label-warning {{'step' uses}} label-note@8 {{}}
  return i;
}

#ifdef SERIAL
int main(void) {
  for (total = 0; total < size;)
    step(1);
  return printf("%d\n", total);
}
#elif defined LABEL
int main(void) {
again:
  total++; // label-warning {{function 'main' uses global 'total'}} label-note@8 {{}}
  skein_join(skein_spawn(step, 1));
  if (size < 3)
    goto again;
}
#else
int main(int count, char **words) {
  if (count > 1)
    sscanf(words[1], "%d", &size);
  total = step(0);
  for (int i = 0; i < size; i++) // expected-warning {{function 'main' uses global 'size'}}
    skein_join(skein_spawn(step, i));
  return printf("%d\n", total); // expected-warning {{function 'main' uses global 'total'}}
}
#endif
