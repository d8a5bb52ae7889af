// -Wskein-local-address: a thread is given the address of a frame that it may outlive or leave.
// RUN: %plain-skeincc -fsyntax-only -Wno-skein-global -Xclang -verify %s
// RUN: %plain-skeincc -fsyntax-only -Wno-skein -Werror %s
// RUN: not %plain-skeincc -fsyntax-only -Werror=skein-local-address %s 2>&1 | FileCheck %s

// CHECK: error: the new thread gets the address of local variable 'n'{{.*}} [-Werror,-Wskein-local-address]
#include <skein/shared.h>

struct node {
  struct node *next;
  int values[4];
};
void work(void *p);
void number(long n);
void far(skein_shared int *p);
int global[3];

void f(int parameter, int *pointer, struct node node, skein_shared int *shared_pointer, int array_parameter[]) {
  int n = 0, array[8], square[2][2];
  static int fixed;
  skein_spawn(work, &n);                              // expected-warning {{local variable 'n'}}
  skein_spawn(work, (void *)(char *)&n);              // expected-warning {{local variable 'n'}}
  skein_spawn(work, &parameter);                      // expected-warning {{local variable 'parameter'}}
  skein_spawn(work, array);                           // expected-warning {{local variable 'array'}}
  skein_spawn(work, array + 2);                       // expected-warning {{local variable 'array'}}
  skein_spawn(work, 1 + array);                       // expected-warning {{local variable 'array'}}
  skein_spawn(work, &array[n]);                       // expected-warning {{local variable 'array'}}
  skein_spawn(work, square[1]);                       // expected-warning {{local variable 'square'}}
  skein_spawn(work, &*array);                         // expected-warning {{local variable 'array'}}
  skein_spawn(work, &node.next);                      // expected-warning {{local variable 'node'}}
  skein_spawn(work, node.values);                     // expected-warning {{local variable 'node'}}
  skein_spawn(work, &(&node)->values[1]);             // expected-warning {{local variable 'node'}}
  skein_spawn(work, n ? pointer : &n);                // expected-warning {{local variable 'n'}}
  skein_spawn(work, n ? &n : pointer);                // expected-warning {{local variable 'n'}}
  skein_spawn(work, (int[]){1, 2});                   // expected-warning {{a local compound literal}}
  skein_spawn(work, &(struct node){0});               // expected-warning {{a local compound literal}}
  skein_spawn(work, &(&(struct node){0})->values[1]); // expected-warning {{a local compound literal}}

  skein_spawn(work, pointer);
  skein_spawn(work, &pointer[1]);
  skein_spawn(work, array_parameter);
  skein_spawn(work, node.next->values);
  skein_spawn(work, &node.next->next);
  skein_spawn(work, &fixed);
  skein_spawn(work, global);
  skein_spawn(work, "literal");
  skein_spawn(work, NULL);
  skein_spawn(number, array[1]);
  skein_spawn(number, sizeof array);
  skein_spawn(far, shared_pointer + 1);
}
