/* Compiled by clang without Skein: the measure. */
#include "kernels.h"

TRIAD(plain_triad, )
CHASE(plain_chase, , struct plain_link)
