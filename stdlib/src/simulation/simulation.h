/* What a node simulates (<skein/simulation.h>): the parts of the library that does it share this.
 *
 *   agenda.c       events to come, by time
 *   processes.c    the bundle that the threads of a simulation are in, and what processes call
 *   engine.c       the engine: one thread on each node, which sets windows until the simulation ends
 *   rollback.c     what optimistic simulation keeps, undoes and commits; it has a picture of its own
 *   moving.c       sites that move between nodes, and when they do; why that is sound
 *
 * All threads of a simulation are in one bundle, which exists on each node, and one of them runs at a time: a process,
 * or the engine. A process that wants something of the simulation writes down what (`ask`) and yields; the bundle then
 * puts it where it belongs and hands out the next one:
 *
 *     hold     -> the agenda, at a time
 *     acquire  -> the queue of a resource, from which a release puts it into the agenda
 *     travel   -> the way to another node, on which the engine sends it at the end of the window
 *
 * New processes and those that have arrived, or could not leave, run first, for a moment, to *report*: they say (again)
 * what they want. Then comes the earliest of the agenda, if that is in the window, and else the engine. A process that
 * blocks in another way (it prints, reads shared memory of another node) still has its turn, and nobody else gets one.
 */
#ifndef SKEIN_STDLIB_SIMULATION_H
#define SKEIN_STDLIB_SIMULATION_H

#include "library.h"

#include <skein/bundle.h>
#include <skein/global.h>
#include <skein/simulation.h>
#include <skein/sync.h>

struct process;
struct record;

/* When an event happens. Of those at one time, the ones that were planned at that time itself are of the next *step*,
 * so that what causes an event always comes before it, on whatever node. */
struct moment {
  double time;
  uint64_t step;
};
SKEIN_NOMIGRATE static inline int moment_before(struct moment a, struct moment b) {
  return a.time < b.time || (a.time == b.time && a.step < b.step);
}

struct event {
  struct moment at;
  uint64_t number; /* of the process: the lower one goes first at equal moments */
  union {
    struct skein_tcb *thread;
    struct process *process; /* in an optimistic simulation */
  };
};

/* A heap with four children to a node, in an array. */
struct agenda {
  struct event *events;
  size_t count, room;
};
SKEIN_NOMIGRATE int agenda_put(struct agenda *agenda, struct event event); /* 0: no memory */
SKEIN_NOMIGRATE struct event agenda_take(struct agenda *agenda);
/* The events are in any order: puts them into that of a heap. */
SKEIN_NOMIGRATE void agenda_arrange(struct agenda *agenda);

SKEIN_NOMIGRATE static inline int event_before(const struct event *a, const struct event *b) {
  return moment_before(a->at, b->at) || (a->at.time == b->at.time && a->at.step == b->at.step && a->number < b->number);
}

/* Threads in the order in which they came. */
struct line {
  struct skein_tcb *first, *last;
};

/* What is known of a resource on whatever node its site is. */
struct resource {
  struct skein_resource look;
  uint64_t came; /* so many have waited for it: the ticket of the next one */
};

/* A site's memory, its resources and this are one block. */
struct about {
  uint64_t created; /* processes */
  uint64_t end;     /* so that an address just behind the memory, too, is one of the block */
};

struct site {
  void *memory; /* NULL: the site is on another node */
  struct resource *resources;
  struct about *about;
  /* Those that wait for each resource, in the order of their tickets. Each thread's `data` is its process's number; in
   * an optimistic simulation its process. */
  struct line *queues;
  struct skein_tcb *keeper; /* the thread on whose heap the block is; NULL: sites do not move */
  int leaves;               /* it moves now, */
  uint32_t leaves_for;      /* to that node */
  int named;                /* its block has a name */
  int64_t events;           /* since the loads of the nodes were compared last; fewer than none: more are undone */
  uint64_t near;            /* travels from it to other sites of the node, since then */
  uint64_t stays_until;     /* that comparison, since it could not leave */
  uint64_t processes;       /* when they were counted last */
  /* In an optimistic simulation: */
  uint64_t blocked_in;          /* the round in which an event waits until it is certain, and so do all after it */
  struct record *first, *last;  /* events that can be undone, in their order */
  struct site *previous, *next; /* in the list of sites that have some */
};

enum ask_kind {
  ask_nothing, /* a plain yield: the process goes on */
  ask_hold,
  ask_wait,
  ask_travel,
  ask_engine,  /* the engine lets the others run */
  ask_certain, /* to begin this event again when it cannot be undone any more */
  ask_end,     /* the process has ended in an event that may be undone */
  ask_keep,    /* the thread keeps the memory of a site */
};

/* Why a thread has its turn. */
enum turn {
  turn_event,
  turn_report,  /* to say again what it wants */
  turn_settles, /* the same, but it is to go on at `settles_at`, whatever it has waited for */
};

struct image {
  void *bytes;
  size_t size;
};

struct simulation {
  struct skein_model model;
  uint32_t nodes;
  uint32_t *node_of_site;
  struct site *sites; /* those of other nodes are empty */

