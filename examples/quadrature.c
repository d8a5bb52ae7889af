/* Adaptive quadrature, the load-balancing example of TR-97-038 (section 8.5), in annotated C.
 *
 * The domain is cut into equal subintervals, one thread each. A subinterval is halved until two trapezoid sums agree,
 * so nobody knows in advance how long a thread will take: the first function has twelve places where it swings
 * infinitely often, the second grows wild towards both ends, the third costs the same everywhere. All threads start on
 * node 0 and wait there at a gate until the last one has. Then they are ready, idle nodes steal them, and a stolen
 * thread brings its stack along:
 *
 *     thread_main      struct task (on the stack), sum  <-----+-+
 *       quadrature       left, right  <---------+   task -----+ |   every frame points into the
 *         quadrature       left, right  <--+    |   result -----+   frames above it
 *           skein_yield     result --------+    |                   <- here it is stolen, or at the gate
 *
 * and every one of these pointers, the pointer to the function that is integrated and the return addresses are right
 * again where it lands, though the stack and the program lie elsewhere there. Threads write their sums into shared
 * memory by plain C; `main` adds them in the order of the subintervals, so the result has the same bits wherever what
 * ran.
 *
 * Rejected: one running total under a lock (the order of additions, so the last bits, would depend on timing); letting
 * `main` compute the wild ends itself (they are the point); no gate (thieves prefer threads that have not started,
 * which are cheaper to move, and hardly a stack would ever have to). */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <skein/bundle.h>
#include <skein/shared.h>
#include <skein/skein.h>

/* What one thread works with; lives on its stack, and all its recursive calls point to it. */
struct task {
  double (*function)(double);
  double tolerance; /* per unit of length */
  int depth_min;    /* guards against two sums that agree by accident */
  int depth_max;
  int depth_yield;
  long yield_every, steps; /* 0: not by steps */
  long intervals;          /* accepted, whether they agreed or not */
  long cut_off;            /* of these, accepted only because depth_max was reached */
  int deepest;
};

/* What a thread reports. */
struct tally {
  long intervals;
  long cut_off;
  int deepest;
  int started_on, ended_on; /* nodes */
};

/* The seed's three functions. ------------------------------------------------------------------------------------ */

static double needles(double x) { return 10 * sin(1 / (0.00001 + 1000 * sin(20 * x))); }

static double wild_ends(double x) { return 123 * sin(1 / x) - 134 * sin(20 / (x - 2)) + 120 * sin(3000 * x * x); }

static double even(double x) { return sin(20000 * x); }

