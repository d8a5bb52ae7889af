/* A run with deaths=recover as a whole: launch/run/recovery.h, checkpoints.h, checkpoint_folder.h, held_output.h.
 *
 * Two nodes write lines in turn, and tell each other of each. A node dies at any moment, or is cut off with its host:
 * then it goes on, and the launcher takes it for dead. One that was started again may hang before it has done
 * anything, and is as good as dead. After each death all nodes are started again, which is a new *life*, from the last
 * complete checkpoint, or from the beginning. The launcher itself is killed at any moment, too; then `skein restart`
 * goes on, while nodes and copies of the former launcher may still be there. A checkpoint can be given up from the cut on, and its rename can fail. That nothing is under way when
 * copies are made is a condition here; how that is found out is the model cut.pml. What is taken for granted: a line is
 * given out as a whole or not at all, and the disk forgets nothing.
 *
 *     spin -a recovery.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m200000
 *
 * Whatever the order of steps: each line of a node is given out once, in order (to a file: what has gone into a pipe
 * before the launcher is killed cannot be taken back); all nodes are made of the same cut, which is that of a complete
 * checkpoint, and there is one as soon as there was one; nothing of a former life changes anything in this one; and
 * every run ends when nobody dies any more. Each rule that is left out (-D of its name) breaks that. */

#define NUMBERS 2
/* An instance, and the rules that are needed only when the launcher is killed. */
#if defined(LAUNCHER_IS_KILLED) || defined(A_COPY_IS_A_NEW_FILE) || defined(PACKETS_COME_FROM_THIS_LIFE) || \
    defined(THE_OUTPUT_IS_CUT_AT_THE_POSITION) || defined(WHAT_IS_COVERED_IS_STORED)
#define LINES 1 /* of each node; with 2 it holds, too, in a million states */
#define DEATHS 0
#define KILLS 1
#else
#define LINES 2
#define DEATHS 1
#define KILLS 0
#endif

#define AT(number, self) ((number) * 2 + (self))
#define FILES ((NUMBERS + 1) * 2)

byte deaths = DEATHS, kills = KILLS;
bool may_hang = true, hung; /* in a life that is not the first; one does in this life */
byte number; /* of the last checkpoint that was begun */
byte life, ended_life; /* nodes of lives up to `ended_life` have been killed */
byte first_life;       /* of this launcher */
byte living[DEATHS + KILLS + 3];

/* What nodes send: token and number of the line. Those that listen are of the present life. */
chan net[2] = [1] of { byte, byte };
/* What they have written, and the launcher has not read. */
chan pipe[2] = [1] of { byte };

/* Packets, as what they change. */
mtype = { go_on, halt, cut };
mtype order = go_on;
bool halted[2], copied[2], unwritten[2], finished[2];
bool failed, died;

/* The folder: it outlives the launcher. */
bool part[NUMBERS + 1], complete[NUMBERS + 1];
bool there[FILES];
byte copy_done[FILES], copy_heard[FILES], copy_life[FILES];
byte position[FILES], output[FILES]; /* the last line in the file of the output at the cut; the last that is covered */
bool killed;

/* The file of the output: the last line of each node. */
byte given[2];

/* What nobody reads any more makes no difference. */
inline end_of_node() {
  done = 0;
  heard = 0;
  copy_of = 0;
  had_done = 0;
  had_heard = 0;
  off = false
}

inline note_end() { finished[self] = finished[self] || (mine == life && !off && done == LINES && heard == LINES) }

proctype node(byte mine, self, done, heard) {
  byte from, line, copy_of, had_done, had_heard;
  bool off; /* its host is cut off */
  if
  :: atomic { mine > 1 && may_hang -> may_hang = false; hung = (mine == life) };
    atomic { mine <= ended_life -> living[mine]--; end_of_node(); goto gone }
  :: true
  fi;
  do
  :: atomic {
      !(mine == life && !off && halted[self]) && done < LINES && heard == done + self &&
      (off || mine < first_life || nfull(pipe[self])) && (mine != life || nfull(net[1 - self])) ->
      done++;
      note_end();
      if
      :: nfull(net[1 - self]) -> net[1 - self]!mine, done
      :: full(net[1 - self]) /* it is lost with the former life that it is of */
      fi;
      if
      :: !off && mine >= first_life -> pipe[self]!done
      :: else
      fi
    }
  :: atomic {
      mine == life && nempty(net[self]) ->
      net[self]?from, line;
      if
#ifdef TOKENS_ARE_COMPARED
      :: true ->
#else
      :: from == mine ->
#endif
        assert(line == heard + 1);
        heard = line;
        note_end()
      :: from != mine
      fi;
      from = 0;
      line = 0
    }
  :: atomic { mine == life && !off && order == halt && !halted[self] -> halted[self] = true }
  :: atomic {
      mine == life && !off && order == cut && !copied[self] ->
      copied[self] = true;
      unwritten[self] = true;
      copy_of = number;
      had_done = done;
      had_heard = heard
    }
    /* Its copy writes itself. */
  :: atomic {
      copy_of != 0 ->
      if
      :: !part[copy_of] -> from = 1
#ifndef A_COPY_IS_A_NEW_FILE
      :: part[copy_of] && there[AT(copy_of, self)] ->
        assert(KILLS > kills); /* numbers are never used again by one launcher */
        from = 1
#endif
      :: else ->
        there[AT(copy_of, self)] = true;
        copy_done[AT(copy_of, self)] = had_done;
        copy_heard[AT(copy_of, self)] = had_heard;
        copy_life[AT(copy_of, self)] = mine
      fi;
      if
#ifdef PACKETS_COME_FROM_THIS_LIFE
      :: true ->
#else
      :: mine == life && !off ->
#endif
        unwritten[self] = false;
        failed = failed || from
      :: else
      fi;
      from = 0;
      copy_of = 0;
      had_done = 0;
      had_heard = 0
    }
    /* It dies, or is cut off. */
  :: atomic {
      mine == life && mine > ended_life && !off && deaths > 0 ->
      deaths--;
      died = true;
      living[mine]--;
      if
      :: off = true
      :: end_of_node(); break
      fi
    }
    /* It has been killed, or its host ends it. */
  :: atomic {
      mine <= ended_life || off ->
      if
      :: !off -> living[mine]--
      :: off
      fi;
      end_of_node();
      break
    }
  od;
gone:
  skip
}

