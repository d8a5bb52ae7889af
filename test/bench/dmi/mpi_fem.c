/* The finite elements of examples/fem.c by MPI: each rank has some of the subdomains, and sends what each neighbour
 * needs by messages of its own. The arithmetic is the same, and so is the result, to the last bit.
 *
 *     mpi_fem [edge [subdomains [overlap]]] */
#include "fem_kernel.h"

#include <mpi.h>

static const double tolerance = 1e-9;

/* The subdomains of this rank, and what they exchange. */
struct local {
  int domains, first, count; /* of all; of this rank */
  int rank, ranks;
  struct fem_domain *each;
  double **in, **out; /* buffers of all links, subdomain after subdomain */
  MPI_Request *requests;
  int *counts, *begins; /* of the sums of each rank */
};

static int rank_of(const struct local *local, int domain) {
  return (int)((long)domain * local->ranks / local->domains);
}

static void exchange(const struct local *local, enum fem_need need) {
  int asked = 0, at = 0;
  for (int i = 0; i < local->count; i++)
    for (int j = 0; j < local->each[i].links; j++, at++) {
      const struct fem_link *in = &local->each[i].in[j];
      MPI_Irecv(local->in[at], 3 * fem_linked(in, need), MPI_DOUBLE, rank_of(local, in->domain),
                in->domain * local->domains + local->first + i, MPI_COMM_WORLD, &local->requests[asked++]);
    }
  at = 0;
  for (int i = 0; i < local->count; i++)
    for (int j = 0; j < local->each[i].links; j++, at++) {
      const struct fem_link *out = &local->each[i].out[j];
      fem_give(&local->each[i], out, need, local->out[at]);
      MPI_Isend(local->out[at], 3 * fem_linked(out, need), MPI_DOUBLE, rank_of(local, out->domain),
                (local->first + i) * local->domains + out->domain, MPI_COMM_WORLD, &local->requests[asked++]);
    }
  MPI_Waitall(asked, local->requests, MPI_STATUSES_IGNORE);
  at = 0;
  for (int i = 0; i < local->count; i++)
    for (int j = 0; j < local->each[i].links; j++, at++)
      fem_take(&local->each[i], &local->each[i].in[j], need, local->in[at]);
}

/* Adds up the sums of all subdomains, in the order of these: no reduction of MPI promises that. */
static void add_up(const struct local *local) {
  double all[local->domains][fem_sums_most], own[local->count + 1][fem_sums_most], total[fem_sums_most] = {0};
  for (int i = 0; i < local->count; i++)
    memcpy(own[i], local->each[i].sums, sizeof own[i]);
  MPI_Allgatherv(own, local->counts[local->rank], MPI_DOUBLE, all, local->counts, local->begins, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  for (int i = 0; i < local->domains; i++)
    for (int j = 0; j < fem_sums_most; j++)
      total[j] += all[i][j];
  for (int i = 0; i < local->count; i++)
    memcpy(local->each[i].total, total, sizeof total);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct fem_problem problem = {.edge = argc > 1 ? atoi(argv[1]) : 16,
                                      .domains = argc > 2 ? atoi(argv[2]) : 4,
                                      .overlap = argc > 3 ? atoi(argv[3]) : 2};
  struct local local = {.domains = problem.domains};
  MPI_Comm_rank(MPI_COMM_WORLD, &local.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &local.ranks);
  const size_t nodes = (size_t)fem_nodes(&problem);
  int *domain_of = fem_new(nodes, sizeof *domain_of);
  if (local.rank == 0 && fem_decompose(&problem, domain_of))
    MPI_Abort(MPI_COMM_WORLD, 1);
  local.counts = fem_new((size_t)local.ranks, sizeof *local.counts);
  local.begins = fem_new((size_t)local.ranks, sizeof *local.begins);
  for (int i = 0; i < problem.domains; i++)
    local.counts[rank_of(&local, i)] += fem_sums_most;
  for (int i = 1; i < local.ranks; i++)
    local.begins[i] = local.begins[i - 1] + local.counts[i - 1];
  local.first = local.begins[local.rank] / fem_sums_most;
  local.count = local.counts[local.rank] / fem_sums_most;
  local.each = fem_new((size_t)local.count, sizeof *local.each);
  if (local.count == 0) {
    fprintf(stderr, "mpi_fem: %d ranks cannot share %d subdomains\n", local.ranks, local.domains);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  MPI_Bcast(domain_of, (int)nodes, MPI_INT, 0, MPI_COMM_WORLD);
  size_t links = 0, link = 0;
  for (int i = 0; i < local.count; i++) {
    fem_build(&problem, domain_of, local.first + i, tolerance, &local.each[i]);
    links += (size_t)local.each[i].links;
  }
  local.in = fem_new(links, sizeof *local.in);
  local.out = fem_new(links, sizeof *local.out);
  local.requests = fem_new(2 * links, sizeof *local.requests);
  for (int i = 0; i < local.count; i++)
    for (int j = 0; j < local.each[i].links; j++, link++) {
      local.in[link] = fem_new(3 * (size_t)local.each[i].in[j].count, sizeof(double));
      local.out[link] = fem_new(3 * (size_t)local.each[i].out[j].count, sizeof(double));
    }
  MPI_Barrier(MPI_COMM_WORLD);
  const double built = MPI_Wtime() - begin;
  for (enum fem_need need = fem_need_extended; need != fem_need_nothing;) {
    for (int i = 0; i < local.count; i++)
      need = fem_advance(&local.each[i]);
    if (need == fem_need_sums)
      add_up(&local);
    else if (need != fem_need_nothing)
      exchange(&local, need);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double took = MPI_Wtime() - begin;

  double *all = fem_new(3 * nodes, sizeof *all), *own = fem_new(3 * nodes, sizeof *own);
  for (int i = 0; i < problem.domains; i++) {
    const int from = rank_of(&local, i), here = i - local.first;
    if (from == local.rank)
      memcpy(own, local.each[here].solution, 3 * (size_t)local.each[here].own * sizeof *own);
    MPI_Bcast(own, (int)(3 * nodes), MPI_DOUBLE, from, MPI_COMM_WORLD);
    fem_collect(&problem, domain_of, i, own, all);
  }
  if (local.rank == 0) {
    double displacement, stress;
    fem_errors(&problem, all, &displacement, &stress);
    printf("%d iterations, residual %.2e; error of displacements %.3e, of stresses %.3e\n", local.each->iterations,
           local.each->residual, displacement, stress);
    printf("set up in %.3f s, set up and solved in: %.3f s, hash %016llx\n", built, took,
           (unsigned long long)fem_hash(&problem, all));
  }
  MPI_Finalize();
  return 0;
}