static const struct {
  double (*function)(double);
  const char *text;
  double reference; /* integral over [0, 2], computed by quadrature_reference.py to 20 digits */
} functions[] = {
    {needles, "10 sin(1/(0.00001 + 1000 sin(20 x)))", 0.0044144467743691540695},
    {wild_ends, "123 sin(1/x) - 134 sin(20/(x-2)) + 120 sin(3000 x^2)", 117.19830297457832626},
    {even, "sin(20000 x)", 0.000033870626319355618392},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* The threads. ---------------------------------------------------------------------------------------------------- */

/* f(x), or where f is undefined at x, its value a little way towards `inside`. */
static double approach(double (*f)(double), double x, double inside) {
  double value = f(x);
  for (double step = 0x1p-30; !isfinite(value) && step < 1; step *= 2)
    value = f(x + (inside - x) * step);
  return value;
}

/* Integrate over [a, b], whose end values are fa and fb, into *result. */
static void quadrature(struct task *task, double *result, double a, double fa, double b, double fb, int depth) {
  double middle = (a + b) / 2, width = b - a;
  double fm = approach(task->function, middle, b);
  if (task->yield_every && ++task->steps % task->yield_every == 0)
    skein_yield();
  double one = 0.5 * width * (fa + fb);
  double two = 0.25 * width * (fa + 2 * fm + fb);
  double difference = two - one;

  int agree = depth >= task->depth_min && fabs(difference) < task->tolerance * width;
  if (agree || depth >= task->depth_max) {
    task->intervals++;
    task->cut_off += !agree;
    if (task->deepest < depth)
      task->deepest = depth;
    *result = two + difference / 3; /* Simpson's rule */
    return;
  }
  double left, right;
  quadrature(task, &left, a, fa, middle, fm, depth + 1);
  if (depth < task->depth_yield)
    skein_yield(); /* the left half is done: others may go on, or take this thread */
  quadrature(task, &right, middle, fm, b, fb, depth + 1);
  *result = left + right;
}

/* How all threads of a run are to work; in shared memory, so that a thread needs only its number and this address. */
struct plan {
  double a, b;
  double tolerance;
  int threads;
  int depth_min, depth_max, depth_yield;
  long yield_every;
  int gate; /* so many threads wait until all of them have started */
  skein_semaphore_t open;
};

static void thread_main(double (*function)(double), const skein_shared struct plan *plan, int index,
                        skein_shared double *sums, skein_shared struct tally *tallies) {
  struct task task = {.function = function,
                      .tolerance = plan->tolerance / (plan->b - plan->a),
                      .depth_min = plan->depth_min,
                      .depth_max = plan->depth_max,
                      .depth_yield = plan->depth_yield,
                      .yield_every = plan->yield_every};
  double length = plan->b - plan->a;
  double a = plan->a + length * index / plan->threads;
  double b = plan->a + length * (index + 1) / plan->threads;
  double fa = approach(function, a, b), fb = approach(function, b, a);
  tallies[index].started_on = skein_node();
  if (index < plan->gate)
    skein_semaphore_wait(plan->open);

  double sum;
  quadrature(&task, &sum, a, fa, b, fb, 0);

  sums[index] = sum;
  tallies[index].intervals = task.intervals;
  tallies[index].cut_off = task.cut_off;
  tallies[index].deepest = task.deepest;
  tallies[index].ended_on = skein_node();
}

/* The command line. ----------------------------------------------------------------------------------------------- */

struct options {
  int function; /* 1.. */
  double a, b;
  double tolerance;
  int threads;
  int depth_min, depth_max, depth_yield;
  long yield_every;
  int gate;
  int repeat;
  int check;
  int overhead;
};

static const char usage[] =
    "usage: quadrature [options]        (several nodes: skein run -n N quadrature [options])\n"
    "  -f, --function K      1: 10 sin(1/(0.00001 + 1000 sin(20 x)))\n"
    "                        2: 123 sin(1/x) - 134 sin(20/(x-2)) + 120 sin(3000 x^2)   (default)\n"
    "                        3: sin(20000 x)\n"
    "  -d, --domain A,B      default 0,2\n"
    "  -t, --tolerance T     an interval is good when its two sums differ by less than its share of T; default 1e-7\n"
    "  -n, --threads N       one subinterval each; default 10000\n"
    "      --depth-min D     halve at least D times, so that sums do not agree by accident; default 3\n"
    "      --depth-max D     halve at most D times, and say how often that was not enough; default 18\n"
    "      --depth-yield D   yield after the left half at the first D levels; default 2\n"
    "      --yield-every S   and after every S steps of a thread; default 0: not\n"
    "      --gate G          the first G threads start on node 0 and wait for each other; default 10000\n"
    "      --repeat R        do it R times and print each wall time; default 1\n"
    "      --check           for a domain without a known reference: compute one here, sequentially, with a\n"
    "                        sixteenth of the tolerance (takes some four times as long as all threads together)\n"
    "      --overhead        what it costs that idle nodes ask in vain: as many threads as node 0 has workers, with\n"
    "                        stealing switched off and on, for several --yield-every; median of --repeat pairs\n"
    "      --help            this text\n";

static void reject(const char *what, const char *value) {
  fprintf(stderr, "quadrature: %s: '%s'\n%s", what, value, usage);
  exit(2);
}

static long whole(const char *text, long least, long most, const char *what) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end || errno || value < least || value > most)
    reject(what, text);
  return value;
}

static double real(const char *text, char terminator, const char *what) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end != terminator || !isfinite(value))
    reject(what, text);
  return value;
}

