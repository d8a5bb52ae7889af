//
// With image=same, the default, the program lies at one address on all nodes, which differs from run to run, since the
// nodes are forked from one process. So do its libraries and the first mapping of each node. Constructors run on each
// node. If something else starts the program (here a shell), each node is started alone, with randomisation switched
// off for the nodes, but not for what they start. With image=any the program lies wherever the kernel puts it.
//
// RUN: %skeincc -O1 -Wno-skein-global %s -o %t
// RUN: %run -n 3 --timeout 30 %t same > %t.one
// RUN: %run -n 3 --timeout 30 %t same > %t.two
// RUN: not cmp %t.one %t.two
// RUN: %run -n 3 --prefix --timeout 30 %t same > /dev/null
// RUN: %run -n 3 --timeout 30 sh -c '%t same below; true'
// RUN: env SKEIN_OPTIONS=image=any %run -n 3 --timeout 30 %t any
// RUN: env SKEIN_OPTIONS=image=any,image=same %run -n 3 --timeout 30 %t same
// A library that is missing is reported once, and ends the run.
// RUN: echo 'int needed;' | %clang -shared -fPIC -xc - -o %t.so
// RUN: %skeincc -O1 -Wno-skein-global %s -Wl,--undefined=needed %t.so -o %t.needs
// RUN: %run -n 2 --timeout 30 %t.needs same && rm %t.so
// RUN: not %run -n 2 --timeout 30 %t.needs 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING: cannot open shared object file{{.*}}
// MISSING-NOT: {{.}}
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

static int constructed;
__attribute__((constructor)) static void construct(void) { constructed++; }

/* These numbers of pages differ where nodes are started one by one. They come from the kernel: a program that made such
 * numbers of its own addresses could not go where it lies elsewhere. */
struct places {
  unsigned program, library, kernel;
};
static unsigned page_of(unsigned long address) { return (unsigned)(address >> 12); }
static struct places look(void) {
  struct places found = {0, 0, page_of(getauxval(AT_SYSINFO_EHDR))};
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[400];
  while (maps && fgets(line, sizeof line, maps)) {
    const unsigned page = page_of(strtoul(line, NULL, 16));
    if (!found.program && strstr(line, "image-same"))
      found.program = page;
    if (!found.library && strstr(line, "libc.so"))
      found.library = page;
  }
  if (maps)
    fclose(maps);
  return found;
}

static int visit(int node, int below, unsigned program, unsigned library, unsigned kernel) {
  if (skein_node() != node && skein_push_self(node))
    return fprintf(stderr, "%s\n", skein_error_text()), 100;
  const struct places here = look();
  int signal = 0;
  prctl(PR_GET_PDEATHSIG, &signal);
  const int fixed = (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
  if (constructed != 1 || signal != (below ? 0 : 9) || fixed)
    return fprintf(stderr, "node %d: constructed %d, signal %d, fixed %d\n", node, constructed, signal, fixed), 100;
  return here.program == program && here.library == library && here.kernel == kernel;
}

int main(int argc, char **argv) {
  const struct places here = look();
  printf("%#x %#x\n", here.program, here.library);
  const int wanted = argc > 1 && strcmp(argv[1], "same") == 0 ? skein_nodes() : 1;
  const int below = argc > 2; /* a shell, which is the launcher's child */
  int same = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    int one = 0;
    if (skein_join_result(skein_spawn(visit, node, below, here.program, here.library, here.kernel), &one))
      return fprintf(stderr, "%s\n", skein_error_text()), 2;
    same += one;
  }
  if (same != wanted)
    fprintf(stderr, "at the same address on %d nodes, not %d\n", same, wanted);
  return same != wanted;
}
