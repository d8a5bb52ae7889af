/* What the sources of this room share.
 *
 * They are compiled by skeincc and linked into each program as libskein_library.a, of which the linker takes what the
 * program needs. Each function `__skein_c_NAME` stands for the C library's NAME: the pass library-calls redirects calls
 * in code compiled by skeincc, so that shared libraries and foreign code go on with the C library's own. */
#ifndef SKEIN_STDLIB_LIBRARY_H
#define SKEIN_STDLIB_LIBRARY_H

#include <skein/heap.h>
#include <skein/skein.h>

#endif
