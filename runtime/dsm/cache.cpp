// See cache.h.
#include "dsm/cache.h"
#include "abi/entry_points.h"

unsigned char __skein_shared_caching;

namespace skein {

extern "C" Thread *skein_shared_acquire_call(Thread *self) { return self; }
extern "C" Thread *skein_shared_release_call(Thread *self) { return self; }

} // namespace skein
