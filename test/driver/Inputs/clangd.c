#include <skein/par.h>
#include <skein/shared.h>

static void count(shared long *to, long n) { __atomic_fetch_add(to, n, __ATOMIC_RELAXED); }

int main(void) {
  shared long *sum = skein_shared_alloc(0, sizeof *sum);
  SKEIN_PAR(all)
  for (long i = 0; i < 10; i++)
    skein_par_spawn(all, count, sum, i);
  return (int)*sum - 45;
}
