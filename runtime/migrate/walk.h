// The frame walk: visits every word of a suspended thread's stack that may have to change when the stack moves.
//
// The walk starts at the switch frame, which the context switch left at the thread's stack pointer, and goes up, one
// frame a step, until it meets the return address into the thread's trampoline (`skein_thread_bottom`). Addresses grow
// upwards:
//
//      sp -> | errno, control     |   switch frame: SavedContext of arch/x86_64/switch.h
//            | words, r15 ... r12 |
//            | rbx                |   of frame 0
//            | rbp                |   of frame 0
//            | return address     |   key of the site in frame 0
//            +--------------------+ <- SP of frame 0
//            | frame 0            |   its function map and site tell what lies where
//            | return address     |   CFA - 8: key of the site in frame 1
//            +--------------------+ <- CFA of frame 0 = SP of frame 1
//            :                    :
//            | return address     |   == skein_thread_bottom
//            +--------------------+
//
// Where a frame counts from rbp or rbx (SKEIN_MAP_FP, SKEIN_MAP_BP), the register's value is in the slot where the
// nearest callee saved it, starting with the switch frame; that slot then holds an address of this frame and is one of
// its words.
//
// There are two spaces of addresses. A stack that was copied, or came from another process, still holds the addresses
// with which it was made: the walk computes in *values* (addresses as the source sees them) and reads memory at value +
// bias. A code address of the source becomes one of this program by adding `code_delta`. In place both differences are
// 0.
//
// Invariant: nothing outside [sp, high) is read, whatever the bytes are. A stack that contradicts its maps ends the
// walk with a refusal.
//
// Rejected: unwinding with libunwind or .eh_frame (100 times slower, and it knows nothing of the contents of frames); a
// chain of frame pointers through every function (calls take 7 to 14 % longer).
#ifndef SKEIN_MIGRATE_WALK_H
#define SKEIN_MIGRATE_WALK_H

#include "arch/x86_64/switch.h"
#include "base/addresses.h"
#include "migrate/image_jumps.h"
#include "migrate/maps.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

// The live part of one stack. All fields but `bias` and the differences are values.
struct StackView {
  uintptr_t sp = 0;                                  // of the switch frame
  uintptr_t high = 0;                                // end of the stack
  intptr_t bias = 0;                                 // memory of value v is at v + bias
  intptr_t delta = 0;                                // what will be at value v is to be at v + delta: for alignments
  intptr_t code_delta = 0;                           // the program's address of code value c is c + code_delta
  uintptr_t bottom = (uintptr_t)skein_thread_bottom; // this program's address of the trampoline's return point
  JumpTable *jumps = nullptr; // the contexts that the thread's setjmp calls saved; the walk marks them
  bool others_move = false;   // the program or a library moves, not only the stack
  // If set, no address changes: pinned sites may go along, and the walk sets this if there is one.
  bool *unproved = nullptr;

  bool holds(uintptr_t value, size_t bytes) const { return value >= sp && value <= high && bytes <= high - value; }
  // A word of the program may lie at any byte (packed structures).
  uintptr_t read(uintptr_t value) const {
    uintptr_t word;
    __builtin_memcpy(&word, (const void *)(value + (uintptr_t)bias), sizeof word);
    return word;
  }
  void write(uintptr_t value, uintptr_t word) const {
    __builtin_memcpy((void *)(value + (uintptr_t)bias), &word, sizeof word);
  }
};

// One frame at a site. All addresses are values.
struct Frame {
  unsigned depth = 0;         // 0: the innermost
  uint32_t site = Site::none; // its number in the function
  const skein_function_map *function = nullptr;
  uintptr_t sp = 0;
  uintptr_t cfa = 0;
  uintptr_t bp = 0; // rbx, with SKEIN_MAP_BP
};

enum class WordKind : unsigned char {
  pointer,   // a pointer of the program, or null, or something small
  ambiguous, // perhaps a pointer: it may be looked at, but is never changed
  unknown,   // the same, of a frame whose words no map describes, so nothing else keeps an address there
  own_frame, // a saved rbp or rbx that holds an address of this frame
  code,      // a return address
};

