// Makes the image of a thread; see image.h.
#include "migrate/image.h"

#include "migrate/check.h"
#include "migrate/checksum.h"
#include "migrate/exception_words.h"
#include "migrate/image_layout.h"
#include "migrate/lazy_moves.h"
#include "migrate/movable.h"
#include "migrate/move_clock.h"
#include "migrate/owned.h"
#include "migrate/owned_image.h"
#include "migrate/program_numbers.h"
#include "migrate/unpack.h"
#include "migrate/unwind_check.h"
#include "private/globals/arguments.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"
#include "thread/growable.h"
#include <skein/skein.h>
#include <string.h>

namespace skein {

bool image_capture(const Thread &thread, Buffer &to, Refusal &why, const CaptureOptions &options) {
  if (!movable(thread, Journey::to_node, why))
    return false;
  if (unwind_check_due())
    unwind_check(thread, "before it leaves");
  ModulesUsed used;
  used.may_bind = options.bound_by != nullptr;
  MoveCounts counts;
  if (thread.stack && !(options.globals_checked && !is_growable(thread.stack)) && !check_globals(thread, why))
    return false;
  if (!check_words(thread, used, counts, why))
    return false;
  Leaving what;
  const Leaving *leaving = options.lazily_to >= 0 && lazy_leave(thread, options.lazily_to, what) ? &what : nullptr;
  if (!owned_check(thread, used, counts, why, leaving) || !check_exceptions(thread, used, counts, why) ||
      !image_write(thread, used, to, why,
                   {leaving, options.lend_least, options.in_place && used.objects == 0})) { // objects may lie elsewhere
    if (leaving != nullptr)
      paging_stayed(thread, /*refused=*/false);
    return false;
  }
  if (leaving != nullptr)
    paging_counts.moves.fetch_add(1, std::memory_order_relaxed);
  if (options.bound_by != nullptr)
    *options.bound_by = used.bound_by;
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

// Where in the program the text lies, for an image; 1: it lies in a library; 0: there is none.
static uint64_t place_of_text(const char *text, const Module &program) {
  if (text == nullptr)
    return 0;
  return program.contains((uintptr_t)text) ? (uintptr_t)text - program.begin : 1;
}

// Writes all of the header but the sizes of what follows. It is written in place: copying a header that was built
// elsewhere is slow, since the loads wait for the stores before them.
static void write_header(const Thread &thread, const ModulesUsed &used, ImageHeader &header) {
  memset(&header, 0, sizeof header);
  memcpy(header.magic, image_magic, sizeof header.magic);
  header.wire_version = image_wire_version;
  header.abi_version = SKEIN_ABI_VERSION;
  const Module &program = program_module();
  memcpy(header.build_id, program.build_id, sizeof header.build_id);
  header.module_count = used.count + used.objects;
  header.travels = thread;
  header.image_begin = program.begin;
  header.image_end = program.end;
  header.bundle = thread.bundle->definition;
  header.bound = thread.bound && !thread.stack ? thread.worker + 1 : 0;
  header.slot = no_slot;
  header.modules = modules_digest();
  header.numbered = place_of_text(thread_numbered(thread), program);
  header.program_numbered = place_of_text(program_numbered(), program);
  header.flags = thread.births.wanted ? image_wanted : 0;
  if (thread.stack) {
    header.flags |= image_started;
    if (stack_keeps_address(thread.stack))
      header.flags |= image_reserved;
    if (used.all)
      header.flags |= image_unproved;
    header.slot_begin = (uint64_t)(uintptr_t)thread.stack.slot_begin;
    header.stack_low = (uint64_t)(uintptr_t)thread.stack.low;
    header.stack_high = (uint64_t)(uintptr_t)thread.stack.high;
    header.slot_end = (uint64_t)(uintptr_t)thread.stack.slot_end;
    header.sp = (uint64_t)(uintptr_t)thread.sp;
    header.slot = thread.stack.slot;
  }
  if (thread.jumps)
    header.flags |= image_jumps;
}

bool image_write(const Thread &thread, const ModulesUsed &used, Buffer &to, Refusal &why, const LeftOut &without) {
  const Leaving *leaving = without.leaving;
  if (const int from = paging_missing_at(thread.id); from >= 0)
    return why.set(SKEIN_EPINNED, MISSING_TEXT, from);
  exceptions_note(thread);
  arguments_note(thread);
  OwnedCapture owned;
  if (!owned.gather(thread, leaving, without.lend_least))
    return why.set(SKEIN_EMEMORY, "no memory to look through its private memory");

  const size_t live = live_bytes(thread);
  const bool lends_stack = leaving == nullptr && !without.stack && live != 0 && live >= without.lend_least;
  const ImageLent lent = {{}, lends_stack ? live : 0, (lends_stack ? live : 0) + owned.lent_bytes()};
  const size_t error_bytes = thread.error_text ? strnlen(thread.error_text, error_text_bytes - 1) : 0;
  const ImageLayout layout = image_layout({.modules = (used.count + used.objects) * sizeof(ImageModule),
                                           .words = thread.stack ? 0 : thread.start.count * sizeof(uint64_t),
                                           .error = round_up_8(error_bytes),
                                           .jumps = thread.jumps ? jumps_bytes(thread.jumps->count()) : 0,
                                           .lent = lent.bytes != 0 ? sizeof lent : 0,
                                           .stack = lends_stack || without.stack ? 0 : live,
                                           .owned = owned.bytes()});
  if (layout.bytes > UINT32_MAX)
    return why.set(SKEIN_EMEMORY, "its %zu live bytes are more than an image can hold", layout.bytes);

  const size_t padding = round_up_8(to.size()) - to.size();
  unsigned char *at = to.extend(padding + layout.bytes);
  if (at == nullptr)
    return why.set(SKEIN_EMEMORY, "no memory for an image of %zu bytes", layout.bytes);
  if (padding != 0)
    memset(at, 0, padding);
  at += padding;
  auto *header = (ImageHeader *)at;
  write_header(thread, used, *header);
  header->bytes = (uint32_t)layout.bytes;
  header->error_bytes = (uint32_t)error_bytes;
  header->owned_bytes = owned.bytes();

  auto *module = (ImageModule *)(at + layout.modules);
  for (unsigned i = 0; i < used.count; ++i) {
    module[i].begin = used.module[i]->begin;
    module[i].end = used.module[i]->end;
    memcpy(module[i].build_id, used.module[i]->build_id, sizeof module[i].build_id);
    memcpy(module[i].name, used.module[i]->name, sizeof module[i].name);
  }
  for (unsigned i = 0; i < used.objects; ++i) { // a build-id of zeroes says that it is one of these
    ImageModule &object = module[used.count + i];
    object = {used.object[i].begin, used.object[i].end, {}, {}};
    static_assert(sizeof object.name == sizeof used.object[i].name);
    memcpy(object.name, used.object[i].name, sizeof object.name);
  }
  if (!thread.stack)
    memcpy(at + layout.words, thread.words, layout.error - layout.words);
  if (error_bytes != 0) {
    memset(at + layout.error, 0, layout.jumps - layout.error);
    memcpy(at + layout.error, thread.error_text, error_bytes);
  }
  if (thread.jumps)
    write_jumps(*thread.jumps, at + layout.jumps);
  if (lent.bytes != 0) {
    header->flags |= image_lends;
    memcpy(at + layout.lent, &lent, sizeof lent);
  }
  if (without.stack)
    header->flags |= image_in_place;
  if (layout.owned != layout.stack)
    memcpy(at + layout.stack, thread.sp, live);
  owned.write(thread, at + layout.owned);
  image_seal(*header);
  return true;
}

uint64_t image_lent_bytes(const ImageHeader &image) {
  const ImageLent *lent = image_lent(image);
  return lent != nullptr ? lent->bytes : 0;
}

void image_lend(ImageHeader &image, const LentPlace &place) {
  const_cast<ImageLent *>(image_lent(image))->place = place;
  image_seal(image);
}

void image_seal(ImageHeader &image) {
  image.checksum = checksum((const unsigned char *)&image + checksum_begin, image.bytes - checksum_begin);
}

} // namespace skein
