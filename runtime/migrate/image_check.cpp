// Whether bytes are an intact image that this program can use; see image.h.
#include "migrate/image.h"

#include "abi/frame_map.h"
#include "arch/x86_64/switch.h"
#include "migrate/checksum.h"
#include "migrate/image_layout.h"
#include "migrate/move_clock.h"
#include <skein/skein.h>
#include <string.h>

namespace skein {

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
  case ImageFault::leaving:
    return "leaving";
  case ImageFault::unread:
    return "unread";
  case ImageFault::not_in_place:
    return "not in place";
  }
  return "?";
}

namespace {

// Whether the arguments of a thread that has not run are of kinds that its call has place for.
bool arguments_fit(const Start &start) {
  unsigned integers = 0, floats = 0;
  for (unsigned i = 0; i < start.count; ++i) {
    const unsigned kind = start.classes >> 2 * i & 3;
    ++(kind == SKEIN_ARGUMENT_DOUBLE || kind == SKEIN_ARGUMENT_FLOAT ? floats : integers);
  }
  return start.in_memory ? floats == 0 : integers <= 6 && floats <= 8;
}

// Whether what is copied into a record may stand there. For example, a thread that has not run waits for nothing.
bool travels_well(const Travels &travels, bool started) {
  return travels.start.count <= SKEIN_ARGUMENTS_MAX && travels.start.in_memory <= 1 &&
         (started || arguments_fit(travels.start)) && control_words_valid(travels.start.control) &&
         travels.join_result.kind <= ResultKind::real && travels.name[thread_name_bytes - 1] == 0 &&
         travels.awaiting <= (started ? 1 : 0) && travels.daemon <= 1 && (started || travels.move_handlers == 0);
}

// Whether the numbers of the header, and what lies before the stack, fit together. The rest of this file relies on it.
bool well_formed(const ImageHeader &header) {
  const Module &program = program_module();
  if (header.image_begin >= header.image_end || header.image_end - header.image_begin != program.end - program.begin)
    return false;
  constexpr uint32_t flags =
      image_started | image_reserved | image_jumps | image_wanted | image_unproved | image_lends | image_in_place;
  if ((header.flags & ~flags) != 0 || header.module_count > modules_max || header.error_bytes >= error_text_bytes ||
      !travels_well(header.travels, (header.flags & image_started) != 0))
    return false;
  if (header.flags & image_started) {
    if (header.slot_begin % slot_alignment != 0 || header.slot_begin > header.stack_low ||
        header.stack_low > header.sp || header.sp > header.stack_high || header.stack_high > header.slot_end)
      return false;
    uint64_t live = header.stack_high - header.sp;
    if (header.owned_bytes > header.bytes)
      return false;
    if (header.sp % 8 != 0 || live % 8 != 0 || live < sizeof(SavedContext) ||
        (live > header.bytes && !(header.flags & (image_lends | image_in_place))))
      return false;
  }
  if (header.flags & image_jumps) {
    size_t at = image_layout(header, 0, false).jumps;
    if (at > header.bytes || header.bytes - at < sizeof(ImageJumps))
      return false;
    auto *jumps = (const ImageJumps *)((const unsigned char *)&header + at);
    if (jumps->count > jumps_max || jumps_bytes(jumps->count) > header.bytes - at)
      return false;
  }
  if (!(header.flags & image_started) && (header.owned_bytes != 0 || header.numbered != 0 ||
                                          (header.flags & (image_reserved | image_unproved | image_lends))))
    return false;
  if ((header.flags & image_in_place) != 0 && (header.flags & image_reserved) == 0)
    return false;
  if (header.flags & image_lends) {
    const size_t at = image_layout(header, jumps_bytes(header), false).lent;
    if (at > header.bytes || header.bytes - at < sizeof(ImageLent))
      return false;
    const ImageLent &lent = *image_lent(header);
    const uint64_t may_lend = (header.flags & image_in_place) != 0 ? 0 : live_bytes(header);
    if ((lent.stack_bytes != 0 && lent.stack_bytes != may_lend) || lent.bytes < lent.stack_bytes)
      return false;
  }
  return image_layout(header).bytes == header.bytes;
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

} // namespace skein
