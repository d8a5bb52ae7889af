// Backtraces by frame maps (thread/backtrace.h): they need no debug information, and work for a thread that has moved.
//
//     #0  `deepest` (list.c:31)
//     #1  `qsort` of libc.so.6
//     #2  `sort` (list.c:40)
//         ... 118 more ...
//     #121 `main` (list.c:77)
//
// With debug information (-g) functions that were inlined are named, too:
//
//     #0  `step` (list.c:12)
//         inlined in `walk` (list.c:31)
//
// A function without a map is named by the symbols of its file. It may be one of the program that reaches no migration
// point, one that skeincc did not compile (the two cannot be told apart), or one of a library.
//
// The walk (walk.h) moves a thread only if every word is accounted for. A backtrace, in contrast, goes on where it does
// not know: past foreign frames, pinned calls, and the function that was interrupted, whose frame may be half made.
// There it looks upwards for a word that is the return address of a known call and from which two more frames can be
// followed, or the bottom is reached. Such a guess can name a frame that has returned, so only reports use it.
#include "thread/backtrace.h"

#include "base/log.h"
#include "migrate/walk.h"
#include "thread/debug_info.h"
#include "thread/function_name.h"
#include "thread/thread.h"

#include <stdio.h>
#include <string.h>

namespace skein {

namespace {

// A place on the way up: a slot that holds a return address, and the value of rbp in the frame to which it returns, or
// 0 if that is not known.
struct Place {
  uintptr_t slot = 0;
  uintptr_t rbp = 0;
};

class FrameSearch {
public:
  FrameSearch(const MapIndex &maps, uintptr_t sp, uintptr_t high) : maps(maps) { stack.sp = sp, stack.high = high; }

  bool at_bottom(const Place &place) const { return stack.read(place.slot) == stack.bottom; }
  uintptr_t pc(const Place &place) const { return stack.read(place.slot); }
  Site site(const Place &place) const { return maps.find_site(pc(place)); }

  // Goes to the next return address above a frame that has a site. False if the size of the frame cannot be known.
  bool exactly(Place &place) const {
    Site here = site(place);
    if (!here)
      return false;
    uintptr_t sp = place.slot + 8;
    bool by_rbp = (here.function->flags & SKEIN_MAP_FP) != 0;
    if (by_rbp && place.rbp == 0)
      return false;
    uintptr_t cfa = by_rbp ? place.rbp + 16 : sp + here.function->frame_size;
    if (cfa % 8 != 0 || cfa < sp + 8 || !stack.holds(cfa - 8, 8) || cfa <= place.slot)
      return false;
    if (const uint8_t saved = here.function->saved[SKEIN_SAVED_RBP]) {
      uintptr_t slot = cfa - 8 * (uintptr_t)saved;
      place.rbp = slot >= sp ? stack.read(slot) : 0;
    }
    place.slot = cfa - 8;
    return true;
  }

  // Goes to the next plausible return address from `from` upwards.
  bool by_search(uintptr_t from, Place &place) const {
    constexpr size_t words_most = 1 << 17;
    for (size_t i = 0; i < words_most && stack.holds(from, 8); ++i, from += 8) {
      Place found{from, 0};
      if (at_bottom(found) || (site(found) ? leads_on(found) : in_program(found))) {
        place = found;
        return true;
      }
    }
    return false;
  }

  bool up(Place &place) const { return exactly(place) || by_search(place.slot + 8, place); }

private:
  // Whether the place follows a call in a function with maps that is no site: the compiler did not expect that call to
  // call back.
  bool in_program(const Place &place) const {
    const skein_function_map *function = maps.find_function(pc(place));
    return function != nullptr && pc(place) != map_entry(function);
  }
  bool leads_on(Place place) const {
    for (int steps = 0; steps < 2; ++steps) {
      bool by_rbp = (site(place).function->flags & SKEIN_MAP_FP) != 0;
      if (!exactly(place))
        return by_rbp;
      if (at_bottom(place) || (!site(place) && in_program(place)))
        return true;
      if (!site(place))
        return false;
    }
    return true;
  }

