/* Code that a program makes at run time is called on a deep stack, also where it begins at the first byte that can be
 * read. */

// RUN: %skeincc -O2 -fskein-stacks=growable %s -o %t && %t | FileCheck %s
// RUN: %skeincc -O0 -fskein-stacks=growable %s -o %t && %t | FileCheck %s
// CHECK: next to nothing: 42, with 9 arguments: 45
// CHECK-NEXT: next to a page: 42, with 9 arguments: 45
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* lea 1(%rdi), %eax; ret */
static const unsigned char next[] = {0x8d, 0x47, 0x01, 0xc3};
/* lea (%rdi,%rsi), %eax; add %edx, %eax; add %ecx, %eax; add %r8d, %eax; add %r9d, %eax; add 8(%rsp), %eax;
 * add 16(%rsp), %eax; add 24(%rsp), %eax; ret */
static const unsigned char sum[] = {0x8d, 0x04, 0x37, 0x01, 0xd0, 0x01, 0xc8, 0x44, 0x01, 0xc0, 0x44, 0x01, 0xc8, 0x03,
                                    0x44, 0x24, 0x08, 0x03, 0x44, 0x24, 0x10, 0x03, 0x44, 0x24, 0x18, 0xc3};

static void *made(const unsigned char *code, size_t bytes, int in_front) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *both = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(both + page, code, bytes);
  mprotect(both, page, in_front);
  mprotect(both + page, page, PROT_READ | PROT_EXEC);
  return both + page;
}

static void calls(const char *where, int in_front) {
  int (*volatile one)(int) = (int (*)(int))made(next, sizeof next, in_front);
  int (*volatile nine)(int, int, int, int, int, int, int, int, int) =
      (int (*)(int, int, int, int, int, int, int, int, int))made(sum, sizeof sum, in_front);
  printf("%s: %d, with 9 arguments: %d\n", where, one(41), nine(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

int main(void) {
  calls("next to nothing", PROT_NONE);
  calls("next to a page", PROT_READ);
}
