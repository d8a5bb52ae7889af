// Makes a thread from an image; see image.h.
#include "migrate/image.h"

#include "base/knobs.h"
#include "migrate/image_layout.h"
#include "migrate/move_clock.h"
#include "migrate/owned_image.h"
#include "migrate/unpack.h"
#include "migrate/unwind_check.h"
#include "private/globals/arguments.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "sync/join.h"
#include <skein/skein.h>

namespace skein {

bool image_regions(const ImageHeader &header, bool (*visit)(uint64_t begin, uint64_t bytes, void *context),
                   void *context) {
  return owned_regions((const unsigned char *)&header + image_layout(header).owned, header.owned_bytes, visit, context);
}

bool image_owns_memory_of(const ImageHeader &image, const Thread &other) {
  return owned_overlaps((const unsigned char *)&image + image_layout(image).owned, image.owned_bytes, other);
}

bool image_owns_what(const ImageHeader &image, const Thread &other) {
  return ((image.flags & image_reserved) != 0 && other.stack && other.stack.slot == image.slot) ||
         image_owns_memory_of(image, other);
}

Thread *image_restore(const void *bytes, size_t count, ImageFault &fault, Refusal &why) {
  const ImageHeader *header = image_check(bytes, count, fault, why);
  return header ? image_restore(*header, fault, why) : nullptr;
}

namespace {

// Whether this slot is where the stack of the image lies.
bool lies_there(const ImageHeader &header, const Stack &slot) {
  return slot && (uintptr_t)slot.slot_begin == header.slot_begin && (uintptr_t)slot.high == header.stack_high;
}

} // namespace

// Not where anything is out of the ordinary: the general way is good enough there.
bool image_fits(const ImageHeader &header, const Thread &former) {
#ifdef SKEIN_FIBERS
  if (former.sanitizer_stack != nullptr)
    return false;
#endif
  const Stack &stack = former.stack;
  return stack && (header.flags & image_started) != 0 && !header.travels.awaiting && !former.awaiting &&
         header.stack_high - header.stack_low == stack.bytes() &&
         ((header.flags & image_reserved) != 0
              ? header.slot == stack.slot && header.slot_begin == (uintptr_t)stack.slot_begin &&
                    header.stack_high == (uintptr_t)stack.high
              : !stack_keeps_address(stack));
}

// The bundle of this node to which the thread will belong; null if there is none, or if the worker is missing that the
// thread is bound to.
static skein_bundle *bundle_for(const ImageHeader &header, ImageFault &fault, Refusal &why) {
  skein_bundle *bundle = bundle_of_definition(header.bundle);
  if (bundle == nullptr) {
    fault = ImageFault::malformed;
    why.set(SKEIN_EREFUSED, "it says it is in bundle %u of the program, which has none of that number", header.bundle);
    return nullptr;
  }
  if (header.bound > workers_count()) {
    fault = ImageFault::no_worker;
    why.set(SKEIN_ENODE, "it is bound to worker %u, and this node has 0 to %u", header.bound - 1, workers_count() - 1);
    return nullptr;
  }
  return bundle;
}

// What remains when all of an image is in the thread's record.
static void enter(Thread *thread, const ImageHeader &header, skein_bundle *bundle, const MoveCounts &counts) {
  if (header.bound != 0) {
    thread->bound = true;
    thread->worker = header.bound - 1;
  }
  bundle_enter(thread, bundle);
  if (!(header.flags & image_started)) // release: a thread that sees this state sees the bundle
    thread->state.store(ThreadState::initialised, std::memory_order_release);
  count_in_turn(statistics.pointers_relocated, counts.pointers);
}

// The top of a stack that stays in place comes from another core's cache, while the record is made.
static void prefetch_in_place(const ImageHeader &header) {
  constexpr uint64_t line = 64, most = 6 * line;
  if ((header.flags & image_in_place) == 0)
    return;
  for (uint64_t at = header.sp; at < header.stack_high && at < header.sp + most; at += line)
    __builtin_prefetch((const void *)at);
}

Thread *image_restore(const ImageHeader &header, ImageFault &fault, Refusal &why, const RestoreOptions &options) {
  prefetch_in_place(header);
  Thread *const former = options.former;
  bool started = (header.flags & image_started) != 0;
  bool reserved = (header.flags & image_reserved) != 0;
  if (reserved ? knobs.stacks == StackStrategy::relocate : started && knobs.stacks == StackStrategy::reserve) {
    fault = ImageFault::stack;
    why.set(SKEIN_EREFUSED, "the nodes use different strategies for stacks (SKEIN_OPTIONS=stacks=…)");
    return nullptr;
  }
  skein_bundle *bundle = bundle_for(header, fault, why);
  if (bundle == nullptr)
    return nullptr;

  bool here = true;
  Thread *thread = former                   ? former
                   : header.travels.id == 0 ? nullptr
                                            : thread_new_arriving(header.travels.id, here, join_arrives);
  if (thread == nullptr && here) {
    fault = ImageFault::duplicate;
    why.set(SKEIN_EREFUSED, "thread %s is on this node already", thread_name(header.travels.id).text);
    return nullptr;
  }
  if (thread == nullptr) {
    fault = ImageFault::no_memory;
    why.set(SKEIN_EMEMORY, "no memory for its record");
    return nullptr;
  }

  Stack stack;
  bool kept = former && reserved;
  if (former) {
    stack = former->stack;
    private_depart(*former);
    thread_renew(former);
  } else if (started) {
    if (reserved && lies_there(header, stack_in_slot(header.slot)))
      stack = stack_acquire_slot(header.slot);
    kept = static_cast<bool>(stack);
    const bool anywhere = !reserved || (options.anywhere && knobs.stacks != StackStrategy::reserve &&
                                        (header.flags & image_in_place) == 0);
    if (!stack && anywhere)
      stack = stack_acquire_arriving(header.slot, header.stack_high - header.stack_low);
  }
  const bool placed = !started || stack;
  if (!placed) {
    fault = ImageFault::no_stack;
    why.set(SKEIN_EMEMORY,
            reserved ? "its stack slot %u is not to be had on this node" : "no stack is left on this node",
            header.slot);
  }
  MoveCounts counts;
  const bool was_daemon = former && former->daemon;
  if (!placed || !image_unpack(header, stack, *thread, counts, fault, why, options.lender)) {
    private_depart(*thread); // what it owns stays its own on the node where it stays
    if (former)
      return nullptr;
    const bool joined = join_departs(thread);
    thread_delete(thread);
    if (joined && join_elsewhere)
      join_elsewhere(header.travels.id); // threads here may have begun to wait for it
    if (kept)
      stack_leave(stack); // not released, since the slot still belongs to the thread, which stays where it is
    else if (stack)
      stack_release(stack);
    return nullptr;
  }
  if (unwind_check_due())
    unwind_check(*thread, "after it arrived");
  arguments_restore(*thread);
  ++thread->moves;
  thread->births.wanted =
      (header.flags & image_wanted) != 0 || (former && former->births.wanted); // told while it was in flight
  thread_count_again(*thread, was_daemon);
  if (former)
    bundle_leave(thread);
  enter(thread, header, bundle, counts);
  if (reserved && !kept && lies_there(header, stack_in_slot(header.slot)))
    stack_slot_unwanted(header.slot);
  if (started)
    count_in_turn((uintptr_t)stack.slot_begin == header.slot_begin ? statistics.threads_at_same_address
                                                                   : statistics.threads_at_other_address);
  note_time(move_times.restored_ns);
  return thread;
}

Thread *image_copy(const ImageHeader &header, ImageFault &fault, Refusal &why) {
  skein_bundle *bundle = bundle_for(header, fault, why);
  if (bundle == nullptr)
    return nullptr;
  Thread *thread = thread_new(ThreadState::in_flight);
  if (thread == nullptr) {
    fault = ImageFault::no_memory;
    why.set(SKEIN_EMEMORY, "no memory for its record");
    return nullptr;
  }
  const bool started = (header.flags & image_started) != 0;
  Stack stack;
  if (started)
    stack = stack_acquire_arriving(header.slot, header.stack_high - header.stack_low);
  if (started && !stack) {
    fault = ImageFault::no_stack;
    why.set(SKEIN_EMEMORY, "no stack is left on this node");
  }
  MoveCounts counts;
  if ((started && !stack) || !image_unpack(header, stack, *thread, counts, fault, why)) {
    private_depart(*thread); // its addresses are still the caller's
    thread_delete(thread);
    if (stack)
      stack_release(stack);
    return nullptr;
  }
  thread->moves = thread->follow_home = thread->follow_patience = 0;
  thread_count_again(*thread, false);
  enter(thread, header, bundle, counts);
  return thread;
}

} // namespace skein
