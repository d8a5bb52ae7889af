// This shows where the words of C types are.
//
// RUN: %plain-skeincc -fsyntax-only -mllvm -skein-print-layouts %s | FileCheck %s

#include <stdint.h>

// CHECK: struct node: 40 bytes, pointers at 0 to 16 by 16, 24 to 32 by 8{{$}}
struct node {
  struct node *next;
  long key;
  void *items[3];
};

// CHECK-NEXT: struct numbers: 24 bytes{{$}}
struct numbers {
  double d;
  char tag[7];
  unsigned bits : 3;
  _Complex float c;
};

// CHECK-NEXT: union all: 8 bytes, pointers at 0{{$}}
union all {
  char *text;
  struct node *node;
  void (*f)(void);
};

// CHECK-NEXT: union some: 16 bytes, ambiguous at 0{{$}}
union some {
  long number;
  char *text;
  double pair[2];
};

// The short member says nothing about the second word.
// CHECK-NEXT: union shorter: 16 bytes, pointers at 8{{$}}
union shorter {
  int kind;
  struct {
    int kind;
    char *text;
  } s;
};

// CHECK-NEXT: union none: 8 bytes{{$}}
union none {
  long l;
  double d;
};

// CHECK-NEXT: struct nested: 56 bytes, pointers at 8, 40 to 48 by 8, ambiguous at 16{{$}}
struct nested {
  int kind;
  union all a;
  union some s;
  struct {
    long before;
    char *p, *q;
  };
};
// CHECK-NEXT: struct buffers: 40 bytes, ambiguous at 0 to 32 by 8{{$}}
struct buffers {
  char name[16];
  uintptr_t word;
  intptr_t other;
  unsigned char raw[8];
};

// CHECK-NEXT: struct packed: 13 bytes, pointers at 1{{$}}
struct __attribute__((packed)) packed {
  char c;
  char *p;
  int i;
};

// CHECK-NEXT: struct flexible: 8 bytes; from 8 on each 24 bytes, pointers at 8{{$}}
struct flexible {
  long count;
  struct entry {
    int i;
    char *p;
    union none n;
  } at[];
};

// CHECK-NEXT: struct entry: 24 bytes, pointers at 8{{$}}

// CHECK-NEXT: struct text: 8 bytes; from 5 on each 8 bytes, ambiguous at 0{{$}}
struct text {
  int length;
  char flags;
  char at[];
};

// CHECK-NEXT: struct outer: 16 bytes, pointers at 0; from 16 on each 24 bytes, pointers at 8{{$}}
struct outer {
  char *p;
  struct flexible f;
};

// CHECK-NEXT: table: 80000 bytes, pointers at 8 to 79992 by 16{{$}}
typedef struct {
  long key;
  char *p;
} table[5000];

// CHECK-NEXT: struct incomplete_pointer: 16 bytes, pointers at 0 to 8 by 8{{$}}
struct incomplete_pointer {
  struct unknown *p;
  char *_Atomic q;
};

// CHECK-NEXT: struct shared: 16 bytes, pointers at 8{{$}}
struct shared {
  __attribute__((address_space(100))) char *global;
  __attribute__((address_space(100))) char **local;
};

// CHECK-NEXT: union disagree: 24 bytes, pointers at 16, ambiguous at 0 to 8 by 8{{$}}
union disagree {
  struct {
    char *a;
    long b;
    char *c;
  } x;
  struct {
    long a;
    char *b;
    char *c;
  } y;
};
