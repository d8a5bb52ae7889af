/* Balancing policies decide which node sends threads where, or asks which node for some, and on what knowledge.
 * (TR-97-038, chapter 7; docs/sources.md.)
 *
 * One policy is in force in a run: SKEIN_OPTIONS=policy=NAME names one of these, or one of the program's own. `skein
 * top` can put another one in its place while the run goes on. No policy gets what another one was told or has asked
 * for.
 *
 *     name              class  initiative  decides on                            moves threads
 *     random            LDGM   receiver    having nothing to do                  from any node (the default)
 *     neighbour         LDLM   receiver    having nothing to do                  from a neighbour
 *     local_random      LDLM   sender      its own load                          to a random neighbour
 *     global_random     LDGM   sender      its own load                          to any node, at random
 *     gradient          GDLM   sender      the load states of all                to the neighbour next to an idle one
 *     bidding           GDGM   receiver    bids of nodes with little to do       to the best bidder not too far away
 *     follow            LDGM   sender      where a thread's accesses go          to the data (shared memory)
 *     testbed           GDGM   sender      loads and messages of all             as one node, the decision maker, says
 *     affinity          GDGM   sender      loads, and who talks to whom          as the decision maker says, together
 *     none                                                                       nothing by itself
 *
 * Class: the *d*ecision on *l*ocal or *g*lobal knowledge; the *m*igration among neighbours (local) or all (global). The
 * nodes form a ring; neighbours are those with the number before and after.
 *
 * A policy is a struct of functions of the program:
 *
 *     static uint64_t tick(uint64_t now) {                       // every millisecond: too many here? one to the right
 *       if (skein_policy_ready() > 4)
 *         skein_policy_push((skein_node() + 1) % skein_nodes(), 1);
 *       return 1000000;
 *     }
 *     SKEIN_POLICY(to_the_right, .tick = tick);                  // SKEIN_OPTIONS=policy=to_the_right
 *
 * Its functions run one at a time on each node, where messages are handled (a plain handler's rules hold:
 * <skein/messages.h>): on no Skein thread, also while all workers compute; they may not block. Declare them
 * SKEIN_NOMIGRATE and the compiler checks it. Any of them may be left out. They are called only while balancing is
 * switched on (skein_stealing_set, SKEIN_OPTIONS=steal=). */
#ifndef SKEIN_POLICY_H
#define SKEIN_POLICY_H

#include <skein/skein.h>