  enum ask_kind ask;
  skein_thread_t asks;
  struct moment ask_at;
  uint64_t ask_number;
  uint32_t ask_site;
  uint32_t ask_resource;
  uint64_t ask_ticket;

  struct moment now;
  struct moment window; /* events before this may happen */
  struct agenda agenda;
  _Atomic int holds_back;          /* the engine has its turn: who comes from elsewhere is held back */
  _Atomic int64_t inbox_held_back; /* of those in `inbox` */
  struct skein_tcb *_Atomic inbox; /* threads that have come from other nodes, */
  struct skein_tcb *_Atomic woken; /* and that were blocked: nobody has seen them yet */
  struct line again;               /* a thread that had its turn, and goes on with it */
  struct line arrived;             /* new threads, those from other nodes, and those that could not leave */
  struct line travellers;          /* to sites that were elsewhere when they left: each thread's `data` is its site */
  struct line *leaving;            /* for each node: `data` is the site to which, or of which, a thread is */
  int shipping;                    /* threads that are woken could not leave, but for the engine; so many have been */
  uint32_t stayed;
  int ship_to; /* the node to which the engine sends, or -1 */
  enum turn turn_is;
  struct agenda reported; /* that they wait, while sites move: by tickets, with the site and the resource as step */
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

  /* Of an optimistic simulation; see rollback.c. */
  struct process *process; /* that has its turn; NULL: the engine, or a thread that has not said yet who it is */
  struct record *record;   /* of its event, if that may be undone */
  struct image restore;    /* what it has to become first */
  int ends;                /* it ends at once */
  int lent;                /* the engine waits for other nodes, and meanwhile processes run ahead */
  int idle;                /* there is nothing that they could do */
  int engine_wants;        /* its turn, before all others */
  skein_thread_t engine_id;
  struct line ending;   /* threads that end as soon as they have a turn */
  struct line settling; /* threads that have to be what they are to be, since they leave; `data` is their process */
  struct moment settles_at;
  struct process *all, *newborn, *newborn_last, *travelling, *spare_processes;
  struct record *spare_records;
  struct site *ahead;     /* sites with events that can be undone */
  struct agenda deferred; /* events that have to wait until they are certain */
  uint64_t round;         /* changes whenever the horizon does */
  size_t undo_bytes;
  uint64_t records, most_records;       /* events that can be undone, and how many there may be in this round */
  uint64_t ahead_before, undone_before; /* this round */
  double latest;                        /* the time of the latest event that is certain */

  /* Of sites that move; see moving.c. */
  uint64_t *block_of_site; /* its address, which is the same on all nodes; NULL: sites do not move */
  struct line *queues;
  double *values;                        /* room for what the nodes tell each other */
  uint32_t most_values;                  /* of moves */
  int compares;                          /* the loads of the nodes, in this window */
  uint64_t compared, period, compare_in; /* comparisons; windows between them, and until the next one */
  uint64_t events_before;                /* the last one */
};

/* The simulation of this node; one at a time. */
extern struct simulation simulation;

/* An event happens, at a site of this node. */
SKEIN_NOMIGRATE static inline void event_happens(struct moment at, uint32_t site) {
  simulation.now = at;
  simulation.what.events++;
  simulation.sites[site].events++;
  simulation.turn_is = turn_event;
}

/* Whether a site leaves this node, and does not come here. (What has come of it may have reported already.) */
SKEIN_NOMIGRATE static inline int site_leaves(const struct site *site) {
  return site->leaves && site->leaves_for != (uint32_t)skein_node();
}

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

/* Events before that moment may happen from now on, with -INFINITY none: then the threads that wait are held back. */
SKEIN_NOMIGRATE void simulation_turns(struct moment window);

/* The thread gives its turn away, for what it has asked for. Why it has its turn again. It may be on another node then,
 * if it is not turn_event. */
enum turn simulation_give_turn(void);

/* The thread waits for the resource that it has asked for: at the end of the queue, or reports that it does. */
SKEIN_NOMIGRATE void wait_in_queue(struct skein_tcb *thread, void *data);
SKEIN_NOMIGRATE void report_wait(struct skein_tcb *thread, void *data);

/* Takes notice of all threads that have come. */
SKEIN_NOMIGRATE void simulation_take_note(void);

/* The engine gives its turn to processes that run ahead, while it waits; and has it again. */
SKEIN_NOMIGRATE void simulation_lend(void);
void simulation_take_back(void);

/* --- lines ------------------------------------------------------------------------------------------------------ */

SKEIN_NOMIGRATE static inline void line_add(struct line *line, struct skein_tcb *thread) {
  thread->next = NULL;
  thread->previous = line->first ? line->last : NULL;
  *(line->first ? &line->last->next : &line->first) = thread;
  line->last = thread;
}

SKEIN_NOMIGRATE static inline void line_add_first(struct line *line, struct skein_tcb *thread) {
  thread->previous = NULL;
  thread->next = line->first;
  *(line->first ? &line->first->previous : &line->last) = thread;
  line->first = thread;
}

