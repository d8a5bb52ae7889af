/* Successive over-relaxation in red and black, an application of Ariadne's authors (the paper's second section):
 * Laplace's equation on a square, whose edges are given.
 *
 *       strip 0 | . r b r b .      A thread has a strip of rows, in its private heap, so they go where it goes. In a
 *               | . b r b r .      sweep it relaxes its red points, then its black ones; a point has neighbours of the
 *       strip 1 | . r b r b .  <-  other colour only, so the order within a colour does not matter. Its first and last
 *               | . b r b r .      row it leaves in shared memory, where the threads beside it fetch them.
 *
 * A barrier ends each red half, and the reduction that finds the greatest change ends each black one. Edges of red and
 * of black halves lie in different places: a thread may be half a sweep ahead of its neighbour, never a whole one.
 *
 * The given edges are x² - y² + xy, which the five-point formula solves without an error, so the solution is known at
 * each point. main relaxes the whole square once more alone: the same operations on the same numbers, so each bit must
 * be the same, however many strips and nodes there are, and whatever moves. */
#include <math.h>
#include <skein/global.h>
#include <skein/heap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { points_most = 4000, sweeps_most = 100000 };
enum { upper, lower };

static const double enough = 1e-11; /* a sweep that changes no point by more is the last */

struct job {
  int points, strips, wander; /* points of a row that are computed; sweeps between two moves, 0: none */
  double omega;
  skein_global_barrier_t barrier;
  skein_reduction_t change;
  shared double *result; /* points * points */
  shared uint64_t *moves;
  shared double *edges[]; /* of each strip: [colour][upper or lower][points + 2] */
};

static double solution(int points, int row, int column) {
  const double h = 1.0 / (points + 1), x = column * h, y = row * h;
  return x * x - y * y + x * y;
}

/* A row of points + 2 numbers as it is at first: 0 inside, and the ends are given. */
static void begin_row(double *to, int points, int row) {
  const int given = row == 0 || row == points + 1;
  for (int column = 0; column < points + 2; column++)
    to[column] = given || column == 0 || column == points + 1 ? solution(points, row, column) : 0;
}

/* Relaxes the points of a colour in `rows` rows, the first of which is number `first`; rows lie before and behind them.
 * Returns the greatest change. One function for all, so that all round alike. */
__attribute__((noinline)) static double relax(double *row, int points, int first, int rows, int colour, double omega) {
  const int width = points + 2;
  double most = 0;
  for (int i = first; i < first + rows; i++, row += width)
    for (int j = 1 + (i + 1 + colour) % 2; j <= points; j += 2) {
      const double change = 0.25 * (row[j - width] + row[j + width] + row[j - 1] + row[j + 1]) - row[j];
      row[j] += omega * change;
      most = fabs(change) > most ? fabs(change) : most;
    }
  return most;
}

static void *or_stop(void *block) {
  if (!block) {
    fprintf(stderr, "sor: no memory on node %d: %s\n", skein_node(), skein_error_text());
    exit(1);
  }
  return block;
}

static void stop_if(int code) {
  if (code) {
    fprintf(stderr, "sor: %s: %s\n", skein_error_name(code), skein_error_text());
    exit(1);
  }
}

static int first_row(const shared struct job *job, int strip) {
  return 1 + (int)((long)job->points * strip / job->strips);
}

static shared double *edge(const shared struct job *job, int strip, int colour, int side) {
  return job->edges[strip] + (long)(2 * colour + side) * (job->points + 2);
}

/* Fetches the rows before and behind a strip, as their threads have left them after a half of that colour. */
static void fetch(const shared struct job *job, int strip, int colour, double *before, double *behind) {
  const size_t bytes = (size_t)(job->points + 2) * sizeof(double);
  if (strip > 0)
    memcpy(before, edge(job, strip - 1, colour, lower), bytes);
  if (strip + 1 < job->strips)
    memcpy(behind, edge(job, strip + 1, colour, upper), bytes);
}

static int compute(const shared struct job *job, int strip) {
  enum { red, black };
  const int points = job->points, width = points + 2, wander = job->wander;
  const int first = first_row(job, strip), rows = first_row(job, strip + 1) - first;
  const size_t bytes = (size_t)width * sizeof(double);
  const double omega = job->omega;
  double *before = or_stop(skein_malloc((size_t)(rows + 2) * bytes));
  double *strip_rows = before + width, *last = strip_rows + (long)(rows - 1) * width, *behind = last + width;
  for (int i = 0; i < rows + 2; i++)
    begin_row(before + (long)i * width, points, first - 1 + i);
  int sweeps = 0;
  for (double most = 1; most > enough && sweeps < sweeps_most;) {
    most = 0;
    for (int colour = red; colour <= black; colour++) {
      const double change = relax(strip_rows, points, first, rows, colour, omega);
      most = change > most ? change : most;
      memcpy(edge(job, strip, colour, upper), strip_rows, bytes);
      memcpy(edge(job, strip, colour, lower), last, bytes);
      stop_if(colour == red ? skein_global_barrier_wait(job->barrier)
                            : skein_reduce_double(job->change, SKEIN_REDUCE_MAX, &most, 1));
      fetch(job, strip, colour, before, behind);
    }
    sweeps++;
    if (wander && (sweeps + strip) % wander == 0 && skein_nodes() > 1) {
      stop_if(skein_push_self((skein_node() + 1) % skein_nodes()));
      __atomic_fetch_add(job->moves, 1, __ATOMIC_RELAXED);
    }
  }
  for (int i = 0; i < rows; i++)
    memcpy(job->result + (long)(first - 1 + i) * points, strip_rows + (long)i * width + 1,
           (size_t)points * sizeof(double));
  skein_free(before);
  return sweeps;
}

