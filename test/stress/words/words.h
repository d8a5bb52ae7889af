/* What the programs about words share: calls that no optimiser sees through (hop.h), and numbers that it does not know.
 */
#ifndef WORDS_H
#define WORDS_H

#include "../programs/hop.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static UNUSED volatile uint64_t words_key_in_memory = 0x5bd1e995a7c3f00d;
static UNUSED volatile long words_number_in_memory = 7;

/* The key of everything that hides an address. */
static NOINLINE UNUSED uint64_t key(void) { return words_key_in_memory; }
/* A small number. */
static NOINLINE UNUSED long number(void) { return words_number_in_memory; }

#endif
