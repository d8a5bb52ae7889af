// Some code of a program runs before the runtime does: the function that finds the address of an ifunc, and functions in
// .preinit_array. What it stores in private variables is what each copy of them begins with, also in those that begin as
// zero, and in a large array only the pages where something was stored.
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O0 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O2 %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stacks=growable -fskein-polls=loops -O2 -flto %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -O1 -static %s -o %t && %t | FileCheck %s
// CHECK: main: sum 145, found 1, looked 1, level 4, end of the array 7, begun 1, value 6, constructed 1
// CHECK: thread: sum 145, found 1, looked 1, level 4, end of the array 7, begun 1, value 6, constructed 0
#include <skein/skein.h>
#include <stdio.h>

static int level = 3, value = 5;
static int found, begun;
static volatile int constructed; // so that no optimiser does what its constructor does
static _Thread_local int looked;
static char array[256 << 20];

static int plain(const int *numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += numbers[i];
  return sum;
}

static int with_hundred(const int *numbers, int count) { return 100 + plain(numbers, count); }

static void *find(void) {
  found++;
  level++;
  array[sizeof array - 1] = 7;
  return level > 3 ? (void *)with_hundred : (void *)plain;
}
int sum(const int *numbers, int count) __attribute__((ifunc("find")));

static void begin(int count, char **arguments, char **environment) {
  (void)count, (void)arguments, (void)environment;
  begun++;
  value++;
  looked++;
}
__attribute__((section(".preinit_array"), used)) static void (*const begins)(int, char **, char **) = begin;

__attribute__((constructor)) static void construct(void) { constructed++; }

static void show(const char *who) {
  int numbers[10];
  for (int i = 0; i < 10; i++)
    numbers[i] = i;
  printf("%s: sum %d, found %d, looked %d, level %d, end of the array %d, begun %d, value %d, constructed %d\n", who,
         sum(numbers, 10), found, looked, level, array[sizeof array - 1], begun, value, constructed);
}

int main(void) {
  show("main");
  return skein_join(skein_spawn(show, "thread"));
}
