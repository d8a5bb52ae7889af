/* Threads on all nodes wait for the end of a thread that moves: sync/join.h and net/moves/births.h.
 *
 * The thread is born on node 0, which has a record of it while it is away. On each node a thread joins it at some
 * moment. If it is there, the joiner waits in its ring; else in the ring of its id, and asks node 0, which answers
 * when the thread has ended. A ring changes its owner when the thread comes or goes. The handlers of a node exclude
 * each other; the thread itself, and joiners, do not wait for them.
 *
 *     spin -a join.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * No joiner goes on before the thread has ended, and none waits for ever. Each rule that is left out (-D of its name)
 * breaks that. */

#define NODES 3
#define MOVES 3
#define birth 0

mtype = { image, join, ended, over };

bool here[NODES];    /* the thread is in the node's table */
bool goes_on;        /* its arrival has been handled */
bool record;         /* node 0 knows that it is away */
byte departures;     /* from node 0 */
bool has_ended;
bool ring[NODES];    /* a joiner waits in the ring of the thread */
bool id_ring[NODES]; /* or in that of its id */
bool joined[NODES];  /* the joiner goes on */
bool watches[NODES]; /* node 0 owes that node an answer */
byte moves = MOVES;
chan net[NODES] = [6] of { mtype, byte };

inline wake(there) {
  if
  :: ring[there] || id_ring[there] -> assert(has_ended); joined[there] = true
  :: else
  fi;
  ring[there] = false;
  id_ring[there] = false
}

/* Node 0 answers who has asked. */
inline answer_watches(each) {
  for (each : 1 .. NODES - 1) {
    if
    :: watches[each] -> watches[each] = false; net[each]!over(birth)
    :: else
    fi
  };
  each = 0
}

/* Whether the thread has not ended, as far as node 0 can tell: there is a record, or it is in the table. Between these
 * looks it may leave. */
inline look_whether_it_lives(is, before) {
  do
  :: before = departures;
    is = record;
    is = is || here[birth];
#ifdef THE_LOOK_IS_REPEATED
    break
#else
    if
    :: is || departures == before -> break
    :: else
    fi
#endif
  od;
  before = 0
}

inline leaves_a_record(place) {
  atomic {
    if
    :: place == birth -> record = true; departures++
    :: else
    fi
  }
}

proctype thread() {
  byte at = birth, to, i;
  bool awaited;
  do
  :: moves > 0 ->
    moves--;
    if
    :: to = (at + 1) % NODES
    :: to = (at + 2) % NODES
    fi;
#ifndef A_RECORD_IS_MADE_BEFORE_IT_LEAVES
    leaves_a_record(at);
#endif
    atomic { /* under the lock of the table */
      here[at] = false;
      goes_on = false;
      awaited = ring[at];
      id_ring[at] = id_ring[at] || ring[at];
      ring[at] = false
    };
#ifdef A_RECORD_IS_MADE_BEFORE_IT_LEAVES
    leaves_a_record(at);
#endif
    if
#ifndef WHO_WAITED_HERE_ASKS_AT_THE_DEPARTURE
    :: awaited && at != birth -> net[birth]!join(at)
#endif
    :: !awaited || at == birth
#ifdef WHO_WAITED_HERE_ASKS_AT_THE_DEPARTURE
    :: awaited && at != birth
#endif
    fi;
    awaited = false;
    net[to]!image(at);
    at = to;
    to = 0;
#ifdef IT_RUNS_WHEN_ITS_ARRIVAL_IS_OVER
    here[at]
#else
    goes_on
#endif
  :: break
  od;
  atomic { here[at] = false; has_ended = true; awaited = ring[at] };
  atomic {
    if
    :: awaited -> wake(at)
    :: else
    fi
  };
  if
  :: at == birth -> atomic { wake(birth); answer_watches(i) }
  :: else -> net[birth]!ended(at)
  fi
}

proctype handlers(byte self) {
  byte from, i;
  bool lives;
end:
  do
  :: atomic {
      net[self]??[image(_)] ->
      net[self]??image(_);
      here[self] = true;
      ring[self] = ring[self] || id_ring[self];
      id_ring[self] = false
    };
    atomic {
      if
      :: self == birth -> record = false
      :: else
      fi
    };
    goes_on = true
  :: atomic { net[self]??[over(_)] -> net[self]??over(_); wake(self) }
  :: atomic { net[self]??[ended(_)] -> net[self]??ended(_); record = false; wake(birth); answer_watches(i) }
  :: atomic { net[self]??[join(_)] -> net[self]??join(from) };
#ifdef WHO_ASKS_IS_NOTED_BEFORE_THE_LOOK
    look_whether_it_lives(lives, i);
    watches[from] = true;
#else
    watches[from] = true;
    look_whether_it_lives(lives, i);
#endif
    atomic {
      if
      :: !lives -> assert(has_ended); answer_watches(i)
      :: else
      fi;
      lives = false;
      from = 0
    }
  od
}

proctype joiner(byte self) {
  byte seen;
  bool asks, lives;
  atomic { /* under the lock of the table */
    if
    :: here[self] -> ring[self] = true
    :: else -> id_ring[self] = true; asks = true
    fi
  };
  if
  :: asks && self != birth -> net[birth]!join(self)
  :: asks && self == birth ->
    look_whether_it_lives(lives, seen);
    atomic {
      if
      :: !lives -> wake(birth)
      :: else
      fi
    }
  :: else
  fi;
  joined[self]
}

init {
  byte at;
  atomic {
    here[birth] = true;
    goes_on = true;
    run thread();
    for (at : 0 .. NODES - 1) {
      run handlers(at);
      run joiner(at)
    }
  }
}
