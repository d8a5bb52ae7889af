/* A million threads that live at once in one process: each has run a little, called into the C library, and waits.
 *
 * Compiled with -fskein-stacks=growable, each has the memory that it has touched, a page for most of them, and all
 * stacks lie in a handful of mappings. With SKEIN_OPTIONS=stack_max=200K none may go deeper than that, and eight of
 * them share a page of the kernel's page tables, of which each needs one of its own otherwise.
 *
 * Compiled with -fskein-stacks=common (ten_million), each has what it needs to go on, some 300 bytes.
 *
 *     million [threads]        prints what each costs, then lets them all end */
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A line of /proc/self/status, in KiB. */
static long status(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  long value = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0)
      value = strtol(line + strlen(name), NULL, 10);
  if (file)
    fclose(file);
  return value;
}

static long mappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  long lines = 0;
  for (int c; file && (c = getc(file)) != EOF;)
    lines += c == '\n';
  if (file)
    fclose(file);
  return lines;
}

/* Some pages of stack, for one thread in a thousand. */
static long recurse(int depth, long *above) {
  long here = *above + 1;
  if (depth == 0)
    return here;
  skein_yield();
  return recurse(depth - 1, &here) - here + *above + 1;
}

struct meeting {
  skein_sem_t arrived, gate;
};

static void live(struct meeting *meeting, long *lengths, int number) {
  char name[32];
  snprintf(name, sizeof name, "thread %d", number);
  long zero = 0;
  long length = (long)strlen(name) + (number % 1000 == 0 ? recurse(400, &zero) - 401 : 0);
  skein_sem_signal(&meeting->arrived);
  skein_sem_wait(&meeting->gate);
  lengths[number] = length;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1000000;
  struct meeting *meeting = calloc(1, sizeof *meeting);
  long *lengths = malloc((size_t)count * sizeof *lengths);
  skein_thread_t *threads = malloc((size_t)count * sizeof *threads);
  if (!meeting || !threads || !lengths)
    return 1;
  long rss = status("VmRSS:"), tables = status("VmPTE:");
  double start = seconds();
  for (int i = 0; i < count; i++) {
    if (!(threads[i] = skein_spawn(live, meeting, lengths, i))) {
      printf("%s\n", skein_error_text());
      return 1;
    }
    skein_sem_wait(&meeting->arrived);
  }
  double alive = seconds();
  rss = status("VmRSS:") - rss;
  tables = status("VmPTE:") - tables;
  printf("%d threads alive: %.0f bytes of memory and %.0f of page tables each, %ld MiB in all, %ld mappings\n", count,
         (double)rss * 1024 / count, (double)tables * 1024 / count, (status("VmRSS:") + status("VmPTE:")) / 1024,
         mappings());
  for (int i = 0; i < count; i++)
    skein_sem_signal(&meeting->gate);
  for (int i = 0; i < count; i++)
    if (skein_join(threads[i]))
      printf("%s\n", skein_error_text());
  printf("%.2f us to create and run each up to its wait, %.2f us to end and join\n", (alive - start) * 1e6 / count,
         (seconds() - alive) * 1e6 / count);
  int wrong = 0;
  for (int i = 0; i < count; i++)
    wrong += lengths[i] != 7 + snprintf(NULL, 0, "%d", i);
  printf("%s\n", wrong ? "SOMETHING IS WRONG" : "all did what they should");
  return wrong;
}