// The thread is suspended on a deep stack (thread/deep.h): writes which function called which there. Returns false.
[[gnu::cold]] bool on_deep_stack(const Thread &thread, Refusal &why);

// "`f` (file.c:12)", as messages name a frame.
struct FrameName {
  char text[224];
};
FrameName frame_name(Frame frame);

namespace detail {
// The cold ends of a walk: each fills `why` and returns false. They take frames by value, as frame_name does, so that
// the frames of the walk need not lie in memory.
[[gnu::cold]] bool foreign_frame(const MapIndex &maps, const StackView &stack, uintptr_t frame_sp, uintptr_t pc,
                                 Frame callee, Refusal &why);
[[gnu::cold]] bool pinned_site(Frame frame, Refusal &why);
// Whether a frame pinned for this reason has a known shape, so that only its words are unknown.
bool pin_is_of_words(unsigned reason);
[[gnu::cold]] bool broken_frame(Frame frame, const char *what, Refusal &why);
[[gnu::cold]] bool broken_switch_frame(Refusal &why);

// Whether a word must be looked at. In memory without a type (stride 1) every byte may begin an address. Text has
// something in all its bytes, so of what may be an address under a tag only that counts which leads to what moves.
inline bool worth_a_look(const StackView &stack, uintptr_t at) {
  constexpr uintptr_t lowest = uintptr_t{1} << 32;
  const uintptr_t word = stack.read(at), address = word & address_bits;
  return address - lowest < user_end - lowest &&
         (address == word || stack.others_move || address - stack.sp <= stack.high - stack.sp);
}

// Memory without a type may hold an address at every byte, and mostly holds none: text, or zeroes. So places that are
// not worth a look are passed over 32 at a time.
class Typeless {
public:
  // Of words that begin in the `count` bytes at `at`; the stack holds 7 more.
  Typeless(const StackView &stack, uintptr_t at, size_t count);
  // How many places from `at` on, of `left`, are not worth a look for certain.
  size_t skip(uintptr_t at, size_t left) const { return by_byte || left < block ? 0 : blocks(at, left); }

private:
  static constexpr size_t block = 32;
  size_t blocks(uintptr_t at, size_t left) const;
  const StackView &stack;
  bool by_byte; // there are addresses under tags, or the lower bytes decide
};

// Calls look(at) for each place that is worth a look, of `count` that are `stride` apart, until it returns false.
template <typename Look>
bool each_place(const StackView &stack, uintptr_t at, size_t count, unsigned stride, Look &&look) {
  if (stride != 1) {
    for (size_t i = 0; i < count; ++i, at += stride)
      if (!look(at))
        return false;
    return true;
  }
  const Typeless memory(stack, at, count);
  for (size_t left = count; left != 0; --left, ++at) {
    const size_t skipped = memory.skip(at, left);
    at += skipped;
    left -= skipped;
    if (left == 0)
      return true;
    if (worth_a_look(stack, at) && !look(at))
      return false;
  }
  return true;
}

// A frame as plain_frames knows it. Only a visitor that reports something makes a Frame of it. If there were a Frame
// for each one, it would be stored to memory for every word, since reports take it by value.
struct PlainFrame {
  unsigned depth;
  const PlainSite *at;
  uintptr_t sp;
  operator Frame() const { return {depth, at->site, at->function, sp, sp + at->frame_size}; }
};

// Where a walk is at the moment.
struct Place {
  uintptr_t rbx_slot, rbp_slot, return_slot;
  uintptr_t looked_at; // all words up to here have been looked at, or need not be
  Frame callee;        // the frame below this one
  unsigned depth = 0;
};

enum class Plain : unsigned char { done, refused, special };

// Walks over the next frames as long as they are plain (maps.h), which most are. It does for them what any_frames does
// in general, in a fraction of the time. Afterwards the walk is over, or `place` is where it goes on.
//
// The stack and the visitor are local copies whose addresses nothing else knows, so they stay in registers although the
// walk reads and writes words at any address.
template <typename Visitor>
[[gnu::noinline]] Plain plain_frames(const MapIndex &maps, const StackView stack, Place &place, Refusal &why,
                                     Visitor &visitor) {
  struct Copy : Visitor {
    Visitor &of;
    explicit Copy(Visitor &of) : Visitor(of), of(of) {}
    ~Copy() {
      if constexpr (__is_assignable(Visitor &, const Visitor &)) // else everything that it changes is elsewhere
        of = *this;
    }
  } visit(visitor);
  const MapIndex::PlainFinder find(maps);
  const unsigned coarsest = stack.delta == 0 ? 64 : (unsigned)__builtin_ctzll((uintptr_t)stack.delta);
  uintptr_t rbx_slot = place.rbx_slot, rbp_slot = place.rbp_slot, return_slot = place.return_slot;
  const PlainSite *last = nullptr;
  uintptr_t last_pc = 0, sp = 0;
  unsigned depth = place.depth;
  const auto frame = [&](unsigned depth) { return PlainFrame{depth, last, sp}; }; // the frame of `last`
  for (;; ++depth) {
    const uintptr_t pc = stack.read(return_slot) + (uintptr_t)stack.code_delta;
    const PlainSite *at = pc == last_pc ? last : find(pc); // deep stacks are mostly of functions that call themselves
    if (at == nullptr)
      break; // the bottom, which is no site; or something for any_frames
    if (const uintptr_t room = stack.high - return_slot - 8;
        at->frame_size > room || at->extent > room || at->alignment_log2 > coarsest)
      break; // any_frames says what is wrong
    last = at;
    last_pc = pc;
    sp = return_slot + 8;
    if (!visit(frame(depth), return_slot, WordKind::code))
      return Plain::refused;
    const uint32_t *offset = at->offsets;
    for (const uint32_t *end = offset + at->pointers; offset != end; ++offset)
      if (!visit(frame(depth), sp + *offset, WordKind::pointer))
        return Plain::refused;
    for (const uint32_t *end = at->offsets + at->words; offset != end; ++offset)
      if (!visit(frame(depth), sp + *offset, WordKind::ambiguous))
        return Plain::refused;
    const uintptr_t cfa = sp + at->frame_size;
    // These slots are inside the frame. Each is updated by itself: two that the compiler loads, tests and stores as one
    // vector take longer.
    if (at->rbx != 0) {
      rbx_slot = cfa - at->rbx;
      __asm__("" : "+r"(rbx_slot));
    }
    if (at->rbp != 0)
      rbp_slot = cfa - at->rbp;
    return_slot = cfa - 8;
  }
  if (stack.read(return_slot) + (uintptr_t)stack.code_delta == stack.bottom)
    return visit(Frame{depth, Site::none, nullptr, return_slot + 8}, return_slot, WordKind::code) ? Plain::done
                                                                                                  : Plain::refused;
  if (last != nullptr)
    place = {rbx_slot, rbp_slot, return_slot, place.looked_at, frame(depth - 1), depth};
  return Plain::special;
}

// The rest of a walk, from a frame that is not plain.
template <typename Visitor>
[[gnu::noinline]] bool any_frames(const MapIndex &maps, const StackView &stack, Place &place, Refusal &why,
                                  Visitor &visit) {
  auto &[rbx_slot, rbp_slot, return_slot, looked_at, callee, depth] = place;
  JumpWalk jumps(maps, stack.jumps, stack.high, stack.code_delta);
  for (bool first = true;; ++depth, first = false) {
    if (!first && stack.jumps == nullptr)
      if (const Plain plain = plain_frames(maps, stack, place, why, visit); plain != Plain::special)
        return plain == Plain::done;
    uintptr_t pc = stack.read(return_slot) + (uintptr_t)stack.code_delta;
    Frame frame;
    frame.depth = depth;
    frame.sp = return_slot + 8;
    if (pc == stack.bottom)
      return visit(frame, return_slot, WordKind::code);
    Site site = maps.find_site(pc);
    if (!site)
      return foreign_frame(maps, stack, frame.sp, pc, callee, why);
    const skein_function_map *function = site.function;
    frame.function = function;
    frame.site = site.number;
    const MapTables tables(function);
    const SiteFacts facts = site_facts(site, tables);
    const bool pinned = facts.pin != SKEIN_PIN_NONE;
    if (pinned && (stack.unproved == nullptr || !pin_is_of_words(facts.pin)))
      return pinned_site(frame, why);
    if (!visit(frame, return_slot, WordKind::code))
      return false;
    frame.cfa = (function->flags & SKEIN_MAP_FP) ? stack.read(rbp_slot) + 16 : frame.sp + function->frame_size;
    // The frame lies between its callee and the end of the stack and holds at least its return address.
    if (frame.cfa % 8 != 0 || frame.cfa < frame.sp + 8 || frame.cfa > stack.high)
      return broken_frame(frame, "does not fit on the stack", why);
    if (((uintptr_t)stack.delta & ((UINT64_C(1) << function->alignment_log2) - 1)) != 0)
      return broken_frame(frame, "needs a coarser alignment than stacks have", why);
    if (function->flags & SKEIN_MAP_FP)
      if (!visit(frame, rbp_slot, WordKind::own_frame))
        return false;
    if (function->flags & SKEIN_MAP_BP) {
      frame.bp = stack.read(rbx_slot);
      if (frame.bp < frame.sp || frame.bp > frame.cfa)
        return broken_frame(frame, "has a base pointer that lies elsewhere", why);
      if (!visit(frame, rbx_slot, WordKind::own_frame))
        return false;
    }
    if (const uint32_t jump = jumps.at_frame(function, frame.sp, frame.cfa, frame.bp); jump != Site::none) {
      frame.site = jump;
      return pinned_site(frame, why);
    }
    if (pinned) {
      // The words of this frame may be in it, in registers that the frames below it have saved, and in its arguments.
      *stack.unproved = true;
      const size_t arguments = 8 * (size_t)facts.arguments; // that the caller passed in its own frame
      if (!stack.holds(frame.cfa, arguments))
        return broken_frame(frame, "has arguments outside the stack", why);
      for (; looked_at < frame.cfa + arguments; looked_at += 8)
        if (!visit(frame, looked_at, WordKind::unknown))
          return false;
    }
    auto base_of = [&](unsigned base) {
      return base == SKEIN_BASE_CFA ? frame.cfa : base == SKEIN_BASE_SP ? frame.sp : frame.bp;
    };

    // Pointers that this call passed through `...` are in the register save area of the callee.
    if (facts.va_pointers != 0 && callee.function != nullptr && (callee.function->flags & SKEIN_MAP_VARIADIC)) {
      const skein_function_map *variadic = callee.function;
      const skein_local_map &saved = MapTables(variadic).longs[0];
      uintptr_t base = saved.base == SKEIN_BASE_CFA ? callee.cfa : saved.base == SKEIN_BASE_SP ? callee.sp : callee.bp;
      uintptr_t area = base + (uintptr_t)(intptr_t)saved.offset;
      if (area % 8 != 0 || !stack.holds(area, 48))
        return broken_frame(callee, "has a register save area outside the stack", why);
      for (unsigned i = 0; i < 6; ++i)
        if (facts.va_pointers & (1u << i))
          if (!visit(frame, area + 8 * i, WordKind::pointer))
            return false;
    }

    // Dynamic blocks come first: the head of their chain is also a pointer local, and must be read before a visitor
    // changes it.
    const auto visit_blocks = [&](const skein_local_map &local) {
      if (local.kind < SKEIN_LOCAL_DYNAMIC_POINTER)
        return true;
      uintptr_t head = base_of(local.base) + (uintptr_t)(intptr_t)local.offset;
      if (!stack.holds(head, 8))
        return broken_frame(frame, "has a local outside the stack", why);
      WordKind kind = local.kind == SKEIN_LOCAL_DYNAMIC_POINTER ? WordKind::pointer : WordKind::ambiguous;
      uintptr_t lowest = frame.sp; // addresses ascend, so every chain ends
      for (uintptr_t block = stack.read(head), previous; block != 0; block = previous) {
        if (block < lowest || block > frame.cfa || frame.cfa - block < 16)
          return broken_frame(frame, "has a dynamic block outside its frame", why);
        previous = stack.read(block);
        size_t bytes = stack.read(block + 8);
        if (bytes < 16 || bytes > frame.cfa - block)
          return broken_frame(frame, "has a dynamic block outside its frame", why);
        const size_t most = local.count >> SKEIN_DYNAMIC_WORDS_SHIFT; // 0: as many as there are
        const size_t offset = local.count & SKEIN_DYNAMIC_FIRST_MASK;
        size_t words = offset + 8 > bytes ? 0 : local.stride == 0 ? 1 : (bytes - offset - 8) / local.stride + 1;
        if (most != 0 && most < words)
          words = most;
        if (!detail::each_place(stack, block + offset, words, local.stride,
                                [&](uintptr_t place) { return visit(frame, place, kind); }))
          return false;
        lowest = block + bytes;
      }
      return true;
    };
    const auto visit_words = [&](const skein_local_map &local) {
      if (local.kind >= SKEIN_LOCAL_DYNAMIC_POINTER || local.count == 0)
        return true;
      uintptr_t at = base_of(local.base) + (uintptr_t)(intptr_t)local.offset;
      if (!stack.holds(at, (size_t)(local.count - 1) * local.stride + 8)) // does not overflow (maps.cpp)
        return broken_frame(frame, "has a local outside the stack", why);
      WordKind kind = local.kind == SKEIN_LOCAL_POINTER ? WordKind::pointer : WordKind::ambiguous;
      return detail::each_place(stack, at, local.count, local.stride,
                                [&](uintptr_t place) { return visit(frame, place, kind); });
    };
    if ((function->flags & SKEIN_MAP_BLOCKS) && !each_live(function, tables, facts.live, visit_blocks))
      return false;
    if (!each_live(function, tables, facts.live, visit_words))
      return false;

    if (function->saved[SKEIN_SAVED_RBX] != 0)
      rbx_slot = frame.cfa - 8 * (intptr_t)function->saved[SKEIN_SAVED_RBX];
    if (function->saved[SKEIN_SAVED_RBP] != 0)
      rbp_slot = frame.cfa - 8 * (intptr_t)function->saved[SKEIN_SAVED_RBP];
    if (!stack.holds(rbx_slot, 8) || !stack.holds(rbp_slot, 8))
      return broken_frame(frame, "saves a register outside the stack", why);
    return_slot = frame.cfa - 8;
    callee = frame;
  }
}
} // namespace detail

// Calls visit(frame, value, kind) for each word, frame by frame from the innermost one. `frame` is a Frame, or converts
// to one. `value` is where the word lies; its memory is at value + stack.bias, inside [sp, high). A visitor may change
// the word. If it returns false, it has filled `why`, and the walk ends and returns false. Returns true when the bottom
// was reached.
template <typename Visitor> bool walk(const MapIndex &maps, const StackView &stack, Refusal &why, Visitor &&visit) {
  if (stack.sp % 8 != 0 || !stack.holds(stack.sp, sizeof(SavedContext)))
    return detail::broken_switch_frame(why);
  detail::Place place = {stack.sp + offsetof(SavedContext, rbx),
                         stack.sp + offsetof(SavedContext, rbp),
                         stack.sp + offsetof(SavedContext, return_address),
                         stack.sp,
                         {}};
  if (stack.jumps == nullptr)
    if (const auto plain = detail::plain_frames(maps, stack, place, why, visit); plain != detail::Plain::special)
      return plain == detail::Plain::done;
  return detail::any_frames(maps, stack, place, why, visit);
}

} // namespace skein

#endif
