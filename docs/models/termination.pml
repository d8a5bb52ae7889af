/* How node 0 notices that no thread lives anywhere and none can come into being: net/run/termination.h.
 *
 * Threads live on some nodes. A thread may end, move, or send a request that makes a thread elsewhere. One that moves
 * is counted at its source until the verdict comes. Messages may overtake each other. Node 0 asks for counts, node
 * after node, in rounds; a node says how many threads live there, and how many messages it has sent and handled.
 * Between these two looks no message is handled there, but its threads go on.
 *
 *     spin -a termination.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * When node 0 says that the run is over, no thread lives, and no message is under way. Each rule that is left out (-D
 * of its name) breaks that. */

#ifdef FOUR_NODES
#define NODES 4
#define MOVES 1
#define REQUESTS 1
#else
#define NODES 3
#define MOVES 2
#define REQUESTS 1
#endif

mtype = { ship, arrived, request };

byte living[NODES], flying[NODES]; /* flying: of those that live, the ones that have been sent */
byte sent[NODES], handled[NODES];
bool reading[NODES]; /* its counts are being read, in a handler */
chan net[NODES] = [MOVES + REQUESTS + 1] of { mtype, byte };
byte moves = MOVES, requests = REQUESTS;
bool over;

#define runs(node) (living[node] > flying[node])

inline send(from, to, what) {
  sent[from]++;
  net[to]!what(from)
}

inline choose_other(self, other) {
  if
  :: other = (self + 1) % NODES
  :: other = (self + 2) % NODES
#ifdef FOUR_NODES
  :: other = (self + 3) % NODES
#endif
  fi
}

proctype node(byte self) {
  byte other;
end:
  do
  :: atomic { runs(self) -> living[self]-- } /* it ends */
  :: atomic {
      runs(self) && moves > 0 ->
      moves--;
      flying[self]++;
      choose_other(self, other);
      send(self, other, ship);
      other = 0
    }
  :: atomic {
      runs(self) && requests > 0 ->
      requests--;
      choose_other(self, other);
      send(self, other, request);
      other = 0
    }
  :: atomic {
      !reading[self] && net[self]??[ship(_)] ->
      net[self]??ship(other);
      handled[self]++;
      living[self]++;
      send(self, other, arrived);
      other = 0
    }
  :: atomic {
      !reading[self] && net[self]??[arrived(_)] ->
      net[self]??arrived(_);
      handled[self]++;
      flying[self]--;
      living[self]--
    }
  :: atomic { !reading[self] && net[self]??[request(_)] -> net[self]??request(_); handled[self]++; living[self]++ }
  od
}

/* One node's counts. */
inline count_threads(at) {
  lives = lives + living[at]
}
inline count_messages(at) {
  all_sent = all_sent + sent[at];
  all_handled = all_handled + handled[at]
}

proctype rounds() {
  byte at, lives, all_sent, all_handled, lived = 255, had_sent, had_handled;
  do
  :: over -> break
  :: else ->
    lives = 0;
    all_sent = 0;
    all_handled = 0;
    for (at : 0 .. NODES - 1) {
      atomic { reading[at] = true; count_threads(at) };
      atomic { count_messages(at); reading[at] = false }
    };
    atomic {
#ifdef TWO_ROUNDS_AGREE
      over = lives == 0 && all_handled == all_sent;
#else
#ifdef WHAT_WAS_HANDLED_BEFORE_IS_ALL_THAT_WAS_SENT
      over = lived == 0 && lives == 0 && had_sent == all_handled;
#else
      over = lived == 0 && lives == 0 && had_handled == all_sent;
#endif
#endif
      lived = lives;
      had_sent = all_sent;
      had_handled = all_handled;
      at = 0
    }
  od;
  for (at : 0 .. NODES - 1) {
    assert(living[at] == 0 && empty(net[at]))
  }
}

init {
  byte at;
  atomic {
    living[0] = 1;
    for (at : 0 .. NODES - 1) {
      run node(at)
    };
    run rounds()
  }
}
