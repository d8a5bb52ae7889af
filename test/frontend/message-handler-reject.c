/* A plain handler of messages may not block or move, and to send a request may do both. A threaded handler may do all
 * that. The same holds in C++. */

// RUN: not %skeincc -c %s -o %t 2>&1 | FileCheck %s
// RUN: not %skein++ -x c++ -c %s -o %t 2>&1 | FileCheck %s
// RUN: %skeincc -DRIGHT -Wall -Wextra -Werror -pedantic -c %s -o %t
// RUN: %skein++ -DRIGHT -Wall -Wextra -Werror -x c++ -c %s -o %t

#include <skein/messages.h>

#ifdef RIGHT
SKEIN_THREADED_HANDLER(forward, message) {
#else
// CHECK: error: 'forward_handle{{.*}}' is SKEIN_NOMIGRATE but may reach a migration point
SKEIN_HANDLER(forward, message) {
#endif
  if (skein_node() > 0)
    skein_send(skein_node() - 1, &forward, message->data, message->bytes);
}

SKEIN_HANDLER_DECLARE(of_another_file);

SKEIN_HANDLER(count, message) {
  long *to = (long *)message->argument;
  *to += 1;
  skein_reply(message, 0, 0);
}

int begin(void) { return skein_send(1, &forward, 0, 0) + skein_send(1, &count, 0, 0) + skein_send(1, &of_another_file, 0, 0); }
