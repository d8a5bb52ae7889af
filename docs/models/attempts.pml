/* Alternatives on some nodes that ask each other in a ring: the order of runtime/channels/alternatives.h.
 *
 * Node i has an alternative, and a channel in which it and a case of the next node's alternative stand. So a deal of node
 * i claims alternative i and attempts alternative i + 1. An attempt that comes to one that is claimed waits if the
 * asking one is before it, and is refused otherwise. Whoever is refused lets go, decides what waited for it, and may try
 * again. When two have met, both are over.
 *
 *     spin -a attempts.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * That two meet is promised, in few rounds, whatever the order of steps: each node tries no more often than there are
 * nodes. (With -DFOUR_NODES there are four; else three, of which one is left over.) Each rule that is left out (-D of its name) breaks that. */

#ifdef FOUR_NODES
#define NODES 4
#else
#define NODES 3
#endif
#define TRIES NODES
#define next(node) ((node + 1) % NODES)

mtype = { waiting, claimed, over, attempt, yes, no, later };

mtype state[NODES] = waiting;
chan messages[NODES] = [4] of { mtype, byte }; /* attempt, or the answer to one; from whom */
bool pending[NODES];                            /* an attempt of the node before it waits here */
byte met;

#define before(node) ((node + NODES - 1) % NODES)
#ifdef WHO_IS_AFTER_IS_REFUSED
#define may_wait(asks, asked) true
#else
#ifdef WHO_IS_BEFORE_WAITS
#define may_wait(asks, asked) false
#else
#define may_wait(asks, asked) (asks < asked)
#endif
#endif

/* The attempt of `asks` is decided; not while the alternative is claimed. */
inline decide(self, asks) {
  if
  :: state[self] == waiting -> state[self] = over; messages[asks]!yes(self)
  :: state[self] == over -> messages[asks]!no(self)
  fi
}

active[NODES] proctype node() {
  byte self = _pid, from, tries;
end:
  do
  :: atomic { /* a deal begins */
      state[self] == waiting && tries < TRIES && state[next(self)] != over ->
      tries++;
      state[self] = claimed;
      messages[next(self)]!attempt(self)
    }
  :: atomic {
      messages[self]?attempt(from) ->
      if
      :: state[self] == claimed && may_wait(from, self) -> pending[self] = true
      :: state[self] == claimed && !may_wait(from, self) -> messages[from]!later(self)
      :: else -> decide(self, from)
      fi
    }
  :: atomic {
      messages[self]?yes(from) ->
      state[self] = over;
      met++;
      if
      :: pending[self] -> pending[self] = false; messages[before(self)]!no(self)
      :: else
      fi
    }
  :: atomic { /* refused: lets go */
      if
      :: messages[self]?no(from)
      :: messages[self]?later(from)
      fi;
      state[self] = waiting;
      if
      :: pending[self] -> pending[self] = false; decide(self, before(self))
      :: else
      fi
    }
  od
}

/* Nobody can do anything any more. */
active proctype watch() {
  timeout -> assert(met >= 1)
}
