/* The model of `makers`, in the hands of its processes. It is compiled as the runtime is, and uses the runtime's own
 * decisions (runtime/balance/decisions.h); the processes, which are threads of Skein, only say when something happens.
 * All times are seconds of the simulation. */
#ifndef SKEIN_BENCH_MAKERS_H
#define SKEIN_BENCH_MAKERS_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sample periods; how long a message is under way; how long threads are, which move. */
#define MAKERS_PERIOD 0.020
#define MAKERS_LATENCY 20e-6
#define MAKERS_MOVE 200e-6

/* `group`: nodes that have a maker of their own; 0: all have one. Returns how many groups there are, 0 without memory.
 */
SKEIN_NOMIGRATE unsigned makers_begin(unsigned nodes, unsigned group);
/* A node's period is over: threads have ended and begun, and a summary goes to its maker. Returns the group. */
SKEIN_NOMIGRATE unsigned makers_node_period(unsigned node, double now);
/* A maker's period is over; it decides as soon as it has handled what came before. */
SKEIN_NOMIGRATE void makers_maker_period(unsigned group, double now);
/* How long the maker waits for its next message, and is busy with it; there is one. */
SKEIN_NOMIGRATE double makers_handling(unsigned group, double now);
/* It has handled it. Requests that it sends are to be begun by the caller: their numbers are written to `requests`, at
 * most MAKERS_REQUESTS, and the groups whose makers get a digest are all others if *digest is set. Returns how many. */
enum { MAKERS_REQUESTS = 8 };
SKEIN_NOMIGRATE unsigned makers_handled(unsigned group, double now, uint64_t *requests, int *digest);
/* The request has come to its node: threads leave. Then they arrive, and the maker is told; returns its group. */
SKEIN_NOMIGRATE void makers_request_comes(uint64_t request);
SKEIN_NOMIGRATE unsigned makers_request_done(uint64_t request, double now);
/* A digest of `from` comes to the maker of `to`. */
SKEIN_NOMIGRATE void makers_digest_comes(unsigned from, unsigned to, double now);
/* The load as it is now is noted for the results; `steady`: what is counted from here on is, too. */
SKEIN_NOMIGRATE void makers_note(double now);
SKEIN_NOMIGRATE void makers_steady(double now);
SKEIN_NOMIGRATE void makers_print(double now);

#ifdef __cplusplus
}
#endif
#endif
