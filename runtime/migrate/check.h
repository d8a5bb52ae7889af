// A thread that moves may hold addresses that mean nothing on another node. So before it leaves, this file checks
// whether every word of it will still be right there, and refuses the move otherwise.
//
// Every live word that the maps name is classified by where it leads:
//
//     null, below 64 KiB, above -4096        is no pointer; travels as it is
//     the thread's own slot                  moves along
//     the program, a library with a build-id lies at the destination too, perhaps elsewhere
//     memory with a name (node_objects.h)    likewise
//     shared memory [2^45, 2^46)             the same everywhere
//     private memory of this thread          moves along, and keeps its address
//     private memory of another              refused
//     another thread's stack                 refused
//     anything else mapped (malloc, mmap)    refused
//     nothing                                travels as it is, if no address changes over there; else refused
//
// A pointer that leads nowhere was left behind by an earlier call, is a tagged number, or was computed from addresses
// and will be turned back into one. It means the same at the destination only if the stack and the modules lie at the
// same addresses there. (A program that follows a dangling pointer is wrong on either node.)
//
// An ambiguous word is refused if it leads to anything mapped, since it is unknown whether it must be changed. The
// exception is an address that is the same at the destination: of the thread's stack, or of the program or a library
// that lies at the same place there. In that case values that were computed from such addresses are right as well. So a
// frame for which the compiler could not prove where its addresses are (a *pinned* site) may move under that condition.
// All its words are treated as ambiguous, since they may include pointers to what stays behind.
//
// An image that is kept, and not sent at once, may hold pointers to what stays behind. It can be unpacked in this
// process only (ModulesUsed::bind).
//
// `check=off` skips the refusals of the last rows for pointers. It never lets an ambiguous word become wrong. With
// `check=pointers` all words that refuse a move are named, not only the first.
//
// The program's mutable globals (section skein_globals) stay here and are shared by all threads. One that holds an
// address of the leaving stack would dangle, so the move is refused. The same holds for a move inside one process.
#ifndef SKEIN_MIGRATE_CHECK_H
#define SKEIN_MIGRATE_CHECK_H

#include "abi/frame_map.h"
#include "migrate/modules.h"
#include "migrate/node_objects.h"
#include "migrate/refusal.h"
#include "migrate/relocate.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// The libraries that some words lead into.
struct ModulesUsed {
  const Module *module[modules_max];
  unsigned count = 0;
  bool all = false; // some words may lead into any library: a frame is not proved

  // The named objects that some words lead into.
  static constexpr unsigned objects_max = 16;
  NodeObject object[objects_max];
  unsigned objects = 0;

  // The image is to be kept (room pack). Then a pointer to what stays behind does not refuse it, but binds it to this
  // process: bound_by is one such pointer, 0: there is none.
  bool may_bind = false;
  uintptr_t bound_by = 0;
  bool bind(uintptr_t value) {
    if (may_bind && bound_by == 0)
      bound_by = value;
    return may_bind;
  }

  // Numbers of pages in which no memory lay when this check asked the kernel, each in the place that it has by a hash.
  // Private memory that is full of small members makes the same few addresses by chance, thousands of times.
  static constexpr unsigned nowhere_shift = 64 - 6;
  uintptr_t nowhere[1 << (64 - nowhere_shift)] = {};
};

// Classifies the words of a suspended thread, or the arguments of one that has not run. Fills `used`.
bool check_words(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why);

// Classifies one such word that lies elsewhere. `who` names what holds it, for the refusal.
bool check_value(uintptr_t value, const Thread &thread, bool ambiguous, ModulesUsed &used, Refusal &why,
                 const char *who);
// The same for a holder whose name is costly: `who()` is called only if the word is refused.
template <typename Who>
bool check_value(uintptr_t value, const Thread &thread, bool ambiguous, ModulesUsed &used, Refusal &why, Who who) {
  Refusal unnamed;
  return check_value(value, thread, ambiguous, used, unnamed, "") ||
         check_value(value, thread, ambiguous, used, why, (const char *)who().text);
}

// One word of the thread's private memory whose value may be an address (owned.h).
enum class OwnedVerdict { fine, stays_behind, ambiguous };
OwnedVerdict check_owned_word(uintptr_t value, const Thread &thread, bool pointer, ModulesUsed &used);

// What lies at an address, in words for a message, and the rule of skein-check that finds pointers to there.
struct PlaceName {
  char text[120];
  const char *rule = nullptr;
};
PlaceName place_name(uintptr_t value);

// Whether no mutable global of the program or of a library (library_variables.h) holds an address of the part of the
// thread's stack that is in use. An address of the unused part, which calls that have returned left there, does not
// refuse the move; it is noted (leftovers.h).
bool check_globals(const Thread &thread, Refusal &why);

// Whether some global holds an address in [begin, end); `why` then names it.
bool globals_hold(uintptr_t begin, uintptr_t end, Refusal &why);
// Whether globals_hold looks at that place.
bool global_is_searched(uintptr_t place);
// How many bytes globals_hold searches, plus a charge for each global.
size_t searched_globals_bytes();

// Whether no global holds an address of any stack, growable ones not counted. Then check_globals would find nothing for
// any thread.
bool globals_hold_no_stack();

// The same check for given records; tests use it.
bool check_globals_in(const skein_global_map *first, const skein_global_map *last, uintptr_t begin, uintptr_t end,
                      Refusal &why);

} // namespace skein

#endif
