// Looks at every word of a thread before it leaves its node; see check.h.
#include "migrate/check.h"

#include "abi/entry_points.h"
#include "base/addresses.h"
#include "base/knobs.h"
#include "migrate/leftovers.h"
#include "migrate/library_variables.h"
#include "migrate/search.h"
#include "migrate/word_names.h"
#include "private/regions/extents.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
extern const skein_global_map __start_skein_globals[] __attribute__((weak, visibility("hidden")));
extern const skein_global_map __stop_skein_globals[] __attribute__((weak, visibility("hidden")));
}

namespace skein {

namespace {

constexpr uintptr_t small_max = 64 << 10;         // nothing is ever mapped below
constexpr uintptr_t error_min = (uintptr_t)-4096; // -1, MAP_FAILED, SIG_ERR and the like
constexpr uintptr_t page_bytes = 4096;

bool no_pointer(uintptr_t value) { return value < small_max || value >= error_min; }
bool shared(uintptr_t value) { return value >= SKEIN_SHARED_BASE && value < SKEIN_SHARED_END; }

bool mapped(uintptr_t value) {
  if (value >= user_end)
    return false;
  int before = errno;
  unsigned char resident;
  bool is = mincore((void *)(value & ~(page_bytes - 1)), 1, &resident) == 0 || errno != ENOMEM;
  errno = before;
  return is;
}

// The same, without asking the kernel again.
bool mapped(uintptr_t value, ModulesUsed &used) {
  const uintptr_t number = value / page_bytes;
  uintptr_t &nowhere = used.nowhere[number * UINT64_C(0x9e3779b97f4a7c15) >> ModulesUsed::nowhere_shift];
  if (nowhere == number)
    return false;
  if (mapped(value))
    return true;
  nowhere = number;
  return false;
}

// Whether no memory in use lies there in this process.
bool leads_nowhere(uintptr_t value, ModulesUsed &used) {
  if (const Stack stack = stack_containing((const void *)value))
    return !stack_in_use(stack);
  return !mapped(value, used);
}

// Whether what lies there differs on other nodes. Each node has its own copy of what a library writes to, such as a
// result of localtime() or a locale. The standard streams are an exception: they are the same files everywhere. stdin
// is read on node 0 only, and says so on other nodes (net/run/stdio.h).
bool differs_elsewhere(uintptr_t value, const Module &module) {
  return module.is_writable(value) && &module != &program_module() && value != (uintptr_t)stdout &&
         value != (uintptr_t)stderr && value != (uintptr_t)stdin;
}

// Notes the library that `value` leads into. False if there is none, or if it has been unloaded.
bool use_module(uintptr_t value, ModulesUsed &used) {
  for (unsigned i = 0; i < used.count; ++i)
    if (used.module[i]->contains(value))
      return !differs_elsewhere(value, *used.module[i]);
  const Module *module = module_containing(value);
  if (module == nullptr && mapped(value, used))
    module = module_containing(value, true);
  if (module == nullptr || !module->identified() || differs_elsewhere(value, *module) ||
      used.count + used.objects >= modules_max)
    return false;
  Dl_info info;
  if (dladdr((void *)value, &info) == 0 || (uintptr_t)info.dli_fbase != (module->begin & ~(page_bytes - 1)))
    return false;
  used.module[used.count++] = module;
  return true;
}

// Notes the named object that a pointer leads into. False if there is none, or if too many were noted.
bool use_object(uintptr_t value, ModulesUsed &used) {
  for (unsigned i = 0; i < used.objects; ++i)
    if (used.object[i].contains(value))
      return true;
  if (used.objects == ModulesUsed::objects_max || used.count + used.objects >= modules_max ||
      !node_object_containing(value, used.object[used.objects]))
    return false;
  ++used.objects;
  return true;
}

// --- saying what a pointer leads to ---------------------------------------------------------------------------------

// Names the mapping that contains `value`, by /proc/self/maps.
[[gnu::cold]] void name_mapping(uintptr_t value, PlaceName &to) {
  snprintf(to.text, sizeof to.text, "memory of this process");
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == nullptr)
    return;
  char line[512];
  while (fgets(line, sizeof line, maps) != nullptr) {
    size_t begin, end;
    int path = 0;
    if (sscanf(line, "%zx-%zx %*s %*s %*s %*s %n", &begin, &end, &path) < 2 || value < begin || value >= end)
      continue;
    line[strcspn(line, "\n")] = 0;
    const char *name = path != 0 ? line + path : "";
    if (strcmp(name, "[heap]") == 0 || *name == 0)
      snprintf(to.text, sizeof to.text, "the process heap (malloc, mmap or thread-local memory)");
    else if (const Module *module = module_containing(value))
      snprintf(to.text, sizeof to.text, "the data of %s", module->name);
    else
      snprintf(to.text, sizeof to.text, "the mapping of %.60s", name);
    to.rule = strcmp(name, "[heap]") == 0 || *name == 0 ? "process-heap" : "process-resource";
    break;
  }
  fclose(maps);
}

} // namespace

