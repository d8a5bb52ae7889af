// Moves a stack and adjusts its addresses; see relocate.h.
#include "migrate/relocate.h"

#include "migrate/check.h"
#include "migrate/exception_words.h"
#include "migrate/owned.h"
#include "migrate/unwind_check.h"
#include "migrate/word_names.h"
#include "sync/hold_reports.h"
#include "thread/growable.h"

#include <skein/skein.h>
#include <string.h>

namespace skein {

bool RangeTable::add(uintptr_t begin, uintptr_t end, intptr_t delta) {
  if (begin >= end || count == sizeof ranges / sizeof *ranges)
    return false;
  for (unsigned i = 0; i < count; ++i)
    if (begin < ranges[i].end && ranges[i].begin < end)
      return false;
  ranges[count++] = {begin, end, delta};
  return true;
}

namespace {

// The visitor of relocate's walk.
struct Relocation {
  const RangeTable *ranges;
  Refusal *why;
  uintptr_t own_begin, own_bytes;
  intptr_t own_delta, bias, code_delta;
  MoveCounts done;

  template <typename AnyFrame> bool operator()(const AnyFrame &frame, uintptr_t at, WordKind kind) {
    ++done.words;
    if (kind == WordKind::code) {
      ++done.frames;
      if (code_delta != 0)
        move(at, read(at), code_delta);
      return true;
    }
    const uintptr_t value = read(at);
    if (kind == WordKind::ambiguous || kind == WordKind::unknown)
      return stays(frame, at, value);
    if (value - own_begin < own_bytes)
      move(at, value, own_delta);
    else if (const Range *range = value == 0 ? nullptr : ranges->find(value))
      move(at, value, range->delta);
    return true;
  }

private:
  uintptr_t read(uintptr_t at) const {
    uintptr_t word;
    memcpy(&word, (const void *)(at + (uintptr_t)bias), sizeof word);
    return word;
  }
  void move(uintptr_t at, uintptr_t value, intptr_t delta) {
    if (delta == 0)
      return;
    value += (uintptr_t)delta;
    memcpy((void *)(at + (uintptr_t)bias), &value, sizeof value);
    ++done.pointers;
  }
  // Whether an ambiguous word may stay as it is.
  template <typename AnyFrame> bool stays(const AnyFrame &frame, uintptr_t at, uintptr_t value) const {
    const Range *range = ranges->find(value);
    return range == nullptr || range->delta == 0 || refuse(*why, frame, at, value, range == ranges->ranges);
  }
  // The parameters are passed by value, and this is no member, so that the visitor itself need not lie in memory (see
  // walk).
  [[gnu::cold]] static bool refuse(Refusal &why, Frame frame, uintptr_t at, uintptr_t value, bool own) {
    return why.set(SKEIN_EPINNED, "%s has a word that may be a pointer or an integer and holds an address of %s (%#zx)",
                   word_name(frame, at).text, own ? "its own stack" : "the program or a library", (size_t)value);
  }
};

} // namespace

bool relocate(const MapIndex &maps, const StackView &copy, const RangeTable &ranges, MoveCounts &counts, Refusal &why) {
  const Range &own = ranges.ranges[0];
  Relocation visit{&ranges, &why, own.begin, own.end - own.begin, own.delta, copy.bias, copy.code_delta, {}};
  const bool walked = walk(maps, copy, why, visit);
  counts.frames += visit.done.frames;
  counts.words += visit.done.words;
  counts.pointers += visit.done.pointers;
  if (walked && copy.jumps != nullptr)
    jumps_relocate(*copy.jumps, own.delta, copy.code_delta, own.begin, own.end);
  return walked;
}

bool thread_rebase(Thread &thread, const void *live_bytes, const Stack &to, std::byte *copy_bytes, MoveCounts &counts,
                   Refusal &why) {
  auto sp = (uintptr_t)thread.sp;
  auto high = (uintptr_t)thread.stack.high;
  size_t live = high - sp;
  auto delta = (intptr_t)((uintptr_t)to.high - high);
  if (live > thread.stack.bytes() || live > to.bytes() || delta % (intptr_t)slot_alignment != 0)
    return why.set(SKEIN_EMEMORY, "its %zu live bytes do not fit on the other stack", live);
  memcpy(copy_bytes, live_bytes, live);
  StackView copy;
  copy.sp = sp;
  copy.high = high;
  copy.bias = (intptr_t)((uintptr_t)copy_bytes - sp);
  copy.delta = delta;
  copy.jumps = thread.jumps;
  RangeTable ranges;
  ranges.add((uintptr_t)thread.stack.slot_begin, (uintptr_t)thread.stack.slot_end, delta);
  OwnedChanges &changes = owned_changes();
  exceptions_note(thread);
  if (!owned_prepare(thread, ranges, changes, counts, why) || !relocate(program_maps(), copy, ranges, counts, why) ||
      !exceptions_adjustable(thread, ranges, why))
    return false;
  owned_apply(thread, changes);
  exceptions_adjust(thread, ranges, counts);
  holds_relocate(thread, ranges.ranges[0].begin, ranges.ranges[0].end, delta);
  thread.stack = to;
  thread.limit = stack_limit(to, live);
  thread.sp = to.high - live;
  return true;
}

bool thread_restack(Thread &thread, const Stack &fresh, MoveCounts &counts, Refusal &why) {
  if (!check_globals(thread, why))
    return false;
  bool checked = unwind_check_due();
  if (checked)
    unwind_check(thread, "before a move");
  std::byte *sp = (std::byte *)thread.sp;
  if (!thread_rebase(thread, sp, fresh, fresh.high - (thread.stack.high - sp), counts, why))
    return false;
  if (checked)
    unwind_check(thread, "after a move");
  return true;
}

} // namespace skein
