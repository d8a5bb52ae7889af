// Pointers to shared memory and to plain memory never mix by accident, nor by a cast.
// RUN: %skeincc -std=gnu2x -fsyntax-only -Wno-skein-global -Xclang -verify %s
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  shared struct node *next;
  int *plain;
};
typedef shared int *shared_pointer;

void f(shared int *p, int *q, shared char *text, shared struct node *n, shared_pointer *where) {
  q = p;               // expected-error {{changes address space of pointer}}
  p = q;               // expected-error {{changes address space of pointer}}
  q = (int *)p;        // expected-error {{'shared int *' does not become 'int *': one of them leads to shared memory, the other does not; skein_local() gives the plain pointer to a shared object where there is one}}
  p = (shared int *)q; // expected-error {{'int *' does not become 'shared int *'}}
  if (p == q)          // expected-error {{does not become}}
    return;
  q = (int *)(uintptr_t)p;    // expected-error {{'shared int *' does not become 'int *'}}
  p = (shared int *)(long)q;  // expected-error {{'int *' does not become 'shared int *'}}
  int **deep = (int **)where; // expected-error {{'shared_pointer *' does not become 'int **'}}
  q = *(shared int **)&q;     // expected-error {{does not become}} expected-error {{changes address space of pointer}}
  printf("%s\n", text);       // expected-error {{'printf' works on plain memory, but 'shared char *' leads to shared memory}}
  printf("%p %*d %d %p\n", (shared void *)text, 3, 4, 5, (shared void *)p);
  scanf("%d", p);                  // expected-error {{'scanf' works on plain memory}}
  fwrite(text, 1, 3, stdout);      // expected-error {{'fwrite' works on plain memory}}
  puts(text);                      // expected-error {{changes address space of pointer}} expected-note@*:* {{passing argument}}
  char *wrong = strcpy(text, "x"); // expected-error {{changes address space of pointer}}
}

/* And all of this is right. */
void g(shared int *p, int *q, shared char *text, shared struct node *n, shared_pointer *where) {
  shared_pointer *same = where;
  p = *same;
  p = NULL;
  if (!p || p == NULL)
    p = (shared int *)((uintptr_t)text & ~(uintptr_t)7);
  unsigned long number = (unsigned long)p;
  const shared int *c = p;
  p = (shared int *)c;
  text = (shared char *)p;
  shared void *v = p;
  p = v;
  q = skein_local(p);
  memcpy(where, q, 8);
  shared char *end = strchr(strcpy(text, "abc"), 0);
  char copy[8];
  strcpy(copy, end);
  printf("%p %zu\n", v, strlen(text) + strlen(copy));
  n->next = n + 1;
  n->next->next = n;
  n->plain = malloc(4);
  *where = &n->value;
}
