// Copies of shared memory of other nodes.
#ifndef SKEIN_DSM_CACHE_H
#define SKEIN_DSM_CACHE_H

#include "thread/thread.h"

#endif
