/* qsort and qsort_r, compiled to migrate: a comparison may move the thread.
 *
 * The C library's own sort may have the program's elements in a buffer of its own while it calls back, where no frame
 * map looks. Here elements stay in the program's array, whose layout the program's own maps know, until the last
 * comparison is done. What is sorted meanwhile is an array of their numbers:
 *
 *     base     | d | a | c | b |          not touched by any comparison
 *     order    | 1 | 3 | 2 | 0 |          numbers, no addresses: of no interest to a move
 *
 * Then the elements are put in order, cycle by cycle, without a call.
 *
 * It is the merge sort of the GNU C library: stable, and it asks for the same comparisons in the same order, so a
 * program behaves as it does without Skein even if its comparison is inconsistent or counts.
 *
 * Rejected: sorting in place (quicksort, heapsort: not stable, and many programs have come to rely on that). */
#include "library.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int (*compare_two)(const void *, const void *);
typedef int (*compare_three)(const void *, const void *, void *);

struct sorting {
  const char *base;
  size_t size;
  compare_two two; /* or null: */
  compare_three three;
  void *context;
};

enum { few = 256 }; /* elements whose numbers fit into the frame */

static int in_order(const struct sorting *sorting, uint32_t left, uint32_t right) {
  const void *a = sorting->base + left * sorting->size;
  const void *b = sorting->base + right * sorting->size;
  return (sorting->two ? sorting->two(a, b) : sorting->three(a, b, sorting->context)) <= 0;
}

/* Sorts the n numbers at `order`; `merged` has room for as many. */
static void sort_numbers(const struct sorting *sorting, uint32_t *order, uint32_t *merged, size_t n) {
  if (n <= 1)
    return;
  size_t left_count = n / 2, right_count = n - left_count;
  uint32_t *left = order, *right = order + left_count, *to = merged;
  sort_numbers(sorting, left, merged, left_count);
  sort_numbers(sorting, right, merged, right_count);
  while (left_count > 0 && right_count > 0) {
    if (in_order(sorting, *left, *right)) {
      *to++ = *left++;
      --left_count;
    } else {
      *to++ = *right++;
      --right_count;
    }
  }
  memcpy(to, left, left_count * sizeof *to);
  memcpy(order, merged, (n - right_count) * sizeof *order);
}

static void swap(char *a, char *b, size_t bytes) {
  char piece[64];
  while (bytes > 0) {
    size_t part = bytes < sizeof piece ? bytes : sizeof piece;
    memcpy(piece, a, part);
    memcpy(a, b, part);
    memcpy(b, piece, part);
    a += part, b += part, bytes -= part;
  }
}

/* Element order[i] goes to place i. */
static void arrange(char *base, size_t size, uint32_t *order, size_t n) {
  for (size_t start = 0; start < n; ++start)
    for (size_t place = start; order[place] != place;) {
      size_t from = order[place];
      order[place] = (uint32_t)place;
      if (from == start)
        break;
      swap(base + place * size, base + from * size, size);
      place = from;
    }
}

/* False: no memory for so many numbers, and nothing has been compared. */
static int sort(char *base, size_t n, size_t size, compare_two two, compare_three three, void *context) {
  struct sorting sorting = {base, size, two, three, context};
  uint32_t of_few[2 * few];
  uint32_t *numbers = of_few;
  if (n > UINT32_MAX)
    return 0;
  if (n > few && !(numbers = skein_malloc(2 * n * sizeof *numbers)))
    return 0;
  for (size_t i = 0; i < n; ++i)
    numbers[i] = (uint32_t)i;
  sort_numbers(&sorting, numbers, numbers + n, n);
  arrange(base, size, numbers, n);
  if (n > few)
    skein_free(numbers);
  return 1;
}

/* Without memory the library's own sorts in place; the thread is then pinned during comparisons, and says so. */

void __skein_c_qsort(void *base, size_t n, size_t size, compare_two compare) {
  if (!sort(base, n, size, compare, NULL, NULL))
    qsort(base, n, size, compare);
}

void __skein_c_qsort_r(void *base, size_t n, size_t size, compare_three compare, void *context) {
  if (!sort(base, n, size, NULL, compare, context))
    qsort_r(base, n, size, compare, context);
}
