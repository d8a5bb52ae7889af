/* A message that its sender lends, and its receiver copies from the sender's memory (runtime/net/messages/lent_memory.h).
 *
 * The sender's thread waits for the answer to its call. It may be pushed away once meanwhile: then what it has lent is
 * copied, the record gets the copy's address, and the thread leaves, so that what it had is written over. When the answer
 * comes, the record and the copy are given back. Two words stand for the bytes. The receiver reads the address, the words,
 * and the address once more, a step at a time, and takes the message if that has not changed. The sender may die at any
 * moment, and its number may be another process's then, whose memory holds anything, but not the proof.
 *
 *     spin -a lending.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * What is taken is what was sent, and nothing is confirmed that was not taken. Each rule that is left out (-D of its name)
 * breaks that. With -DDIES the sender may die. */

#ifdef THE_PROOF_IS_READ_AGAIN
#define DIES
#endif

#define SENT 1   /* what a word of the message is */
#define OTHERS 2 /* what else may be there */

byte memory[4] = SENT; /* words 0 and 1: where the thread has them; 2 and 3: the copy */
byte address = 0;      /* in the record: 0, or 2 for the copy */
bool proof = true;     /* the record is there */
bool answered, taken;

active proctype sender() {
  bool left;
  memory[2] = OTHERS;
  memory[3] = OTHERS;
end:
  do
  :: atomic { answered -> /* takes the record back; all of it may be used for something else */
      proof = false;
      memory[2] = OTHERS;
      memory[3] = OTHERS;
      memory[0] = OTHERS;
      memory[1] = OTHERS;
      break
    }
  :: !left && !answered ->
      left = true;
#ifdef THE_COPY_COMES_FIRST
      address = 2;
      memory[2] = SENT;
      memory[3] = SENT;
#else
      memory[2] = SENT;
      memory[3] = SENT;
#ifndef THE_RECORD_FOLLOWS_THE_THREAD
      address = 2;
#endif
#endif
      memory[0] = OTHERS; /* the thread is gone */
      memory[1] = OTHERS
#ifdef DIES
  :: atomic { !answered -> /* dies */
      proof = false;
      address = 0;
      memory[0] = OTHERS;
      memory[1] = OTHERS;
      memory[2] = OTHERS;
      memory[3] = OTHERS;
      break
    }
#endif
  od
}

active proctype receiver() {
  byte from, first, second;
  bool good;
  atomic { good = proof; from = address };
  do
  :: !good -> /* the sender is told to send it */
      assert(!answered);
      break
  :: else ->
#ifdef WHO_ANSWERS_HAS_READ
      answered = true;
#endif
      first = memory[from];
      second = memory[from + 1];
#ifdef THE_RECORD_IS_READ_AGAIN
      taken = true;
#else
      atomic {
#ifndef THE_PROOF_IS_READ_AGAIN
        good = proof;
#endif
        if
        :: good && from == address -> taken = true
        :: else -> from = address /* once more, or not at all */
        fi
      };
#endif
      if
      :: taken ->
          assert(first == SENT && second == SENT);
          break
      :: else
      fi
  od;
  answered = true
}
