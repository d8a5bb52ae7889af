/* Runs a generated program in many threads, which pack themselves somewhere in their work (packs.py):
 *
 *     packs expect COUNT SUMS           each thread runs to its end; their sums go to the file
 *     packs pack COUNT SUMS IMAGES      each thread packs itself at a point of its own, into the file, and ends. One
 * that may not be packed goes on, and its sum is compared packs resume COUNT SUMS IMAGES    another process makes
 * threads of the images; their sums are compared
 *
 * Prints `packed N` or `resumed N`, `refused N: REASON` for each reason, and `wrong N`. The status is 1 if anything was
 * wrong. This file is not compiled as the program is: its variables are the process's, but for one. */
#include "packs.h"

#include <skein/pack.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wskein-global" /* there is one node */

enum { together = 64, reasons_most = 64, never = 1 << 30 };

struct record { /* in the file, followed by the image */
  uint64_t number, bytes;
};

static uint64_t count, *sums;
static FILE *images;
static uint64_t packed;
static _Atomic uint64_t done, wrong;
static struct {
  char text[512];
  uint64_t times;
} reasons[reasons_most];

/* The thread's own; it travels in the image. */
static _Thread_local struct {
  uint64_t number, sum;
  int countdown;
} mine;

uint64_t thread_number(void) { return mine.number; }
void note_sum(const char *format, uint64_t sum, ...) { mine.sum = mine.sum * 31 + sum; }

/* Counts a refusal, by its text without numbers. */
static void refused(const char *text) {
  flockfile(images);
  char plain[512];
  size_t length = 0;
  while (*text && length + 1 < sizeof plain) {
    const int number = *text >= '0' && *text <= '9';
    plain[length++] = number ? '#' : *text++;
    if (number)
      text += strspn(text, "0123456789abcdefx");
  }
  plain[length] = 0;
  int i = 0;
  while (i < reasons_most - 1 && reasons[i].times && strcmp(reasons[i].text, plain) != 0)
    i++;
  memcpy(reasons[i].text, plain, length + 1);
  reasons[i].times++;
  funlockfile(images);
}

static void write_all(const void *from, size_t bytes) {
  if (fwrite(from, 1, bytes, images) != bytes) {
    perror("the images");
    exit(2);
  }
}

void pack_point(void) {
  if (--mine.countdown != 0)
    return;
  void *image;
  size_t bytes;
  const int side = skein_pack(skein_self(), &image, &bytes);
  if (side == SKEIN_UNPACKED)
    return;
  if (side != SKEIN_OK) {
    refused(skein_error_text());
    return;
  }
  const struct record record = {mine.number, bytes};
  flockfile(images); /* both workers pack */
  write_all(&record, sizeof record);
  write_all(image, bytes);
  packed++;
  funlockfile(images);
  free(image);
  skein_exit(0);
}

static void run(uint64_t number, int countdown) {
  mine.number = number;
  mine.countdown = countdown;
  program_main();
  done++;
  if (images && mine.sum != sums[number])
    wrong++;
  if (!images)
    sums[number] = mine.sum;
}

/* Some hundred calls are made by a program; the distances are spread over all orders of magnitude below. */
static int distance(uint64_t number) {
  uint64_t random = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
  random = (random ^ random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  random ^= random >> 27;
  return 1 + (int)((random >> 8) % (UINT64_C(1) << random % 9));
}

static void run_all(int packing) {
  skein_thread_t threads[together];
  for (uint64_t first = 0; first < count; first += together) {
    const uint64_t last = first + together < count ? first + together : count;
    for (uint64_t i = first; i < last; i++)
      threads[i - first] = skein_spawn(run, i, packing ? distance(i) : never);
    for (uint64_t i = first; i < last; i++)
      skein_join(threads[i - first]);
  }
}

static void resume_all(void) {
  skein_thread_t threads[together];
  struct record record;
  size_t room = 0;
  void *image = NULL;
  uint64_t waiting = 0;
  while (fread(&record, sizeof record, 1, images) == 1) {
    if (record.bytes > room && !(image = realloc(image, room = record.bytes)))
      abort();
    if (fread(image, 1, record.bytes, images) != record.bytes)
      abort();
    if (skein_unpack(image, record.bytes, &threads[waiting]) != SKEIN_OK)
      refused(skein_error_text());
    else if (++waiting == together)
      while (waiting)
        skein_join(threads[--waiting]);
  }
  while (waiting)
    skein_join(threads[--waiting]);
  free(image);
}

int main(int arguments, char **argument) {
  if (arguments < 4)
    return 2;
  const char *what = argument[1];
  count = strtoull(argument[2], NULL, 10);
  sums = calloc(count, sizeof *sums);
  FILE *file = fopen(argument[3], strcmp(what, "expect") == 0 ? "wb" : "rb");
  if (strcmp(what, "expect") == 0) {
    run_all(0);
    if (fwrite(sums, sizeof *sums, count, file) != count)
      return 2;
    fclose(file);
    return 0;
  }
  if (fread(sums, sizeof *sums, count, file) != count)
    return 2;
  fclose(file);
  const int resuming = strcmp(what, "resume") == 0;
  images = fopen(argument[4], resuming ? "rb" : "wb");
  if (resuming)
    resume_all();
  else
    run_all(1);
  if (fclose(images) != 0)
    return 2;
  printf("%s %llu\n", resuming ? "resumed" : "packed", (unsigned long long)(resuming ? done : packed));
  for (int i = 0; i < reasons_most && reasons[i].times; i++)
    printf("refused %llu: %s\n", (unsigned long long)reasons[i].times, reasons[i].text);
  printf("wrong %llu\n", (unsigned long long)wrong);
  return wrong != 0;
}
