/* What differs between the nodes of a run, or is missing in the program, is found before a thread is lost, and named:
 * stacks laid out otherwise on one node, no build-id, damaged frame maps. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: not %run -n 2 --timeout 30 sh %S/Inputs/first_differs.sh %t.dir image=any,stacks=reserve,stack=64K \
// RUN:   image=any,stacks=reserve,stack=128K %t > %t.out 2>&1
// RUN: FileCheck --check-prefix=GEOMETRY %s < %t.out

// RUN: llvm-objcopy --remove-section=.note.gnu.build-id %t %t.no-id
// RUN: %run -n 2 --timeout 30 %t.no-id 2>&1 | FileCheck --check-prefix=NO-ID %s
// RUN: %python %S/Inputs/damage_maps.py %t %t.damaged
// RUN: %run -n 2 --timeout 30 %t.damaged 2>&1 | FileCheck --check-prefix=DAMAGED %s

// GEOMETRY: lays out its stacks differently; stacks=reserve needs the same SKEIN_OPTIONS (stack, stack_max)
// NO-ID: the program has no build-id, which tells other nodes that they run the same one: link it with skeincc
// DAMAGED: the program's frame maps cannot be used: the one at offset 0 is {{.*}}; build all of it with one skeincc

#include "check.h"

static void goes(int to) {
  for (int i = 0; i < 2; i++)
    if (skein_push_self(to ^ i))
      printf("%s\n", skein_error_text());
}

int main(void) {
  goes(1);
  skein_join(skein_spawn_with(&(struct skein_attributes){.node = SKEIN_ON(1)}, goes, 0));
  return 0;
}
