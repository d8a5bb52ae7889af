/* Finite elements: the displacements of a twisted cube under load, by linear elasticity, as in Hara and Taura,
 * *Half-process*, section 5.3.4. Shared by examples/fem.c and by the program for MPI that it is measured beside
 * (test/bench/dmi), so that the two differ only in how the values at the borders of subdomains come to others.
 *
 * The problem. The unit cube is cut into edge^3 hexahedra of 8 nodes and twisted about its vertical axis, the top
 * by 200 degrees against the bottom. The displacements of the surface are given; those of the nodes inside are the
 * unknowns, three for each. The load is the one under which the exact displacements are known sines (a manufactured
 * solution), so the error of the result is known, too: it falls with the square of the elements' size.
 *
 * The subdomains. METIS cuts the nodes inside into subdomains. A domain here has the rows of the matrix of its own
 * nodes and of those within `overlap` elements of them, in the order of Cuthill and McKee reversed.
 *
 *     own       nodes whose values this domain computes; vectors have these alone, in the order of their numbers
 *     ring      the neighbours of own nodes: what a product of the matrix and a vector needs of others
 *     extended  own nodes, the ring, and further layers: what the preconditioner solves for
 *     link      the nodes that one domain needs of another, those of the ring first
 *
 * The solver is BiCGSafe (S. Fujino, M. Fujiwara, M. Yoshida, 2005), preconditioned from the right by the restricted
 * additive Schwarz method (X.-C. Cai, M. Sarkis, 1999): each domain solves for its extended nodes by an incomplete LU
 * factorisation without fill-in, by blocks of 3 x 3, and keeps the values of its own nodes. All inner products of
 * an iteration are taken together (as in ssBiCGSafe), so one sum over all domains is enough.
 *
 * fem_advance computes until a domain needs values of others, and says which. Whoever calls it brings them and calls
 * it again. The sums of the domains are added in the order of the domains, so the result is the same to the last bit
 * wherever each domain is; it does depend on how many there are. */
#ifndef FEM_KERNEL_H
#define FEM_KERNEL_H

#include <math.h>
#include <metis.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { fem_sums_most = 9, fem_iterations_most = 2000 };

struct fem_problem {
  int edge;    /* elements on each edge of the cube */
  int domains; /* subdomains */
  int overlap; /* layers of elements, at least 1 */
};

/* Nodes that a domain needs of another, or gives to it. */
struct fem_link {
  int domain;      /* the other one */
  int count, ring; /* nodes; and how many of them, the first ones, are of the ring */
  int *at;         /* their places among the extended nodes */
};

/* What a domain needs before it can go on. */
enum fem_need {
  fem_need_extended, /* `field`, of all nodes of its links */
  fem_need_ring,     /* `field`, of the nodes of the ring */
  fem_need_sums,     /* `total`: the `sums` of all domains added up */
  fem_need_nothing   /* the end */
};

struct fem_domain {
  int own, extended; /* nodes */
  int *own_at;       /* where own nodes are among the extended ones */
  int *row, *column; /* blocks of row i: [row[i], row[i + 1]), in the order of their columns; rows: extended nodes */
  int *diagonal;     /* the block of row i on the diagonal */
  double *matrix;    /* 9 numbers for each block, row by row */
  double *factors;   /* L below the diagonal, U above it, inverted blocks on it */
  int links;
  struct fem_link *in, *out; /* what is needed, what is given; of the same domains in the same order */
  double *field;             /* of the extended nodes */

  /* Vectors of the own nodes, with the letters of the paper; o is A p. */
  double *load, *solution, *r, *p, *o, *u, *t, *y, *z, *ar, *au;
  double alpha, beta, zeta, eta, rho;
  double sums[fem_sums_most], total[fem_sums_most];
  double tolerance, begin, residual; /* squares: where to stop, where it began; relative: what is left at the end */
  int step, iterations, converged;
};

static const double fem_pi = 3.14159265358979323846, fem_twist = 200, fem_lame = 0.576923076923,
                    fem_shear = 0.384615384615;

/* A block of zeroed memory; there is no going on without. */
static void *fem_new(size_t count, size_t bytes) {
  void *block = calloc(count + 1, bytes);
  if (!block) {
    fprintf(stderr, "fem: no memory for %zu times %zu bytes; take a smaller cube\n", count, bytes);
    exit(1);
  }
  return block;
}

/* --- the problem -------------------------------------------------------------------------------------------------- */

/* Nodes inside the cube. */
static inline int fem_nodes(const struct fem_problem *problem) {
  const int m = problem->edge - 1;
  return m * m * m;
}

