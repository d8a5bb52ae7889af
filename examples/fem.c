/* Finite elements over subdomains: how a twisted cube is strained (Hara and Taura, *Half-process*, section 5.3.4).
 * fem_kernel.h has the problem, the decomposition and the solver.
 *
 *       subdomain 0  |  node 0      Each subdomain has a thread, which begins on the subdomain's node and assembles,
 *       subdomain 1  |              factorises and solves there. Whenever the solver needs values of other subdomains,
 *       subdomain 2  |  node 1      each thread writes what it owes to each neighbour to a board in its own node's
 *       subdomain 3  |              shared memory, waits for all at a barrier, and reads the boards of its neighbours.
 *
 * What a thread computes with lies in its private heap and moves along, so a thread may go to another node in
 * any iteration, and finds the boards by their global addresses as before. With `move` all of them do so.
 *
 * There are two boards for each link: one for values of extended nodes, one for those of the ring. The solver asks for
 * both by turns, and everybody has read a board of one kind before anybody passes the barrier of the other kind. So
 * nobody writes to a board that is still being read. The same holds for the sums.
 *
 * The result is the same to the last bit for any number of nodes. With `check` main computes it once more alone. */
#include "fem_kernel.h"

#include <skein/global.h>
#include <time.h>

static const char usage[] =
    "usage: fem [edge [subdomains [overlap [move [check]]]]]\n"
    "  edge        elements on each edge of the cube, from 2 to 400 (16)\n"
    "  subdomains  each is a thread; the nodes get as many each as can be (4)\n"
    "  overlap     layers of elements that a subdomain solves for beyond its own, from 1 on (2)\n"
    "  move        iterations after which each thread goes to the next node; 0: it stays (0)\n"
    "  check       compare with a computation by main alone\n";

/* What a thread leaves behind. */
struct outcome {
  shared double *displacements; /* of the own nodes of its subdomain */
  int own, extended, iterations, converged, moves;
  double residual;
};

struct sums {
  double of[fem_sums_most];
};

/* What all threads have to know. */
struct job {
  struct fem_problem problem;
  int move;
  shared int *domain_of;
  shared double *shared *boards; /* [from * subdomains + to] */
  shared struct sums *sums;      /* of each subdomain */
  shared struct outcome *outcomes;
  skein_global_barrier_t barrier, ready; /* ready: main waits, too */
};

static const double tolerance = 1e-9;

/* Shared memory on a node; there is no going on without. */
static shared void *board_new(int node, size_t bytes) {
  shared void *block = skein_shared_alloc(node, bytes + 1);
  if (!block) {
    fprintf(stderr, "fem: %s\n", skein_error_text());
    exit(1);
  }
  return block;
}

/* Where the boards of a thread's links are. */
struct boards {
  shared double **in, **out;
  double *copy; /* of any of them */
};

static void boards_open(const struct job *job, int self, const struct fem_domain *domain, struct boards *boards) {
  const size_t links = (size_t)domain->links, domains = (size_t)job->problem.domains;
  size_t most = 0;
  boards->in = fem_new(links, sizeof *boards->in);
  boards->out = fem_new(links, sizeof *boards->out);
  for (size_t i = 0; i < links; i++) {
    const struct fem_link *in = &domain->in[i], *out = &domain->out[i];
    most = (size_t)in->count > most ? (size_t)in->count : most;
    most = (size_t)out->count > most ? (size_t)out->count : most;
    boards->out[i] = board_new(skein_node(), (size_t)(out->count + out->ring) * 3 * sizeof(double));
    job->boards[(size_t)self * domains + (size_t)out->domain] = boards->out[i];
  }
  boards->copy = fem_new(3 * most, sizeof *boards->copy);
  skein_global_barrier_wait(job->ready);
  for (size_t i = 0; i < links; i++)
    boards->in[i] = job->boards[(size_t)domain->in[i].domain * domains + (size_t)self];
}

static void boards_close(const struct fem_domain *domain, struct boards *boards) {
  for (int i = 0; i < domain->links; i++)
    skein_shared_free(boards->out[i]);
  free(boards->in);
  free(boards->out);
  free(boards->copy);
}