/* The launcher's memory. */
mtype = { idle, halting, writing };
mtype stage = idle;
byte from; /* the checkpoint that the run goes back to; 0: the beginning */
bool was_complete;

/* The first and the last line of each node that are held, 0 if none are; the last one that the
 * next checkpoint covers. */
byte first_held[2], last_held[2], mark[2];

inline give_out(self, first, last) {
  assert(first == given[self] + 1 && last >= first);
  given[self] = last
}

inline hold(self) {
  pipe[self]?line;
#ifdef OUTPUT_IS_HELD
  give_out(self, line, line);
#else
  assert(last_held[self] == 0 || line == last_held[self] + 1);
  last_held[self] = line;
  if
  :: first_held[self] == 0 -> first_held[self] = line
  :: else
  fi;
#endif
  line = 0
}

/* What the complete checkpoint covers. */
inline give_out_held(self) {
  atomic {
    if
    :: first_held[self] != 0 && mark[self] >= first_held[self] ->
      give_out(self, first_held[self], mark[self]);
      if
      :: mark[self] == last_held[self] -> first_held[self] = 0; last_held[self] = 0
      :: else -> first_held[self] = mark[self] + 1
      fi
    :: else
    fi;
    mark[self] = 0
  }
}

inline forget_held() {
  for (at : 0 .. 1) {
    first_held[at] = 0;
    last_held[at] = 0;
    mark[at] = 0
  };
  at = 0
}

inline forget(file) {
  there[file] = false;
  copy_done[file] = 0;
  copy_heard[file] = 0;
  copy_life[file] = 0;
  position[file] = 0;
  output[file] = 0
}

inline drop(which) {
  part[which] = false;
  forget(AT(which, 0));
  forget(AT(which, 1))
}

inline let_all_go_on() {
  order = go_on;
  halted[0] = false;
  halted[1] = false;
  copied[0] = false;
  copied[1] = false
}

inline give_up() {
  drop(number);
  let_all_go_on();
  stage = idle
}

/* In `skein restart`. */
inline give_out_stored(self) {
  atomic {
    if
    :: output[AT(from, self)] != 0 -> give_out(self, given[self] + 1, output[AT(from, self)])
    :: else
    fi
  }
}

inline next_life() {
  life++;
  let_all_go_on();
  for (at : 0 .. 1) {
    unwritten[at] = false;
    finished[at] = copy_done[AT(from, at)] == LINES && copy_heard[AT(from, at)] == LINES
  };
  at = 0;
  failed = false;
  died = false;
  hung = false;
  stage = idle;
  living[life] = 2;
  assert(from == 0 || complete[from]);
  assert(from != 0 || !was_complete);
  run node(life, 0, copy_done[AT(from, 0)], copy_heard[AT(from, 0)]);
  run node(life, 1, copy_done[AT(from, 1)], copy_heard[AT(from, 1)])
}

inline prune() {
  for (at : 1 .. NUMBERS) {
    if
    :: complete[at] && at != from -> complete[at] = false; drop(at)
    :: else
    fi
  };
  at = 0
}

