/* Pages that are mapped, protected and unmapped for all nodes at once, and copies of memory that is not shared. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: %run -n 3 --timeout 30 %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote %run -n 3 --timeout 30 %t remote 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=CHECK,REMOTE
// RUN: %t 2>&1 | FileCheck %s
// REMOTE-DAG: wrote 4 bytes of shared memory at {{.*}}: the pages are protected (skein_shared_protect)
// REMOTE-DAG: read 4 bytes of shared memory at {{.*}}: no pages are mapped there
// CHECK: no pages: skein_shared_unmap: not all of these pages are mapped
// CHECK: nowhere: skein_peer_read: node {{[0-9]}}, 0x8: not all of it is accessible there
// CHECK: no node: skein_peer_write: there is no node 9
// CHECK: all pages are right

#include "check.h"
#include <skein/halfproc.h>
#include <sys/mman.h>

static void maps(int node, skein_shared uint64_t *where) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  skein_shared int *pages = skein_shared_map(40000); /* ten pages */
  CHECK(pages && skein_shared_node(pages) == node && (uint64_t)pages % 4096 == 0);
  where[node] = (uint64_t)pages;
  for (int i = 0; i < 10000; i++)
    pages[i] += node + i;
}

/* Whether the page can be read and written here, as the kernel sees it. */
static int accessible(skein_shared void *page) {
  FILE *maps = fopen("/proc/self/maps", "r");
  unsigned long from, to;
  char how[5], line[512];
  int result = -1;
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s", &from, &to, how) == 3 && from <= (uint64_t)page && (uint64_t)page < to)
      result = (how[0] == 'r') + 2 * (how[1] == 'w');
  fclose(maps);
  return result;
}

static void looks(int node, skein_shared int *page, int wanted) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  int seen = accessible(page);
  CHECK(seen == wanted || seen == -1 /* not mapped here */);
}

static void on_all(skein_shared int *page, int wanted) {
  for (int node = 0; node < skein_nodes(); node++)
    CHECK(skein_join(skein_spawn(looks, node, page, wanted)) == SKEIN_OK);
}

static void adds(int node, skein_shared int *at, int value) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < 10000; i++)
    at[i] += value;
}

static void breaks(int write, skein_shared int *at, volatile skein_shared int *result) {
  if (write)
    *at = 1;
  else
    *result = *at;
  *result = 1;
}

static char block[10 << 20]; /* each node tells at which address it has this */

static void tells(int node, skein_shared uint64_t *addresses) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  addresses[node] = (uint64_t)block;
  for (size_t i = 0; i < sizeof block; i++)
    block[i] = (char)(i * 7 + (size_t)node);
}

static void copies(int node, skein_shared uint64_t *addresses) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  int peer = (node + 1) % skein_nodes();
  char *copy = malloc(sizeof block);
  CHECK(skein_peer_read(peer, (void *)addresses[peer], sizeof block, copy) == SKEIN_OK);
  for (size_t i = 0; i < sizeof block; i++)
    CHECK(copy[i] == (char)(i * 7 + (size_t)peer));
  for (size_t i = 0; i < sizeof block; i++)
    copy[i] = (char)(i * 3);
  CHECK(skein_peer_write(peer, (void *)addresses[peer], 5000001, copy) == SKEIN_OK);
  memset(copy, 0, sizeof block);
  CHECK(skein_peer_read(peer, (void *)addresses[peer], 5000001, copy) == SKEIN_OK);
  for (size_t i = 0; i < 5000001; i++)
    CHECK(copy[i] == (char)(i * 3));
  free(copy);
}

int main(int argc, char **argv) {
  (void)argv;
  setvbuf(stdout, 0, _IONBF, 0);
  skein_stealing_set(0);
  int nodes = skein_nodes();
  skein_shared uint64_t *where = skein_shared_alloc(0, 8 * sizeof *where);
  for (int node = 0; node < nodes; node++)
    CHECK(skein_join(skein_spawn(maps, node, where)) == SKEIN_OK);
  for (int node = 0; node < nodes; node++) {
    skein_shared int *pages = (skein_shared int *)where[node];
    for (int other = 0; other < nodes; other++)
      CHECK(skein_join(skein_spawn(adds, other, pages, 5)) == SKEIN_OK);
    for (int i = 0; i < 10000; i++)
      CHECK(pages[i] == node + i + 5 * nodes);
    on_all(pages, 3);
    CHECK(skein_shared_protect(pages + 1024, 4096, PROT_READ) == SKEIN_OK);
    on_all(pages, 3);
    on_all(pages + 1024, 1);
    on_all(pages + 2048, 3);
    CHECK(pages[1024] == node + 1024 + 5 * nodes);
    CHECK(skein_shared_protect(pages, 40960, PROT_READ | PROT_WRITE) == SKEIN_OK);
    on_all(pages + 1024, 3);
    CHECK(skein_shared_unmap(pages + 2048, 8192) == SKEIN_OK);
    on_all(pages + 2048, 0);
    on_all(pages + 4096, 3);
    CHECK(skein_shared_unmap(pages + 2048, 4096) == SKEIN_EPOINTER);
  }
  if (argc > 1) {
    skein_shared int *pages = (skein_shared int *)where[1];
    volatile skein_shared int *result = skein_shared_alloc(0, sizeof(int));
    CHECK(skein_shared_protect(pages, 4096, PROT_READ) == SKEIN_OK);
    CHECK(skein_join(skein_spawn(breaks, 1, pages + 7, (skein_shared int *)result)) == SKEIN_OK);
    CHECK(skein_join(skein_spawn(breaks, 0, pages + 2050, (skein_shared int *)result)) == SKEIN_OK);
    CHECK(*result == 0);
  }
  CHECK(skein_shared_unmap((skein_shared int *)where[nodes - 1], 40960) == SKEIN_EPOINTER);
  printf("no pages: %s\n", skein_error_text());

  skein_shared uint64_t *addresses = skein_shared_alloc(0, 8 * sizeof *addresses);
  for (int node = 0; node < nodes; node++)
    CHECK(skein_join(skein_spawn(tells, node, addresses)) == SKEIN_OK);
  for (int node = 0; node < nodes; node++)
    CHECK(skein_join(skein_spawn(copies, node, addresses)) == SKEIN_OK);
  int value;
  CHECK(skein_peer_read(nodes - 1, (void *)8, sizeof value, &value) == SKEIN_EPOINTER);
  printf("nowhere: %s\n", skein_error_text());
  CHECK(skein_peer_write(9, &value, sizeof value, &value) == SKEIN_ENODE);
  printf("no node: %s\n", skein_error_text());
  printf("all pages are right\n");
  return 0;
}
