// Makes a thread from an image; see image.h.
#include "migrate/image.h"

#include "arch/x86_64/switch.h"
#include "base/knobs.h"
#include "base/log.h"
#include "migrate/check.h"
#include "migrate/exception_words.h"
#include "migrate/function_begin.h"
#include "migrate/image_layout.h"
#include "migrate/image_room.h"
#include "migrate/move_clock.h"
#include "migrate/move_handlers.h"
#include "migrate/node_objects.h"
#include "migrate/owned.h"
#include "migrate/owned_image.h"
#include "migrate/program_numbers.h"
#include "migrate/unpack.h"
#include "migrate/unwind_check.h"
#include "private/globals/arguments.h"
#include "private/library/exceptions.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "sync/hold_reports.h"
#include "sync/join.h"
#include "thread/growable.h"
#include <algorithm>
#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

namespace skein {

namespace {

// Whether it is a named object (migrate/node_objects.h), and no library.
bool is_object(const ImageModule &module) {
  return std::all_of(module.build_id, module.build_id + build_id_bytes, [](unsigned char byte) { return byte == 0; });
}

// The ranges of the source, each with what must be added at this node. Sets `others_move` if a named object lies
// elsewhere here.
bool build_ranges(const ImageHeader &header, const ImageModule *modules, intptr_t stack_delta, RangeTable &ranges,
                  bool &others_move, ImageFault &fault, Refusal &why) {
  fault = ImageFault::malformed;
  const Module &program = program_module();
  // A thread that has not run has no stack. The first range then has no meaning, but must not be empty.
  bool started = (header.flags & image_started) != 0;
  if (!ranges.add(started ? header.slot_begin : 0, started ? header.slot_end : 1, stack_delta) ||
      !ranges.add(header.image_begin, header.image_end, (intptr_t)(program.begin - header.image_begin)))
    return why.set(SKEIN_EREFUSED, "the image contradicts itself: its stack lies in the program");
  for (unsigned i = 0; i < header.module_count; ++i) {
    const ImageModule &wanted = modules[i];
    if (is_object(wanted)) {
      NodeObject object;
      if (wanted.name[sizeof wanted.name - 1] != 0 || wanted.name[0] == 0)
        return why.set(SKEIN_EREFUSED, "the image contradicts itself: the name of an object does not end");
      if (!node_object_named(wanted.name, object) || object.end - object.begin != wanted.end - wanted.begin) {
        fault = ImageFault::missing_module;
        return why.set(SKEIN_EREFUSED,
                       "it holds an address of the object '%s' of its node (skein_node_object), and this node has none "
                       "of that name and of %zu bytes",
                       wanted.name, (size_t)(wanted.end - wanted.begin));
      }
      if (!ranges.add(wanted.begin, wanted.end, (intptr_t)(object.begin - wanted.begin)))
        return why.set(SKEIN_EREFUSED, "the image contradicts itself: objects overlap");
      others_move |= object.begin != wanted.begin;
      continue;
    }
    const Module *here = module_with_id(wanted.build_id);
    if (here == nullptr)
      here = module_with_id(wanted.build_id, true);
    if (here == nullptr || !here->identified() || here->end - here->begin != wanted.end - wanted.begin) {
      fault = ImageFault::missing_module;
      return why.set(SKEIN_EREFUSED, "it holds an address of %.44s (build-id %s), which is not loaded on this node",
                     wanted.name, build_id_text(wanted.build_id).text);
    }
    if (!ranges.add(wanted.begin, wanted.end, (intptr_t)(here->begin - wanted.begin)))
      return why.set(SKEIN_EREFUSED, "the image contradicts itself: libraries overlap");
  }
  fault = ImageFault::none;
  return true;
}

// Frees the table unless it was taken over.
struct JumpsOwner {
  JumpTable *table = nullptr;
  ~JumpsOwner() {
    if (table != nullptr)
      table->destroy();
  }
};

// Reads what setjmp saved; `to` stays empty if that is nothing. False: there is no memory.
bool read_jumps(const ImageHeader &header, const ImageLayout &layout, JumpsOwner &to) {
  if (!(header.flags & image_jumps))
    return true;
  auto *jumps = (const ImageJumps *)((const unsigned char *)&header + layout.jumps);
  auto *contexts = (const JumpContext *)(jumps + 1);
  to.table = JumpTable::create(jumps->count + 1);
  if (to.table == nullptr)
    return false;
  to.table->last_serial = jumps->last_serial;
  to.table->resize(jumps->count);
  for (size_t i = 0; i < jumps->count; ++i) {
    JumpContext context = contexts[i];
    context.flags &= jump_masks;
    to.table->set(i, context);
  }
  return true;
}

// Whether a line of text lies there, and ends. Another node may name any place of the program, also the middle of a
// variable, which the address sanitizer would take for a mistake of ours.
__attribute__((no_sanitize("address"))) bool is_text(const char *at, size_t most) {
  for (size_t length = 0; length < most; length++)
    if (at[length] < ' ')
      return length != 0 && at[length] == 0;
  return false;
}

// The text in the program that says how an address was made into a number (ImageHeader::numbered).
const char *numbered_text(uint64_t place) {
  const Module &program = program_module();
  const uintptr_t at = program.begin + place;
  constexpr size_t most = 512;
  if (place > 1 && place < program.data_begin - program.begin &&
      is_text((const char *)at, most < program.data_begin - at ? most : program.data_begin - at))
    return (const char *)at;
  return "was made into a number";
}

uintptr_t relocated(uintptr_t value, const RangeTable &ranges, MoveCounts &counts) {
  const Range *range = ranges.find(value);
  if (range == nullptr || range->delta == 0)
    return value;
  ++counts.pointers;
  return value + (uintptr_t)range->delta;
}

} // namespace

namespace {

// An image on its way into a thread: first its stack, then its private memory, then its record. Each step either is
// done as a whole, or refuses with fault and reason.
class Unpacking {
public:
  Unpacking(const ImageHeader &header, MoveCounts &counts, ImageFault &fault, Refusal &why,
            const Lender *lender = nullptr)
      : header(header), counts(counts), fault(fault), why(why), bytes((const unsigned char *)&header),
        layout(image_layout(header)), started((header.flags & image_started) != 0),
        in_place((header.flags & image_in_place) != 0), live(::skein::live_bytes(header)) {
    if ((header.flags & image_lends) != 0 && lender != nullptr)
      lent = {lender, image_lent(header), header.travels.id};
  }

