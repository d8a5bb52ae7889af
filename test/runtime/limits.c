// Programs start and spawn under tight limits of address space, and with any size of main's stack that `ulimit -s` may
// set.
// RUN: %skeincc -O1 %s -o %t
// RUN: sh -c "ulimit -v 100000 && %t 0" | FileCheck %s
// RUN: sh -c "ulimit -v 60000 && %t 0" | FileCheck %s
// RUN: sh -c "ulimit -v 4000000 && HOG_MIB=3500 %t 0" | FileCheck %s
// RUN: sh -c "ulimit -s 256 && %t 100000" | FileCheck %s
// RUN: env SKEIN_OPTIONS=stack_max=32M %t 30000000 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stack=16M,workers=1 %t 7000000 | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=reserve %t 7000000 | FileCheck %s
// All of the small arena lies around a multiple of 4 GiB, where stacks are not put as long as there are other places
// (without setarch -R it rarely lies there):
// RUN: env SKEIN_OPTIONS=stack_max=1M sh -c 'setarch -R true && bare="setarch -R"; for kib in 4178000 4186000 4194000; do ulimit -s $kib; $bare sh -c "ulimit -v 60000 && %t 0" || exit 1; done' > %t.out
// RUN: FileCheck %s < %t.out
// UNSUPPORTED: sanitized

// CHECK: main used its stack, 100 threads ran
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

// This takes address space away before the runtime starts.
__attribute__((constructor)) static void hog(void) {
  const char *mib = getenv("HOG_MIB");
  if (mib && mmap(NULL, (size_t)atol(mib) << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    perror("mmap");
}

static int ran;
static void count(void) {
  skein_yield();
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static long use_stack(long bytes) {
  volatile char frame[10000];
  frame[0] = 1;
  return bytes <= 0 ? 0 : use_stack(bytes - (long)sizeof frame) + frame[0];
}

int main(int argc, char **argument) {
  long frames = use_stack(atol(argument[1]));
  skein_thread_t threads[100];
  for (int i = 0; i < 100; i++)
    threads[i] = skein_spawn(count);
  for (int i = 0; i < 100; i++)
    skein_join(threads[i]);
  if (frames == (atol(argument[1]) + 9999) / 10000)
    printf("main used its stack, %d threads ran\n", ran);
  return 0;
}
