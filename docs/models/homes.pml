/* A channel goes to live on another node while others use it: the move of runtime/channels/homes.h. Then the node that
 * it has left leaves the run.
 *
 * The channel is at node A, and has room for some messages. Two senders and a receiver, which know its handle there,
 * want to pass one message after the other, and ask wherever they think that the channel is. At any time node A may
 * decide that the channel goes to node X, which gets the messages that it holds; it may also give that up, once. When
 * the channel has gone, A may leave: then X answers for it, by what A has told it. Messages between two processes keep
 * their order, except for those with which the new record is filled, and those of different ones come in any.
 *
 *     spin -a homes.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * Whatever the order of steps: each message passes once, those of one sender in order, and nobody waits for ever. Each
 * rule that is left out (-D of its name) breaks that. */

#define EACH 2 /* messages of a sender */
#define ALL (2 * EACH)
#define CAPACITY 2
#define USERS 3
#define RECEIVER 2

mtype = { ask, again, passed, created, filled };

chan to_a = [7] of { mtype, byte };    /* ask: by whom; created: the record at X; filled */
chan make = [1] of { bit };
chan lanes[CAPACITY] = [1] of { byte }; /* fill: with which message */
chan to_record = [8] of { byte, byte }; /* which record at X, by whom */
chan answers[USERS] = [1] of { mtype, byte };

byte sending[2], next[2]; /* of each sender: the message that it wants to pass; the first that has not been received */
byte ended; /* users */
byte estate; /* where the channel went, as X is told */
bool left;

/* Lets go on who can in a record: `r` of its home's arrays. */
inline settle(r) {
  do
  :: held[r] && stands[USERS * r + RECEIVER] ->
    stands[USERS * r + RECEIVER] = false;
    message = holds[CAPACITY * r];
    held[r]--;
    for (at : 1 .. CAPACITY - 1) {
      holds[CAPACITY * r + at - 1] = holds[CAPACITY * r + at]
    }
    holds[CAPACITY * r + CAPACITY - 1] = 0;
    assert(message % EACH == next[message / EACH]);
    next[message / EACH]++;
    answers[RECEIVER]!passed(0)
  :: held[r] < CAPACITY && (stands[USERS * r] || stands[USERS * r + 1]) ->
    if
    :: stands[USERS * r] -> user = 0
    :: stands[USERS * r + 1] -> user = 1
    fi;
    stands[USERS * r + user] = false;
    holds[CAPACITY * r + held[r]] = user * EACH + sending[user];
    held[r]++;
    answers[user]!passed(0)
  :: else -> break
  od;
  user = 0;
  message = 0;
  at = 0
}

active proctype node_a() {
  bool stands[USERS], busy, gone;
  byte held[1], holds[CAPACITY];
  byte who, forward, there, user, message, at, tries;
end:
  do
  :: to_a?ask(who) ->
    atomic {
      if
      :: gone -> answers[who]!again(forward)
      :: else ->
        stands[who] = true;
        if
        :: !busy -> settle(0)
        :: else
        fi
      fi
    }
  :: !busy && !gone && tries < 2 -> /* it goes */
    atomic {
      tries++;
#ifndef WHO_MOVES_IS_BUSY
      busy = true;
#endif
      make!0
    }
  :: to_a?created(who) ->
    atomic {
      forward = who;
      there = 0;
      if
      :: tries < 2 -> /* it stays after all */
        busy = false;
        settle(0)
      :: true -> goto fills
      fi
    }
  :: to_a?filled(_) ->
    atomic {
      there++;
fills:
      if
      :: there < held[0] ->
#ifndef ONE_IS_FILLED_AFTER_THE_OTHER
        lanes[0]!holds[there]
#else
        if
        :: there == 0 ->
          for (at : 0 .. held[0] - 1) {
            lanes[at]!holds[at]
          }
          at = 0
        :: else
        fi
#endif
      :: else -> /* it is there */
        gone = true;
        busy = false;
        held[0] = 0;
        for (who : 0 .. RECEIVER) {
          if
          :: stands[who] ->
            stands[who] = false;
#ifndef WHO_STANDS_IS_TOLD
            answers[who]!again(forward)
#endif
          :: else
          fi
        }
      fi
    }
#ifndef WHO_KEEPS_A_CHANNEL_STAYS
  :: gone ->
#else
  :: !busy ->
#endif
    atomic {
#ifndef THE_HEIR_IS_TOLD
      estate = forward;
#endif
      left = true;
      break
    }
  od
}

/* Records at X: each request for one makes another. */
active proctype node_x() {
  bool stands[2 * USERS];
  byte held[2], holds[2 * CAPACITY];
  byte who, record, records, user, message, at;
end:
  do
  :: make?_ -> records++; to_a!created(records)
  :: lanes[0]?message ->
    atomic {
      holds[CAPACITY * (records - 1) + held[records - 1]] = message;
      held[records - 1]++;
      message = 0;
      to_a!filled(0)
    }
  :: lanes[1]?message ->
    atomic {
      holds[CAPACITY * (records - 1) + held[records - 1]] = message;
      held[records - 1]++;
      message = 0;
      to_a!filled(0)
    }
  :: to_record?record, who ->
    atomic {
      stands[(record - 1) * USERS + who] = true;
      settle((record - 1))
    }
  :: left && to_a?[ask] -> /* as the heir */
    atomic {
      to_a?ask(who);
      assert(estate);
      answers[who]!again(estate)
    }
  od
}

proctype user(byte self) {
  byte done, alias, told;
  do
  :: done < (self == RECEIVER -> ALL : EACH) ->
    if
    :: !alias -> to_a!ask(self)
    :: else -> to_record!alias, self
    fi;
    if
    :: answers[self]?passed(told) ->
      atomic {
        done++;
        if
        :: self < RECEIVER -> sending[self]++
        :: else
        fi
      }
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
    run user(2)
  }
  ended == USERS;
  assert(next[0] == EACH && next[1] == EACH)
}
