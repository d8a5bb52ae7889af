// See image.h. Top-down: capture, then check, then restore.
#include "migrate/image.h"

#include "base/barrier.h"
#include "base/knobs.h"
#include "base/log.h"
#include "migrate/check.h"
#include "migrate/checksum.h"
#include "migrate/exceptions.h"
#include "migrate/move_times.h"
#include "migrate/owned.h"
#include "migrate/owned_image.h"
#include "migrate/unpack.h"
#include "migrate/unwind_check.h"
#include "private/arguments.h"
#include "private/exceptions.h"
#include "sched/bundle.h"
#include "sched/sched.h"
#include "sync/holds.h"
#include "thread/growable.h"

#include <skein/skein.h>
#include <stdlib.h>
#include <string.h>

namespace skein {

// --- buffer ---------------------------------------------------------------------------------------------------------

Buffer::~Buffer() { free(memory); }

unsigned char *Buffer::extend(size_t bytes, size_t likely) {
  if (used + bytes > capacity) {
    size_t wanted = used + bytes + likely > 2 * capacity ? used + bytes + likely : 2 * capacity;
    auto *larger = (unsigned char *)realloc(memory, wanted);
    if (larger == nullptr)
      return nullptr;
    memory = larger;
    capacity = wanted;
  }
  unsigned char *at = memory + used;
  used += bytes;
  return at;
}

unsigned char *Buffer::take() {
  unsigned char *taken = memory;
  memory = nullptr;
  used = capacity = 0;
  return taken;
}

// --- capture --------------------------------------------------------------------------------------------------------

namespace {

constexpr size_t checksum_begin = 16; // what lies in front is found right by comparison
constexpr size_t round_up_8(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

// Sizes of an image's parts, from its header.
struct Layout {
  size_t modules;
  size_t control;
  size_t words;
  size_t error;
  size_t jumps;
  size_t stack;
  size_t owned;
  size_t bytes;
};
// `jumps`: bytes of that part.
Layout layout_of(const ImageHeader &header, size_t jumps) {
  Layout layout;
  layout.modules = sizeof header;
  const bool started = (header.flags & image_started) != 0;
  layout.control = layout.modules + header.module_count * sizeof(ImageModule);
  layout.words = layout.control + (started ? 0 : sizeof(ControlWords));
  layout.error = layout.words + (started ? 0 : header.start_count * sizeof(uint64_t));
  layout.jumps = layout.error + round_up_8(header.error_bytes);
  layout.stack = layout.jumps + jumps;
  layout.owned = layout.stack + (started ? header.stack_high - header.sp : 0);
  layout.bytes = layout.owned + header.owned_bytes;
  return layout;
}
size_t jumps_bytes(size_t count) { return sizeof(ImageJumps) + count * sizeof(JumpContext); }

// Of an image whose header's numbers are right.
Layout layout_of(const ImageHeader &image) {
  if (!(image.flags & image_jumps))
    return layout_of(image, 0);
  auto *jumps = (const ImageJumps *)((const unsigned char *)&image + layout_of(image, 0).jumps);
  return layout_of(image, jumps_bytes(jumps->count));
}

} // namespace

bool image_capture(const Thread &thread, Buffer &to, Refusal &why, bool globals_checked) {
  if (!thread_unpinned(thread, why))
    return false;
  if (!program_module().identified())
    return why.set(SKEIN_EREFUSED,
                   "the program has no build-id, which tells other nodes that they run the same one: link "
                   "it with skeincc, or with --build-id");
  if (thread.bundle->definition == bundle_local)
    return why.set(SKEIN_EPINNED,
                   "its bundle '%s' exists on this node only; SKEIN_BUNDLE makes one that all nodes know",
                   thread.bundle->name);
  barrier_light(); // it is in_flight by now; partner: the heavy one in cancel_mark
  if (thread.cancelled.load(std::memory_order_relaxed) || thread.ending)
    return why.set(SKEIN_EPINNED, "it is about to end (skein_exit, skein_cancel)");
  char held[300];
  if (holds_refuse(thread, held, sizeof held))
    return why.set(SKEIN_EPINNED, "%s", held);
  if (thread.owned != nullptr && thread.owned->exits != nullptr)
    return why.set(SKEIN_EPINNED, "destructors of its thread_local variables wait for its end");
  if (thread.reads_options)
    return why.set(SKEIN_EPINNED, "it reads its options, and the C library remembers how far it is: getopt has not "
                                  "returned -1 yet (or was called outside of main)");
  if (unwind_check_due())
    unwind_check(thread, "before it leaves");
  ModulesUsed used;
  MoveCounts counts;
  if (thread.stack && !(globals_checked && !is_growable(thread.stack)) &&
      !check_globals((uintptr_t)thread.sp, (uintptr_t)thread.stack.high, why))
    return false;
  if (!check_words(thread, used, counts, why) || !owned_check(thread, used, counts, why) ||
      !check_exceptions(thread, used, counts, why))
    return false;
  if (!image_write(thread, used, to, why))
    return false;
  note_time(move_times.captured_ns);
  return true;
}

static void write_jumps(const JumpTable &table, unsigned char *at) {
  ImageJumps jumps = {table.last_serial, table.count()};
  memcpy(at, &jumps, sizeof jumps);
  auto *contexts = (JumpContext *)(at + sizeof jumps);
  for (size_t i = 0; i < table.count(); ++i)
    contexts[i] = table.get(i);
}

bool image_write(const Thread &thread, const ModulesUsed &used, Buffer &to, Refusal &why) {
  exceptions_note(thread);
  arguments_note(thread);
  ImageHeader header = {};
  memcpy(header.magic, image_magic, sizeof header.magic);
  header.wire_version = image_wire_version;
  header.abi_version = SKEIN_ABI_VERSION;
  const Module &program = program_module();
  memcpy(header.build_id, program.build_id, sizeof header.build_id);
  header.module_count = used.count;
  header.thread = thread.id;
  header.result = thread.result;
  header.image_begin = program.begin;
  header.image_end = program.end;
  header.start_function = (uint64_t)(uintptr_t)thread.start.function;
  header.start_classes = thread.start.classes;
  header.start_count = (uint8_t)thread.start.count;
  header.moves = thread.moves;
  header.global_holds = thread.global_holds;
  header.stamp = thread.stamp;
  header.priority = thread.priority;
  header.bundle = thread.bundle->definition;
  memcpy(header.name, thread.name, sizeof header.name);
  header.join_result = thread.join_result.value;
  header.join_result_kind = (uint8_t)thread.join_result.kind;
  header.follow_patience = thread.follow_patience;
  header.follow_home = thread.follow_home;
  header.bound = thread.bound && !thread.stack ? thread.worker + 1 : 0;
  header.slot = no_slot;
  header.flags = (thread.awaiting ? image_awaits : 0) | (thread.wanted ? image_wanted : 0);
  header.error_bytes = thread.error_text ? (uint32_t)strnlen(thread.error_text, error_text_bytes - 1) : 0;
  if (thread.stack) {
    header.flags |= image_started;
    if (knobs.stacks == StackStrategy::reserve)
      header.flags |= image_reserved;
    header.slot_begin = (uint64_t)(uintptr_t)thread.stack.slot_begin;
    header.stack_low = (uint64_t)(uintptr_t)thread.stack.low;
    header.stack_high = (uint64_t)(uintptr_t)thread.stack.high;
    header.slot_end = (uint64_t)(uintptr_t)thread.stack.slot_end;
    header.sp = (uint64_t)(uintptr_t)thread.sp;
    header.slot = thread.stack.slot;
  }
  if (thread.jumps)
    header.flags |= image_jumps;
  OwnedCapture owned;
  if (!owned.gather(thread))
    return why.set(SKEIN_EMEMORY, "no memory to look through its private memory");
  header.owned_bytes = owned.bytes();
  Layout layout = layout_of(header, thread.jumps ? jumps_bytes(thread.jumps->count()) : 0);
  header.bytes = (uint32_t)layout.bytes;
  if (layout.bytes > UINT32_MAX)
    return why.set(SKEIN_EMEMORY, "its %zu live bytes are more than an image can hold", layout.bytes);

  size_t before = to.size();
  size_t padding = round_up_8(before) - before;
  unsigned char *at = to.extend(padding + layout.bytes);
  if (at == nullptr)
    return why.set(SKEIN_EMEMORY, "no memory for an image of %zu bytes", layout.bytes);
  if (padding != 0)
    memset(at, 0, padding);
  at += padding;

  auto *module = (ImageModule *)(at + layout.modules);
  for (unsigned i = 0; i < used.count; ++i) {
    module[i].begin = used.module[i]->begin;
    module[i].end = used.module[i]->end;
    memcpy(module[i].build_id, used.module[i]->build_id, sizeof module[i].build_id);
    memcpy(module[i].name, used.module[i]->name, sizeof module[i].name);
  }
  if (!thread.stack) {
    memcpy(at + layout.control, &thread.start.control, sizeof thread.start.control);
    memcpy(at + layout.words, thread.start.words, layout.error - layout.words);
  }
  if (header.error_bytes != 0) {
    memset(at + layout.error, 0, layout.jumps - layout.error);
    memcpy(at + layout.error, thread.error_text, header.error_bytes);
  }
  if (thread.jumps)
    write_jumps(*thread.jumps, at + layout.jumps);
  if (thread.stack)
    memcpy(at + layout.stack, thread.sp, layout.owned - layout.stack);
  owned.write(thread, at + layout.owned);
  memcpy(at, &header, sizeof header);
  image_seal(*(ImageHeader *)at);
  return true;
}

void image_seal(ImageHeader &image) {
  image.checksum = checksum((const unsigned char *)&image + checksum_begin, image.bytes - checksum_begin);
}

// --- check ----------------------------------------------------------------------------------------------------------

const char *image_fault_name(ImageFault fault) {
  switch (fault) {
  case ImageFault::none:
    return "none";
  case ImageFault::truncated:
    return "truncated";
  case ImageFault::magic:
    return "magic";
  case ImageFault::wire_version:
    return "wire version";
  case ImageFault::abi_version:
    return "ABI version";
  case ImageFault::build_id:
    return "build-id";
  case ImageFault::checksum:
    return "checksum";
  case ImageFault::malformed:
    return "malformed";
  case ImageFault::unknown_code:
    return "unknown code";
  case ImageFault::missing_module:
    return "missing library";
  case ImageFault::stack:
    return "stack";
  case ImageFault::duplicate:
    return "duplicate";
  case ImageFault::no_stack:
    return "no stack";
  case ImageFault::no_memory:
    return "no memory";
  case ImageFault::private_memory:
    return "private memory";
  case ImageFault::no_worker:
    return "no worker";
  }
  return "?";
}

namespace {

struct BuildIdText {
  char text[2 * build_id_bytes + 1];
};
BuildIdText build_id_text(const unsigned char *id) {
  BuildIdText to;
  for (size_t i = 0; i < build_id_bytes; ++i) {
    to.text[2 * i] = "0123456789abcdef"[id[i] >> 4];
    to.text[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
  }
  to.text[2 * build_id_bytes] = 0;
  return to;
}

// Whether the header's numbers, and what lies before the stack, fit together; the rest of the file relies on it.
bool well_formed(const ImageHeader &header) {
  const Module &program = program_module();
  if (header.image_begin >= header.image_end || header.image_end - header.image_begin != program.end - program.begin)
    return false;
  if ((header.flags & ~(image_started | image_reserved | image_jumps | image_awaits | image_wanted)) != 0 ||
      header.module_count > modules_max || header.start_count > SKEIN_ARGUMENTS_MAX ||
      header.error_bytes >= error_text_bytes || header.join_result_kind > (uint8_t)ResultKind::real)
    return false;
  if (header.flags & image_started) {
    if (header.slot_begin % slot_alignment != 0 || header.slot_begin > header.stack_low ||
        header.stack_low > header.sp || header.sp > header.stack_high || header.stack_high > header.slot_end)
      return false;
    uint64_t live = header.stack_high - header.sp;
    if (header.owned_bytes > header.bytes)
      return false;
    if (header.sp % 8 != 0 || live % 8 != 0 || live < sizeof(SavedContext) || live > header.bytes)
      return false;
  }
  if (header.flags & image_jumps) {
    size_t at = layout_of(header, 0).jumps;
    if (at > header.bytes || header.bytes - at < sizeof(ImageJumps))
      return false;
    auto *jumps = (const ImageJumps *)((const unsigned char *)&header + at);
    if (jumps->count > jumps_max || jumps_bytes(jumps->count) > header.bytes - at)
      return false;
  }
  if (!(header.flags & image_started) && (header.owned_bytes != 0 || (header.flags & image_awaits)))
    return false;
  const Layout layout = layout_of(header);
  if (layout.bytes != header.bytes)
    return false;
  const unsigned char *bytes = (const unsigned char *)&header;
  return control_words_valid((header.flags & image_started) ? ((const SavedContext *)(bytes + layout.stack))->control
                                                            : *(const ControlWords *)(bytes + layout.control));
}

} // namespace

const ImageHeader *image_check(const void *bytes, size_t count, ImageFault &fault, Refusal &why) {
  note_time(move_times.arrived_ns);
  auto refuse = [&](ImageFault what) {
    fault = what;
    return nullptr;
  };
  if (count < sizeof(ImageHeader) || (uintptr_t)bytes % 8 != 0) {
    why.set(SKEIN_EREFUSED, "the image is truncated: %zu bytes are less than its header", count);
    return refuse(ImageFault::truncated);
  }
  auto *header = (const ImageHeader *)bytes;
  if (memcmp(header->magic, image_magic, sizeof image_magic) != 0) {
    why.set(SKEIN_EREFUSED, "these bytes are no image of a thread (magic)");
    return refuse(ImageFault::magic);
  }
  if (header->wire_version != image_wire_version) {
    why.set(SKEIN_EREFUSED, "the image has wire version %u, this node speaks %u", header->wire_version,
            image_wire_version);
    return refuse(ImageFault::wire_version);
  }
  if (header->bytes != count || count % 8 != 0) {
    why.set(SKEIN_EREFUSED, "the image is truncated: %zu bytes of %u", count, header->bytes);
    return refuse(ImageFault::truncated);
  }
  if (checksum((const unsigned char *)bytes + checksum_begin, count - checksum_begin) != header->checksum) {
    why.set(SKEIN_EREFUSED, "the image is damaged (checksum)");
    return refuse(ImageFault::checksum);
  }
  if (header->abi_version != SKEIN_ABI_VERSION) {
    why.set(SKEIN_EREFUSED, "the image has ABI version %u, this node %u", header->abi_version, SKEIN_ABI_VERSION);
    return refuse(ImageFault::abi_version);
  }
  const Module &program = program_module();
  if (memcmp(header->build_id, program.build_id, build_id_bytes) != 0 || !program.identified()) {
    why.set(SKEIN_EREFUSED, "the image comes from another program: build-id %s, this node runs %s",
            build_id_text(header->build_id).text, build_id_text(program.build_id).text);
    return refuse(ImageFault::build_id);
  }
  if (!well_formed(*header)) {
    why.set(SKEIN_EREFUSED, "the image contradicts itself");
    return refuse(ImageFault::malformed);
  }
  fault = ImageFault::none;
  return header;
}

// --- restore --------------------------------------------------------------------------------------------------------

namespace {

// The source's ranges with what must be added at this node.
bool build_ranges(const ImageHeader &header, const ImageModule *modules, intptr_t stack_delta, RangeTable &ranges,
                  ImageFault &fault, Refusal &why) {
  fault = ImageFault::malformed;
  const Module &program = program_module();
  // A thread that has not run has no stack; the first range stands for nothing then, but must not be empty.
  bool started = (header.flags & image_started) != 0;
  if (!ranges.add(started ? header.slot_begin : 0, started ? header.slot_end : 1, stack_delta) ||
      !ranges.add(header.image_begin, header.image_end, (intptr_t)(program.begin - header.image_begin)))
    return why.set(SKEIN_EREFUSED, "the image contradicts itself: its stack lies in the program");
  for (unsigned i = 0; i < header.module_count; ++i) {
    const ImageModule &wanted = modules[i];
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

// Frees the table unless it is taken.
struct JumpsOwner {
  JumpTable *table = nullptr;
  ~JumpsOwner() {
    if (table != nullptr)
      table->destroy();
  }
};

// What the image says of setjmp; `to` stays empty if it says nothing. False without memory.
bool read_jumps(const ImageHeader &header, const Layout &layout, JumpsOwner &to) {
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

uintptr_t relocated(uintptr_t value, const RangeTable &ranges, MoveCounts &counts) {
  const Range *range = ranges.find(value);
  if (range == nullptr || range->delta == 0)
    return value;
  ++counts.pointers;
  return value + (uintptr_t)range->delta;
}

} // namespace

bool image_unpack(const ImageHeader &header, const Stack &stack, Thread &into, MoveCounts &counts, ImageFault &fault,
                  Refusal &why) {
  auto *bytes = (const unsigned char *)&header;
  Layout layout = layout_of(header);
  bool started = (header.flags & image_started) != 0;
  size_t live = layout.owned - layout.stack;
  auto delta = started ? (intptr_t)((uintptr_t)stack.high - header.stack_high) : 0;
  if (started && (live > stack.bytes() || delta % (intptr_t)slot_alignment != 0)) {
    fault = ImageFault::no_stack;
    return why.set(SKEIN_EREFUSED, "its stack of %zu live bytes does not fit on the stacks of this node", live);
  }
  RangeTable ranges;
  if (!build_ranges(header, (const ImageModule *)(bytes + layout.modules), delta, ranges, fault, why))
    return false;
  JumpsOwner jumps;
  if (!read_jumps(header, layout, jumps)) {
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY, "no memory for what setjmp saved");
  }
  if (started) {
    memcpy(stack.high - live, bytes + layout.stack, live);
    StackView copy;
    copy.sp = header.sp;
    copy.high = header.stack_high;
    copy.bias = delta;
    copy.code_delta = ranges.ranges[1].delta;
    copy.jumps = jumps.table;
    if (!relocate(program_maps(), copy, ranges, counts, why)) {
      fault = why.unknown_code ? ImageFault::unknown_code : ImageFault::stack;
      why.code = SKEIN_EREFUSED;
      return false;
    }
    if (!owned_unpack(bytes + layout.owned, header.owned_bytes, into, fault, why))
      return false;
    OwnedChanges &changes = owned_changes();
    if (!exceptions_intact(into)) {
      private_depart(into);
      fault = ImageFault::malformed;
      return why.set(SKEIN_EREFUSED, "the image contradicts itself: its exceptions");
    }
    if (!owned_prepare(into, ranges, changes, counts, why) || !exceptions_adjustable(into, ranges, why)) {
      private_depart(into);
      fault = ImageFault::private_memory;
      why.code = SKEIN_EREFUSED;
      return false;
    }
    owned_apply(into, changes);
    exceptions_adjust(into, ranges, counts);
  }

  if (header.error_bytes != 0 && into.error_text == nullptr)
    into.error_text = (char *)malloc(error_text_bytes);
  if (header.error_bytes != 0 && into.error_text == nullptr) {
    fault = ImageFault::no_memory;
    return why.set(SKEIN_EMEMORY, "no memory for its error text");
  }
  if (into.error_text != nullptr) {
    memcpy(into.error_text, bytes + layout.error, header.error_bytes);
    into.error_text[header.error_bytes] = 0;
  }
  if (!started)
    into.start.control = *(const ControlWords *)(bytes + layout.control);
  auto *words = (const uint64_t *)(bytes + layout.words);
  into.start.function = (void (*)(void))relocated(header.start_function, ranges, counts);
  into.start.count = header.start_count;
  into.start.classes = header.start_classes;
  for (unsigned i = 0; !started && i < header.start_count; ++i) {
    bool pointer = ((header.start_classes >> (2 * i)) & 3) == SKEIN_ARGUMENT_POINTER;
    into.start.words[i] = pointer ? relocated(words[i], ranges, counts) : words[i];
  }
  jumps_delete(into);
  into.jumps = jumps.table;
  jumps.table = nullptr;
  into.join_result = {header.join_result, (ResultKind)header.join_result_kind};
  into.follow_patience = header.follow_patience;
  into.follow_home = header.follow_home;
  if (into.join_result.kind == ResultKind::pointer)
    into.join_result.value = relocated(header.join_result, ranges, counts);
  into.result = header.result;
  into.awaiting = header.flags & image_awaits;
  into.moves = header.moves;
  into.global_holds = header.global_holds;
  if (started) {
    holds_relocate(into, header.slot_begin, header.slot_end, delta); // of a thread that has not left this process
    into.stack = stack;
    into.limit = stack_limit(stack);
    into.sp = stack.high - live;
  }
  fault = ImageFault::none;
  return true;
}

void image_put_back(const ImageHeader &header, Thread &into) {
  ImageFault fault;
  Refusal why;
  Layout layout = layout_of(header);
  private_depart(into);
  if (!owned_unpack((const unsigned char *)&header + layout.owned, header.owned_bytes, into, fault, why))
    fatal("the private memory of thread %s is lost: %s", thread_name(into.id).text, why.text);
}

bool image_owns_what(const ImageHeader &image, const Thread &other) {
  if ((image.flags & image_reserved) != 0 && other.stack && other.stack.slot == image.slot)
    return true;
  return owned_overlaps((const unsigned char *)&image + layout_of(image).owned, image.owned_bytes, other);
}

Thread *image_restore(const void *bytes, size_t count, ImageFault &fault, Refusal &why) {
  const ImageHeader *header = image_check(bytes, count, fault, why);
  return header ? image_restore(*header, fault, why) : nullptr;
}

// Not where anything is out of the ordinary: then the long way is good enough.
bool image_fits(const ImageHeader &header, const Thread &former) {
  const Stack &stack = former.stack;
  return stack && !is_growable(stack) && !slot_grows(header.slot) && (header.flags & image_started) != 0 &&
         (header.flags & image_awaits) == 0 && !former.awaiting && former.sanitizer_stack == nullptr &&
         header.stack_high - header.stack_low == stack.bytes() &&
         (knobs.stacks == StackStrategy::reserve
              ? (header.flags & image_reserved) != 0 && header.slot == stack.slot &&
                    header.slot_begin == (uintptr_t)stack.slot_begin && header.stack_high == (uintptr_t)stack.high
              : (header.flags & image_reserved) == 0);
}

Thread *image_restore(const ImageHeader &header, ImageFault &fault, Refusal &why, Thread *former) {
  bool started = (header.flags & image_started) != 0;
  bool reserved = (header.flags & image_reserved) != 0;
  if (reserved != (started && knobs.stacks == StackStrategy::reserve)) {
    fault = ImageFault::stack;
    why.set(SKEIN_EREFUSED, "the nodes use different strategies for stacks (SKEIN_OPTIONS=stacks=…)");
    return nullptr;
  }
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

  bool here = true;
  Thread *thread = former ? former : header.thread == 0 ? nullptr : thread_new_arriving(header.thread, here);
  if (thread == nullptr && here) {
    fault = ImageFault::duplicate;
    why.set(SKEIN_EREFUSED, "thread %s is on this node already", thread_name(header.thread).text);
    return nullptr;
  }
  if (thread == nullptr) {
    fault = ImageFault::no_memory;
    why.set(SKEIN_EMEMORY, "no memory for its record");
    return nullptr;
  }

  Stack stack;
  if (former) {
    stack = former->stack;
    private_depart(*former);
    thread_renew(former);
  } else if (started)
    stack = reserved ? stack_acquire_slot(header.slot)
                     : stack_acquire_arriving(header.slot, header.stack_high - header.stack_low,
                                              header.stack_high - header.sp);
  bool moved_in =
      !reserved || ((uintptr_t)stack.slot_begin == header.slot_begin && (uintptr_t)stack.high == header.stack_high);
  const bool placed = !started || (stack && moved_in);
  if (!placed) {
    fault = ImageFault::no_stack;
    why.set(SKEIN_EMEMORY,
            reserved ? "its stack slot %u is not to be had on this node" : "no stack is left on this node",
            header.slot);
  }
  MoveCounts counts;
  if (!placed || !image_unpack(header, stack, *thread, counts, fault, why)) {
    private_depart(*thread); // what it owns is its own still, where it stays
    if (former)
      return nullptr;
    thread_delete(thread);
    if (stack)
      stack_leave(stack); // not released: under reserve the slot is still the thread's, which stays where it is
    return nullptr;
  }
  if (unwind_check_due())
    unwind_check(*thread, "after it arrived");
  arguments_restore(*thread);
  ++thread->moves;
  thread->wanted = (header.flags & image_wanted) != 0 || (former && former->wanted); // told while it was in flight
  thread->stamp = header.stamp;
  thread->priority = header.priority;
  memcpy(thread->name, header.name, sizeof thread->name - 1);
  if (header.bound != 0) {
    thread->bound = true;
    thread->worker = header.bound - 1;
  }
  if (former)
    bundle_leave(thread);
  bundle_enter(thread, bundle);
  if (!started) // release: who sees that sees its bundle
    thread->state.store(ThreadState::initialised, std::memory_order_release);
  count_in_turn(statistics.pointers_relocated, counts.pointers);
  if (started && (uintptr_t)stack.slot_begin != header.slot_begin)
    count_in_turn(statistics.threads_at_other_address);
  note_time(move_times.restored_ns);
  return thread;
}

} // namespace skein