[[gnu::cold]] PlaceName place_name(uintptr_t value) {
  PlaceName to;
  Stack other = stack_containing((const void *)value);
  if (other) {
    snprintf(to.text, sizeof to.text, "a stack that no thread uses");
    to.rule = "local-address";
    struct Search {
      uint32_t slot;
      PlaceName *to;
    } search = {other.slot, &to};
    thread_each(
        [](Thread *thread, void *context) {
          auto *wanted = static_cast<Search *>(context);
          if (thread->stack.slot == wanted->slot)
            snprintf(wanted->to->text, sizeof wanted->to->text, "the stack of thread %s", thread_name(thread->id).text);
        },
        &search);
  } else if (in_private_range(value)) {
    snprintf(to.text, sizeof to.text, "private memory of another thread, or freed");
    to.rule = "private-memory";
  } else if (!mapped(value)) {
    snprintf(to.text, sizeof to.text, "memory that is not there");
  } else {
    name_mapping(value, to);
  }
  return to;
}

namespace {

[[gnu::cold]] bool refuse_pointer(const char *who, uintptr_t value, Refusal &why) {
  const PlaceName place = place_name(value);
  why.rule = place.rule;
  return why.set(SKEIN_EPOINTER, "%s holds a pointer to %s (%#zx), which stays behind", who, place.text, (size_t)value);
}

// Whether a pointer that leads nowhere may go along unchanged. It is no pointer (an earlier call left it there, or it
// is a tagged number), or it was computed from pointers. It means the same as before where no address changes.
[[gnu::cold]] bool goes_as_it_is(uintptr_t address, const Thread &thread, ModulesUsed &used) {
  if (!thread.stack || !stack_keeps_address(thread.stack) || !modules_agree || !leads_nowhere(address, used))
    return false;
  used.all = true;
  return true;
}

// Checks one word of a thread. `who` names what holds it, and is called only if needed.
template <typename Who>
bool check_word(uintptr_t word, const Thread &thread, bool ambiguous, ModulesUsed &used, Refusal &why, Who who) {
  // This is the part that relocation looks at (relocate.h).
  const uintptr_t value = ambiguous ? word : word & address_bits;
  if (!ambiguous && thread.stack.contains((const void *)value)) // most are
    return true;
  if (no_pointer(word) || shared(value))
    return true;
  switch (private_owner(thread, value)) {
  case PrivateOwner::nobody:
    break;
  case PrivateOwner::own:
    return true;
  case PrivateOwner::other:
    return ambiguous || use_object(value, used) || knobs.check == Checks::off || goes_as_it_is(value, thread, used) ||
           used.bind(value) || refuse_pointer(who().text, value, why);
  }
  if (!ambiguous) {
    if (program_module().contains(value) || use_object(value, used) || use_module(value, used) ||
        knobs.check == Checks::off || goes_as_it_is(value, thread, used) || used.bind(value))
      return true;
    return refuse_pointer(who().text, value, why);
  }
  const bool mine = thread.stack.contains((const void *)value);
  if (mine && stack_keeps_address(thread.stack))
    return true;
  // The word need not change if that module lies at the same address at the destination, which checks it.
  if (!mine && modules_agree && (program_module().contains(value) || use_module(value, used)))
    return true;
  if (!mine && (leads_nowhere(value, used) || used.bind(value)))
    return true;
  why.rule = "pointer-as-integer";
  return why.set(SKEIN_EPINNED, "%s has a word that may be a pointer or an integer and holds an address of %s (%#zx)",
                 who().text, mine ? "its own stack" : place_name(value).text, (size_t)value);
}

bool check_start(const Thread &thread, ModulesUsed &used, Refusal &why) {
  auto function = (uintptr_t)thread.start.function;
  auto who = [&] {
    FrameName name;
    Frame frame;
    frame.function = program_maps().find_function(function);
    snprintf(name.text, sizeof name.text, "an argument of %.190s",
             frame.function ? frame_name(frame).text : "its function");
    return name;
  };
  if (!program_module().contains(function) && !use_module(function, used))
    return why.set(SKEIN_EPOINTER, "its function at %#zx is no part of the program", (size_t)function);
  for (unsigned i = 0; i < thread.start.count; ++i)
    if (((thread.start.classes >> (2 * i)) & 3) == SKEIN_ARGUMENT_POINTER)
      if (!check_word(thread.words[i], thread, false, used, why, who))
        return false;
  return true;
}

} // namespace

