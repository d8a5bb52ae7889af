// How a node joins a run and leaves it: the node's side of net/wire/bootstrap.h. In a run of one node nothing here does
// anything.
#ifndef SKEIN_NET_RUN_JOINING_H
#define SKEIN_NET_RUN_JOINING_H

#include "net/wire/bootstrap.h"

namespace skein {

/// Called before constructors run: finds out which node this is, of how many (`node`), and nothing else.
void net_peek();

/// Called before sched_start: learns from the launcher which node this is (`node`), and how many workers are its share.
void net_join();

/// Called after all rooms above have registered their handlers: connects to the others, and starts the progress thread.
void net_start();

/// Reports to the launcher that a peer has been silent, for so many times as long as this node waits.
void start_suspect(int peer, int silences, const char *why);
/// Reports to the launcher that a peer has sent something impossible.
void start_reject(int peer, const char *why);

/// Sends the launcher a packet about a node that leaves, or about a checkpoint.
void start_say(bootstrap::Type type, int about, int status, const char *text);
void start_say_bytes(bootstrap::Type type, int about, int status, const void *data, size_t bytes);
/// Asks the launcher for nodes until there are so many.
void start_request(int nodes);

/// For fault=reborn, in the progress thread, which is to end: the node begins again (net_reborn) in this process, as if
/// it were made of a copy.
void rebirth_begin();

/// The memory file of a node's slice of shared memory, -1 if there is none (a run of one node).
int net_slice_file(int owner);

} // namespace skein

#endif
