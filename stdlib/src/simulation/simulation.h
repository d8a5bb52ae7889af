/* What a node simulates (<skein/simulation.h>): the parts of the library that does it share this.
 *
 *   agenda.c       events to come, by time
 *   processes.c    the bundle that the threads of a simulation are in, and what processes call
 *   engine.c       the engine: one thread on each node, which sets windows until the simulation ends
 *
 * All threads of a simulation are in one bundle, which exists on each node, and one of them runs at a time: a process,
 * or the engine. A process that wants something of the simulation writes down what (`ask`) and yields; the bundle then
 * puts it where it belongs and hands out the next one:
 *
 *     hold     -> the agenda, at a time
 *     acquire  -> the queue of a resource, from which a release puts it into the agenda
 *     travel   -> the way to another node, on which the engine sends it at the end of the window
 *
 * New processes and those that have arrived run first, for a moment: they say when they want to go on. Then comes the
 * earliest of the agenda, if that is in the window, and else the engine. A process that blocks in another way (it
 * prints, reads shared memory of another node) still has its turn, and nobody else gets one. */
#ifndef SKEIN_STDLIB_SIMULATION_H
#define SKEIN_STDLIB_SIMULATION_H

#include "library.h"

#include <skein/bundle.h>
#include <skein/simulation.h>
#include <skein/sync.h>

struct event {
  double time;
  uint64_t number; /* of the process: the lower one goes first at equal times */
  struct skein_tcb *thread;
};

/* A heap with four children to a node, in an array. */
struct agenda {
  struct event *events;
  size_t count, room;
};
SKEIN_NOMIGRATE int agenda_put(struct agenda *agenda, struct event event); /* 0: no memory */
SKEIN_NOMIGRATE struct event agenda_take(struct agenda *agenda);

SKEIN_NOMIGRATE static inline int event_before(const struct event *a, const struct event *b) {
  return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* Threads in the order in which they came. */
struct line {
  struct skein_tcb *first, *last;
};

struct resource {
  struct skein_resource look; /* first, so that a pointer to it is one to this */
  struct line waiting;        /* each thread's `data` is its process's number */
};

struct site {
  void *memory;
  struct resource *resources;
  uint32_t created; /* processes */
};

enum ask_kind {
  ask_nothing, /* a plain yield: the process goes on */
  ask_hold,
  ask_wait,
  ask_travel,
  ask_engine, /* the engine lets the others run */
};

struct simulation {
  struct skein_model model;
  uint32_t nodes;
  uint32_t *node_of_site;
  struct site *sites; /* those of other nodes are empty */

  enum ask_kind ask;
  skein_thread_t asks;
  double ask_time;
  uint64_t ask_number;
  struct resource *ask_resource;
  uint32_t ask_node;

  double now;
  double window; /* events before this time may happen */
  struct agenda agenda;
  _Atomic int holds_back;          /* the engine has its turn: who comes from elsewhere is held back */
  _Atomic int64_t inbox_held_back; /* of those in `inbox` */
  struct skein_tcb *_Atomic inbox; /* threads that have come from other nodes, */
  struct skein_tcb *_Atomic woken; /* and that were blocked: nobody has seen them yet */
  struct line again;               /* a thread that had its turn, and goes on with it */
  struct line arrived;             /* new threads, and those from other nodes */
  struct line *leaving;            /* for each node */
  int ship_to;                     /* the node to which the engine sends, or -1 */
  struct skein_tcb *engine;
  int64_t held;      /* threads that the bundle holds, but for the engine */
  int64_t held_back; /* of these, so many do not count as ready: all, while the engine has its turn */
  int busy;          /* a thread has its turn: this one */
  skein_thread_t turn;
  int over; /* threads that go on end at once */

  double earliest_travel; /* of those that left in this window */
  int code;               /* why the simulation fails, and */
  char text[320];
  struct skein_simulated what; /* of this node */
};

/* The simulation of this node; one at a time. */
extern struct simulation simulation;

/* The bundle of its threads. */
SKEIN_NOMIGRATE struct skein_bundle *simulation_bundle(void);

/* The number of a process from its site, and how many the site had created before it. */
SKEIN_NOMIGRATE static inline uint64_t process_number(uint32_t site, uint32_t before) {
  return (uint64_t)before << 32 | site;
}

/* Creates the thread of a process of this node, which will begin at that time. False, and the simulation fails: it
 * could not be created. */
int process_create(uint32_t site, uint64_t number, double time, skein_process_function function, uint64_t argument,
                   skein_process_runner runner);

/* The simulation fails, if it has not yet. */
SKEIN_NOMIGRATE void simulation_fails(int code, const char *text);

/* Events before that time may happen from now on, with -INFINITY none: then the threads that wait are held back. */
SKEIN_NOMIGRATE void simulation_turns(double window);

#endif
