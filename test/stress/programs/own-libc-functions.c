// The program defines functions with the names of libc's, which are compiled with the rest of it: with private globals
// they use variables that only threads have, and they are migration points. The runtime's calls of memcpy or read must
// not reach them, but libc and libraries do call this malloc.
// flags: -fno-builtin
// refused: foreign, not-compiled
// refused (not globals): heap
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static unsigned long calls[16];
enum { COPY, FILL, MOVE, COMPARE, LENGTH, TAKE, GIVE, READ, WRITE };

static __attribute__((noinline)) void count(int which) { calls[which]++; }

void *memcpy(void *to, const void *from, size_t n) {
  volatile char *t = to;
  const volatile char *f = from;
  count(COPY);
  while (n--)
    *t++ = *f++;
  return to;
}

void *memset(void *to, int byte, size_t n) {
  volatile char *t = to;
  count(FILL);
  while (n--)
    *t++ = (char)byte;
  return to;
}

void *memmove(void *to, const void *from, size_t n) {
  volatile char *t = to;
  const volatile char *f = from;
  count(MOVE);
  if ((uintptr_t)to < (uintptr_t)from)
    for (size_t i = 0; i < n; i++)
      t[i] = f[i];
  else
    while (n--)
      t[n] = f[n];
  return to;
}

int memcmp(const void *a, const void *b, size_t n) {
  const volatile unsigned char *p = a, *q = b;
  count(COMPARE);
  for (size_t i = 0; i < n; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return 0;
}

size_t strlen(const char *text) {
  const volatile char *t = text;
  count(LENGTH);
  size_t n = 0;
  while (t[n])
    n++;
  return n;
}

int strcmp(const char *a, const char *b) {
  const volatile char *p = a, *q = b;
  count(COMPARE);
  while (*p && *p == *q)
    p++, q++;
  return (unsigned char)*p - (unsigned char)*q;
}

char *strchr(const char *text, int wanted) {
  const volatile char *t = text;

  for (; *t != (char)wanted; t++)
    if (!*t)
      return NULL;
  return (char *)t;
}

// A heap of blocks that are never used again, with their sizes in front.
static _Alignas(16) char room[1 << 18];
static size_t taken;

static int in_room(const void *p) { return (const char *)p >= room && (const char *)p < room + sizeof room; }

void *malloc(size_t n) {
  count(TAKE);
  size_t bytes = (n + 31) & ~(size_t)15;
  if (bytes > sizeof room - taken)
    return NULL;
  char *block = room + taken;
  taken += bytes;
  *(size_t *)block = n;
  return block + 16;
}

void free(void *block) {
  if (in_room(block))
    count(GIVE);
}

void *calloc(size_t count_, size_t size) {
  char *block = malloc(count_ * size);
  for (size_t i = 0; block && i < count_ * size; i++)
    ((volatile char *)block)[i] = 0;
  return block;
}

void *realloc(void *block, size_t n) {
  void *larger = malloc(n);
  if (block && larger) {
    size_t before = *(size_t *)((char *)block - 16);
    memcpy(larger, block, before < n ? before : n);
  }
  return larger;
}

// Not the C standard's: names of the program's own, with other meanings.
static char tape[16];
int recv(int place) {
  count(READ);
  return tape[place & 15];
}
void send(int place, int value) {
  count(WRITE);
  tape[place & 15] = (char)value;
}
void *sbrk(int unused) { return &tape[unused]; }
int madvise(void) { return 7; }
int strtol(int n) { return n + 1; }
void fcntl(void) { __builtin_trap(); }
void nanosleep(void) { __builtin_trap(); }
void sigaltstack(void) { __builtin_trap(); }
void getrandom(void) { __builtin_trap(); }

struct node {
  struct node *next;
  int *where;
  char name[24];
};

static __attribute__((noinline)) int sum(struct node *n) {
  int total = 0;
  for (; n; n = n->next) {
    *n->where += (int)strlen(n->name);
    total += *n->where;
  }
  return total;
}

int main(void) {
  struct node nodes[5], *list = NULL;
  int counts[5];
  memset(nodes, 0, sizeof nodes);
  memset(counts, 0, sizeof counts);
  for (int i = 0; i < 5; i++) {
    struct node *n = i & 1 ? calloc(1, sizeof *n) : &nodes[i];
    memcpy(n->name, &"abcdefghijklmnopqrs"[3 * i], (size_t)(20 - 3 * i));
    n->where = &counts[i];
    n->next = list;
    list = n;
  }
  for (int i = 0; i < 20; i++) {
    send(i, i);
    list->where[0] += recv(i) + strtol(i) + madvise();
  }
  char *text = realloc(malloc(4), 64);
  memmove(text, list->name, 8);
  printf("%d %d %s %d\n", sum(list), sum(list), text, strcmp(text, strchr("__mnop", 'm')));
  char *line = NULL;
  size_t capacity = 0;
  printf("%d\n", (int)getline(&line, &capacity, stdin) < 0 && memcmp(text, list->name, 2) == 0);
  free(line);
  free(text);
  printf("%lu %lu %lu %d %d\n", calls[LENGTH], calls[READ], calls[WRITE], calls[TAKE] >= 4, sbrk(3) == &tape[3]);
  return 0;
}