static struct options parse(int argc, char **argv) {
  struct options o = {.function = 2,
                      .a = 0,
                      .b = 2,
                      .tolerance = 1e-7,
                      .threads = 10000,
                      .depth_min = 3,
                      .depth_max = 18,
                      .depth_yield = 2,
                      .gate = 10000,
                      .repeat = 1};
  enum { DEPTH_MIN = 256, DEPTH_MAX, DEPTH_YIELD, YIELD_EVERY, GATE, REPEAT, CHECK, OVERHEAD, HELP };
  static const struct option longs[] = {{"function", 1, 0, 'f'},
                                        {"domain", 1, 0, 'd'},
                                        {"tolerance", 1, 0, 't'},
                                        {"threads", 1, 0, 'n'},
                                        {"depth-min", 1, 0, DEPTH_MIN},
                                        {"depth-max", 1, 0, DEPTH_MAX},
                                        {"depth-yield", 1, 0, DEPTH_YIELD},
                                        {"yield-every", 1, 0, YIELD_EVERY},
                                        {"gate", 1, 0, GATE},
                                        {"repeat", 1, 0, REPEAT},
                                        {"check", 0, 0, CHECK},
                                        {"overhead", 0, 0, OVERHEAD},
                                        {"help", 0, 0, HELP},
                                        {0, 0, 0, 0}};
  for (int c; (c = getopt_long(argc, argv, "f:d:t:n:", longs, NULL)) != -1;)
    switch (c) {
    case 'f':
      o.function = (int)whole(optarg, 1, FUNCTIONS, "no such function");
      break;
    case 'd': {
      const char *comma = optarg;
      while (*comma && *comma != ',')
        comma++;
      o.a = real(optarg, ',', "the domain is two numbers A,B");
      o.b = real(comma + 1, 0, "the domain is two numbers A,B");
      if (o.a >= o.b)
        reject("the domain must have A < B", optarg);
      break;
    }
    case 't':
      o.tolerance = real(optarg, 0, "the tolerance is a number");
      if (o.tolerance <= 0)
        reject("the tolerance must be positive", optarg);
      break;
    case 'n':
      o.threads = (int)whole(optarg, 1, 10000000, "a number of threads from 1 to 10000000, please");
      break;
    case DEPTH_MIN:
      o.depth_min = (int)whole(optarg, 0, 60, "a depth is from 0 to 60");
      break;
    case DEPTH_MAX:
      o.depth_max = (int)whole(optarg, 0, 60, "a depth is from 0 to 60");
      break;
    case DEPTH_YIELD:
      o.depth_yield = (int)whole(optarg, 0, 60, "a depth is from 0 to 60");
      break;
    case YIELD_EVERY:
      o.yield_every = whole(optarg, 0, 1000000000, "a number of steps from 0 to 1000000000, please");
      break;
    case GATE:
      o.gate = (int)whole(optarg, 0, 10000000, "a number of threads from 0 to 10000000, please");
      break;
    case REPEAT:
      o.repeat = (int)whole(optarg, 1, 1000000, "repeat at least once");
      break;
    case CHECK:
      o.check = 1;
      break;
    case OVERHEAD:
      o.overhead = 1;
      break;
    case HELP:
      fputs(usage, stdout);
      exit(0);
    default:
      fputs(usage, stderr);
      exit(2);
    }
  if (optind < argc)
    reject("an argument too many", argv[optind]);
  return o;
}

/* Results. -------------------------------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The integral by the same method, but in one piece, sequentially, and finer. */
static double sequential(const struct options *o) {
  struct task task = {.function = functions[o->function - 1].function,
                      .tolerance = o->tolerance / 16 / (o->b - o->a),
                      .depth_min = o->depth_min + 13, /* some 10,000 pieces at least */
                      .depth_max = o->depth_max + 16};
  double result, fa = approach(task.function, o->a, o->b), fb = approach(task.function, o->b, o->a);
  quadrature(&task, &result, o->a, fa, o->b, fb, 0);
  return result;
}

