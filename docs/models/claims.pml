/* The private memory of a packed thread: runtime/pack/pack.h and private/regions/regions.h.
 *
 * Its addresses belong to the slice of node 0. A thread has them; it moves, and what it leaves behind stays mapped there
 * until the news of its arrival; it ends anywhere, and node 0 keeps the addresses. On each node somebody unpacks its
 * image: node 0 is asked for the addresses until it grants them, and the copy lives, moves and ends as the thread did.
 * Messages overtake each other.
 *
 *     spin -a claims.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * One thread has the memory at a time, nothing is mapped where it comes to, and node 0 is never told of addresses that
 * have not left it. Each rule that is left out (-D of its name) breaks that. */

#define NODES 3
#define MOVES 3
#define owner 0

mtype = { here, abroad, kept };                       /* what node 0 knows of the addresses */
mtype = { arrived, region, claim, granted, refused }; /* messages */

mtype state = here;
bool mapped[NODES];
byte left_behind[NODES]; /* the number of the shipment with which a thread left, until that is settled; 0: none */
byte shipments, having;
byte moves = MOVES;
chan net[NODES] = [6] of { mtype, byte };
chan answers[NODES] = [1] of { mtype };

/* The thread that left this node is known to have arrived: what it has left behind is unmapped. */
inline settle(place) {
  left_behind[place] = 0;
  mapped[place] = false;
  if
  :: place == owner -> state = abroad
  :: else
  fi
}

/* A thread that comes with this memory proves that whoever left with it before has arrived. */
inline map(place) {
#ifndef WHO_MAPS_SETTLES_FIRST
  if
  :: left_behind[place] -> settle(place)
  :: else
  fi;
#endif
  assert(!mapped[place]);
  mapped[place] = true;
  if
  :: place == owner -> state = here
  :: else
  fi
}

proctype life(byte at) {
  byte to, number;
  do
  :: moves > 0 ->
    moves--;
    if
    :: to = (at + 1) % NODES
    :: to = (at + 2) % NODES
    fi;
    atomic { shipments++; number = shipments; left_behind[at] = number };
    atomic { /* it may take long until it comes there */
      map(to);
      net[at]!arrived(number);
      at = to;
      to = 0;
      number = 0
    }
  :: break
  od;
  atomic {
    having--;
    mapped[at] = false;
    if
    :: at == owner -> state = kept
    :: else -> net[owner]!region(0)
    fi
  }
}

inline take_claim(answer) {
  if
  :: state == kept ->
#ifndef WHAT_IS_GRANTED_IS_KEPT_NO_MORE
    state = abroad;
#endif
    answer = granted
  :: else -> answer = refused
  fi
}

proctype handlers(byte self) {
  byte word;
  mtype answer;
end:
  do
  :: atomic { net[self]??[arrived(_)] ->
      net[self]??arrived(word);
      if
      :: left_behind[self] == word -> settle(self)
      :: else /* settled by other news */
      fi;
      word = 0 }
  :: atomic { net[self]??[region(_)] ->
      net[self]??region(_);
#ifndef THE_OWNER_SETTLES_FIRST
      if
      :: left_behind[self] -> settle(self)
      :: else
      fi;
#endif
      assert(state == abroad);
      state = kept }
  :: atomic { net[self]??[claim(_)] ->
      net[self]??claim(word);
      take_claim(answer);
      answers[word]!answer;
      word = 0;
      answer = 0 }
  od
}

proctype unpacker(byte self) {
  mtype answer;
  do
  :: if
#ifdef THE_OWNER_DECIDES
     :: atomic { !mapped[self] -> answer = granted }
     :: atomic { mapped[self] -> answer = refused }
#else
     :: atomic { self == owner -> take_claim(answer) }
     :: self != owner -> net[owner]!claim(self); answers[self]?answer
#endif
     fi;
     if
     :: atomic { answer == granted ->
         answer = 0;
         map(self);
         assert(having == 0);
         having++;
         run life(self) };
       break
     :: answer == refused -> answer = 0
     fi
  od
}

init {
  byte at;
  atomic {
    mapped[owner] = true;
    having = 1;
    run life(owner);
    for (at : 0 .. NODES - 1) {
      run handlers(at);
      run unpacker(at)
    }
  }
}
