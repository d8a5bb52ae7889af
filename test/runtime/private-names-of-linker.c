// The linker defines `end`, `edata`, `etext` and `data_start`, unless the program does. A variable of the program is
// private under such a name, too, also in a unit that only declares it, which cannot know whose it is before the start.
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O1 -DDEFINED %s -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O0 -DELSEWHERE -c %s -o %t.o
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O0 %s %t.o -o %t && %t | FileCheck %s
// RUN: %skeincc -fskein-globals=private -fskein-stacks=growable -O2 %s %t.o -o %t && %t | FileCheck %s
// CHECK: main: 4 2 text
// CHECK-NEXT: main: 5 4 other
// CHECK-NEXT: thread: 4 2 text
// RUN: %skeincc -fskein-globals=private -fskein-stress=calls -O2 -DLINKER %s -o %t && %t | FileCheck %s --check-prefix=LINKER
// LINKER: main: 1 1 1
// LINKER-NEXT: main: 1 1 1
// LINKER-NEXT: thread: 1 1 1

#ifdef ELSEWHERE
int end = 3, etext;
const char *edata = "text";
#else
#include <skein/skein.h>
#include <stdint.h>
#include <stdio.h>

#ifdef LINKER
extern char end[], etext[], data_start[], _end[];
static int own = 1;

static void show(const char *who) {
  const uintptr_t last = (uintptr_t)end;
  printf("%s: %d %d %d\n", who, own, last == (uintptr_t)_end,
         (uintptr_t)etext < (uintptr_t)data_start && (uintptr_t)data_start < last);
}
#else
#ifdef DEFINED
int end = 3, etext;
const char *edata = "text";
#else
extern int end, etext;
extern const char *edata;
#endif

static void show(const char *who) {
  end++;
  etext += 2;
  printf("%s: %d %d %s\n", who, end, etext, edata);
  edata = "other";
}
#endif

int main(void) {
  show("main");
  show("main");
  return skein_join(skein_spawn(show, "thread"));
}
#endif
