/* A thread that moves from node to node runs on one of them at any time: net/moves/exchange.h.
 *
 * A node that sends the thread keeps its record, in flight, until it is settled: by the verdict of the destination, by
 * the thread itself when it comes back before that, or by the destination's death. A destination may refuse the
 * thread. A node may die; what is on its way to it or from it is lost then. Messages may overtake each other.
 *
 *     spin -a migration.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * The thread never runs on two nodes. When nothing is under way any more, it runs on one, and no record is left in
 * flight; unless a node has died (-DA_NODE_DIES): then it runs on one at most. Each rule that is left out (-D of its
 * name) breaks that. */

#define NODES 3
#define MOVES 4
#ifdef WHO_WAS_SENT_TO_THE_DEAD_IS_LOST
#define A_NODE_DIES
#endif

mtype = { nothing, running, in_flight, image, accepted, refused };

mtype record[NODES] = nothing;
byte shipment[NODES], destination[NODES]; /* of the record in flight */
bool dead[NODES];
byte shipments;
bool was_lost;
chan net[NODES] = [MOVES + 1] of { mtype, byte, byte }; /* what, from, the number of the shipment */

#define one_runs(a, b) (record[a] == running && record[b] == running)
#define runs_once (!one_runs(0, 1) && !one_runs(0, 2) && !one_runs(1, 2))

#ifdef VERDICTS_NAME_THEIR_SHIPMENT
#define settles(self, number) (record[self] == in_flight)
#else
#define settles(self, number) (record[self] == in_flight && shipment[self] == number)
#endif

inline send(there, what, me, its) {
  if
  :: dead[there] -> skip
  :: else -> net[there]!what, me, its
  fi
}

/* An intact image has come; its number is that of its shipment. */
inline arrives(me, sender, its) {
  assert(record[me] != running); /* a thread of this id would run here twice */
  if
  :: record[me] == nothing -> record[me] = running; send(sender, accepted, me, its)
  :: record[me] == nothing -> send(sender, refused, me, its)
  :: record[me] == in_flight -> record[me] = running; send(sender, accepted, me, its)
  /* There is no room for it, but it had arrived elsewhere, so the old record goes. */
  :: record[me] == in_flight -> record[me] = nothing; send(sender, refused, me, its)
  fi
}

proctype node(byte self) {
  byte from, number;
end:
  do
  :: dead[self] -> break
  :: atomic {
      !dead[self] && record[self] == running && shipments < MOVES ->
      shipments++;
      if
      :: from = (self + 1) % NODES
      :: from = (self + 2) % NODES
      fi;
      if
      :: !dead[from] ->
#ifdef WHO_IS_SENT_KEEPS_ITS_RECORD
        record[self] = nothing;
#else
        record[self] = in_flight;
#endif
        shipment[self] = shipments;
        destination[self] = from;
        send(from, image, self, shipments)
      :: dead[from] -> shipments--
      fi;
      from = 0
    }
  :: atomic {
      !dead[self] && net[self]??[image(_, _)] ->
      net[self]??image(from, number);
      arrives(self, from, number);
      assert(runs_once);
      from = 0;
      number = 0
    }
  :: atomic {
      !dead[self] && net[self]??[accepted(_, _)] ->
      net[self]??accepted(from, number);
      if
      :: settles(self, number) -> record[self] = nothing
      :: else
      fi;
      from = 0;
      number = 0
    }
  :: atomic {
      !dead[self] && net[self]??[refused(_, _)] ->
      net[self]??refused(from, number);
      if
      :: settles(self, number) -> record[self] = running
      :: else
      fi;
      assert(runs_once);
      from = 0;
      number = 0
    }
  od
}

#define drop_all_to(to)                                                                                                \
  do                                                                                                                   \
  :: nempty(net[to]) -> net[to]?_, _, _                                                                                \
  :: empty(net[to]) -> break                                                                                           \
  od
#define drop_all_from(at, from)                                                                                        \
  do                                                                                                                   \
  :: net[at]??[image, eval(from), _] -> net[at]??image, eval(from), _                                                  \
  :: net[at]??[accepted, eval(from), _] -> net[at]??accepted, eval(from), _                                            \
  :: net[at]??[refused, eval(from), _] -> net[at]??refused, eval(from), _                                              \
  :: else -> break                                                                                                     \
  od

/* Node `which` dies, and the others hear of it. */
inline dies(which) {
  dead[which] = true;
  if
  :: record[which] != nothing -> was_lost = true
  :: else
  fi;
  record[which] = nothing;
  drop_all_to(which);
  for (at : 0 .. NODES - 1) {
    drop_all_from(at, which);
    if
    :: record[at] == in_flight && destination[at] == which ->
      was_lost = true;
#ifdef WHO_WAS_SENT_TO_THE_DEAD_IS_LOST
      record[at] = running
#else
      record[at] = nothing
#endif
    :: else
    fi
  };
  assert(runs_once)
}

proctype death() {
  byte at;
  atomic {
    if
    :: dies(0)
    :: dies(1)
    :: dies(2)
    :: true
    fi
  }
}

init {
  byte at, live;
  atomic {
    record[0] = running;
    for (at : 0 .. NODES - 1) {
      run node(at)
    };
#ifdef A_NODE_DIES
    run death()
#endif
  };
  timeout; /* nothing is under way, or moves are over */
  live = 0;
  for (at : 0 .. NODES - 1) {
    if
    :: record[at] == running -> live++
    :: else
    fi;
    assert(record[at] != in_flight)
  };
  assert(live == 1 || (was_lost && live == 0))
}
