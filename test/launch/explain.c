/* `skein explain FILE:LINE` and skeincc -fskein-explain: which calls on a line may migrate, why, what is live there. */

// RUN: %skein explain %s:43 | FileCheck %s --check-prefix=FILL
// RUN: %skein explain %s:44 | FileCheck %s --check-prefix=PUSH
// RUN: %skein explain %s:45 | FileCheck %s --check-prefix=STAYS
// RUN: %skein explain %s:46 -- -O0 -DPLAIN | FileCheck %s --check-prefix=INDIRECT
// RUN: %skein explain %s:36 | FileCheck %s --check-prefix=INLINED
// RUN: %plain-skeincc -g -O2 -c %s -o %t.o -fskein-explain=explain.c:43 | FileCheck %s --check-prefix=FILL
// RUN: not %skein explain %s:2 2>&1 | FileCheck %s --check-prefix=NO-CALL
// RUN: not %skein explain %s 2>&1 | FileCheck %s --check-prefix=NO-LINE
// RUN: not %skein explain %s:x 2>&1 | FileCheck %s --check-prefix=NO-LINE
// RUN: not %skein explain /no/such/file.c:1 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not %skein explain %s:43 -O2 2>&1 | FileCheck %s --check-prefix=NO-DASHES
// RUN: not %plain-skeincc -c %s -fskein-explain=explain.c:y -o %t.o 2>&1 | FileCheck %s --check-prefix=NO-NUMBER

// FILL: explain.c:43:3: the call of 'fill' in 'work' may migrate: it has its body elsewhere, so it is not known what it calls
// FILL-DAG: list.head {{ *}}struct node * {{ *}}{{CFA|SP}}{{[-+][0-9]+}} {{ *}}variable in memory, relocated
// FILL-DAG: block {{ *}}struct node * {{ *}}{{CFA|SP}}{{[-+][0-9]+}} {{ *}}home slot, relocated
// FILL: cost: {{[12]}} pointer{{s?}} {{is|are}} stored before it
// PUSH: explain.c:44:13: the call of 'deep' in 'work' may migrate: it calls 'skein_yield' (line 33), which is a function of the runtime
// STAYS: explain.c:45:3: the call of 'free' in 'work' does not migrate: it is a function of the C library
// INDIRECT: explain.c:46:3: the call of a function through a pointer in 'work' may migrate: nothing is known of what it calls
// INLINED: in 'work' (of 'inner', inlined at line {{[0-9]+}}) may migrate

struct node {
  struct node *next;
};
struct list {
  struct node *head;
};
void skein_yield(void), fill(struct list *list), free(void *block), *malloc(unsigned long bytes);
__attribute__((noinline)) static long deep(long *at) {
  skein_yield();
  return *at + 1;
}
static inline void inner(struct list *list) { fill(list); }

long work(void (*call)(void)) {
  struct list list = {0};
  struct node *block = malloc(sizeof *block);
  long number = 0;
  inner(&list);
  fill(&list);
  number += deep(&number);
  free(block);
  call();
  return number + (list.head == block);
}

// NO-CALL: skein explain: the code that the compiler made of {{.*}}explain.c has no call on line 2
// NO-LINE: names no line of a file: FILE:LINE
// NO-FILE: skein explain: cannot read /no/such/file.c: No such file or directory
// NO-DASHES: options of the compiler come after --
// NO-NUMBER: error: '-fskein-explain=explain.c:y' names no line: -fskein-explain=LINE or -fskein-explain=FILE:LINE
