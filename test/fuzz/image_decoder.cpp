// An image of a thread is bytes from another node, which may be damaged or malicious. This is a libFuzzer target for
// the code that reads them (image_check, image_restore).
//
// Whatever the bytes are: no crash, nothing read or written out of bounds (AddressSanitizer; the input lies in a block
// of exactly its size), and either a thread whose stack can be walked down to its trampoline, or a fault with a name
// and a refusal with code and text, and nothing left behind. test/fuzz/decoder.py runs it.
//
// Mutations know the format only as far as every image has it: they start from images that image_capture made (a thread
// that runs, one that has not begun, one with an error text, one with private memory), change words and bytes, repeat
// and drop runs of words, and then make magic, versions, size and checksum right again, most of the time. So parts that
// are added to images are met without a change here.
#include "base/node.h"
#include "dice.h"
#include "migrate/check.h"
#include "private/regions/extents.h"
#include "sched/bundle.h"

#include "../unit/migrate/image_fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <skein/skein.h>
#include <vector>

using namespace skein;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

namespace {

using Image = std::vector<unsigned char>;
std::vector<Image> originals;

[[noreturn]] void wrong(const char *what, const Refusal &why, ImageFault fault) {
  fprintf(stderr, "image_decoder: %s (fault %s, code %d, text \"%s\")\n", what, image_fault_name(fault), why.code,
          why.text);
  abort();
}

void keep(Thread *thread) {
  Buffer buffer;
  Refusal why;
  if (!image_capture(*thread, buffer, why))
    wrong("an original cannot be captured", why, ImageFault::none);
  originals.emplace_back(buffer.data(), buffer.data() + buffer.size());
  thread_delete(thread);
}

uint64_t interesting(Dice &dice, const uint64_t *words, size_t count) {
  uint64_t any = count ? words[dice.below(count)] : 0;
  switch (dice.below(8)) {
  case 0:
    return 0;
  case 1:
    return ~UINT64_C(0) >> dice.below(64);
  case 2:
    return UINT64_C(1) << dice.below(64);
  case 3:
    return any;
  case 4:
    return any + 8 * (dice.below(9) - 4);
  case 5:
    return any + dice.below(65536) - 32768;
  case 6:
    return fixture::return_address(reinterpret_cast<void *>(sum), static_cast<unsigned>(dice.below(2)));
  default:
    return dice.roll();
  }
}

/// Sets magic, versions, build-id, size and checksum to what they should be.
void make_plausible(unsigned char *data, size_t size) {
  auto *header = reinterpret_cast<ImageHeader *>(data);
  const auto *right = reinterpret_cast<const ImageHeader *>(originals[0].data());
  memcpy(header->magic, right->magic, sizeof header->magic);
  header->wire_version = right->wire_version;
  header->abi_version = right->abi_version;
  memcpy(header->build_id, right->build_id, sizeof header->build_id);
  header->bytes = static_cast<uint32_t>(size);
  image_seal(*header);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  static long outside;
  fixture::start_runtime_once();
  private_start();
  keep(fixture::make_thread(fixture::next_id(), &outside));
  Thread *with_error = fixture::make_thread(fixture::next_id(), &outside);
  thread_error(with_error, SKEIN_EPINNED, "an error text of %d words", 6);
  keep(with_error);
  Thread *fresh = thread_new();
  bundle_enter(fresh, bundle_root);
  fresh->start.function = store;
  fresh->start.count = 3;
  fresh->words[1] = 7;
  keep(fresh);
  Thread *owner = fixture::make_thread(fixture::next_id(), &outside);
  for (size_t bytes : {4096, 65536})
    if (Extent *extent = extent_add(*owner, ExtentKind::large, bytes))
      memset(reinterpret_cast<void *>(extent->begin), 0xff, 64); // no six of these bytes are an address
  keep(owner);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  Dice dice{seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
  size = size / 8 * 8;
  if (size < sizeof(ImageHeader) || dice.below(16) == 0) {
    const Image &original = originals[dice.below(originals.size())];
    size = std::min(original.size(), max_size / 8 * 8);
    memcpy(data, original.data(), size);
  }
  for (size_t changes = 1 + dice.below(4); changes > 0; changes--) {
    auto *words = reinterpret_cast<uint64_t *>(data);
    size_t count = size / 8;
    switch (dice.below(8)) {
    case 0: // bytes are changed as libFuzzer does it
      size = LLVMFuzzerMutate(data, size, max_size / 8 * 8) / 8 * 8;
      break;
    case 1: { // a run of words is repeated
      size_t from = dice.below(count), length = std::min({1 + dice.below(8), count - from, max_size / 8 - count});
      memmove(words + from + length, words + from, (count - from) * 8);
      size += length * 8;
      break;
    }
    case 2: { // a run of words is dropped
      size_t from = dice.below(count), length = std::min(1 + dice.below(8), count - from);
      memmove(words + from, words + from + length, (count - from - length) * 8);
      size -= length * 8;
      break;
    }
    case 3: // half a word
      reinterpret_cast<uint32_t *>(data)[dice.below(2 * count)] =
          static_cast<uint32_t>(interesting(dice, words, count));
      break;
    case 4: // the header has few fields, but everything depends on them
      words[dice.below(std::min(count, sizeof(ImageHeader) / 8))] = interesting(dice, words, count);
      break;
    default:
      words[dice.below(count)] = interesting(dice, words, count);
    }
    if (size < sizeof(ImageHeader))
      return size;
  }
  if (dice.below(32) != 0)
    make_plausible(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto *exact = static_cast<unsigned char *>(malloc(size ? size : 1)); // one byte beyond it is not ours
  memcpy(exact, data, size);
  uint64_t living = threads_living();
  ImageFault fault = ImageFault::none;
  Refusal why;
  Thread *thread = image_restore(exact, size, fault, why);
  if (thread != nullptr) {
    if (thread->stack) {
      StackView stack;
      stack.sp = reinterpret_cast<uintptr_t>(thread->sp);
      stack.high = reinterpret_cast<uintptr_t>(thread->stack.high);
      Refusal broken;
      if (!walk(program_maps(), stack, broken, [](const Frame &, uintptr_t, WordKind) { return true; }))
        wrong("a thread was accepted that cannot be walked", broken, ImageFault::none);
    }
    thread_delete(thread);
  } else if (fault == ImageFault::none || why.code == 0 || why.text[0] == 0 || *image_fault_name(fault) == 0) {
    wrong("a rejection is not explained", why, fault);
  }
  if (threads_living() != living)
    wrong("a record was left behind", why, fault);
  free(exact);
  return 0;
}