/* Brings the values of other subdomains. */
static void exchange(const struct job *job, struct fem_domain *domain, enum fem_need need,
                     const struct boards *boards) {
  for (int i = 0; i < domain->links; i++) {
    const struct fem_link *out = &domain->out[i];
    fem_give(domain, out, need, boards->copy);
    memcpy(boards->out[i] + (need == fem_need_ring ? 3 * out->count : 0), boards->copy,
           3 * (size_t)fem_linked(out, need) * sizeof(double));
  }
  skein_global_barrier_wait(job->barrier);
  for (int i = 0; i < domain->links; i++) {
    const struct fem_link *in = &domain->in[i];
    memcpy(boards->copy, boards->in[i] + (need == fem_need_ring ? 3 * in->count : 0),
           3 * (size_t)fem_linked(in, need) * sizeof(double));
    fem_take(domain, in, need, boards->copy);
  }
}

/* Adds up the sums of all subdomains, in the order of these. */
static void add_up(const struct job *job, int self, struct fem_domain *domain) {
  struct sums own;
  memcpy(own.of, domain->sums, sizeof own.of);
  job->sums[self] = own;
  skein_global_barrier_wait(job->barrier);
  memset(domain->total, 0, sizeof domain->total);
  for (int i = 0; i < job->problem.domains; i++) {
    const struct sums some = job->sums[i];
    for (int j = 0; j < fem_sums_most; j++)
      domain->total[j] += some.of[j];
  }
}

static void compute(shared const struct job *given, int self) {
  const struct job job = *given;
  const size_t nodes = (size_t)fem_nodes(&job.problem);
  int *domain_of = fem_new(nodes, sizeof *domain_of);
  memcpy(domain_of, job.domain_of, nodes * sizeof *domain_of);
  struct fem_domain domain;
  struct boards boards;
  struct outcome outcome = {0};
  fem_build(&job.problem, domain_of, self, tolerance, &domain);
  free(domain_of);
  boards_open(&job, self, &domain, &boards);
  for (enum fem_need need; (need = fem_advance(&domain)) != fem_need_nothing;) {
    if (need != fem_need_sums) {
      exchange(&job, &domain, need, &boards);
      continue;
    }
    add_up(&job, self, &domain);
    if (job.move == 0 || (domain.iterations + 1) % job.move)
      continue;
    const int from = skein_node();
    if (skein_push_self((from + 1) % skein_nodes())) {
      fprintf(stderr, "fem: subdomain %d cannot move: %s\n", self, skein_error_text());
      exit(1);
    }
    outcome.moves += skein_node() != from;
  }
  outcome.own = domain.own;
  outcome.extended = domain.extended;
  outcome.iterations = domain.iterations;
  outcome.converged = domain.converged;
  outcome.residual = domain.residual;
  outcome.displacements = board_new(skein_node(), 3 * (size_t)domain.own * sizeof(double));
  memcpy(outcome.displacements, domain.solution, 3 * (size_t)domain.own * sizeof(double));
  job.outcomes[self] = outcome;
  skein_global_barrier_wait(job.barrier); /* nobody reads a board any more */
  boards_close(&domain, &boards);
  fem_free(&domain);
}

/* The link of `domain` to the other one. */
static const struct fem_link *link_to(const struct fem_domain *domain, int other) {
  const struct fem_link *link = domain->out;
  while (link->domain != other)
    link++;
  return link;
}

