// Joining and leaving a run of several nodes; the node's end of net/bootstrap.h. Alone, none of it does anything.
#ifndef SKEIN_NET_RUN_START_H
#define SKEIN_NET_RUN_START_H

namespace skein {

/// Before constructors run: which node this is, of how many (`node`), and nothing else.
void net_peek();

/// Before sched_start: learn from the launcher which node this is (`node`), and how many workers are its share.
void net_join();

/// After all rooms above have registered their handlers: meet the others, start the progress thread.
void net_start();

/// Tell the launcher that a peer has not been heard of, for how many times our patience.
void start_suspect(int peer, int silences, const char *why);
/// And that one has sent what cannot be.
void start_reject(int peer, const char *why);

/// The memory file of a node's slice of shared memory, -1 if there is none (a run of one node).
int net_slice_file(int owner);

} // namespace skein

#endif
