/* `adder`: an adder for 8 bits without a clock, simulated: each element of the circuit is a thread that waits for a
 * signal on any of its wires, which are channels, and answers on others. A signal carries a record of how many elements
 * of each kind it has passed, so the delay of each sum comes out with it. (The Testbed, sections 4.3.2, A.7.)
 *
 * The elements are the seed's: *keller*, a bit of memory that can be set, reset and tested; *call*, which lets two
 * callers use one thing, and answers the one that called; *muller*, which waits for both of its inputs; *merge*, which
 * lets either of two inputs through. Figure 49 is not in the text of the seed that we have, so the circuit is ours. It
 * adds one bit after the other, as counting does: what is one toggles the sum, and a sum that falls sets the carry.
 *
 *     one --> call2 --> test the sum    it was 0: set the sum and its copy           --> toggled --> call2 --> done
 *                                       it was 1: set the carry, then call1 to reset --> toggled --> call2 --> done
 *     zero ---------------------------------------------------------------------------------------------------> done
 *     read -> test the copy             it is 0: "zero"                              --> tested
 *                                       it is 1: "one", then call1 to reset both     --> tested
 *     tested -> test the carry          it is 0                                              --> over
 *                                       it is 1: reset it, then call2 for the next bit       --> over
 *     over and "taken" -> muller -> next
 *
 * main is the environment: it injects both operands, and a ninth bit for the carry. Arguments: how many sums (65536:
 * all of them), 1 to print each with its delays, 1 to begin each element on a random node. It checks every sum. */
#include "testbed.h"

struct delays {
  uint32_t keller, call, muller, merge;
};

/* The wires, by the inputs that they lead to: three of each keller (set, reset, test) and each call (two callers, the
 * answer of what they call), two of each other element; then those that lead to the environment. A wire holds one
 * signal. */
enum wire {
  sum_set,
  sum_reset,
  sum_test,
  copy_set,
  copy_reset,
  copy_test,
  carry_set,
  carry_reset,
  carry_test,
  reset_both,
  reset_read,
  reset_answer, /* call1 */
  toggle_operand,
  toggle_carry,
  toggle_answer, /* call2 */
  toggled_set,
  toggled_reset,
  done_one,
  done_zero,
  tested_zero,
  tested_one,
  over_carry,
  over_none,
  next_over,
  next_taken,
  to_done,
  to_next,
  to_zero,
  to_one,
  wires,
  nothing = wires
};

static void signal_on(const skein_channel_t *all, enum wire wire, const struct delays *delays) {
  must(skein_channel_send(all[wire], delays, sizeof *delays), "skein_channel_send");
}

/* Waits for a signal on one of `count` wires from `first` on. The place of the wire; -1 when the circuit is taken down.
 */
static int signal_from(const skein_channel_t *all, enum wire first, int count, struct delays *delays) {
  struct skein_alternative cases[3];
  for (int i = 0; i < count; i++) {
    struct skein_alternative *each = &cases[i];
    each->kind = SKEIN_ALT_RECEIVE;
    each->channel = all[first + (unsigned)i];
    each->data = delays;
    each->bytes = sizeof *delays;
  }
  const int which = skein_alt(cases, count);
  return which >= 0 && cases[which].code == SKEIN_OK ? which : -1;
}

/* What each element is told first. */
struct setting {
  skein_channel_t all[wires];
  int node;
};

static void learn_wires(skein_channel_t table, skein_channel_t *all) {
  struct setting setting;
  must(skein_channel_receive(table, &setting, sizeof setting, NULL), "skein_channel_receive");
  memcpy(all, setting.all, sizeof setting.all);
  begin_on(setting.node);
}

/* An output that leads to two places. */
struct fork {
  enum wire one, other;
};

static void signal_both(const skein_channel_t *all, struct fork fork, const struct delays *delays) {
  signal_on(all, fork.one, delays);
  if (fork.other != nothing)
    signal_on(all, fork.other, delays);
}

static void keller(skein_channel_t table, enum wire first, enum wire is_set, enum wire is_reset, struct fork is_0,
                   struct fork is_1) {
  skein_channel_t all[wires];
  learn_wires(table, all);
  struct delays delays;
  int state = 0;
  for (int which; (which = signal_from(all, first, 3, &delays)) >= 0;) {
    delays.keller++;
    if (which == 2) {
      signal_both(all, state ? is_1 : is_0, &delays);
      continue;
    }
    state = which == 0;
    signal_on(all, state ? is_set : is_reset, &delays);
  }
}

static void call(skein_channel_t table, enum wire first, enum wire request, enum wire answer_a, enum wire answer_b) {
  skein_channel_t all[wires];
  learn_wires(table, all);
  struct delays delays;
  int caller = 0;
  for (int which; (which = signal_from(all, first, 3, &delays)) >= 0;) {
    delays.call++;
    if (which < 2)
      caller = which;
    signal_on(all, which < 2 ? request : caller ? answer_b : answer_a, &delays);
  }
}

