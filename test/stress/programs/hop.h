/* What every stress program shares: calls that no optimiser sees through, each a migration point.
 *
 * `hop()` does nothing, `hop_pointer(p)` and `hop_long(n)` return their argument; all go through volatile function
 * pointers, so the compiler can neither inline them nor prove that they do not migrate. A program crosses a hop while
 * it holds the value under test, then uses that value and prints what came out. */
#ifndef HOP_H
#define HOP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))

static NOINLINE UNUSED void hop_nothing(void) {}
static NOINLINE UNUSED void *hop_same_pointer(void *p) { return p; }
static NOINLINE UNUSED long hop_same_long(long n) { return n; }

static UNUSED void (*volatile hop)(void) = hop_nothing;
static UNUSED void *(*volatile hop_pointer)(void *) = hop_same_pointer;
static UNUSED long (*volatile hop_long)(long) = hop_same_long;

#endif
