/* The loops compiled by clang without Skein, for comparison. */
#include "kernels.h"

TRIAD(plain_triad, )
CHASE(plain_chase, , struct plain_link)