#ifdef __cplusplus
extern "C" {
#endif

struct skein_policy {
  const char *name;
  const char *what SKEIN_UNLESS_GIVEN; /* its class, for reports: "LDLM, sender" */

  /* It is put in force: before the first thread runs; or in the place of another one, while the run goes on (`skein
   * top`), perhaps for the second time: then it begins anew. */
  void (*start)(void) SKEIN_UNLESS_GIVEN;
  void (*stop)(void) SKEIN_UNLESS_GIVEN;                /* another one is about to be */
  void (*idle)(void) SKEIN_UNLESS_GIVEN;                /* a worker has nothing to do; called each time it notices */
  uint64_t (*tick)(uint64_t now_ns) SKEIN_UNLESS_GIVEN; /* returns in how many ns to call it again; UINT64_MAX: never */
  /* The answer to skein_policy_steal: so many threads came (0: none, or the node is dead). */
  void (*answered)(int node, unsigned threads) SKEIN_UNLESS_GIVEN;
  /* That node has asked this one for threads, and got none. */
  void (*denied)(int node) SKEIN_UNLESS_GIVEN;
  /* What skein_policy_tell has sent: the bytes as they came, to be checked. */
  void (*told)(int from, const void *data, size_t bytes) SKEIN_UNLESS_GIVEN;
} __attribute__((aligned(64)));

/* Defines and registers a policy: SKEIN_POLICY(name, .tick = function, ...). */
#define SKEIN_POLICY(policy, ...)                                                                                      \
  static const struct skein_policy policy##_policy                                                                     \
      __attribute__((used, section("skein_policies"))) = {.name = #policy, __VA_ARGS__}

/* These are for the functions of policies only. None of them blocks. */

/* The number of threads that are ready here, and this node's load: those, and those that run. */
SKEIN_NOMIGRATE unsigned skein_policy_ready(void);
SKEIN_NOMIGRATE unsigned skein_policy_load(void);
/* The number of workers that have nothing to do. */
SKEIN_NOMIGRATE unsigned skein_policy_idle_workers(void);
/* Sends up to `most` ready threads (0: half of them) to `node`. Returns how many were sent. */
SKEIN_NOMIGRATE unsigned skein_policy_push(int node, unsigned most);
/* Asks `node` for up to `most` threads (0: it decides, and sends half). 1: `answered` will be called; 0: it cannot be
 * asked. */
SKEIN_NOMIGRATE int skein_policy_steal(int node, unsigned most);
enum { SKEIN_POLICY_MOST = 16384 };
/* Tells the policy on another node something, of at most SKEIN_POLICY_MOST bytes, which are copied. May arrive out of
 * order. */
SKEIN_NOMIGRATE void skein_policy_tell(int node, const void *data, size_t bytes);
/* Makes `tick` be called within so many ns; or when the next thread has been created here. */
SKEIN_NOMIGRATE void skein_policy_again(uint64_t ns);
SKEIN_NOMIGRATE void skein_policy_watch(void);
/* From now on (with 0: no longer) a thread of this node whose latest accesses to shared memory went mostly to one node,
 * by message, moves there as soon as they have cost as much as the move would. The policy `follow` does this, and one
 * of the program's own can do it in addition. (TR-97-038, section 8.4.) */
SKEIN_NOMIGRATE void skein_policy_follow(int on);
/* The number of messages over channels (<skein/channel.h>) that this node has sent to that one so far. */
SKEIN_NOMIGRATE uint64_t skein_policy_talks(int node);
/* Sends one thread to `node`: a ready one whose latest message over a channel was with node `peer`; or else whose
 * latest message was with any other node; or else any ready one. With a `peer` (not -1), if none is ready, one that
 * waits for a channel, and whose latest message was with `peer`. Returns 1, or 0 if there is none that may leave. (The
 * Testbed, Figure 40.) */
SKEIN_NOMIGRATE unsigned skein_policy_push_talker(int node, int peer);
/* What a thread of this node has had over a channel: messages that it has sent or received, and their bytes. `channel`
 * is the handle that the program knows. `here` is 0 if the thread has left or ended meanwhile. */
struct skein_policy_talk {
  uint64_t thread, channel, bytes;
  uint32_t messages, here;
};
/* Copies what was counted since the last call, at most so much (what is left comes with the next call), and returns how
 * much that is. Counting begins with the first call; it takes half a megabyte, and some 20 ns for each message. */
SKEIN_NOMIGRATE size_t skein_policy_take_talks(struct skein_policy_talk *to, size_t most);
/* The threads that are ready or run here: at most `most` of them are written to `to`. Returns how many there are. */
SKEIN_NOMIGRATE size_t skein_policy_runnable(uint64_t *to, size_t most);
/* Sends this thread to `node`, if it is here, ready or waiting for a channel, and may leave. Returns 1 or 0. */
SKEIN_NOMIGRATE unsigned skein_policy_push_thread(int node, uint64_t thread);
/* How many workers this node has. */
SKEIN_NOMIGRATE unsigned skein_policy_workers(void);
/* A random number in [0, below), of this node's sequence (SKEIN_OPTIONS=seed=). */
SKEIN_NOMIGRATE unsigned skein_policy_random(unsigned below);
/* Whether the node lives, and is another one. How far two nodes are from each other in the ring. */
SKEIN_NOMIGRATE int skein_policy_peer(int node);
SKEIN_NOMIGRATE int skein_policy_distance(int a, int b);

#ifdef __cplusplus
}
#endif
#endif
