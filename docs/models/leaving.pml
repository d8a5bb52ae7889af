/* A node leaves a run, and what it keeps goes to node 0: the protocol of runtime/net/run/leaving.h.
 *
 * The leaver keeps a counter, and so stands for all that nodes keep for others. Two users, node 0 (the heir) and another
 * node, each ask its keeper some times to count, at any time; each waits for the answer before it asks again. Messages
 * overtake each other in any way. The launcher leads: part, handed over, departed for the heir, departed for the other.
 *
 *     spin -a leaving.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * Whatever the order of steps: each request is counted once, by whoever keeps the counter at that moment; nobody else is
 * asked; every answer comes; and the leaver ends. Each rule that is left out (-D of its name) breaks that. */

#define REQUESTS 3 /* of each user */
#define HEIR 0
#define OTHER 1
#define USERS 2

/* Messages that are under way, as counts: so they have no order. */
byte to_leaver[USERS], to_heir[USERS]; /* requests, by who asks */
byte answers[USERS];
byte held[USERS];                      /* requests that wait for the departure */

byte sent[USERS], handled[USERS]; /* requests to the leaver */
bool parted[USERS], left[USERS];
bool farewell[USERS];             /* has come, and says so many: */
byte came_before[USERS];

byte counter, inherited;          /* at the leaver; at the heir */
bool is_keeper, estate_comes, gone;
byte estate;
bool part_told[USERS], departed_told[USERS], departed[USERS], handed_over;

/* Sends a request to the keeper, as far as the user knows it (route in net/wire/link_sending.cpp). */
inline ask(user) {
  atomic {
    if
    :: left[user] -> to_heir[user]++
#ifdef MESSAGES_ARE_HELD_BACK
    :: !left[user] -> to_leaver[user]++; sent[user]++
#else
    :: !left[user] && parted[user] -> held[user]++
    :: !left[user] && !parted[user] -> to_leaver[user]++; sent[user]++
#endif
    fi
  }
}

proctype user(byte me) {
  byte asked;
end:
  do
  :: asked < REQUESTS && (asked == 0 || answers[me] == asked) -> ask(me); asked++
  :: part_told[me] && !parted[me] ->
    atomic {
      parted[me] = true;
      came_before[me] = sent[me];
      farewell[me] = true
    }
  :: departed_told[me] && !left[me] ->
    atomic {
      if
      :: me == HEIR ->
#ifndef ESTATE_BEFORE_DEPARTURE
        assert(estate_comes);
#endif
        inherited = inherited + estate;
        is_keeper = true
      :: else
      fi;
      left[me] = true;
      to_heir[me] = to_heir[me] + held[me];
      held[me] = 0;
      departed[me] = true
    }
  od
}

/* The heir handles requests that come to it. */
active proctype heir() {
  byte who;
end:
  do
  :: to_heir[HEIR] > 0 || to_heir[OTHER] > 0 ->
    atomic {
      if
      :: to_heir[HEIR] > 0 -> who = HEIR
      :: to_heir[OTHER] > 0 -> who = OTHER
      fi;
      assert(is_keeper);
      to_heir[who]--;
      inherited++;
      answers[who]++
    }
  od
}

active proctype leaver() {
  byte who;
end:
  do
  :: (to_leaver[HEIR] > 0 || to_leaver[OTHER] > 0) ->
    atomic {
      if
      :: to_leaver[HEIR] > 0 -> who = HEIR
      :: to_leaver[OTHER] > 0 -> who = OTHER
      fi;
      assert(!gone && !estate_comes); /* what it keeps has been passed on */
      to_leaver[who]--;
      handled[who]++;
      counter++;
      answers[who]++
    }
#ifdef ALL_IS_HANDLED
  :: farewell[HEIR] && farewell[OTHER] && !estate_comes ->
#else
  :: farewell[HEIR] && farewell[OTHER] && !estate_comes && handled[HEIR] == came_before[HEIR] &&
     handled[OTHER] == came_before[OTHER] ->
#endif
    atomic {
      estate = counter;
      estate_comes = true;
      handed_over = true
    }
  :: departed[HEIR] && departed[OTHER] -> gone = true; break
  od
}

active proctype launcher() {
  byte who;
  run user(HEIR);
  run user(OTHER);
  atomic {
    part_told[HEIR] = true;
    part_told[OTHER] = true
  }
#ifndef ESTATE_BEFORE_DEPARTURE
  handed_over;
#endif
#ifdef HEIR_IS_FIRST
  departed_told[OTHER] = true;
  departed[OTHER];
  departed_told[HEIR] = true;
  departed[HEIR];
#else
  departed_told[HEIR] = true;
  departed[HEIR];
  departed_told[OTHER] = true;
  departed[OTHER];
#endif
  /* All requests are answered in the end, and counted once. */
  gone && answers[HEIR] == REQUESTS && answers[OTHER] == REQUESTS;
  assert(inherited == USERS * REQUESTS)
}
