/* A channel goes to live on another node while others use it: the move of runtime/channels/homes.h.
 *
 * The channel is at node A. Two senders and two receivers, which know its handle there, each want to pass one message
 * after the other, and ask wherever they think that the channel is. After each message node A may decide that the channel
 * goes to node X. Messages between two processes keep their order, and those of different ones come in any.
 *
 *     spin -a homes.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * Whatever the order of steps: each message passes once, and nobody waits for ever. Each rule that is left out (-D of its
 * name) breaks that. */

#define EACH 2 /* messages of a sender or receiver */
#define ALL (2 * EACH)
#define is_sender(user) ((user) < 2)

mtype = { ask, again, passed, create, created };

chan to_a = [6] of { mtype, byte };    /* ask: by whom; created: the record at X */
chan to_x = [8] of { mtype, byte };    /* ask; create */
chan to_record = [8] of { byte, byte }; /* which record at X, by whom */
chan answers[4] = [1] of { mtype, byte };

byte sent, received; /* messages */
byte ended;          /* users */

#define may_meet(base) ((stands[base] || stands[base + 1]) && (stands[base + 2] || stands[base + 3]))

/* Two of those that stand in a record meet. */
inline meet(base) {
  if
  :: stands[base] -> source = 0
  :: stands[base + 1] -> source = 1
  fi;
  if
  :: stands[base + 2] -> sink = 2
  :: stands[base + 3] -> sink = 3
  fi;
  stands[base + source] = false;
  stands[base + sink] = false;
  sent++;
  received++;
  answers[source]!passed(0);
  answers[sink]!passed(0)
}

active proctype node_a() {
  bool stands[4], busy, gone;
  byte who, forward, source, sink, moves;
end:
  do
  :: to_a?ask(who) ->
    atomic {
      if
      :: gone -> answers[who]!again(forward)
      :: else -> stands[who] = true
      fi
    }
  :: to_a?created(who) ->
    atomic {
      forward = who;
      gone = true;
      busy = false;
#ifndef WHO_STANDS_IS_TOLD
      for (who : 0 .. 3) {
        if
        :: stands[who] -> stands[who] = false; answers[who]!again(forward)
        :: else
        fi
      }
#endif
    }
  :: atomic {
      !busy && !gone && may_meet(0) -> meet(0);
      if
      :: moves < 2 && !gone -> /* it goes there */
        moves++;
#ifndef WHO_MOVES_IS_BUSY
        busy = true;
#endif
        to_x!create(0)
      :: true
      fi
    }
  od
}

/* Records at X: each request for one makes another. */
active proctype node_x() {
  bool stands[8];
  byte who, record, records, base, source, sink;
end:
  do
  :: to_x?create(who) -> records++; to_a!created(records)
  :: to_record?record, who ->
    atomic {
      base = (record - 1) * 4;
      stands[base + who] = true;
      if
      :: may_meet(base) -> meet(base)
      :: else
      fi
    }
  od
}

proctype user(byte self) {
  byte left = EACH, alias, told;
  do
  :: left ->
    if
    :: !alias -> to_a!ask(self)
    :: else -> to_record!alias, self
    fi;
    if
    :: answers[self]?passed(told) -> left--
    :: answers[self]?again(told) -> alias = told
    fi
  :: else -> break
  od;
  ended++
}

init {
  atomic {
    run user(0);
    run user(1);
    run user(2);
    run user(3)
  }
  ended == 4;
  assert(sent == ALL && received == ALL)
}