SKEIN_NOMIGRATE static inline void line_remove(struct line *line, struct skein_tcb *thread) {
  *(thread->previous ? &thread->previous->next : &line->first) = thread->next;
  *(thread->next ? &thread->next->previous : &line->last) = thread->previous;
  thread->next = thread->previous = NULL;
  thread->data = NULL;
}

SKEIN_NOMIGRATE static inline struct skein_tcb *line_take(struct line *line) {
  struct skein_tcb *thread = line->first;
  if (thread)
    line_remove(line, thread);
  return thread;
}

/* --- rollback.c; called by whoever has the turn, or under the bundle's lock --------------------------------------- */

/* The moment at which something happens that is planned now. */
SKEIN_NOMIGRATE static inline struct moment moment_of(double now, double time) {
  return (struct moment){time, time > now ? 0 : simulation.now.step + 1};
}

/* A process whose thread, which is new, has not said who it is. */
SKEIN_NOMIGRATE struct process *ahead_new(uint32_t site, uint64_t number, struct moment at);
SKEIN_NOMIGRATE void ahead_created(struct process *process, skein_thread_t thread); /* 0: it could not be */
/* Puts a thread where it has asked for. False: it may go on at once. */
SKEIN_NOMIGRATE int ahead_put(struct skein_tcb *thread, enum ask_kind ask);
/* The thread of the next event that may happen now, or NULL. */
SKEIN_NOMIGRATE struct skein_tcb *ahead_next(void);
/* The thread has its turn for no event. */
SKEIN_NOMIGRATE void ahead_no_event(int ends);
/* The thread that had its turn has ended. */
SKEIN_NOMIGRATE void ahead_ended(void);
/* Before an event changes a resource: it will put itself into the queue, or take the first one out of it. */
SKEIN_NOMIGRATE void ahead_note(uint32_t resource, int takes_first);
/* A process that had waited for a resource goes on. */
SKEIN_NOMIGRATE void ahead_woken(struct process *process, struct moment at);
/* The earliest moment at which something may happen, or arrive elsewhere. `after`: the one after it, if it is here. */
SKEIN_NOMIGRATE struct moment ahead_earliest(int after);
/* Nothing before that moment can be undone. */
SKEIN_NOMIGRATE void ahead_commit(struct moment before);
/* A round has ended: decides how far processes run ahead in the next one. */
SKEIN_NOMIGRATE void ahead_adapt(void);
/* Lets processes that left before that moment go to the line of travellers; when the first one arrives. */
SKEIN_NOMIGRATE struct moment ahead_leave(struct moment before);
/* All threads go to the line of those that have arrived. */
SKEIN_NOMIGRATE void ahead_end_all(void);
/* The sites that leave: undoes all that may be undone of what happened there, and of what comes there. Their processes
 * go to the line of those that settle. */
SKEIN_NOMIGRATE void ahead_settle(void);
/* The process of a thread that settles has its turn. */
SKEIN_NOMIGRATE void ahead_settles(struct skein_tcb *thread);
/* Counts the processes at each site. */
SKEIN_NOMIGRATE void ahead_count(void);
/* Forgets the processes of the sites that leave. Who waits for no resource goes to the lines of those that leave. */
SKEIN_NOMIGRATE void ahead_collect(void);
SKEIN_NOMIGRATE void ahead_free(void);
/* What a thread does when it has its turn for an event: it packs itself, or becomes what it was. False: its event has
 * to wait until it is certain. */
int ahead_resumes(void);
/* The event of this turn is a travel. */
SKEIN_NOMIGRATE void ahead_travels(void);

/* --- engine.c, for moving.c --------------------------------------------------------------------------------------- */

/* Lets processes run until all that have arrived have said what they want, and no event is left in the window. */
void let_run(struct moment window);
/* Lets those that have arrived, or could not leave, say what they want. Who waits for a resource is in `reported` then:
 * those before it may not have arrived yet. */
void let_report(void);
/* Sends the threads in the lines of those that leave, and waits until they have arrived there. How many stay here: they
 * are to report. */
uint32_t ship(void);
/* Sends the same threads one by one. Why the first stays that does, and the site that is its `data`; or 0. */
int ship_each(uint32_t *site, char *text, size_t room);
/* Whether all nodes say so. */
int all_say(skein_reduction_t agreement, int yes);

/* --- moving.c ----------------------------------------------------------------------------------------------------- */

/* Makes the memory and resources of the sites of this node, which all are where they are to be at first. False: the
 * simulation fails. */
int sites_make(skein_reduction_t agreement);
SKEIN_NOMIGRATE void sites_free(void);
/* The thread of a site that leaves goes to the line of those that leave for its node. */
SKEIN_NOMIGRATE void leave_with(uint32_t site, struct skein_tcb *thread);
/* Writes what this node's load was, if the loads are compared in this window, and leaves room for those of the others,
 * behind the first of `values`. So many values that is. The nodes agree on the least of each. */
SKEIN_NOMIGRATE uint32_t sites_loads(void);
/* At the end of a window, at which all nodes call this when nothing is under way: moves the sites that are to be moved.
 * Until it returns on all nodes nothing happens anywhere. False: the simulation fails. */
int sites_move(skein_reduction_t agreement);

#endif