/* The number of a node inside, -1 of one on the surface; x, y, z: from 0 to edge. */
static inline int fem_number(const struct fem_problem *problem, int x, int y, int z) {
  const int m = problem->edge - 1;
  return x > 0 && x <= m && y > 0 && y <= m && z > 0 && z <= m ? ((z - 1) * m + y - 1) * m + x - 1 : -1;
}

/* Where a node is, in the twisted cube. */
static inline void fem_place(const struct fem_problem *problem, int x, int y, int z, double place[3]) {
  const double h = 1.0 / problem->edge, turn = fem_twist / 180 * fem_pi * z * h;
  const double across = x * h - 0.5, along = y * h - 0.5;
  place[0] = cos(turn) * across - sin(turn) * along;
  place[1] = sin(turn) * across + cos(turn) * along;
  place[2] = z * h;
}

/* Displacement i of the known solution is sin(wave[i] * place + phase[i]). */
static const double fem_wave[3][3] = {{2.1, 1.3, 0.7}, {-0.9, 1.9, 1.1}, {0.6, -1.2, 2.3}},
                    fem_phase[3] = {0.3, 1.1, 2.0};

static inline double fem_argument(int i, const double place[3]) {
  const double *k = fem_wave[i];
  return k[0] * place[0] + k[1] * place[1] + k[2] * place[2] + fem_phase[i];
}

/* The known solution. */
static inline void fem_known(const double place[3], double displacement[3]) {
  for (int i = 0; i < 3; i++)
    displacement[i] = sin(fem_argument(i, place));
}

/* The force on a unit of volume that keeps the known solution in balance: minus the divergence of its stress. */
static inline void fem_force(const double place[3], double force[3]) {
  double known[3];
  fem_known(place, known);
  for (int i = 0; i < 3; i++) {
    const double *k = fem_wave[i];
    force[i] = fem_shear * known[i] * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    for (int j = 0; j < 3; j++)
      force[i] += (fem_lame + fem_shear) * known[j] * fem_wave[j][i] * fem_wave[j][j];
  }
}

/* The stress (xx, yy, zz, xy, yz, zx) of displacements with this gradient: [i][j] is that of i along j. */
static inline void fem_stress(double gradient[3][3], double stress[6]) {
  const double volume = gradient[0][0] + gradient[1][1] + gradient[2][2];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    stress[i] = fem_lame * volume + 2 * fem_shear * gradient[i][i];
    stress[3 + i] = fem_shear * (gradient[i][j] + gradient[j][i]);
  }
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

/* An element: the numbers and the places of its corners, of which corner c is at (c & 1, c >> 1 & 1, c >> 2). */
struct fem_element {
  int number[8];
  double place[8][3];
};

static inline void fem_element_at(const struct fem_problem *problem, int index, struct fem_element *element) {
  const int edge = problem->edge, x = index % edge, y = index / edge % edge, z = index / edge / edge;
  for (int c = 0; c < 8; c++) {
    const int cx = x + (c & 1), cy = y + (c >> 1 & 1), cz = z + (c >> 2);
    element->number[c] = fem_number(problem, cx, cy, cz);
    fem_place(problem, cx, cy, cz, element->place[c]);
  }
}

/* The shape functions and their gradients at a point of the element, whose coordinates there run from -1 to 1; the
 * place of the point; the volume of the element for each unit of these coordinates. */
static inline double fem_shapes(const struct fem_element *element, const double at[3], double shape[8],
                                double gradient[8][3], double place[3]) {
  double local[8][3], jacobian[3][3] = {{0}}, inverse[3][3];
  memset(place, 0, 3 * sizeof *place);
  for (int c = 0; c < 8; c++) {
    const double sx = c & 1 ? 1 : -1, sy = c & 2 ? 1 : -1, sz = c & 4 ? 1 : -1;
    const double fx = 1 + sx * at[0], fy = 1 + sy * at[1], fz = 1 + sz * at[2];
    shape[c] = fx * fy * fz / 8;
    local[c][0] = sx * fy * fz / 8;
    local[c][1] = fx * sy * fz / 8;
    local[c][2] = fx * fy * sz / 8;
    for (int i = 0; i < 3; i++) {
      place[i] += shape[c] * element->place[c][i];
      for (int j = 0; j < 3; j++)
        jacobian[i][j] += element->place[c][i] * local[c][j];
    }
  }
  double determinant = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = jacobian[i1][j1] * jacobian[i2][j2] - jacobian[i1][j2] * jacobian[i2][j1];
      if (i == 0)
        determinant += jacobian[0][j] * inverse[j][0];
    }
  for (int c = 0; c < 8; c++)
    for (int i = 0; i < 3; i++)
      gradient[c][i] =
          (local[c][0] * inverse[0][i] + local[c][1] * inverse[1][i] + local[c][2] * inverse[2][i]) / determinant;
  return determinant;
}