/* `skein restart`. What it has given out before it is killed, it gives out again. */
inline restart() {
  atomic {
    first_life = life + 1;
    number = 0;
    from = 0;
    for (at : 1 .. NUMBERS) {
      if
      :: part[at] -> number = at; drop(at)
      :: complete[at] -> number = at; from = at
      :: else
      fi
    };
    for (at : 0 .. 1) {
      do
      :: nempty(pipe[at]) -> pipe[at]?line
      :: empty(pipe[at]) -> break
      od;
#ifndef THE_OUTPUT_IS_CUT_AT_THE_POSITION
      given[at] = position[AT(from, at)]
#endif
    };
    at = 0;
    line = 0
  };
#ifndef WHAT_IS_COVERED_IS_STORED
  give_out_stored(0);
  give_out_stored(1);
#endif
  atomic {
    for (at : 0 .. FILES - 1) { /* nobody reads it any more: the launcher is killed once */
      position[at] = 0;
      output[at] = 0
    };
    at = 0
  }
}

proctype launcher(bool again) {
  byte at, line;
  {
    if
    :: again -> restart()
    :: else
    fi;
    atomic { next_life() };
    do
    :: atomic { nempty(pipe[0]) -> hold(0) }
    :: atomic { nempty(pipe[1]) -> hold(1) }

    /* A checkpoint. */
    :: atomic {
        !died && stage == idle && number < NUMBERS && !unwritten[0] && !unwritten[1] ->
#ifdef NUMBERS_ARE_NEVER_USED_AGAIN
        number = from;
#endif
        number++;
        part[number] = true;
        failed = false;
        stage = halting;
        order = halt;
#ifdef THE_ONE_BEFORE_STAYS_UNTIL_THE_NEXT_IS_COMPLETE
        if
        :: from != 0 -> complete[from] = false
        :: else
        fi
#endif
      }
    :: atomic {
        stage == halting && order == halt && halted[0] && halted[1] && !(net[0]??[eval(life), _]) &&
        !(net[1]??[eval(life), _]) ->
        order = cut
      }
    :: atomic {
        stage == halting && order == cut && copied[0] && copied[1] ->
        for (at : 0 .. 1) {
#ifndef WHAT_IS_WRITTEN_IS_READ_BEFORE_THE_MARK
          do
          :: nempty(pipe[at]) -> hold(at)
          :: empty(pipe[at]) -> break
          od;
#endif
          position[AT(number, at)] = (kills > 0 -> given[at] : 0); /* else nobody reads it */
          mark[at] = last_held[at]
        };
        at = 0;
        let_all_go_on();
        stage = writing
      }
    :: atomic { !died && (order == cut || stage == writing) -> give_up() } /* for whatever reason */
#ifdef ALL_COPIES_ARE_WRITTEN
    :: stage == writing && !died ->
#else
    :: stage == writing && !died && !failed && !unwritten[0] && !unwritten[1] ->
#endif
      atomic {
        for (at : 0 .. 1) {
          output[AT(number, at)] = (kills > 0 -> mark[at] : 0)
        };
        at = 0
      };
#ifdef OUTPUT_IS_GIVEN_OUT_AFTER_THE_RENAME
      give_out_held(0);
      give_out_held(1);
#endif
      if
      :: atomic { true -> give_up() } /* the disk is full */
      :: atomic {
          true ->
          part[number] = false;
          complete[number] = true;
          was_complete = true;
          from = number;
          for (at : 0 .. 1) {
            assert(there[AT(number, at)] && copy_life[AT(number, at)] == life);
            assert(copy_done[AT(number, at)] == copy_heard[AT(number, 1 - at)])
          };
          copy_life[AT(number, 0)] = 0;
          copy_life[AT(number, 1)] = 0;
          at = 0;
          stage = idle
        };
        give_out_held(0);
        give_out_held(1);
        atomic { prune() }
      fi

    /* A start that takes too long. */
#ifndef A_START_THAT_HANGS_IS_ENDED
    :: atomic { hung && !died -> died = true }
#endif

    /* A death. */
    :: atomic {
        died ->
        ended_life = life;
        if
        :: stage != idle -> drop(number)
        :: else
        fi;
        stage = idle
      };
#ifndef ALL_OF_THE_LAST_LIFE_HAVE_ENDED
      atomic {
        living[life] == 0;
        for (at : 0 .. 1) {
          do
          :: nempty(pipe[at]) -> hold(at)
          :: empty(pipe[at]) -> break
          od
        };
        at = 0
      };
#endif
      atomic {
#ifndef WHAT_IS_HELD_IS_DROPPED
        forget_held();
#endif
        next_life()
      }

    /* The end. */
    :: atomic {
        finished[0] && finished[1] && !died && stage == idle && empty(pipe[0]) && empty(pipe[1]) ->
        mark[0] = last_held[0];
        mark[1] = last_held[1];
        ended_life = life
      };
      give_out_held(0);
      give_out_held(1);
      atomic {
        assert(given[0] == LINES && given[1] == LINES);
        break
      }
    od
  } unless {
    atomic {
      killed ->
      killed = false;
      ended_life = life;
      forget_held();
      stage = idle;
      run launcher(true)
    }
  }
}

/* The run can be restarted as soon as there is a checkpoint. */
active proctype killer() {
end:
  do
  :: atomic { kills > 0 && was_complete && !killed -> kills--; killed = true }
  od
}

init { atomic { first_life = 1; run launcher(false) } }
