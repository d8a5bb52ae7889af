// The public headers, and the use of their macros, compile without a warning at the strictest levels.
// RUN: %skeincc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only %s
// RUN: %skeincc -std=c11 -pedantic -Wall -Wextra -Wconversion -Wstrict-prototypes -Werror -fsyntax-only %s
// RUN: %skeincc -std=c23 -pedantic -Wall -Wextra -Werror -fsyntax-only %s
// RUN: %skeincc -std=c++11 -x c++ -pedantic -Wall -Wextra -Werror -fsyntax-only %s
// RUN: %skeincc -std=c++20 -x c++ -pedantic -Wall -Wextra -Werror -fsyntax-only %s
#include <skein/ariadne.h>
#include <skein/gl_sema.h>
#include <skein/global.h>
#include <skein/halfproc.h>
#include <skein/shared.h>
#include <skein/shared_array.h>
#include <skein/shared_cache.h>
#include <skein/shared_copy.h>
#include <skein/shared_follow.h>
#include <skein/skein.h>

static void none(void) {}
static void one(int a) { (void)a; }

SKEIN_NOMIGRATE static int calm(int a) { return a; }

int main(void) {
  skein_shared int *p = (skein_shared int *)skein_shared_alloc(0, sizeof(int));
  skein_thread_t first = skein_spawn(none), second = skein_spawn(one, 3);
  *p = calm(1);
  return skein_join(first) || skein_join(second) || skein_shared_free(p);
}
