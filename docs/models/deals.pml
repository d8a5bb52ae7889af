/* How senders, receivers and alternatives of one node meet in its channels: the deals of runtime/channels/channel.h and
 * alternatives.h, without the messages between nodes (attempts.pml has those).
 *
 * Two channels; a thread that sends to the first, one that receives from it, one that waits in an alternative to receive
 * from either, and one that waits in an alternative to send to either. Each alternative may also end by its deadline.
 * An `atomic` below is what the code does under one lock.
 *
 *     spin -a deals.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * Whatever the order of steps: no message is lost or comes twice; in the end nobody stands in a channel who is over; and
 * no two stand there who could meet. Each rule that is left out (-D of its name) breaks that. */

#define CHANNELS 2
#define ACTORS 4
#define plain_sender 0
#define plain_receiver 1
#define receiver 2 /* an alternative of both channels */
#define sender 3   /* likewise */

#define is_case(actor) (actor >= receiver)
#define ALL 3 /* a set of channels */

mtype = { linking, waiting, claimed, over, yes, no, later };

mtype state[ACTORS] = linking;
bool missed[ACTORS]; /* a deal asked in vain while it was linking or claimed */
bool gone[ACTORS];   /* it is over, and its cases leave their channels */
byte passed[ACTORS]; /* messages that it has sent or received */
bool stands[8];      /* channel * ACTORS + actor */
bool busy[CHANNELS];

#define at(channel, actor) stands[(channel) * ACTORS + (actor)]
#define pair(channel, one, other) (at(channel, one) && at(channel, other))
#define any_pair(channel)                                                                                              \
  (pair(channel, plain_sender, plain_receiver) || pair(channel, plain_sender, receiver) ||                             \
   pair(channel, sender, plain_receiver) || pair(channel, sender, receiver))

inline pass(from, to) {
  passed[from]++;
  passed[to]++;
  assert(passed[from] == 1 && passed[to] == 1)
}

/* channel_match. Of several pairs any may be first. */
inline match(channel) {
  deal = false;
  do
  :: !busy[channel] && any_pair(channel) ->
    if
    :: pair(channel, plain_sender, plain_receiver) -> source = plain_sender; sink = plain_receiver
    :: pair(channel, plain_sender, receiver) -> source = plain_sender; sink = receiver
    :: pair(channel, sender, plain_receiver) -> source = sender; sink = plain_receiver
    :: pair(channel, sender, receiver) -> source = sender; sink = receiver
    fi;
    at(channel, source) = false;
    at(channel, sink) = false;
    if
    :: !is_case(source) && !is_case(sink) -> pass(source, sink); state[source] = over; state[sink] = over
    :: else -> busy[channel] = true; deal = true; break
    fi
  :: else -> break
  od
}

/* alternative_claim; in an atomic */
inline claim(actor) {
  if
  :: state[actor] == waiting -> state[actor] = claimed; agreed = yes
#ifdef WHO_IS_OVER_REFUSES
  :: state[actor] == over -> agreed = yes
#else
  :: state[actor] == over -> agreed = no
#endif
  :: else -> missed[actor] = true; agreed = later
  fi
}

/* leave_channels, after its state has become `over`; then, if it was missed, it looks again (look_again). */
inline leave(actor, was_missed) {
  gone[actor] = true;
  at(0, actor) = false;
  at(1, actor) = false;
#ifndef WHO_WAS_MISSED_LOOKS_AGAIN
  if
  :: was_missed -> work = ALL
  :: else
  fi
#endif
}

/* put_back */
inline put_back(channel, actor) {
#ifdef WHO_IS_GONE_IS_NOT_PUT_BACK
  at(channel, actor) = true
#else
  at(channel, actor) = !gone[actor]
#endif
}

