// Puts an image into a thread, part by part; see image_unpacking.h.
#include "migrate/image_unpacking.h"

#include "arch/x86_64/switch.h"
#include "base/log.h"
#include "migrate/exception_words.h"
#include "migrate/function_begin.h"
#include "migrate/move_handlers.h"
#include "migrate/node_objects.h"
#include "migrate/owned.h"
#include "migrate/program_numbers.h"
#include "private/library/exceptions.h"
#include "sync/hold_reports.h"
#include "thread/growable.h"
#include <algorithm>
#include <skein/skein.h>
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

} // namespace skein
