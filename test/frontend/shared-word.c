/* `shared` is a qualifier where one can stand, and a word like any other elsewhere: clauses of OpenMP, members,
 * variables, functions, tags. */

// RUN: %skeincc -O1 -Wall -Wextra -Werror -fopenmp -fsyntax-only %s
// RUN: %skeincc -O1 -Wall -Wextra -Werror -fopenmp %s -o %t -fopenmp=libgomp
// RUN: %t | FileCheck %s
// RUN: not %skeincc -fsyntax-only -DWRONG %s 2>&1 | FileCheck %s --check-prefix=WRONG
// CHECK: 100 1 2 3 4 12 qualified 5

#include <skein/shared.h>
#include <stdio.h>

/* As in a library's header that knows nothing of Skein. */
struct options {
  int shared;
  unsigned shared_too : 1;
};
struct shared {
  int value;
};
#define QUALIFIER shared
#define POINTER(type) shared type *
#define MEMBER(of) (of).shared
#define QUALIFIED(how) how int *
#define DOUBLED(what) ((what) * 2)

enum kind { private_kind,
            shared_kind };
static int is_shared(const struct options *o) { return o->shared; }
static int twice(int shared) { return DOUBLED(shared) + (shared - shared); }
static int last(int first, int shared) {
  (void)first;
  return shared;
}

typedef shared int *one;
typedef int shared *two;
typedef const shared int *three;
typedef QUALIFIER int *four;
typedef POINTER(int) five;
typedef struct shared shared *six;
typedef QUALIFIED(shared) seven;
typedef skein_shared int *same;
_Static_assert(__builtin_types_compatible_p(one, same) && __builtin_types_compatible_p(two, same), "");
_Static_assert(__builtin_types_compatible_p(three, const skein_shared int *), "");
_Static_assert(__builtin_types_compatible_p(four, same) && __builtin_types_compatible_p(five, same), "");
_Static_assert(__builtin_types_compatible_p(seven, same), "");
_Static_assert(__builtin_types_compatible_p(six, skein_shared struct shared *), "");
_Static_assert(__builtin_types_compatible_p(__typeof__((shared int *)0), same), "");
_Static_assert(!__builtin_types_compatible_p(one, int *), "");

#ifdef WRONG
// WRONG: error: {{.*}}changes address space of pointer
int *lost(one p) { return p; }
#endif

static int clauses(void) {
  int sum = 0;
  long private_sum = 0;
#pragma omp parallel for default(none) shared(sum) firstprivate(private_sum)
  for (int i = 0; i < 100; i++) {
#pragma omp atomic
    sum += 1 + (int)private_sum;
  }
  return sum;
}

int main(void) {
  struct options o = {.shared = 1, .shared_too = 0};
  struct options *p = &o;
  struct shared tagged = {2};
  int shared = 3;
  shared += p->shared * 0;
  one nothing = 0;
  printf("%d %d %d %d %d %d %s %d\n", clauses(), is_shared(p), tagged.value, shared, MEMBER(o) + shared, last(0, 2 * twice(shared)),
         nothing ? "" : "qualified", last(1, 5));
  return 0;
}