/* The same by one thread, subdomain by subdomain: the displacements of all nodes. */
static double *sequential(const struct fem_problem *problem, const int *domain_of) {
  const size_t domains = (size_t)problem->domains, values = 3 * (size_t)fem_nodes(problem);
  double *all = fem_new(values, sizeof *all), *some = fem_new(values, sizeof *some);
  struct fem_domain *each = fem_new(domains, sizeof *each);
  for (size_t i = 0; i < domains; i++)
    fem_build(problem, domain_of, (int)i, tolerance, &each[i]);
  for (enum fem_need need = fem_need_extended; need != fem_need_nothing;) {
    for (size_t i = 0; i < domains; i++)
      need = fem_advance(&each[i]);
    double total[fem_sums_most] = {0};
    for (size_t i = 0; i < domains; i++)
      for (int j = 0; j < fem_sums_most; j++)
        total[j] += each[i].sums[j];
    for (size_t i = 0; i < domains; i++)
      if (need == fem_need_sums)
        memcpy(each[i].total, total, sizeof total);
      else
        for (int j = 0; j < each[i].links; j++) {
          const struct fem_link *in = &each[i].in[j];
          fem_give(&each[in->domain], link_to(&each[in->domain], (int)i), need, some);
          fem_take(&each[i], in, need, some);
        }
  }
  for (size_t i = 0; i < domains; i++) {
    fem_collect(problem, domain_of, (int)i, each[i].solution, all);
    fem_free(&each[i]);
  }
  free(each);
  free(some);
  return all;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Argument i as a number. */
static int number(int argc, char **argv, int i, int least, int most, int otherwise) {
  char *end = "";
  const long value = argc > i ? strtol(argv[i], &end, 10) : otherwise;
  if (*end || value < least || value > most) {
    fprintf(stderr, "fem: '%s' is no number from %d to %d\n%s", argv[i], least, most, usage);
    exit(2);
  }
  return (int)value;
}

int main(int argc, char **argv) {
  struct job job = {.problem = {.edge = number(argc, argv, 1, 2, 400, 16),
                                .domains = number(argc, argv, 2, 1, 1000, 4),
                                .overlap = number(argc, argv, 3, 1, 1000, 2)},
                    .move = number(argc, argv, 4, 0, 1000, 0)};
  if (argc > 6 || (argc > 5 && strcmp(argv[5], "check") != 0)) {
    fputs(usage, stderr);
    return 2;
  }
  const struct fem_problem *problem = &job.problem;
  const int nodes = skein_nodes(), inside = fem_nodes(problem);
  const size_t domains = (size_t)problem->domains;
  int *domain_of = fem_new((size_t)inside, sizeof *domain_of);
  if (fem_decompose(problem, domain_of))
    return 1;
  job.domain_of = board_new(0, (size_t)inside * sizeof *domain_of);
  memcpy(job.domain_of, domain_of, (size_t)inside * sizeof *domain_of);
  job.boards = board_new(0, domains * domains * sizeof *job.boards);
  job.sums = board_new(0, domains * sizeof *job.sums);
  job.outcomes = board_new(0, domains * sizeof *job.outcomes);
  job.barrier = skein_global_barrier_create(0, (unsigned)domains);
  job.ready = skein_global_barrier_create(0, (unsigned)domains + 1);
  shared struct job *given = board_new(0, sizeof job);
  *given = job;

  skein_stealing_set(0); /* each thread has its subdomain on its node */
  const double begin = seconds();
  skein_thread_t *threads = fem_new(domains, sizeof *threads);
  for (int i = 0; i < problem->domains; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON((int)((long)i * nodes / problem->domains))};
    threads[i] = skein_spawn_with(&there, compute, given, i);
  }
  skein_global_barrier_wait(job.ready);
  const double built = seconds() - begin;
  for (size_t i = 0; i < domains; i++)
    skein_join(threads[i]);
  const double took = seconds() - begin;

  double *all = fem_new(3 * (size_t)inside, sizeof *all), *own = fem_new(3 * (size_t)inside, sizeof *own);
  int least = inside, most = 0, moves = 0;
  struct outcome outcome = {0};
  for (int i = 0; i < problem->domains; i++) {
    outcome = job.outcomes[i];
    memcpy(own, outcome.displacements, 3 * (size_t)outcome.own * sizeof *own);
    fem_collect(problem, domain_of, i, own, all);
    skein_shared_free(outcome.displacements);
    least = outcome.extended < least ? outcome.extended : least;
    most = outcome.extended > most ? outcome.extended : most;
    moves += outcome.moves;
  }
  double displacement, stress;
  fem_errors(problem, all, &displacement, &stress);
  printf("%d^3 elements, %d unknowns, %d nodes; %d subdomains of %d to %d unknowns with their overlap, %d moves\n",
         problem->edge, 3 * inside, nodes, problem->domains, 3 * least, 3 * most, moves);
  printf("%d iterations, residual %.2e; error of displacements %.3e, of stresses %.3e\n", outcome.iterations,
         outcome.residual, displacement, stress);
  printf("set up in %.3f s, set up and solved in: %.3f s, hash %016llx\n", built, took,
         (unsigned long long)fem_hash(problem, all));
  int status = 0;
  if (!outcome.converged) {
    fprintf(stderr, "fem: the residual did not come down to %.0e\n", tolerance);
    status = 1;
  }
  if (argc > 5) {
    double *expected = sequential(problem, domain_of);
    const int same = memcmp(all, expected, 3 * (size_t)inside * sizeof *all) == 0;
    printf("%s as one thread alone\n", same ? "the same to the last bit" : "NOT the same");
    status |= !same;
    free(expected);
  }
  skein_shared_free(job.domain_of);
  skein_shared_free(job.boards);
  skein_shared_free(job.sums);
  skein_shared_free(job.outcomes);
  skein_shared_free(given);
  skein_global_free(job.barrier);
  skein_global_free(job.ready);
  free(threads);
  free(own);
  free(all);
  free(domain_of);
  return status;
}
