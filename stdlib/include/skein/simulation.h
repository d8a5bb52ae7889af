/* Discrete-event simulation by processes: each entity of a model is a thread, which holds for some time, waits for
 * resources, and travels. (Mascarenhas and Rego, *Ariadne*, whose purpose this was; docs/sources.md. docs/language.md
 * explains it with examples.)
 *
 *     static void customer(struct skein_process *self, uint64_t number) {
 *       struct bank *bank = skein_sim_memory(self);
 *       const double came = self->now;
 *       skein_sim_acquire(self, teller);
 *       skein_tally_add(&bank->waited, self->now - came);
 *       skein_sim_hold(self, skein_stream_exponential(&bank->stream, 0.8));
 *       skein_sim_release(self, teller);
 *     }
 *
 * A model consists of *sites*. A site has memory of its own and resources; its processes use these, one at a time, in
 * the order of simulated time. Between sites, processes travel, which takes them at least the model's *lookahead*.
 * Sites are dealt out to the nodes of the run. Each node simulates its sites up to a *window* of that length beyond the
 * earliest event anywhere, in which nothing from elsewhere can reach it; then all agree on the next window
 * (conservative simulation in parallel; Chandy and Misra, 1979; Nicol, 1993).
 *
 * The alternative is *optimistic* simulation (Jefferson, *Virtual Time*, 1985): processes run ahead of what is certain.
 * Before each such event its thread is packed into an image and its site's memory copied; and when somebody comes from
 * elsewhere to a site that is further already, the events after that are undone. So the lookahead may be small, or 0.
 * Travels to other nodes leave when they are certain. An event may be undone and happen again at any time, so see
 * skein_sim_certain for those that do more than change their process and site.
 *
 * The results are the same to the last bit on any number of nodes, wherever sites are and move, conservative or
 * optimistic: events of a site at equal times happen in the order of their processes' numbers, which are given out by
 * sites; those that were planned at that time itself come after those that were planned before. What a model has to do
 * for that: use only its site's memory and resources, and streams made of the model's seed and numbers of its own.
 *
 * Sites may move between nodes in mid-run, with their memory, resources and processes, to balance the load (`balance`).
 * Processes notice nothing: pointers to the site's memory and resources remain right, over a hold or a wait, since
 * their addresses are the same on all nodes. A site stays on its node, and `why_stayed` says why, while one of its
 * processes cannot leave (it is pinned, or holds a lock), or if its memory holds an address of what stays behind, such
 * as a block of malloc. What its processes hold outside of their stacks, their private heaps and the site does not move
 * along.
 *
 * A node simulates with one kernel thread at a time; to use more processors, run more nodes. */
#ifndef SKEIN_SIMULATION_H
#define SKEIN_SIMULATION_H

#include <skein/skein.h>
#include <skein/statistics.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A process, in the hands of its function. The members are read only. */
struct skein_process {
  double now;
  uint32_t site;
  uint64_t number; /* no other process has it */
};
typedef void (*skein_process_function)(struct skein_process *self, uint64_t argument);

struct skein_model {
  uint32_t sites;     /* at least 1 */
  size_t site_bytes;  /* of memory, zeroed, for each site */
  uint32_t resources; /* of each site; each has one unit at first */
  double lookahead;   /* the least time that a process travels; > 0. In a run of one node it does not matter */
  /* 0: conservative. Else optimistic, with at most about so many bytes on each node to undo events with (say, 64 <<
   * 20), and the lookahead may be 0. */
  size_t optimistic;
  double until;       /* the simulation ends then, or when no event is left */
  uint64_t placement; /* 0: sites are dealt out in blocks of neighbours; else at random, by this seed */
  /* 1: sites move from nodes where much happens to those where little does, when that pays. 0: they stay. On several
   * nodes each site that may move costs a thread with a stack and a private heap, in which its memory is; therefore
   * this is not the default. */
  int balance;
  uint64_t shuffle; /* for tests. 0: no; else sites move at random between windows, by this seed */
  /* The first process of each site, at time 0. Its argument is the site. */
  skein_process_function begin;
  /* Called at the end for each site, on its node, one at a time there. May be null. It may use shared memory. */
  void (*end)(uint32_t site, void *memory, uint64_t argument);
  uint64_t argument; /* of `end` */
};

