/* How a run is halted so that copies of its nodes fit together: net/run/halting.h.
 *
 * While a node is not silent, its threads send questions; whoever handles a question answers it, and tells a third node
 * of it, where that draws nothing more. Messages may overtake each other. The launcher tells all nodes to halt, which
 * they hear at different times, and asks for counts in rounds. When what was handled in one round is what was sent in
 * the next, it tells all nodes to make their copies, and when all have, to go on.
 *
 *     spin -a cut.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * The copies fit: what one has sent to another, that one has handled, and the other way round. So no message was under
 * way, and none has come from a time after the cut. Each rule that is left out (-D of its name) breaks that. */

#define NODES 3
#define QUESTIONS 2 /* with 3 it holds, too, in 22 million states */

mtype = { question, reply, note, halt, count, cut, go_on };

chan net[NODES] = [3 * QUESTIONS] of { mtype, byte };
chan packets[NODES] = [1] of { mtype }; /* of the launcher */
chan counts = [NODES] of { byte, byte };
chan copied = [NODES] of { byte };
byte sent[NODES * NODES], handled[NODES * NODES]; /* from and to: from * NODES + to */
byte copy_sent[NODES * NODES], copy_handled[NODES * NODES];
byte questions = QUESTIONS;

inline send(from, to, what) {
  sent[from * NODES + to]++;
  net[to]!what(from)
}

/* A node knows what it has sent to each, and handled of each. */
inline say_counts(self) {
  counts!sent[self * NODES] + sent[self * NODES + 1] + sent[self * NODES + 2],
      handled[self] + handled[NODES + self] + handled[2 * NODES + self]
}

inline make_copy(self) {
  for (other : 0 .. NODES - 1) {
    copy_sent[self * NODES + other] = sent[self * NODES + other];
    copy_handled[other * NODES + self] = handled[other * NODES + self]
  };
  other = 0;
  copied!self
}

proctype node(byte self) {
  byte other;
  bool silent;
end:
  do
  :: atomic {
      !silent && questions > 0 ->
      questions--;
      if
      :: other = (self + 1) % NODES
      :: other = (self + 2) % NODES
      fi;
      send(self, other, question);
      other = 0
    }
  :: atomic {
      net[self]??[question(_)] ->
      net[self]??question(other);
      handled[other * NODES + self]++;
      send(self, other, reply);
      send(self, NODES - self - other, note);
      other = 0
    }
  :: atomic { net[self]??[reply(_)] -> net[self]??reply(other); handled[other * NODES + self]++; other = 0 }
  :: atomic { net[self]??[note(_)] -> net[self]??note(other); handled[other * NODES + self]++; other = 0 }
  :: atomic {
      packets[self]?halt ->
#ifndef WHO_HAS_HALTED_SENDS_NOTHING_BY_ITSELF
      silent = true;
#endif
      say_counts(self)
    }
  :: atomic { packets[self]?count -> say_counts(self) }
  :: atomic {
      packets[self]?cut ->
      make_copy(self);
#ifdef NOBODY_GOES_ON_BEFORE_ALL_HAVE_COPIES
      silent = false
#endif
    }
  :: atomic { packets[self]?go_on -> silent = false }
  od
}

inline tell_all(what) {
  for (at : 0 .. NODES - 1) {
    packets[at]!what
  }
}

inline hear_counts() {
  all_sent = 0;
  all_handled = 0;
  for (at : 0 .. NODES - 1) {
    atomic {
      counts?one, another;
      all_sent = all_sent + one;
      all_handled = all_handled + another;
      one = 0;
      another = 0
    }
  }
}

proctype launcher() {
  byte at, one, another, all_sent, all_handled, had_sent = 255, had_handled = 255;
  bool quiet;
  tell_all(halt);
  hear_counts();
  do
  :: quiet -> break
  :: else ->
#ifdef TWO_ROUNDS_AGREE
    quiet = all_sent == all_handled;
    if
    :: quiet -> break
    :: else
    fi;
#endif
    had_sent = all_sent;
    had_handled = all_handled;
    tell_all(count);
    hear_counts();
#ifndef TWO_ROUNDS_AGREE
#ifdef WHAT_WAS_HANDLED_BEFORE_IS_ALL_THAT_WAS_SENT
    quiet = had_sent == all_handled
#else
    quiet = had_handled == all_sent
#endif
#endif
  od;
  tell_all(cut);
  for (at : 0 .. NODES - 1) {
    copied?_
  };
  for (at : 0 .. NODES * NODES - 1) {
    assert(copy_sent[at] == copy_handled[at])
  };
  tell_all(go_on)
}

init {
  byte at;
  atomic {
    for (at : 0 .. NODES - 1) {
      run node(at)
    };
    run launcher()
  }
}