/* The stiffness between all corners, and the load of each, by Gauss's rule of 2 x 2 x 2 points. */
static inline void fem_stiffness(const struct fem_element *element, double stiffness[8][8][9], double load[8][3]) {
  memset(stiffness, 0, sizeof(double[8][8][9]));
  memset(load, 0, sizeof(double[8][3]));
  for (int point = 0; point < 8; point++) {
    const double off = 0.57735026918962576;
    const double at[3] = {point & 1 ? off : -off, point & 2 ? off : -off, point & 4 ? off : -off};
    double shape[8], gradient[8][3], place[3], force[3];
    const double volume = fem_shapes(element, at, shape, gradient, place);
    fem_force(place, force);
    for (int a = 0; a < 8; a++) {
      const double *ga = gradient[a];
      for (int i = 0; i < 3; i++)
        load[a][i] += volume * shape[a] * force[i];
      for (int b = 0; b < 8; b++) {
        const double *gb = gradient[b], dot = fem_shear * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            stiffness[a][b][3 * i + j] +=
                volume * (fem_lame * ga[i] * gb[j] + fem_shear * ga[j] * gb[i] + (i == j ? dot : 0));
      }
    }
  }
}

/* --- decomposition ------------------------------------------------------------------------------------------------ */

/* The neighbours of a node, and itself, in the order of their numbers; how many. */
static inline int fem_neighbours(const struct fem_problem *problem, int node, int neighbours[27]) {
  const int m = problem->edge - 1, x = node % m + 1, y = node / m % m + 1, z = node / m / m + 1;
  int count = 0;
  for (int i = 0; i < 27; i++) {
    const int number = fem_number(problem, x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1);
    if (number >= 0)
      neighbours[count++] = number;
  }
  return count;
}

/* Tells the domain of each node, by METIS. 0, or -1 with a message. */
static inline int fem_decompose(const struct fem_problem *problem, int *domain_of) {
  const int nodes = fem_nodes(problem);
  idx_t count = nodes, constraints = 1, domains = problem->domains, cut, options[METIS_NOPTIONS];
  idx_t *begin = fem_new((size_t)nodes + 1, sizeof *begin), *other = fem_new((size_t)nodes * 26, sizeof *other);
  idx_t *to = fem_new((size_t)nodes, sizeof *to);
  for (int i = 0; i < nodes; i++) {
    int neighbours[27];
    begin[i + 1] = begin[i];
    for (int n = fem_neighbours(problem, i, neighbours), j = 0; j < n; j++)
      if (neighbours[j] != i)
        other[begin[i + 1]++] = neighbours[j];
  }
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  int status = METIS_OK;
  if (domains > 1)
    status = METIS_PartGraphKway(&count, &constraints, begin, other, NULL, NULL, NULL, &domains, NULL, NULL, options,
                                 &cut, to);
  int *sizes = fem_new((size_t)domains, sizeof *sizes), empty = 0;
  for (int i = 0; i < nodes; i++)
    sizes[domain_of[i] = (int)to[i]]++;
  for (int i = 0; i < domains; i++)
    empty += sizes[i] == 0;
  free(sizes);
  free(to);
  free(other);
  free(begin);
  if (status != METIS_OK || empty)
    fprintf(stderr, "fem: METIS cannot cut %d nodes into %d subdomains (status %d, %d empty); ask for fewer\n", nodes,
            (int)domains, status, empty);
  return status != METIS_OK || empty ? -1 : 0;
}

/* The extended nodes of a domain: its own in the order of their numbers, then layer by layer. layer_of, of all nodes,
 * is -1 for all, and tells the layer of those in the list after it. How many. */
static inline int fem_extend(const struct fem_problem *problem, const int *domain_of, int domain, int *list,
                             int *layer_of) {
  int count = 0;
  for (int i = 0; i < fem_nodes(problem); i++)
    if (domain_of[i] == domain) {
      list[count++] = i;
      layer_of[i] = 0;
    }
  for (int layer = 1, from = 0; layer <= problem->overlap; layer++)
    for (const int end = count; from < end; from++) {
      int neighbours[27];
      for (int n = fem_neighbours(problem, list[from], neighbours), j = 0; j < n; j++)
        if (layer_of[neighbours[j]] < 0) {
          layer_of[neighbours[j]] = layer;
          list[count++] = neighbours[j];
        }
    }
  return count;
}