/* What a simulation did, on all nodes together. */
struct skein_simulated {
  double now;         /* the time at which it ended */
  uint64_t processes; /* that were created */
  uint64_t events;    /* a process went on, or began, after some time or a wait */
  uint64_t travels;   /* of processes from site to site */
  uint64_t moves;     /* of these, from node to node */
  uint64_t windows;   /* that the nodes have agreed on */
  /* If sites move: */
  uint64_t sites_moved;  /* how often one did */
  uint64_t sites_stayed; /* how often one could not, */
  char why_stayed[200];  /* and why, of one of those times */
  /* Of an optimistic simulation: */
  uint64_t ahead;      /* events that happened before they were certain */
  uint64_t rollbacks;  /* a site went back, since somebody came earlier than what had happened there */
  uint64_t undone;     /* events */
  uint64_t withdrawn;  /* travels and new processes that undone events had caused */
  uint64_t deferred;   /* events that waited until they were certain: see skein_sim_certain */
  uint64_t undo_bytes; /* the most that a node kept to undo events with */
};

/* Simulates the model on all nodes of the run, and returns when it has ended. `*what`, which may be null, says what it
 * did. One simulation runs at a time. Blocks. SKEIN_EREFUSED: the model makes no sense, or another one runs;
 * SKEIN_EMEMORY; SKEIN_EDEAD: a node died; and if a process could not travel, since it held what stays behind, the
 * reason for that. Any error has a text, and ends the simulation. */
static inline int skein_simulate(const struct skein_model *model, struct skein_simulated *what);

/* --- for processes. Those marked * let others run, who may change the site's memory. Misuse ends the program with a
 *     message that says what and where. ---------------------------------------------------------------------------- */

/* Some simulated time passes (0 or more). * */
void skein_sim_hold(struct skein_process *self, double time);
/* The process travels to another site, or to the same one, for at least the lookahead. It may not hold pointers to its
 * site's memory then, or to other memory of the process. * */
void skein_sim_travel(struct skein_process *self, uint32_t site, double time);
/* A new process of this site, which begins after some time (0 or more). Its number. */
static inline uint64_t skein_sim_process(struct skein_process *self, skein_process_function function, uint64_t argument,
                                         double time);
/* What the process does from here to its next * changes more than its site, its own variables and its private heap: it
 * prints, writes shared memory, allocates or frees memory of the process, takes a lock, is pinned, or calls skein_exit.
 * In an optimistic simulation the event begins again when it cannot be undone any more, and this returns then (Time
 * Warp's output that waits to be committed). Otherwise it does nothing. A process that cannot be packed when it goes on
 * (SKEIN_PINNED) waits by itself in that way; but one that is pinned in an event that is undone cannot go back, and the
 * simulation ends with the reason. * */
void skein_sim_certain(struct skein_process *self);
/* The memory of the site where the process is, until it travels. */
SKEIN_NOMIGRATE void *skein_sim_memory(const struct skein_process *self);

/* Takes a unit of the site's resource of that index, for which it may have to wait: first come, first served. * */
void skein_sim_acquire(struct skein_process *self, uint32_t resource);
/* Gives one back, to the first process that waits. (A resource without units at first is a semaphore: one process waits
 * for what others give.) */
void skein_sim_release(struct skein_process *self, uint32_t resource);
/* Sets how many units there are free, before the first was taken. */
void skein_sim_units(struct skein_process *self, uint32_t resource, uint32_t units);

/* A resource, for looks: how many units are free, how many processes wait, and what was so far. */
struct skein_resource {
  uint64_t free, waiting;
  uint64_t taken;            /* how often a unit was */
  struct skein_level in_use; /* units that are taken */
  struct skein_level queue;  /* processes that wait */
};
SKEIN_NOMIGRATE const struct skein_resource *skein_sim_resource(const struct skein_process *self, uint32_t resource);

/* --- for the functions above ------------------------------------------------------------------------------------ */

/* What a process's thread runs. It is compiled with the program, so that the thread has the program's kind of stack. */
typedef void (*skein_process_runner)(skein_process_function function, uint64_t argument, uint64_t number, uint64_t site,
                                     double begin);
struct skein_process skein_sim_begin_(uint64_t number, uint64_t site, double begin);
void skein_sim_end_(void);
static inline void skein_sim_run_(skein_process_function function, uint64_t argument, uint64_t number, uint64_t site,
                                  double begin) {
  struct skein_process self = skein_sim_begin_(number, site, begin);
  function(&self, argument);
  skein_sim_end_();
}
int skein_simulate_(const struct skein_model *model, struct skein_simulated *what, skein_process_runner runner);
static inline int skein_simulate(const struct skein_model *model, struct skein_simulated *what) {
  return skein_simulate_(model, what, skein_sim_run_);
}
uint64_t skein_sim_process_(struct skein_process *self, skein_process_function function, uint64_t argument, double time,
                            skein_process_runner runner);
static inline uint64_t skein_sim_process(struct skein_process *self, skein_process_function function, uint64_t argument,
                                         double time) {
  return skein_sim_process_(self, function, argument, time, skein_sim_run_);
}

#ifdef __cplusplus
}
#endif
#endif
