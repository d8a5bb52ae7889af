/* Images that were sealed with the key of a file are unpacked by another run of the same program: another process, with
   other addresses of its stacks and its code. What that run cannot make right is refused, with the reason. */
// DEFINE: %{with} = env SKEIN_OPTIONS=steal=off,pack_key=%t
// DEFINE: %{see} = FileCheck %s --check-prefix
// RUN: %skeincc -O2 -fskein-heap=private %s -o %t
// RUN: head -c 16 /dev/urandom > %t.key && chmod 600 %t.key
// RUN: head -c 16 /dev/urandom > %t.other && chmod 600 %t.other
// RUN: head -c 16 /dev/urandom > %t.open && chmod 644 %t.open
// RUN: head -c 15 /dev/urandom > %t.short && chmod 600 %t.short
//
// RUN: %{with}.key %t pack %t.image | %{see} PACK
// PACK: packed at step 3 of `a-text`
// RUN: %{with}.key %t unpack %t.image | %{see} RIGHT
// RUN: %{with}.key %run -n 3 %t unpack %t.image | %{see} RIGHT
// RUN: %{with}.key,stacks=relocate %run -n 2 %t unpack %t.image | %{see} RIGHT
// RIGHT: unpacked at step 3 of `a-text`: 10 20 30, again 60
// RIGHT-NEXT: unpacked at step 3 of `a-text`: 10 20 30, again 60
// RIGHT-NEXT: twice
// RUN: %{with}.other %t unpack %t.image | %{see} OTHER
// OTHER: skein_unpack: it was sealed with another key than that of the file in SKEIN_OPTIONS=pack_key=
// RUN: %t unpack %t.image | %{see} NONE
// NONE: skein_unpack: it was sealed with the key of a file, and SKEIN_OPTIONS=pack_key= names none
// RUN: %{with}.open %t unpack %t.image | %{see} OPEN
// OPEN: .open (SKEIN_OPTIONS=pack_key=), may be read or written by others than its owner; `head -c 16
// RUN: %{with}.short %t unpack %t.image | %{see} SHORT
// SHORT: does not have the size of a key
// RUN: %{with}.none %t unpack %t.image | %{see} MISSING
// MISSING: No such file or directory
//
// Without a file; with an address of the run's shared memory, or of the process; by another program:
// RUN: %t pack %t.image | %{see} PACK
// RUN: %t unpack %t.image | %{see} RUNS
// RUNS: skein_unpack: it was sealed with the key of another run, which ended with that run; with {{.*}} can unpack it
// RUN: %{with}.key %t shared %t.image | %{see} PACK
// RUN: %{with}.key %t unpack %t.image | %{see} SHARED
// SHARED: skein_unpack: it comes from another run, and holds an address of that run's shared memory
// RUN: %{with}.key %t process %t.image | %{see} PACK
// RUN: %{with}.key %t unpack %t.image | %{see} PROCESS
// PROCESS: skein_unpack: it holds a pointer (0x{{[0-9a-f]+}}) to memory of the process in which it was packed
// RUN: %skeincc -O1 -fskein-heap=private %s -o %t.1
// RUN: %{with}.key %t pack %t.image | %{see} PACK
// RUN: %{with}.key %t.1 unpack %t.image | %{see} PROGRAM
// PROGRAM: skein_unpack: the image comes from another program: build-id
#include <skein/heap.h>
#include <skein/pack.h>
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#pragma clang diagnostic ignored "-Wskein-global" /* no thread leaves its node here */

static const char *path;

static void put(const void *image, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(image, 1, bytes, file) != bytes || fclose(file))
    perror(path);
}

static int sum(const int *from, int count) { return count ? *from + sum(from + 1, count - 1) : 0; }

static void work(int kind) {
  int numbers[3] = {10, 20, 30}, *const last = &numbers[2];
  char *text = strdup("a-text");
  skein_shared int *shared = kind == 1 ? skein_shared_alloc(0, sizeof *shared) : NULL;
  int *process = kind == 2 ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
  int (*function)(const int *, int) = sum;
  for (int step = 1; step <= 4; step++) {
    if (step != 3)
      continue;
    void *image;
    size_t bytes;
    const int side = skein_pack(skein_self(), &image, &bytes);
    if (side == SKEIN_OK) {
      put(image, bytes);
      free(image);
      printf("packed at step %d of `%s`\n", step, text);
    } else if (side == SKEIN_UNPACKED) {
      printf("unpacked at step %d of `%s`: %d %d %d, again %d\n", step, text, last[-2], last[-1], *last,
             function(numbers, 3));
    } else {
      puts(skein_error_text());
    }
  }
  if (shared)
    *shared = 1;
  if (process)
    *process = 1;
}

int main(int count, char **arguments) {
  path = arguments[2];
  const char *what = arguments[1];
  if (strcmp(what, "unpack") != 0)
    return skein_join(skein_spawn(work, !strcmp(what, "shared") ? 1 : !strcmp(what, "process") ? 2 : 0));
  static char image[1 << 20];
  FILE *file = fopen(path, "rb");
  const size_t bytes = file ? fread(image, 1, sizeof image, file) : 0;
  fclose(file);
  skein_thread_t thread, second = 0;
  if (skein_unpack(image, bytes, &thread) != SKEIN_OK) {
    puts(skein_error_text());
    return 0;
  }
  skein_join(thread);
  if (skein_unpack(image, bytes, &second) != SKEIN_OK)
    printf("second: %s\n", skein_error_text());
  else if (skein_join(second) == SKEIN_OK)
    puts("twice");
  return 0;
}