bool check_value(uintptr_t value, const Thread &thread, bool ambiguous, ModulesUsed &used, Refusal &why,
                 const char *who) {
  struct Name {
    const char *text;
  };
  return check_word(value, thread, ambiguous, used, why, [&] { return Name{who}; });
}

OwnedVerdict check_owned_word(uintptr_t value, const Thread &thread, bool pointer, ModulesUsed &used) {
  if (no_pointer(value) || shared(value))
    return OwnedVerdict::fine;
  if (thread.stack.contains((const void *)value))
    return pointer || stack_keeps_address(thread.stack) ? OwnedVerdict::fine : OwnedVerdict::ambiguous;
  // For a word that is no pointer the destination says whether that matters: the module may lie at the same address
  // there.
  if (program_module().contains(value) || (pointer && use_object(value, used)) || use_module(value, used) ||
      leads_nowhere(value, used) || (pointer && knobs.check == Checks::off) || used.bind(value))
    return OwnedVerdict::fine;
  return OwnedVerdict::stays_behind;
}

namespace {

// The visitor of check_words' walk.
struct Classification {
  const Thread *thread;
  ModulesUsed *used;
  RefusingWords *refusing;
  uintptr_t own_begin, own_bytes; // the thread's slot
  MoveCounts counts;

  template <typename AnyFrame> bool operator()(const AnyFrame &frame, uintptr_t at, WordKind kind) {
    ++counts.words;
    if (kind == WordKind::code) {
      ++counts.frames;
      return true;
    }
    if (kind == WordKind::own_frame)
      return true;
    uintptr_t value;
    memcpy(&value, (const void *)at, sizeof value);
    if ((value - own_begin < own_bytes && kind == WordKind::pointer) || no_pointer(value) || shared(value)) // most are
      return true;
    return other(*thread, *used, *refusing, frame, at, value, kind);
  }

private:
  // The parameters are passed by value, and this is no member, so that the visitor itself need not lie in memory (see
  // walk).
  [[gnu::noinline]] static bool other(const Thread &thread, ModulesUsed &used, RefusingWords &refusing, Frame frame,
                                      uintptr_t at, uintptr_t value, WordKind kind) {
    // Memory without a type is looked at at every byte, since members of packed structs lie anywhere. Only an address
    // of what moves counts there: bytes of two neighbouring words often look like some other address by chance.
    const bool ambiguous = kind != WordKind::pointer;
    if (ambiguous && at % 8 != 0 && !thread.stack.contains((const void *)value) && !program_module().contains(value))
      return true;
    Refusal found;
    auto who = [&] { return word_name(frame, at); };
    // Private memory has one owner in a run, so nothing but a pointer leads there if it is in use.
    if (kind == WordKind::unknown && private_owner(thread, value) == PrivateOwner::other && mapped(value, used) &&
        !used.bind(value))
      return refuse_pointer(who().text, value, found) || refusing.add(found);
    return check_word(value, thread, ambiguous, used, found, who) || refusing.add(found);
  }
};

} // namespace

