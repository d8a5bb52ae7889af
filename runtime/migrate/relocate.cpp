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

// The frame is passed by value, and this is no member, so that a visitor need not lie in memory (see walk).
[[gnu::cold]] bool refuse_ambiguous(Refusal &why, Frame frame, uintptr_t at, uintptr_t value, const char *whose) {
  return why.set(SKEIN_EPINNED, "%s has a word that may be a pointer or an integer and holds an address of %s (%#zx%s)",
                 word_name(frame, at).text, whose, (size_t)value, tag_noted(value));
}

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
    return range == nullptr || range->delta == 0 ||
           refuse_ambiguous(*why, frame, at, value,
                            range == ranges->ranges ? "its own stack" : "the program or a library");
  }
};

// The visitor of stack_copy_marked's walk. Nothing but the stack moves, so there is one range to compare with.
struct Marking {
  Refusal *why;
  uint64_t *marks;
  uintptr_t own_begin, own_bytes, sp;
  intptr_t own_delta, bias;

  template <typename AnyFrame> bool operator()(const AnyFrame &frame, uintptr_t at, WordKind kind) const {
    if (kind == WordKind::code)
      return true;
    uintptr_t value;
    memcpy(&value, (const void *)(at + (uintptr_t)bias), sizeof value);
    if ((value & address_bits) - own_begin >= own_bytes)
      return true;
    const uintptr_t offset = at - sp;
    if (kind == WordKind::ambiguous || kind == WordKind::unknown)
      return refuse_ambiguous(*why, frame, at, value, "its own stack");
    if (offset % sizeof value != 0)
      return refuse_place(*why, frame, at);
    value += (uintptr_t)own_delta;
    memcpy((void *)(at + (uintptr_t)bias), &value, sizeof value);
    marks[offset / 512] |= UINT64_C(1) << offset / 8 % 64;
    return true;
  }

private:
  [[gnu::cold]] static bool refuse_place(Refusal &why, Frame frame, uintptr_t at) {
    return why.set(SKEIN_EPINNED, "%s has an address of its own stack that does not lie at a multiple of 8",
                   word_name(frame, at).text);
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

static bool fits(const StackView &live, const Stack &from, const Stack &to, Refusal &why) {
  const size_t bytes = live.high - live.sp;
  return (bytes <= from.bytes() && bytes <= to.bytes() && live.delta % (intptr_t)slot_alignment == 0) ||
         why.set(SKEIN_EMEMORY, "its %zu live bytes do not fit on the other stack", bytes);
}

bool stack_copy_marked(Thread &thread, const Stack &to, std::byte *copy_bytes, uint64_t *marks, Refusal &why) {
  SKEIN_ASSERT(!thread.owned, "thread %llu owns what a walk over its stack does not see",
               (unsigned long long)thread.id);
  const Stack &from = thread.stack;
  StackView copy;
  copy.sp = (uintptr_t)thread.sp;
  copy.high = (uintptr_t)from.high;
  copy.bias = (intptr_t)((uintptr_t)copy_bytes - copy.sp);
  copy.delta = to.high - from.high;
  copy.jumps = thread.jumps;
  if (!fits(copy, from, to, why))
    return false;
  memcpy(copy_bytes, thread.sp, copy.high - copy.sp);
  const auto begin = (uintptr_t)from.slot_begin, end = (uintptr_t)from.slot_end;
  Marking visit{&why, marks, begin, end - begin, copy.sp, copy.delta, copy.bias};
  if (!walk(program_maps(), copy, why, visit))
    return false;
  if (thread.jumps != nullptr)
    jumps_relocate(*thread.jumps, copy.delta, 0, begin, end, true);
  return true;
}

// The core of thread_restack.
static bool rebase(Thread &thread, const Stack &to, MoveCounts &counts, Refusal &why) {
  const intptr_t delta = to.high - thread.stack.high;
  StackView copy;
  copy.sp = (uintptr_t)thread.sp;
  copy.high = (uintptr_t)thread.stack.high;
  copy.bias = copy.delta = delta;
  copy.jumps = thread.jumps;
  if (!fits(copy, thread.stack, to, why))
    return false;
  const size_t live = copy.high - copy.sp;
  memcpy(to.high - live, thread.sp, live);
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
  if (!rebase(thread, fresh, counts, why))
    return false;
  if (checked)
    unwind_check(thread, "after a move");
  return true;
}

} // namespace skein