static void print_result(const struct options *o, double result) {
  printf("  result     %.15g  (%a)\n", result, result);
  double reference;
  if (o->a == 0 && o->b == 2) {
    reference = functions[o->function - 1].reference;
    printf("  reference  %.15g  (quadrature_reference.py, 20 digits)\n", reference);
  } else if (o->check) {
    reference = sequential(o);
    printf("  reference  %.15g  (computed sequentially with a sixteenth of the tolerance)\n", reference);
  } else {
    printf("  reference  none is known for this domain; --check computes one\n");
    return;
  }
  printf("  error      %.2g\n", fabs(result - reference));
}

static void print_work(const struct options *o, const skein_shared struct tally *tallies) {
  long intervals = 0, cut_off = 0, most = 0, mid_run = 0;
  int deepest = 0, ended_elsewhere = 0;
  for (int i = 0; i < o->threads; i++) {
    intervals += tallies[i].intervals;
    cut_off += tallies[i].cut_off;
    if (most < tallies[i].intervals)
      most = tallies[i].intervals;
    if (deepest < tallies[i].deepest)
      deepest = tallies[i].deepest;
    ended_elsewhere += tallies[i].ended_on != 0;
    mid_run += tallies[i].ended_on != tallies[i].started_on;
  }
  printf("  intervals  %ld, at most %ld in a thread, deepest %d halvings", intervals, most, deepest);
  if (cut_off)
    printf("; %ld were not good enough at the bound of %d", cut_off, o->depth_max);
  printf("\n  threads    %d, of which %d ended on another node than 0; %ld changed nodes while they ran\n", o->threads,
         ended_elsewhere, mid_run);
}

/* One line per node. Counters are of the whole run of the program. */
static void print_nodes(void) {
  printf("\n  %4s %8s %8s %8s %10s %12s %12s %18s\n", "node", "ended", "stolen", "sent", "moved to", "bytes",
         "pointers", "image");
  printf("  %4s %8s %8s %8s %10s %12s %12s %18s\n", "", "threads", "by it", "away", "other addr", "received",
         "relocated", "delta");
  uint64_t received = 0, elsewhere = 0, bytes = 0, pointers = 0, refused = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    struct skein_statistics s;
    if (skein_statistics_get(node, &s)) {
      printf("  %4d %s\n", node, skein_error_text());
      continue;
    }
    char delta[24];
    int64_t bytes_apart = (int64_t)s.image_delta;
    snprintf(delta, sizeof delta, "%s%#lx", bytes_apart < 0 ? "-" : "+", bytes_apart < 0 ? -bytes_apart : bytes_apart);
    printf("  %4d %8lu %8lu %8lu %10lu %12lu %12lu %18s\n", node, s.threads_ended, s.threads_stolen, s.threads_sent,
           s.threads_at_other_address, s.bytes_received, s.pointers_relocated, delta);
    received += s.threads_received;
    elsewhere += s.threads_at_other_address;
    bytes += s.bytes_received;
    pointers += s.pointers_relocated;
    refused += s.moves_refused;
  }
  printf("  migrations %lu (%lu of started threads to another stack address), %lu bytes, %lu pointers relocated, %lu "
         "moves "
         "refused\n",
         received, elsewhere, bytes, pointers, refused);
}

static void fail(void) {
  fprintf(stderr, "quadrature: %s\n", skein_error_text());
  exit(1);
}

static skein_shared struct plan *make_plan(const struct options *o) {
  skein_shared struct plan *plan = skein_shared_alloc(0, sizeof *plan);
  if (!plan)
    fail();
  plan->a = o->a;
  plan->b = o->b;
  plan->tolerance = o->tolerance;
  plan->threads = o->threads;
  plan->depth_min = o->depth_min;
  plan->depth_max = o->depth_max;
  plan->depth_yield = o->depth_yield;
  plan->yield_every = o->yield_every;
  plan->gate = o->gate < o->threads ? o->gate : o->threads;
  plan->open = skein_semaphore_create(0);
  if (!plan->open)
    fail();
  return plan;
}

/* Goes to a node and lets it steal when it is idle, or not. */
static void set_stealing(int node, int on) {
  if (skein_push_self(node))
    fail();
  skein_stealing_set(on);
}

static void set_stealing_everywhere(int on) {
  for (int node = 0; node < skein_nodes(); node++)
    if (skein_join(skein_spawn(set_stealing, node, on)))
      fail();
}