/* The nodes of `list` that belong to domain `owner`, as a link with their places. */
static inline struct fem_link fem_link_of(const int *list, int count, const int *layer_of, const int *domain_of,
                                          int owner, const int *place_of) {
  struct fem_link link = {.domain = owner, .at = fem_new((size_t)count, sizeof *link.at)};
  for (int i = 0; i < count; i++)
    if (domain_of[list[i]] == owner) {
      link.ring += layer_of[list[i]] == 1;
      link.at[link.count++] = place_of[list[i]];
    }
  return link;
}

/* Fills in the links of a domain. place_of: -1 for nodes that it has not. */
static inline void fem_connect(const struct fem_problem *problem, const int *domain_of, int self, const int *place_of,
                               struct fem_domain *domain) {
  const size_t nodes = (size_t)fem_nodes(problem), domains = (size_t)problem->domains;
  int *list = fem_new(nodes, sizeof *list), *layer_of = fem_new(nodes, sizeof *layer_of);
  int *other = fem_new(nodes, sizeof *other), *other_layer = fem_new(nodes, sizeof *other_layer);
  memset(layer_of, -1, nodes * sizeof *layer_of);
  memset(other_layer, -1, nodes * sizeof *other_layer);
  char *near = fem_new(domains, sizeof *near);
  const int count = fem_extend(problem, domain_of, self, list, layer_of);
  for (int i = 0; i < count; i++)
    near[domain_of[list[i]]] = 1;
  domain->in = fem_new(domains, sizeof *domain->in);
  domain->out = fem_new(domains, sizeof *domain->out);
  for (int d = 0; d < problem->domains; d++)
    if (near[d] && d != self) { /* if one domain needs nodes of another, the other needs nodes of it */
      const int there = fem_extend(problem, domain_of, d, other, other_layer);
      domain->in[domain->links] = fem_link_of(list, count, layer_of, domain_of, d, place_of);
      domain->out[domain->links] = fem_link_of(other, there, other_layer, domain_of, self, place_of);
      domain->out[domain->links++].domain = d;
      for (int i = 0; i < there; i++)
        other_layer[other[i]] = -1;
    }
  free(near);
  free(other_layer);
  free(other);
  free(layer_of);
  free(list);
}

/* --- the order of a domain's nodes -------------------------------------------------------------------------------- */

/* Appends all nodes that can be reached from `begin`, breadth first, those with few neighbours earlier; how many. A
 * mark is on nodes that are not in the domain, or were reached. */
static inline int fem_reach(const struct fem_problem *problem, int begin, const char *degree, char *mark, int *to) {
  int count = 0;
  to[count++] = begin;
  mark[begin] = 1;
  for (int from = 0; from < count; from++) {
    int neighbours[27];
    const int first = count;
    for (int n = fem_neighbours(problem, to[from], neighbours), j = 0; j < n; j++) {
      const int other = neighbours[j];
      if (mark[other])
        continue;
      mark[other] = 1;
      int at = count++;
      for (; at > first && degree[to[at - 1]] > degree[other]; at--)
        to[at] = to[at - 1];
      to[at] = other;
    }
  }
  return count;
}

/* Brings the nodes of the list into the order of Cuthill and McKee, reversed. */
static inline void fem_order(const struct fem_problem *problem, int *list, int count) {
  const size_t nodes = (size_t)fem_nodes(problem);
  char *degree = fem_new(nodes, 1), *mark = fem_new(nodes, 1);
  int *to = fem_new((size_t)count, sizeof *to), done = 0;
  memset(mark, 1, nodes);
  for (int i = 0; i < count; i++)
    mark[list[i]] = 0;
  for (int i = 0; i < count; i++) {
    int neighbours[27];
    for (int n = fem_neighbours(problem, list[i], neighbours), j = 0; j < n; j++)
      degree[list[i]] += !mark[neighbours[j]];
  }
  for (int i = 0; i < count; i++) {
    if (mark[list[i]])
      continue;
    /* The last node that is reached from any is at an end of the domain. */
    int begin = list[i];
    for (int round = 0; round < 2; round++) {
      const int reached = fem_reach(problem, begin, degree, mark, to + done);
      begin = to[done + reached - 1];
      for (int j = 0; j < reached; j++)
        mark[to[done + j]] = 0;
    }
    done += fem_reach(problem, begin, degree, mark, to + done);
  }
  for (int i = 0; i < count; i++)
    list[i] = to[count - 1 - i];
  free(to);
  free(mark);
  free(degree);
}

/* --- blocks of 3 x 3 ---------------------------------------------------------------------------------------------- */