/* channel_settle, of one deal. Afterwards `deal` says whether there is another one in this channel. */
inline settle(channel) {
  atomic {
    agreed = yes;
    if
    :: is_case(source) ->
      claim(source);
      if
      :: agreed == yes -> holds = true
      :: else -> refuses = source; other = sink
      fi
    :: else
    fi
  };
  atomic {
    if
    :: agreed == yes && is_case(sink) ->
      claim(sink);
      if
      :: agreed == yes
      :: else -> refuses = sink; other = source
      fi
    :: else
    fi
  };
  if
  :: agreed == yes ->
    atomic { /* the message passes under the same lock under which the deal ends */
      done_source = source;
      done_sink = sink;
      pass(source, sink);
      busy[channel] = false;
      match(channel)
    };
    atomic { state[done_source] = over; look = is_case(done_source) && missed[done_source] };
    if
    :: is_case(done_source) -> leave(done_source, look)
    :: else
    fi;
    atomic { state[done_sink] = over; look = is_case(done_sink) && missed[done_sink] };
    if
    :: is_case(done_sink) -> leave(done_sink, look)
    :: else
    fi
  :: else ->
    atomic {
      deal = false;
      put_back(channel, other);
      if
      :: agreed == later -> put_back(channel, refuses)
      :: else
      fi;
      busy[channel] = false;
      done_source = refuses;
      done_sink = other;
      if
      :: agreed == no -> match(channel)
      :: else
      fi
    };
#ifndef WHO_CAME_TOO_EARLY_LOOKS_AGAIN
    atomic { /* alternative_will_look */
      if
      :: agreed == later && (state[done_source] == linking || state[done_source] == claimed) ->
#ifndef WHO_CAME_TOO_EARLY_ASKS_AGAIN
        missed[done_source] = true
#else
        skip
#endif
      :: agreed == later && state[done_source] != linking && state[done_source] != claimed -> match(channel)
      :: else
      fi
    };
#endif
    if
    :: holds && done_sink >= receiver -> /* alternative_release, in time or not */
      if
      :: atomic { state[done_sink] = waiting; look = missed[done_sink]; missed[done_sink] = false };
        if
        :: look -> work = ALL
        :: else
        fi
#ifdef DEADLINE
      :: atomic { state[done_sink] = over; look = missed[done_sink] }; leave(done_sink, look)
#endif
      fi
    :: else
    fi
  fi;
  atomic { refuses = 0; other = 0; done_source = 0; done_sink = 0; agreed = yes; holds = false; look = false }
}

/* What a kernel thread still has to look at, and does. */
inline look_at_work() {
  do
  :: deal -> settle(now)
  :: atomic { !deal && (work & 1) -> source = 0; sink = 0; work = work & 2; now = 0; match(0) }
  :: atomic { !deal && (work & 2) -> source = 0; sink = 0; work = work & 1; now = 1; match(1) }
  :: !deal && work == 0 -> break
  od
}

#define locals                                                                                                         \
  byte source, sink, refuses, other, done_source, done_sink, work, now;                                                \
  bool deal, holds, look;                                                                                              \
  mtype agreed

proctype Plain(byte actor) {
  locals;
  now = 0;
  atomic { at(0, actor) = true; match(0) };
  look_at_work()
}

proctype Alternative(byte actor) {
  locals;
  at(0, actor) = true;
  at(1, actor) = true;
  atomic { state[actor] = waiting; missed[actor] = false; work = ALL };
  look_at_work()
}

proctype Deadline(byte actor) {
  locals;
  bool ends;
  atomic {
    if
    :: state[actor] == waiting -> state[actor] = over; ends = true
    :: true
    fi
  };
  if
  :: ends -> leave(actor, false); look_at_work()
  :: else
  fi
}

init {
  byte actor;
  atomic {
#ifndef WITHOUT_PLAIN_SENDER
    run Plain(plain_sender);
#endif
#ifndef WITHOUT_PLAIN_RECEIVER
    run Plain(plain_receiver);
#endif
    run Alternative(receiver);
#ifdef DEADLINE
    run Deadline(receiver);
#endif
    run Alternative(sender)
  };
  (_nr_pr == 1); /* all have done what they do */
  assert(!busy[0] && !busy[1]);
  assert(!any_pair(0) && !any_pair(1));
  for (actor : 0 .. ACTORS - 1) {
    assert(state[actor] != claimed && state[actor] != linking || !is_case(actor));
    assert(!(state[actor] == over && (at(0, actor) || at(1, actor))));
    assert(!(passed[actor] && state[actor] != over))
  };
  assert(passed[plain_sender] + passed[sender] == passed[plain_receiver] + passed[receiver])
}