static void open_gate(const skein_shared struct plan *plan) {
  for (int i = 0; i < plan->gate; i++)
    if (skein_semaphore_signal(plan->open))
      fail();
  set_stealing_everywhere(1);
}

/* The seed's part b): a thread for each subinterval, then wait for all. */
static double integrate(const struct options *o, skein_shared struct tally *tallies) {
  double (*function)(double) = functions[o->function - 1].function;
  skein_shared struct plan *plan = make_plan(o);
  skein_shared double *sums = skein_shared_alloc(0, sizeof *sums * o->threads);
  skein_shared skein_thread_t *ids = skein_shared_alloc(0, sizeof *ids * o->threads);
  if (!sums || !ids)
    fail();
  if (plan->gate > 0)
    set_stealing_everywhere(0);
  for (int i = 0; i < o->threads; i++) {
    ids[i] = skein_spawn(thread_main, function, plan, i, sums, tallies);
    if (!ids[i])
      fail();
    if (i < plan->gate)
      skein_yield(); /* lets it run up to the gate */
    if (i + 1 == plan->gate)
      open_gate(plan);
  }
  for (int i = 0; i < o->threads; i++)
    if (skein_join(ids[i]))
      fail();
  double result = 0;
  for (int i = 0; i < o->threads; i++)
    result += sums[i];
  skein_semaphore_free(plan->open);
  skein_shared_free(ids);
  skein_shared_free(sums);
  skein_shared_free(plan);
  return result;
}

/* The overhead of stealing where there is nothing to steal (figure 26). -------------------------------------------- */

static double timed(const struct options *o, int stealing, skein_shared struct tally *tallies) {
  set_stealing_everywhere(stealing);
  double start = seconds();
  integrate(o, tallies);
  return seconds() - start;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A thread that yields while nobody else is ready goes on at once: it is never there to be stolen. */
static void measure_overhead(const struct options *given) {
  struct options o = *given;
  o.threads = (int)skein_workers();
  o.gate = o.depth_yield = 0;
  skein_shared struct tally *tallies = skein_shared_alloc(0, sizeof *tallies * o.threads);
  if (!tallies)
    fail();
  printf("%d threads on node 0 of %d, medians of %d pairs\n%12s %12s %12s %12s\n", o.threads, skein_nodes(), o.repeat,
         "yield every", "alone, s", "asked, s", "overhead, %");
  for (o.yield_every = 10; o.yield_every <= 100000; o.yield_every *= 10) {
    double alone[o.repeat], asked[o.repeat], ratio[o.repeat];
    for (int i = 0; i < o.repeat; i++) {
      alone[i] = timed(&o, 0, tallies);
      asked[i] = timed(&o, 1, tallies);
      ratio[i] = asked[i] / alone[i];
    }
    qsort(alone, (size_t)o.repeat, sizeof *alone, by_size);
    qsort(asked, (size_t)o.repeat, sizeof *asked, by_size);
    qsort(ratio, (size_t)o.repeat, sizeof *ratio, by_size);
    printf("%12ld %12.4f %12.4f %12.2f\n", o.yield_every, alone[o.repeat / 2], asked[o.repeat / 2],
           100 * (ratio[o.repeat / 2] - 1));
  }
  skein_shared_free(tallies);
}

int main(int argc, char **argv) {
  struct options o = parse(argc, argv);
  if (o.overhead) {
    measure_overhead(&o);
    return 0;
  }
  skein_shared struct tally *tallies = skein_shared_alloc(0, sizeof *tallies * o.threads);
  if (!tallies)
    fail();
  printf("integral of %s over [%g, %g]\n%d threads on %d node%s, tolerance %g\n", functions[o.function - 1].text, o.a,
         o.b, o.threads, skein_nodes(), skein_nodes() == 1 ? "" : "s", o.tolerance);

  double result = 0;
  for (int round = 0; round < o.repeat; round++) {
    double start = seconds();
    result = integrate(&o, tallies);
    printf("  wall time  %.6f s\n", seconds() - start);
  }
  print_result(&o, result);
  print_work(&o, tallies);
  print_nodes();
  skein_shared_free(tallies);
  return 0;
}