/* to -= a b */
static inline void fem_subtract_product(double *restrict to, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      to[3 * i + j] -= a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static inline void fem_invert(double *block) {
  double inverse[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[3 * j + i] = block[3 * i1 + j1] * block[3 * i2 + j2] - block[3 * i1 + j2] * block[3 * i2 + j1];
    }
  const double determinant = block[0] * inverse[0] + block[1] * inverse[3] + block[2] * inverse[6];
  for (int i = 0; i < 9; i++)
    block[i] = inverse[i] / determinant;
}

/* sum -= the blocks [first, end) times the field. */
static inline void fem_subtract_blocks(const double *restrict blocks, const int *restrict column, int first, int end,
                                       const double *restrict field, double sum[3]) {
  double s0 = sum[0], s1 = sum[1], s2 = sum[2];
  for (int k = first; k < end; k++) {
    const double *a = blocks + 9 * (size_t)k, *v = field + 3 * (size_t)column[k];
    s0 -= a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
    s1 -= a[3] * v[0] + a[4] * v[1] + a[5] * v[2];
    s2 -= a[6] * v[0] + a[7] * v[1] + a[8] * v[2];
  }
  sum[0] = s0;
  sum[1] = s1;
  sum[2] = s2;
}

/* --- a domain ----------------------------------------------------------------------------------------------------- */

/* Factorises the matrix, but for blocks that it has not (fill-in). */
static inline void fem_factor(struct fem_domain *domain) {
  int *at = fem_new((size_t)domain->extended, sizeof *at); /* the block of the row in each column, plus 1 */
  double *factors = domain->factors;
  for (int i = 0; i < domain->extended; i++) {
    const int first = domain->row[i], end = domain->row[i + 1];
    for (int k = first; k < end; k++)
      at[domain->column[k]] = k + 1;
    for (int k = first; k < domain->diagonal[i]; k++) {
      const int above = domain->column[k];
      double lower[9] = {0}, *block = factors + 9 * (size_t)k;
      fem_subtract_product(lower, block, factors + 9 * (size_t)domain->diagonal[above]);
      for (int j = 0; j < 9; j++)
        block[j] = -lower[j];
      for (int j = domain->diagonal[above] + 1; j < domain->row[above + 1]; j++)
        if (at[domain->column[j]])
          fem_subtract_product(factors + 9 * (size_t)(at[domain->column[j]] - 1), block, factors + 9 * (size_t)j);
    }
    fem_invert(factors + 9 * (size_t)domain->diagonal[i]);
    for (int k = first; k < end; k++)
      at[domain->column[k]] = 0;
  }
  free(at);
}

/* The matrix's rows of the extended nodes, and the load of all of them. */
static inline void fem_assemble(const struct fem_problem *problem, const int *place_of, struct fem_domain *domain,
                                double *load) {
  const int elements = problem->edge * problem->edge * problem->edge;
  for (int index = 0; index < elements; index++) {
    struct fem_element element;
    double stiffness[8][8][9], force[8][3];
    fem_element_at(problem, index, &element);
    int here = 0;
    for (int c = 0; c < 8; c++)
      here |= element.number[c] >= 0 && place_of[element.number[c]] >= 0;
    if (!here)
      continue;
    fem_stiffness(&element, stiffness, force);
    for (int a = 0; a < 8; a++) {
      const int row = element.number[a] < 0 ? -1 : place_of[element.number[a]];
      if (row < 0)
        continue;
      for (int i = 0; i < 3; i++)
        load[3 * row + i] += force[a][i];
      for (int b = 0; b < 8; b++)
        if (element.number[b] < 0) { /* on the surface: its displacement is given */
          double known[3];
          fem_known(element.place[b], known);
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
              load[3 * row + i] -= stiffness[a][b][3 * i + j] * known[j];
        } else if (place_of[element.number[b]] >= 0) {
          int k = domain->row[row];
          while (domain->column[k] != place_of[element.number[b]])
            k++;
          for (int i = 0; i < 9; i++)
            domain->matrix[9 * (size_t)k + (size_t)i] += stiffness[a][b][i];
        }
    }
  }
}

/* Makes domain number `self`; it is given back with fem_free. The solver stops when the residual is `tolerance` of the
 * load. */
static inline void fem_build(const struct fem_problem *problem, const int *domain_of, int self, double tolerance,
                             struct fem_domain *domain) {
  const size_t nodes = (size_t)fem_nodes(problem);
  int *list = fem_new(nodes, sizeof *list), *place_of = fem_new(nodes, sizeof *place_of);
  memset(domain, 0, sizeof *domain);
  memset(place_of, -1, nodes * sizeof *place_of);
  const int extended = domain->extended = fem_extend(problem, domain_of, self, list, place_of);
  fem_order(problem, list, extended);
  for (int i = 0; i < extended; i++)
    place_of[list[i]] = i;
  fem_connect(problem, domain_of, self, place_of, domain);
  domain->own_at = fem_new((size_t)extended, sizeof *domain->own_at);
  for (size_t i = 0; i < nodes; i++)
    if (domain_of[i] == self)
      domain->own_at[domain->own++] = place_of[i];

  domain->row = fem_new((size_t)extended + 1, sizeof *domain->row);
  domain->column = fem_new((size_t)extended * 27, sizeof *domain->column);
  domain->diagonal = fem_new((size_t)extended, sizeof *domain->diagonal);
  for (int i = 0; i < extended; i++) {
    int neighbours[27], end = domain->row[i];
    for (int n = fem_neighbours(problem, list[i], neighbours), j = 0; j < n; j++) {
      const int place = place_of[neighbours[j]];
      if (place < 0)
        continue;
      int at = end++;
      for (; at > domain->row[i] && domain->column[at - 1] > place; at--)
        domain->column[at] = domain->column[at - 1];
      domain->column[at] = place;
    }
    domain->row[i + 1] = end;
    for (int k = domain->row[i]; k < end; k++)
      if (domain->column[k] == i)
        domain->diagonal[i] = k;
  }
  const size_t blocks = (size_t)domain->row[extended];
  domain->matrix = fem_new(9 * blocks, sizeof *domain->matrix);
  domain->factors = fem_new(9 * blocks, sizeof *domain->factors);
  domain->field = fem_new(3 * (size_t)extended, sizeof *domain->field);
  fem_assemble(problem, place_of, domain, domain->field);
  memcpy(domain->factors, domain->matrix, 9 * blocks * sizeof *domain->factors);
  fem_factor(domain);

  const size_t own = 3 * (size_t)domain->own;
  double *vectors = fem_new(11 * own, sizeof *vectors);
  double **each[] = {&domain->load, &domain->solution, &domain->r, &domain->p,  &domain->o, &domain->u,
                     &domain->t,    &domain->y,        &domain->z, &domain->ar, &domain->au};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    *each[i] = vectors + i * own;
  for (int i = 0; i < domain->own; i++)
    memcpy(domain->load + 3 * i, domain->field + 3 * domain->own_at[i], 3 * sizeof(double));
  domain->tolerance = tolerance * tolerance;
  free(place_of);
  free(list);
}

static inline void fem_free(struct fem_domain *domain) {
  for (int i = 0; i < domain->links; i++) {
    free(domain->in[i].at);
    free(domain->out[i].at);
  }
  free(domain->in);
  free(domain->out);
  free(domain->load); /* all vectors are one block */
  free(domain->field);
  free(domain->factors);
  free(domain->matrix);
  free(domain->diagonal);
  free(domain->column);
  free(domain->row);
  free(domain->own_at);
}

/* --- what goes from domain to domain ------------------------------------------------------------------------------ */

/* The nodes of a link whose values are needed. */
static inline int fem_linked(const struct fem_link *link, enum fem_need need) {
  return need == fem_need_ring ? link->ring : link->count;
}

static inline void fem_give(const struct fem_domain *domain, const struct fem_link *out, enum fem_need need,
                            double *to) {
  for (int i = 0; i < fem_linked(out, need); i++)
    memcpy(to + 3 * i, domain->field + 3 * out->at[i], 3 * sizeof *to);
}

static inline void fem_take(struct fem_domain *domain, const struct fem_link *in, enum fem_need need,
                            const double *from) {
  for (int i = 0; i < fem_linked(in, need); i++)
    memcpy(domain->field + 3 * in->at[i], from + 3 * i, 3 * sizeof *from);
}

/* --- the solver --------------------------------------------------------------------------------------------------- */

static inline void fem_spread(struct fem_domain *domain, const double *vector) {
  for (int i = 0; i < domain->own; i++)
    memcpy(domain->field + 3 * domain->own_at[i], vector + 3 * i, 3 * sizeof *vector);
}

/* Solves for the field, by the factors. */
static inline void fem_precondition(struct fem_domain *domain) {
  const double *factors = domain->factors;
  const int *column = domain->column;
  double *field = domain->field;
  for (int i = 0; i < domain->extended; i++)
    fem_subtract_blocks(factors, column, domain->row[i], domain->diagonal[i], field, field + 3 * (size_t)i);
  for (int i = domain->extended - 1; i >= 0; i--) {
    double *at = field + 3 * (size_t)i, sum[3] = {at[0], at[1], at[2]};
    fem_subtract_blocks(factors, column, domain->diagonal[i] + 1, domain->row[i + 1], field, sum);
    const double *inverse = factors + 9 * (size_t)domain->diagonal[i];
    for (int j = 0; j < 3; j++)
      at[j] = inverse[3 * j] * sum[0] + inverse[3 * j + 1] * sum[1] + inverse[3 * j + 2] * sum[2];
  }
}

/* The own rows of the matrix times the field. */
static inline void fem_multiply(struct fem_domain *domain, double *to) {
  for (int i = 0; i < domain->own; i++) {
    const int row = domain->own_at[i];
    double sum[3] = {0, 0, 0};
    fem_subtract_blocks(domain->matrix, domain->column, domain->row[row], domain->row[row + 1], domain->field, sum);
    for (int j = 0; j < 3; j++)
      to[3 * i + j] = -sum[j];
  }
}

/* Which sum is the product of which vectors: of the residual, the load (which is the shadow residual), A r (c), t, y.
 */
enum { fem_rr, fem_lr, fem_lc, fem_lt, fem_cc, fem_yy, fem_yr, fem_cr, fem_yc };

static inline void fem_products(struct fem_domain *domain) {
  const double *load = domain->load, *r = domain->r, *c = domain->ar, *t = domain->t, *y = domain->y;
  double *sums = domain->sums;
  memset(sums, 0, sizeof domain->sums);
  for (int i = 0; i < 3 * domain->own; i++) {
    sums[fem_rr] += r[i] * r[i];
    sums[fem_lr] += load[i] * r[i];
    sums[fem_lc] += load[i] * c[i];
    sums[fem_lt] += load[i] * t[i];
    sums[fem_cc] += c[i] * c[i];
    sums[fem_yy] += y[i] * y[i];
    sums[fem_yr] += y[i] * r[i];
    sums[fem_cr] += c[i] * r[i];
    sums[fem_yc] += y[i] * c[i];
  }
}

/* Sets the coefficients of an iteration from the products; whether all are finite. */
static inline int fem_coefficients(struct fem_domain *domain) {
  const double *s = domain->total;
  domain->beta = domain->iterations ? domain->alpha / domain->zeta * (s[fem_lr] / domain->rho) : 0;
  domain->rho = s[fem_lr];
  domain->alpha = s[fem_lr] / (s[fem_lc] + domain->beta * s[fem_lt]);
  if (domain->iterations) {
    const double determinant = s[fem_cc] * s[fem_yy] - s[fem_yc] * s[fem_yc];
    domain->zeta = (s[fem_yy] * s[fem_cr] - s[fem_yc] * s[fem_yr]) / determinant;
    domain->eta = (s[fem_cc] * s[fem_yr] - s[fem_yc] * s[fem_cr]) / determinant;
  } else {
    domain->zeta = s[fem_cr] / s[fem_cc];
    domain->eta = 0;
  }
  return isfinite(domain->alpha) && isfinite(domain->beta) && isfinite(domain->zeta) && isfinite(domain->eta) &&
         domain->zeta != 0;
}

/* p, A p (which is o), and u. */
static inline void fem_direction(struct fem_domain *domain) {
  const double beta = domain->beta, zeta = domain->zeta, eta = domain->eta;
  for (int i = 0; i < 3 * domain->own; i++) {
    domain->p[i] = domain->r[i] + beta * (domain->p[i] - domain->u[i]);
    domain->o[i] = domain->ar[i] + beta * domain->t[i];
    domain->u[i] = zeta * domain->o[i] + eta * (domain->y[i] + beta * domain->u[i]);
  }
}

/* The next solution and residual. */
static inline void fem_update(struct fem_domain *domain) {
  const double alpha = domain->alpha, zeta = domain->zeta, eta = domain->eta;
  for (int i = 0; i < 3 * domain->own; i++) {
    domain->t[i] = domain->o[i] - domain->au[i];
    domain->z[i] = zeta * domain->r[i] + eta * domain->z[i] - alpha * domain->u[i];
    domain->y[i] = zeta * domain->ar[i] + eta * domain->y[i] - alpha * domain->au[i];
    domain->solution[i] += alpha * domain->p[i] + domain->z[i];
    domain->r[i] -= alpha * domain->o[i] + domain->y[i];
  }
}

/* Computes until values of others are needed, and tells which. They are to be brought before the next call. All domains
 * need the same at the same time. */
static inline enum fem_need fem_advance(struct fem_domain *domain) {
  enum { begin, solve_r, multiply_r, direct, solve_u, multiply_u, solve_last, multiply_last, end };
  switch (domain->step) {
  case begin:
    memcpy(domain->r, domain->load, 3 * (size_t)domain->own * sizeof *domain->r);
    fem_spread(domain, domain->r);
    domain->step = solve_r;
    return fem_need_extended;
  case solve_r:
  case solve_u:
    fem_precondition(domain);
    domain->step++;
    return fem_need_ring;
  case multiply_r:
    fem_multiply(domain, domain->ar);
    fem_products(domain);
    domain->step = direct;
    return fem_need_sums;
  case direct:
    if (domain->iterations == 0)
      domain->begin = domain->total[fem_rr];
    domain->converged = domain->total[fem_rr] <= domain->tolerance * domain->begin;
    if (domain->converged || domain->iterations == fem_iterations_most || !fem_coefficients(domain)) {
      fem_spread(domain, domain->solution);
      domain->step = solve_last;
    } else {
      fem_direction(domain);
      fem_spread(domain, domain->u);
      domain->step = solve_u;
    }
    return fem_need_extended;
  case multiply_u:
    fem_multiply(domain, domain->au);
    fem_update(domain);
    domain->iterations++;
    fem_spread(domain, domain->r);
    domain->step = solve_r;
    return fem_need_extended;
  case solve_last: /* the preconditioner is on the right: the displacements are what it makes of the solution */
    fem_precondition(domain);
    for (int i = 0; i < domain->own; i++)
      memcpy(domain->solution + 3 * i, domain->field + 3 * domain->own_at[i], 3 * sizeof(double));
    domain->step = multiply_last;
    return fem_need_ring;
  case multiply_last: /* the residual of the result itself, which rounding may have made another than r */
    fem_multiply(domain, domain->ar);
    memset(domain->sums, 0, sizeof domain->sums);
    for (int i = 0; i < 3 * domain->own; i++) {
      const double left = domain->load[i] - domain->ar[i];
      domain->sums[fem_rr] += left * left;
    }
    domain->step = end;
    return fem_need_sums;
  default:
    domain->residual = sqrt(domain->total[fem_rr] / domain->begin);
    return fem_need_nothing;
  }
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* Puts a domain's displacements where they are among those of all nodes. */
static inline void fem_collect(const struct fem_problem *problem, const int *domain_of, int domain, const double *own,
                               double *all) {
  for (size_t i = 0; i < (size_t)fem_nodes(problem); i++)
    if (domain_of[i] == domain) {
      memcpy(all + 3 * i, own, 3 * sizeof *own);
      own += 3;
    }
}

/* The error of the displacements of all nodes, and of the stress in the middle of each element, relative to those of
 * the known solution (in the Euclidean norm). */
static inline void fem_errors(const struct fem_problem *problem, const double *all, double *displacement,
                              double *stress) {
  double wrong[2] = {0, 0}, right[2] = {0, 0};
  for (int index = 0; index < problem->edge * problem->edge * problem->edge; index++) {
    const double middle[3] = {0, 0, 0};
    double shape[8], shapes[8][3], place[3], gradient[3][3] = {{0}}, known_gradient[3][3], found[6], known[6];
    struct fem_element element;
    fem_element_at(problem, index, &element);
    fem_shapes(&element, middle, shape, shapes, place);
    for (int c = 0; c < 8; c++) {
      double at[3];
      fem_known(element.place[c], at);
      const double *here = element.number[c] < 0 ? at : all + 3 * (size_t)element.number[c];
      for (int i = 0; i < 3; i++) {
        wrong[0] += (here[i] - at[i]) * (here[i] - at[i]);
        right[0] += at[i] * at[i];
        for (int j = 0; j < 3; j++)
          gradient[i][j] += here[i] * shapes[c][j];
      }
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        known_gradient[i][j] = cos(fem_argument(i, place)) * fem_wave[i][j];
    fem_stress(gradient, found);
    fem_stress(known_gradient, known);
    for (int i = 0; i < 6; i++) {
      wrong[1] += (found[i] - known[i]) * (found[i] - known[i]);
      right[1] += known[i] * known[i];
    }
  }
  *displacement = sqrt(wrong[0] / right[0]);
  *stress = sqrt(wrong[1] / right[1]);
}

/* A number for all displacements, to the last bit. */
static inline uint64_t fem_hash(const struct fem_problem *problem, const double *all) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < 3 * (size_t)fem_nodes(problem); i++) {
    union {
      double number;
      uint64_t bits;
    } word = {all[i]};
    hash = (hash ^ word.bits) * UINT64_C(0x100000001b3);
  }
  return hash;
}

#endif