  // Writes the live part of the stack as it will be on `stack`, to the memory that ends at `end`: there, or elsewhere.
  bool unpack_stack(const Stack &stack, std::byte *end);
  // Its private memory, which must not be mapped here.
  bool unpack_owned(Thread &into);
  // After that: whether what it does when it moves is a list of functions.
  bool handlers_sound(const Stack &stack, const Thread &into);
  bool unpack_record(const Stack &stack, Thread &into);
  size_t live_bytes() const { return live; }
  // After unpack_stack: whether addresses change, so that a word of the private memory may refuse.
  bool changes_addresses() const { return delta != 0 || others_move; }

private:
  bool refuse(ImageFault what) {
    fault = what;
    return false;
  }
  bool fill_stack(std::byte *end);

  const ImageHeader &header;
  MoveCounts &counts;
  ImageFault &fault;
  Refusal &why;
  LentReader lent = {};
  const unsigned char *bytes;
  ImageLayout layout;
  bool started;
  bool in_place;
  size_t live;
  intptr_t delta = 0;
  bool others_move = false;
  RangeTable ranges;
  JumpsOwner jumps;
  uintptr_t function = 0;
};

// Copies the live part of the stack from the image, or from where it is lent.
bool Unpacking::fill_stack(std::byte *end) {
  if (layout.owned != layout.stack) {
    memcpy(end - live, bytes + layout.stack, live);
  } else if (!in_place) {
    if (lent.lender == nullptr) {
      why.set(SKEIN_EREFUSED, "the image contradicts itself: its stack");
      return refuse(ImageFault::malformed);
    }
    for (size_t done = 0; done < live; done += lent_bytes_most) {
      const LentPiece piece = {header.sp + done, end - live + done, std::min(live - done, lent_bytes_most)};
      if (!lent.read(&piece, 1)) {
        why.set(SKEIN_EREFUSED, UNREAD_TEXT, lent.lender->node);
        return refuse(ImageFault::unread);
      }
    }
  }
  if (control_words_valid(((const SavedContext *)(end - live))->control))
    return true;
  why.set(SKEIN_EREFUSED, "the image contradicts itself: its control words");
  return refuse(ImageFault::malformed);
}

bool Unpacking::unpack_stack(const Stack &stack, std::byte *end) {
  delta = started ? (intptr_t)((uintptr_t)stack.high - header.stack_high) : 0;
  if (started && (live > stack.bytes() || delta % (intptr_t)slot_alignment != 0)) {
    why.set(SKEIN_EREFUSED, "its stack of %zu live bytes does not fit on the stacks of this node", live);
    return refuse(ImageFault::no_stack);
  }
  if (header.numbered != 0 && delta != 0) {
    why.set(SKEIN_EPINNED, "an address of its stack %s, and that address is not to be had on this node",
            numbered_text(header.numbered));
    return refuse(ImageFault::stack);
  }
  const bool still = delta == 0 && header.modules == modules_digest();
  if (header.program_numbered != 0 && header.modules != modules_digest()) {
    why.set(SKEIN_EPINNED, PROGRAM_NUMBERED_TEXT, numbered_text(header.program_numbered));
    return refuse(ImageFault::stack);
  }
  if ((header.flags & image_unproved) != 0 && !still) {
    why.set(SKEIN_EPINNED, "a call on its stack is not proved, and its stack, the program or a library lies "
                           "at another address on this node");
    return refuse(ImageFault::stack);
  }
  others_move = header.modules != modules_digest();
  if (!build_ranges(header, (const ImageModule *)(bytes + layout.modules), delta, ranges, others_move, fault, why))
    return false;
  if (in_place && (others_move || (uintptr_t)end != header.stack_high || !stack_keeps_memory(stack))) {
    why.set(SKEIN_EREFUSED, "its stack has stayed where it lies, and %s",
            others_move ? "the program, a library or an object lies at another address on this node"
                        : "that is no place for it on this node");
    return refuse(ImageFault::not_in_place);
  }
  function = relocated((uintptr_t)header.travels.start.function, ranges, counts);
  if (!started && !begins_function(function)) {
    why.set(SKEIN_EREFUSED, "it would begin at %#zx, where no function of this program or its libraries begins",
            (size_t)function);
    return refuse(ImageFault::unknown_code);
  }
  if (!read_jumps(header, layout, jumps)) {
    why.set(SKEIN_EMEMORY, "no memory for what setjmp saved");
    return refuse(ImageFault::no_memory);
  }
  if (!started)
    return true;
  if (!fill_stack(end))
    return false;
  // In place nothing changes, and the source has looked at all words, which are still those: only one node touches
  // them.
  if (in_place)
    return true;
  StackView copy;
  copy.sp = header.sp;
  copy.high = header.stack_high;
  copy.bias = (intptr_t)((uintptr_t)end - header.stack_high);
  copy.delta = delta; // which is not the bias if the copy is made aside
  copy.code_delta = ranges.ranges[1].delta;
  copy.others_move = others_move;
  copy.jumps = jumps.table;
  bool unproved = false;
  copy.unproved = still ? &unproved : nullptr;
  if (relocate(program_maps(), copy, ranges, counts, why))
    return true;
  why.code = SKEIN_EREFUSED;
  return refuse(why.unknown_code ? ImageFault::unknown_code : ImageFault::stack);
}

bool Unpacking::unpack_owned(Thread &into) {
  if (!started)
    return true;
  if (changes_addresses() && owned_leaves(bytes + layout.owned, header.owned_bytes)) {
    why.set(SKEIN_EREFUSED, "it has left memory on another node, which is not looked through here, and its stack, the "
                            "program or a library has another address on this node");
    return refuse(ImageFault::no_stack);
  }
  if (!owned_unpack(bytes + layout.owned, header.owned_bytes, into, lent.lender != nullptr ? &lent : nullptr, fault,
                    why))
    return false;
  OwnedChanges &changes = owned_changes();
  if (!exceptions_intact(into)) {
    private_depart(into);
    why.set(SKEIN_EREFUSED, "the image contradicts itself: its exceptions");
    return refuse(ImageFault::malformed);
  }
  if (!owned_prepare(into, ranges, changes, counts, why) || !exceptions_adjustable(into, ranges, why)) {
    private_depart(into);
    why.code = SKEIN_EREFUSED;
    return refuse(ImageFault::private_memory);
  }
  owned_apply(into, changes);
  exceptions_adjust(into, ranges, counts);
  return true;
}

bool Unpacking::handlers_sound(const Stack &stack, const Thread &into) {
  return move_handlers::sound(header.travels.move_handlers, into, stack, live, why) || refuse(ImageFault::malformed);
}

bool Unpacking::unpack_record(const Stack &stack, Thread &into) {
  if (header.error_bytes != 0 && into.error_text == nullptr)
    into.error_text = (char *)malloc(error_text_bytes);
  if (header.error_bytes != 0 && into.error_text == nullptr) {
    why.set(SKEIN_EMEMORY, "no memory for its error text");
    return refuse(ImageFault::no_memory);
  }
  if (into.error_text != nullptr) {
    memcpy(into.error_text, bytes + layout.error, header.error_bytes);
    into.error_text[header.error_bytes] = 0;
  }
  // Not its id: a thread that goes back is in the table meanwhile, and is found by it.
  static_assert(offsetof(Travels, id) == 0);
  constexpr size_t behind_id = sizeof header.travels.id;
  memcpy((std::byte *)static_cast<Travels *>(&into) + behind_id, (const std::byte *)&header.travels + behind_id,
         sizeof(Travels) - behind_id);
  into.start.function = (void (*)(void))function;
  if (into.join_result.kind == ResultKind::pointer)
    into.join_result.value = relocated(into.join_result.value, ranges, counts);
  if (!started) {
    auto *words = (const uint64_t *)(bytes + layout.words);
    for (unsigned i = 0; i < into.start.count; ++i) {
      bool pointer = ((into.start.classes >> (2 * i)) & 3) == SKEIN_ARGUMENT_POINTER;
      into.words[i] = pointer ? relocated(words[i], ranges, counts) : words[i];
    }
  }
  jumps_delete(into);
  into.jumps = jumps.table;
  jumps.table = nullptr;
  into.numbered = header.numbered != 0 ? numbered_text(header.numbered) : nullptr;
  if (started) {
    // Only locks of a thread that has not left this process are held.
    holds_relocate(into, header.slot_begin, header.slot_end, delta);
    into.stack = stack;
    into.limit = stack_limit(stack, live);
    into.sp = stack.high - live;
  }
  fault = ImageFault::none;
  return true;
}

} // namespace

bool image_unpack(const ImageHeader &header, const Stack &stack, Thread &into, MoveCounts &counts, ImageFault &fault,
                  Refusal &why, const Lender *lender) {
  Unpacking unpacking(header, counts, fault, why, lender);
  return unpacking.unpack_stack(stack, stack.high) && unpacking.unpack_owned(into) &&
         unpacking.handlers_sound(stack, into) && unpacking.unpack_record(stack, into);
}

void image_put_back(const ImageHeader &header, Thread &into) {
  ImageFault fault;
  Refusal why;
  ImageLayout layout = image_layout(header);
  private_depart(into);
  if (!owned_unpack((const unsigned char *)&header + layout.owned, header.owned_bytes, into, nullptr, fault, why))
    fatal("the private memory of thread %s is lost: %s", thread_name(into.id).text, why.text);
}

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

namespace {

// A stack, as it will be.
struct Aside {
  ImageRoom room;
  explicit Aside(size_t bytes) : room(image_room_take(bytes)) {}
  ~Aside() { image_room_give(room); }
};
// An image of what a thread has is not left where addresses of stacks are searched for.
struct BeforeIt {
  Buffer image;
  ~BeforeIt() { memset(image.data(), 0, image.size()); }
};

// Buffers that setjmp has filled since the thread was packed may still be there, so their numbers are not used again.
struct NumbersOfJumps {
  JumpTable *table = nullptr; // with the last number; null: setjmp was never called
  ~NumbersOfJumps() {
    if (table != nullptr)
      table->destroy();
  }
  // False: no memory.
  bool note(const Thread &thread) {
    if (thread.jumps == nullptr)
      return true;
    table = JumpTable::create(1);
    if (table == nullptr)
      return false;
    table->last_serial = thread.jumps->last_serial;
    return true;
  }
  void go_on(Thread &thread) {
    if (thread.jumps == nullptr) {
      thread.jumps = table;
      table = nullptr;
    } else if (thread.jumps->last_serial < table->last_serial) {
      thread.jumps->last_serial = table->last_serial;
    }
  }
};

// What a thread owned before it went back, so that the regions it does not own any more are given back.
class Formerly {
public:
  ~Formerly() { free(extents); }
  // False: no memory.
  bool note(const Thread &thread) {
    if (thread.owned == nullptr)
      return true;
    const size_t bytes = thread.owned->count * sizeof(Extent);
    extents = (Extent *)malloc(bytes);
    if (extents == nullptr && bytes != 0)
      return false;
    memcpy(extents, thread.owned->extents, bytes);
    count = thread.owned->count;
    return true;
  }
  void give_back_what_is_not_of(const Thread &thread) const {
    for (uint32_t i = 0; i < count; ++i)
      if (extent_containing(thread, extents[i].begin) == nullptr)
        region_give_back(
            {extents[i].begin, region_bytes(extents[i].region) | (extents[i].kept ? region_kept : 0), thread.id});
  }

private:
  Extent *extents = nullptr;
  uint32_t count = 0;
};

} // namespace

bool image_roll_back(const ImageHeader &header, Thread &thread, ImageFault &fault, Refusal &why) {
  auto out_of_memory = [&] {
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY, "no memory for a copy of it");
  };
  MoveCounts counts;
  Unpacking unpacking(header, counts, fault, why);
  const Stack stack = thread.stack;
  const size_t live = unpacking.live_bytes();
  Aside aside(live);
  Formerly formerly;
  NumbersOfJumps numbers;
  if (aside.room.memory == nullptr || !formerly.note(thread) || !numbers.note(thread))
    return out_of_memory();
  if (!unpacking.unpack_stack(stack, (std::byte *)aside.room.memory + live))
    return false;
  // If a word of its private memory refuses, what it has now is gone already.
  BeforeIt before;
  const bool owns = thread.owned != nullptr;
  if (owns && unpacking.changes_addresses() && !image_write(thread, {}, before.image, why))
    return out_of_memory();
  private_depart(thread);
  if (!unpacking.unpack_owned(thread)) {
    if (!owns)
      return false;
    if (before.image.size() == 0)
      fatal("thread %s cannot go back to its image, and is lost: %s", thread_name(thread.id).text, why.text);
    image_put_back(*(const ImageHeader *)before.image.data(), thread);
    return false;
  }
  const Travels now = thread;
  const char *numbered = thread.numbered; // what it has made numbers of since then is still there
  if (!unpacking.unpack_record(stack, thread))
    fatal("thread %s cannot go back to its image, and is lost: %s", thread_name(thread.id).text, why.text);
  memcpy(stack.high - live, aside.room.memory, live);
  formerly.give_back_what_is_not_of(thread);
  if (numbers.table != nullptr)
    numbers.go_on(thread);
  thread.daemon = now.daemon;
  thread.moves = now.moves;
  thread.follow_home = now.follow_home;
  thread.follow_patience = now.follow_patience;
  if (thread.numbered == nullptr)
    thread.numbered = numbered;
  count_in_turn(statistics.pointers_relocated, counts.pointers);
  return true;
}

} // namespace skein