/* What comes later decides how long it took: the one that has passed more elements. */
static void muller(skein_channel_t table, enum wire first, enum wire both) {
  skein_channel_t all[wires];
  learn_wires(table, all);
  struct delays waits, comes;
  for (int which, waiting = -1; (which = signal_from(all, first, 2, &comes)) >= 0;) {
    if (waiting < 0) {
      waiting = which;
      waits = comes;
      continue;
    }
    if (waits.keller + waits.call + waits.muller + waits.merge > comes.keller + comes.call + comes.muller + comes.merge)
      comes = waits;
    waiting = -1;
    comes.muller++;
    signal_on(all, both, &comes);
  }
}

static void merge(skein_channel_t table, enum wire first, enum wire either) {
  skein_channel_t all[wires];
  learn_wires(table, all);
  struct delays delays;
  while (signal_from(all, first, 2, &delays) >= 0) {
    delays.merge++;
    signal_on(all, either, &delays);
  }
}

/* --- the circuit, and the environment --- */

enum { elements = 10 };

/* struct fork is an argument, and those of a thread are numbers and pointers; so these give it to the others. */
static void sum_bit(skein_channel_t table) {
  keller(table, sum_set, copy_set, copy_reset, (struct fork){sum_set, nothing}, (struct fork){carry_set, nothing});
}
static void copy_bit(skein_channel_t table) {
  keller(table, copy_set, toggled_set, reset_answer, (struct fork){to_zero, tested_zero},
         (struct fork){to_one, reset_read});
}
static void carry_bit(skein_channel_t table) {
  keller(table, carry_set, reset_both, toggle_carry, (struct fork){over_none, nothing},
         (struct fork){carry_reset, nothing});
}
static void call1(skein_channel_t table) { call(table, reset_both, sum_reset, toggled_reset, tested_one); }
static void call2(skein_channel_t table) { call(table, toggle_operand, sum_test, done_one, over_carry); }

static struct delays environment_adds(const skein_channel_t *all, int a, int b, int *sum) {
  struct delays delays = {0};
  *sum = 0;
  for (int bit = 0; bit <= 8; bit++) { /* the last one is the carry's */
    for (int operand = 0; operand < 2; operand++) {
      signal_on(all, ((operand ? b : a) >> bit & 1) ? toggle_operand : done_zero, &delays);
      must(skein_channel_receive(all[to_done], &delays, sizeof delays, NULL), "skein_channel_receive");
    }
    signal_on(all, copy_test, &delays);
    const int one = signal_from(all, to_zero, 2, &delays);
    *sum |= one << bit;
    signal_on(all, next_taken, &delays);
    must(skein_channel_receive(all[to_next], &delays, sizeof delays, NULL), "skein_channel_receive");
  }
  return delays;
}

int main(int argc, char **argv) {
  const long sums = argument(argc, argv, 1, 65536), prints = argument(argc, argv, 2, 0);
  const long scatters = argument(argc, argv, 3, 0);
  skein_main_stays(1);
  struct setting setting;
  const skein_channel_t *const all = setting.all;
  for (int i = 0; i < wires; i++)
    setting.all[i] = skein_channel_create(1);
  const skein_channel_t table = skein_channel_create(0);
  const skein_thread_t threads[elements] = {
      skein_spawn(sum_bit, table),
      skein_spawn(copy_bit, table),
      skein_spawn(carry_bit, table),
      skein_spawn(call1, table),
      skein_spawn(call2, table),
      skein_spawn(merge, table, toggled_set, toggle_answer),
      skein_spawn(merge, table, done_one, to_done),
      skein_spawn(merge, table, tested_zero, carry_test),
      skein_spawn(merge, table, over_carry, next_over),
      skein_spawn(muller, table, next_over, to_next),
  };
  srandom(1);
  for (int i = 0; i < elements; i++) {
    setting.node = scatters ? (int)(random() % skein_nodes()) : skein_node();
    must(skein_channel_send(table, &setting, sizeof setting), "skein_channel_send");
  }
  const uint64_t begin = now_ns();
  struct delays whole = {0};
  for (long i = 0; i < sums; i++) {
    const int a = (int)(i >> 8 & 255), b = (int)(i & 255);
    int sum;
    const struct delays took = environment_adds(all, a, b, &sum);
    if (sum != a + b) {
      fprintf(stderr, "%d + %d is not %d\n", a, b, sum);
      return 1;
    }
    if (prints)
      printf("%d + %d is %d: keller %u, call %u, muller %u, merge %u\n", a, b, sum, took.keller, took.call, took.muller,
             took.merge);
    whole.keller += took.keller;
    whole.call += took.call;
    whole.muller += took.muller;
    whole.merge += took.merge;
  }
  const uint64_t took = now_ns() - begin;
  for (int i = 0; i < wires; i++)
    must(skein_channel_close(all[i]), "skein_channel_close");
  for (int i = 0; i < elements; i++)
    must(skein_join(threads[i]), "skein_join");
  printf("%ld sums are right; delays: keller %u, call %u, muller %u, merge %u; %llu us\n", sums, whole.keller,
         whole.call, whole.muller, whole.merge, (unsigned long long)took / 1000);
  return 0;
}