bool check_words(const Thread &thread, ModulesUsed &used, MoveCounts &counts, Refusal &why) {
  if (!thread.stack)
    return check_start(thread, used, why);
  StackView stack;
  stack.sp = (uintptr_t)thread.sp;
  stack.high = (uintptr_t)thread.stack.high;
  stack.jumps = thread.jumps;
  bool unproved = false;
  if (stack_keeps_address(thread.stack) && modules_agree)
    stack.unproved = &unproved;
  const auto own_begin = (uintptr_t)thread.stack.slot_begin, own_end = (uintptr_t)thread.stack.slot_end;
  RefusingWords refusing(why);
  Classification visit{&thread, &used, &refusing, own_begin, own_end - own_begin, {}};
  const bool fine = walk(program_maps(), stack, why, visit) && !refusing.any();
  counts.frames += visit.counts.frames;
  counts.words += visit.counts.words;
  used.all |= unproved;
  if (fine && used.all && !modules_unchanged())
    return unproved
               ? why.set(SKEIN_EPINNED, "a call on its stack is not proved, and libraries were loaded that may lie "
                                        "elsewhere on other nodes")
               : why.set(SKEIN_EPINNED, "a pointer on its stack leads nowhere, and libraries were loaded that may "
                                        "lie elsewhere on other nodes");
  return fine;
}

// --- globals --------------------------------------------------------------------------------------------------------

// Where the global lies; for a thread-local variable, the copy of this kernel thread.
static const unsigned char *global_begin(const skein_global_map &global) {
  auto *at = (const unsigned char *)&global.address + global.address;
  if (global.size & SKEIN_GLOBAL_THREAD_LOCAL)
    return (const unsigned char *)((void *(*)(void))at)();
  return global.size & SKEIN_GLOBAL_INDIRECT ? *(const unsigned char *const *)at : at;
}
static size_t global_bytes(const skein_global_map &global) { return global.size & SKEIN_GLOBAL_BYTES; }

bool check_globals_in(const skein_global_map *first, const skein_global_map *last, uintptr_t begin, uintptr_t end,
                      Refusal &why) {
  for (const skein_global_map *global = first; global != last; ++global) {
    if (find_address(global_begin(*global), global_bytes(*global), begin, end) != nullptr)
      return why.set(SKEIN_EPINNED, "the global `%.200s` holds an address of its stack",
                     (const char *)&global->name + global->name);
  }
  return true;
}

bool globals_hold(uintptr_t begin, uintptr_t end, Refusal &why) {
  return !check_globals_in(__start_skein_globals, __stop_skein_globals, begin, end, why) ||
         library_variables_hold(begin, end, why);
}

size_t searched_globals_bytes() {
  constexpr size_t beside = 64; // finding the global takes as long as searching this many bytes
  size_t sum = 0;
  for (const skein_global_map *global = __start_skein_globals; global != __stop_skein_globals; ++global)
    sum += global_bytes(*global) + beside;
  return sum + library_variables_bytes();
}

bool global_is_searched(uintptr_t place) {
  for (const skein_global_map *global = __start_skein_globals; global != __stop_skein_globals; ++global)
    if (place - (uintptr_t)global_begin(*global) < global_bytes(*global))
      return true;
  return library_variables_contain(place);
}

bool check_globals(const Thread &thread, Refusal &why) {
  const Stack &stack = thread.stack;
  // The range ends with the slot and not with the stack, since a pointer into the guard zone moves along as well.
  const auto sp = (uintptr_t)thread.sp, high = (uintptr_t)stack.slot_end;
  leftovers_moving();
  // A larger stack takes too long to search for as a whole.
  const uintptr_t from = stack.bytes() > stack_bytes() ? sp : (uintptr_t)stack.slot_begin;
  if (!globals_hold(from, high, why))
    return true;
  Refusal found;
  if (globals_hold(sp, high, found)) {
    leftovers_seen();
    why = found;
    return false;
  }
  stack_note_left(stack);
  why = Refusal();
  return true;
}

bool globals_hold_no_stack() {
  const StackArena arena = stack_arena();
  Refusal nobody_reads;
  leftovers_moving();
  return !globals_hold((uintptr_t)arena.begin, (uintptr_t)arena.end, nobody_reads);
}

} // namespace skein
