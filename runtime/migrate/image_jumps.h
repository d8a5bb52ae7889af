// A thread that moves takes along the contexts that setjmp has saved (thread/jumps.h). This file says, in a walk, which
// of them still have their frames, and which of their saved registers are addresses.
//
// A context is a copy of a switch frame, so the rules of the walk hold for it, from the frame that called setjmp
// upwards. The slot that holds rbp for a frame is the context's own until the walk meets a frame that saved rbp:
//
//      f   calls setjmp; keeps rbp           the context's rbp is that of g    -> relocated, since g counts from it
//      g   SKEIN_MAP_FP, saves rbp           from here on the value is in g's frame
//      h   SKEIN_MAP_FP                      its rbp is in g's frame, not in the context
//
// The frames above f are live ones: they have not changed since setjmp, or the context is stale. A context is known to
// be stale if its stack pointer is below the live frames or inside one of another function, or if its rbp differs from
// that of a live frame which counts from it. A stale context taken for a live one (a function was called again at the
// same depth) is relocated like a live one, which does no harm: jumping to it is undefined in C.
//
// The words that f needs after the second return are described at *every* site of f (pass pointer-homing), so nothing
// has to be known here about its locals. A context whose site is pinned pins the thread.
//
// The walk goes up, and meets the contexts in the order of the table, from its end. So the work is linear in frames and
// contexts.
#ifndef SKEIN_MIGRATE_IMAGE_JUMPS_H
#define SKEIN_MIGRATE_IMAGE_JUMPS_H

#include "migrate/maps.h"
#include "thread/jumps.h"

namespace skein {

class JumpWalk {
public:
  // `high`: the end of the stack.
  JumpWalk(const MapIndex &maps, JumpTable *table, uintptr_t high, intptr_t code_delta)
      : maps(maps), table(table), high(high), code_delta(code_delta), next(table ? table->count() : 0), rbp_end(next),
        rbx_end(next) {}

  // Called for each frame, from the innermost one. `sp` and `cfa` are its bounds, `rbx` is its base pointer if it has
  // one. Returns the number of the site of a live context that is pinned, or Site::none.
  uint32_t at_frame(const skein_function_map *function, uintptr_t sp, uintptr_t cfa, uintptr_t rbx) {
    uint32_t pinned = Site::none;
    if (next == 0 && rbp_end == 0 && rbx_end == 0)
      return Site::none;
    for (; next > 0; --next) {
      JumpContext context = table->get(next - 1);
      if (context.sp >= cfa && context.sp < high)
        break;
      context.flags &= jump_masks;
      Site site = maps.find_site(context.return_address + (uintptr_t)code_delta);
      bool constant = !(function->flags & SKEIN_MAP_FP);
      if (site.function == function && (context.sp == sp || (!constant && context.sp > sp))) {
        context.flags |= jump_live;
        if (site_facts(site).pin != SKEIN_PIN_NONE)
          pinned = site.number;
      }
      table->set(next - 1, context);
    }
    if (function->flags & SKEIN_MAP_FP)
      expect(rbp_end, &JumpContext::rbp, cfa - 16, jump_rbp_moves);
    if (function->flags & SKEIN_MAP_BP)
      expect(rbx_end, &JumpContext::rbx, rbx, jump_rbx_moves);
    if (function->saved[SKEIN_SAVED_RBP] != 0)
      rbp_end = next;
    if (function->saved[SKEIN_SAVED_RBX] != 0)
      rbx_end = next;
    return pinned;
  }

private:
  // The contexts from `next` to `end` still hold this register for the frame, which has the given value in it.
  void expect(size_t end, uint64_t JumpContext::*which, uintptr_t value, uint64_t moves) {
    for (size_t i = next; i < end; ++i) {
      JumpContext context = table->get(i);
      if (!(context.flags & jump_live))
        continue;
      if (context.*which == value)
        context.flags |= moves;
      else
        context.flags &= jump_masks;
      table->set(i, context);
    }
  }

  const MapIndex &maps;
  JumpTable *table;
  uintptr_t high;
  intptr_t code_delta;
  size_t next;    // contexts [0, next) lie above the frames seen so far
  size_t rbp_end; // of those seen, [next, rbp_end) still hold rbp for the next frame, the others' is on the stack
  size_t rbx_end;
};

// Called after a walk that succeeded: removes contexts without a frame and relocates the others. `low` and `high` bound
// the stack, in which their buffers may lie. `again`: what the walk has noted stays, for another call without a walk.
inline void jumps_relocate(JumpTable &table, intptr_t stack_delta, intptr_t code_delta, uintptr_t low, uintptr_t high,
                           bool again = false) {
  size_t kept = 0;
  for (size_t i = 0; i < table.count(); ++i) {
    JumpContext context = table.get(i);
    if (!(context.flags & jump_live))
      continue;
    context.sp += (uintptr_t)stack_delta;
    context.return_address += (uintptr_t)code_delta;
    if (context.flags & jump_rbp_moves)
      context.rbp += (uintptr_t)stack_delta;
    if (context.flags & jump_rbx_moves)
      context.rbx += (uintptr_t)stack_delta;
    if (context.buffer - low < high - low)
      context.buffer += (uintptr_t)stack_delta;
    if (!again)
      context.flags &= jump_masks;
    table.set(kept++, context);
  }
  table.resize(kept);
}

} // namespace skein

#endif