/* The whole square by one thread; returns the sweeps. */
static int sequential(double *square, int points, double omega) {
  const int width = points + 2;
  for (int i = 0; i < width; i++)
    begin_row(square + (long)i * width, points, i);
  int sweeps = 0;
  for (double most = 1; most > enough && sweeps < sweeps_most; sweeps++) {
    const double red = relax(square + width, points, 1, points, 0, omega);
    const double black = relax(square + width, points, 1, points, 1, omega);
    most = red > black ? red : black;
  }
  return sweeps;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char usage[] = "usage: sor [points] [strips] [wander]\n"
                            "  points   that are computed in each row and column (default 100, at most 4000)\n"
                            "  strips   a thread each, spread over the nodes (default two a node, at most one a row)\n"
                            "  wander   each thread goes to the next node after so many sweeps (default 0: never)\n"
                            "On several nodes: skein run -n N sor ...\n";

/* The argument as a number from `least` to `most`, or what it is without one. Ends the program if it is neither. */
static int number(int argc, char **argv, int at, const char *what, int otherwise, int least, int most) {
  if (at >= argc)
    return otherwise;
  char *end;
  const long value = strtol(argv[at], &end, 10);
  if (end != argv[at] && !*end && value >= least && value <= most)
    return (int)value;
  fprintf(stderr, "sor: %s is '%s', which is no number from %d to %d\n%s", what, argv[at], least, most, usage);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
    fputs(usage, stdout);
    return 0;
  }
  const int nodes = skein_nodes();
  const int points = number(argc, argv, 1, "points", 100, 1, points_most);
  const int strips = number(argc, argv, 2, "strips", 2 * nodes < points ? 2 * nodes : points, 1, points);
  const int wander = number(argc, argv, 3, "wander", 0, 0, sweeps_most);
  const double omega = 2 / (1 + sin(3.14159265358979323846 / (points + 1))); /* which converges fastest */

  shared struct job *job = skein_shared_alloc(0, sizeof *job + (size_t)strips * sizeof job->edges[0]);
  shared double *result = skein_shared_alloc(0, (size_t)points * (size_t)points * sizeof *result);
  shared uint64_t *moves = skein_shared_alloc(0, sizeof *moves);
  skein_thread_t *threads = malloc((size_t)strips * sizeof *threads);
  double *square = malloc((size_t)(points + 2) * (size_t)(points + 2) * sizeof *square);
  or_stop(job && result && moves && threads ? square : NULL);
  job->points = points;
  job->strips = strips;
  job->wander = wander;
  job->omega = omega;
  job->result = result;
  job->moves = moves;
  job->barrier = skein_global_barrier_create(0, (unsigned)strips);
  job->change = skein_reduction_create(0, (unsigned)strips);
  or_stop(job->barrier && job->change ? square : NULL);
  for (int i = 0; i < strips; i++) {
    job->edges[i] = skein_shared_alloc((int)((long)i * nodes / strips), 4 * (size_t)(points + 2) * sizeof(double));
    or_stop(job->edges[i] ? square : NULL);
  }
  skein_stealing_set(0); /* each thread has its strip on its node, and wanders by itself */
  const double begin = seconds();
  for (int i = 0; i < strips; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON((int)((long)i * nodes / strips))};
    threads[i] = skein_spawn_with(&there, compute, job, i);
    or_stop(threads[i] ? square : NULL);
  }
  int sweeps = 0;
  for (int i = 0; i < strips; i++)
    stop_if(skein_join_result(threads[i], &sweeps));
  const double took = seconds() - begin;

  const int expected = sequential(square, points, omega);
  long differ = 0;
  double error = 0;
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, by words */
  for (int i = 0; i < points; i++)
    for (int j = 0; j < points; j++) {
      const double here = result[(long)i * points + j];
      differ += memcmp(&here, &square[(long)(i + 1) * (points + 2) + j + 1], sizeof here) != 0;
      error = fmax(error, fabs(here - solution(points, i + 1, j + 1)));
      uint64_t bits;
      memcpy(&bits, &here, sizeof bits);
      hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
  const int right = !differ && sweeps == expected && error < 1e-8;
  printf("%d x %d points, %d strips on %d nodes, %lu moves: %.3f s\n", points, points, strips, nodes,
         (unsigned long)*moves, took);
  printf("%d sweeps, hash %016lx: %ld points differ from the sequential run, %s the solution\n", sweeps,
         (unsigned long)hash, differ, error < 1e-8 ? "and this is" : "and this is NOT");
  printf("the greatest error is %.1e\n", error);
  for (int i = 0; i < strips; i++)
    skein_shared_free(job->edges[i]);
  skein_global_free(job->barrier);
  skein_global_free(job->change);
  skein_shared_free(moves);
  skein_shared_free(result);
  skein_shared_free(job);
  free(threads);
  free(square);
  return !right;
}