  const MapIndex &maps;
  StackView stack;
};

// What debug information says of one place: the functions that were inlined there, innermost first, and last the
// function that has the frame.
struct Source {
  static constexpr unsigned most = 8;
  struct {
    const char *function, *file;
    int line;
  } at[most];
  unsigned count = 0;

  explicit Source(uintptr_t pc) {
    debug_info_at(
        pc,
        [](const char *function, const char *file, int line, void *context) {
          auto &self = *(Source *)context;
          // If there are too many, the outermost one is kept.
          self.at[self.count < most ? self.count++ : most - 1] = {function, file, line};
        },
        this);
  }
};

void name_frame(unsigned number, uintptr_t pc, Site site, const skein_function_map *function) {
  Frame frame;
  frame.site = site.number;
  frame.function = site ? site.function : function;
  const Source source(pc - 1);
  char name[160], library[64] = "";
  const char *of = library_name(pc - 1, library, sizeof library) ? " of " : "";
  for (unsigned i = 0; i < source.count; ++i) {
    const bool has_frame = i + 1 == source.count;
    const char *said = has_frame && frame.function != nullptr ? map_name(frame.function) : source.at[i].function;
    if (said == nullptr)
      said = function_name(pc - 1, name, sizeof name);
    if (i == 0)
      log("    #%-2u `%s`%s%s (%s:%d)", number, said, of, library, source.at[i].file, source.at[i].line);
    else
      log("        inlined in `%s`%s%s (%s:%d)", said, of, library, source.at[i].file, source.at[i].line);
  }
  if (source.count != 0)
    return;
  if (frame.function != nullptr)
    log("    #%-2u %s", number, frame_name(frame).text);
  else if (strcmp(function_name(pc - 1, name, sizeof name), "(unknown)") != 0)
    log("    #%-2u `%s`%s%s", number, name, of, library);
  else
    log("    #%-2u unnamed code of %s", number, *library ? library : "the program");
}

} // namespace

void backtrace_log(const Thread &thread, const Interrupted *at, unsigned most) {
  if (!thread.stack || (at == nullptr && thread.sp == nullptr))
    return;
  const MapIndex &maps = program_maps();
  auto low = (uintptr_t)thread.stack.low, high = (uintptr_t)thread.stack.high;
  Place place;
  unsigned number = 0;
  uintptr_t sp = at != nullptr ? at->sp : (uintptr_t)thread.sp;
  if (sp < low) // it ran off its stack, whose guard zone cannot be read
    sp = low;
  sp = (sp + 7) & ~(uintptr_t)7;
  if (sp >= high)
    return;
  FrameSearch search(maps, sp, high);
  if (at == nullptr) {
    const auto *saved = (const SavedContext *)thread.sp;
    place = {(uintptr_t)&saved->return_address, saved->rbp};
  } else {
    name_frame(number++, at->pc + 1, {}, maps.find_function(at->pc));
    if (!search.by_search(sp, place))
      return;
  }
  unsigned frames = number;
  constexpr unsigned counted_most = 1 << 20;
  for (Place count = place; !search.at_bottom(count) && frames < counted_most; ++frames)
    if (!search.up(count))
      break;
  unsigned tail = frames > most ? 2 : 0, head = frames > most ? most - tail : frames;
  for (; !search.at_bottom(place) && number < frames; ++number) {
    if (number == head)
      log("        ... %u more ...", frames - most);
    if (number < head || number >= frames - tail)
      name_frame(number, search.pc(place), search.site(place), maps.find_function(search.pc(place)));
    if (!search.up(place))
      return;
  }
}

void place_describe(uintptr_t pc, char *to, size_t bytes) {
  Frame frame;
  Site site = program_maps().find_site(pc);
  frame.site = site.number;
  frame.function = site ? site.function : program_maps().find_function(pc);
  char name[160];
  if (frame.function != nullptr)
    snprintf(to, bytes, "%s", frame_name(frame).text);
  else
    snprintf(to, bytes, "`%s`", function_name(pc - 1, name, sizeof name));
}

bool place_compiled(uintptr_t pc) { return program_maps().find_function(pc) != nullptr; }

} // namespace skein
