// Images of threads: the round trip, one between processes with other addresses (simulated here), and that no damaged,
// foreign or malicious image is believed.
#include "migrate/image.h"
#include "sched/bundle.h"

#include "image_fixture.h"
#include "migrate/checksum.h"

#include <cstdlib>
#include <gnu/libc-version.h>
#include <random>
#include <skein/skein.h>
#include <string>
#include <vector>

using namespace fixture;

namespace {

constexpr uint64_t id = 4711;
// This is a function of libc that no sanitizer replaces.
const void *const in_libc = reinterpret_cast<const void *>(&gnu_get_libc_version);

using Bytes = std::vector<uint64_t>; // 8-aligned

ImageHeader *header_of(Bytes &image) { return reinterpret_cast<ImageHeader *>(image.data()); }
unsigned char *bytes_of(Bytes &image) { return reinterpret_cast<unsigned char *>(image.data()); }
void seal(Bytes &image) { header_of(image)->checksum = checksum(bytes_of(image) + 16, image.size() * 8 - 16); }

Bytes capture(const Thread &thread, const CaptureOptions &options = {}) {
  Buffer buffer;
  Refusal why;
  EXPECT_TRUE(image_capture(thread, buffer, why, options)) << why.text;
  Bytes image(buffer.size() / 8);
  std::memcpy(image.data(), buffer.data(), buffer.size());
  return image;
}

// Restores an image of `bytes` bytes and returns the fault; a thread that comes out is deleted.
ImageFault restored(const Bytes &image, size_t bytes, std::string *text = nullptr) {
  ImageFault fault;
  Refusal why;
  Thread *thread = image_restore(image.data(), bytes, fault, why);
  EXPECT_EQ(thread == nullptr, fault != ImageFault::none);
  EXPECT_EQ(thread == nullptr, bool(why)) << image_fault_name(fault);
  if (thread)
    thread_delete(thread);
  if (text)
    *text = why.text;
  return fault;
}
ImageFault restored(const Bytes &image, std::string *text = nullptr) { return restored(image, image.size() * 8, text); }

class Image : public testing::Test {
protected:
  // Returns the image of a thread that is gone from here afterwards. Its stack stays taken, so that the restored thread
  // gets another one.
  Bytes image_with(const void *out, const CaptureOptions &options = {}) {
    Thread *thread = make_thread(id, out);
    Bytes image = capture(*thread, options);
    taken.push_back(thread->stack);
    thread->stack = Stack();
    thread_delete(thread);
    return image;
  }
  ~Image() override {
    for (const Stack &stack : taken)
      stack_release(stack);
  }
  std::vector<Stack> taken;
};

// The places in the live stack of the fixture's thread, in words from sp.
constexpr size_t context_words = sizeof(SavedContext) / 8;
constexpr size_t return_0 = context_words - 1, mine_0 = context_words, out_0 = mine_0 + 1, rbx_0 = mine_0 + 2,
                 return_1 = mine_0 + 3, mine_1 = return_1 + 1, out_1 = mine_1 + 1, return_2 = mine_1 + 3,
                 mine_2 = return_2 + 1, out_2 = mine_2 + 1, rbx_2 = mine_2 + 2, return_3 = mine_2 + 3,
                 return_bottom = return_3 + 2;

void expect_restored(const Bytes &image, const void *out, const Lender *lender = nullptr) {
  ImageFault fault;
  Refusal why;
  uint64_t pointers = statistics.pointers_relocated, elsewhere = statistics.threads_at_other_address;
  const ImageHeader *intact = image_check(image.data(), image.size() * 8, fault, why);
  ASSERT_NE(intact, nullptr) << why.text;
  Thread *thread = image_restore(*intact, fault, why, {.lender = lender});
  ASSERT_NE(thread, nullptr) << why.text;
  EXPECT_EQ(fault, ImageFault::none);
  EXPECT_EQ(thread->id, id);
  EXPECT_EQ(thread->result, 5u);
  EXPECT_EQ(thread->moves, 1);
  EXPECT_EQ(thread->state, ThreadState::in_flight);
  EXPECT_EQ(thread->start.function, store);
  EXPECT_TRUE(thread_with(id, [](Thread *) {}));
  auto *words = static_cast<const uint64_t *>(thread->sp);
  EXPECT_EQ(reinterpret_cast<const std::byte *>(words + return_bottom + 1), thread->stack.high);
  EXPECT_EQ(words[return_0], return_address(reinterpret_cast<void *>(sum), 0));
  EXPECT_EQ(words[return_1], return_address(reinterpret_cast<void *>(sum), 1));
  EXPECT_EQ(words[return_3], return_address(reinterpret_cast<void *>(store), 0));
  EXPECT_EQ(words[return_bottom], reinterpret_cast<uint64_t>(skein_thread_bottom));
  EXPECT_EQ(words[out_0], reinterpret_cast<uint64_t>(words + mine_1));
  EXPECT_EQ(words[out_1], reinterpret_cast<uint64_t>(words + mine_2));
  EXPECT_EQ(words[out_2], reinterpret_cast<uint64_t>(out));
  EXPECT_EQ(words[mine_0], 102u);
  EXPECT_EQ(words[rbx_2], 77u);
  // The look-alike still holds the bits it had.
  const auto *header = reinterpret_cast<const ImageHeader *>(image.data());
  EXPECT_EQ(words[rbx_0], header->sp + 8 * mine_1);
  EXPECT_NE(words[rbx_0], words[out_0]);
  EXPECT_GT(statistics.pointers_relocated, pointers + 1);
  EXPECT_EQ(statistics.threads_at_other_address, elsewhere + 1);
  thread_delete(thread);
}

TEST_F(Image, ComesBackAtAnotherStackAddress) { expect_restored(image_with(&stored), &stored); }

// The image is changed as if the source had loaded the program, libc and its stack elsewhere.
// The stack of this test's thread stays where it was.
bool read_here(int, const ImageLent &, uint64_t thread, const LentPiece *pieces, size_t count) {
  EXPECT_EQ(thread, id);
  for (size_t i = 0; i < count; i++)
    std::memcpy(pieces[i].to, reinterpret_cast<const void *>(pieces[i].from), pieces[i].bytes);
  return true;
}

TEST_F(Image, LendsItsStack) {
  const Bytes image = image_with(&stored, {.lend_least = 1});
  const auto &header = *reinterpret_cast<const ImageHeader *>(image.data());
  EXPECT_EQ(image_lent_bytes(header), header.stack_high - header.sp);
  const Lender here = {1, read_here};
  expect_restored(image, &stored, &here);
  EXPECT_EQ(restored(image), ImageFault::malformed) << "nobody reads it";
}

// In this process no other node has the memory of stacks, so an image without its stack is of no use here, and must not
// be taken for one whose stack is there.
TEST_F(Image, AStackInPlaceIsOfNoUseWhereItIsNotShared) {
  Bytes image = image_with(&stored, {.in_place = true});
  ImageHeader *header = header_of(image);
  EXPECT_EQ(header->bytes, sizeof(ImageHeader) + header->module_count * sizeof(ImageModule));
  ImageFault fault;
  Refusal why;
  EXPECT_EQ(image_check(image.data(), image.size() * 8, fault, why), nullptr) << "its slot is not unique";
  EXPECT_EQ(fault, ImageFault::malformed);
  header->flags |= image_reserved;
  header->slot = 70;
  seal(image);
  const ImageHeader *intact = image_check(image.data(), image.size() * 8, fault, why);
  ASSERT_NE(intact, nullptr) << why.text;
  for (const bool anywhere : {false, true}) {
    EXPECT_EQ(image_restore(*intact, fault, why, {.anywhere = anywhere}), nullptr);
    EXPECT_TRUE(fault == ImageFault::no_stack || fault == ImageFault::not_in_place) << image_fault_name(fault);
  }
  EXPECT_EQ(image_copy(*intact, fault, why), nullptr);
  EXPECT_EQ(fault, ImageFault::not_in_place);
}

TEST_F(Image, LiesAboutWhatItLendsAreRefused) {
  const Bytes good = image_with(&stored, {.lend_least = 1});
  const Lender here = {1, read_here},
               nowhere = {2, [](int, const ImageLent &, uint64_t, const LentPiece *, size_t) { return false; }};
  const auto told = [&](const Lender &lender, void (*lie)(ImageHeader &header, ImageLent &lent)) {
    Bytes image = good;
    lie(*header_of(image), reinterpret_cast<ImageLent *>(image.data() + image.size())[-1]);
    seal(image);
    ImageFault fault;
    Refusal why;
    const ImageHeader *intact = image_check(image.data(), image.size() * 8, fault, why);
    EXPECT_FALSE(intact && image_restore(*intact, fault, why, {.lender = &lender}));
    return fault;
  };
  EXPECT_EQ(told(nowhere, [](ImageHeader &, ImageLent &) {}), ImageFault::unread);
  EXPECT_EQ(told(here, [](ImageHeader &, ImageLent &lent) { lent.stack_bytes += 8; }), ImageFault::malformed);
  EXPECT_EQ(told(here, [](ImageHeader &, ImageLent &lent) { lent.stack_bytes = 0; }), ImageFault::malformed);
  EXPECT_EQ(told(here, [](ImageHeader &, ImageLent &lent) { lent.bytes = 0; }), ImageFault::malformed);
  EXPECT_EQ(told(here, [](ImageHeader &header, ImageLent &) { header.flags &= ~uint32_t{image_lends}; }),
            ImageFault::malformed);
  EXPECT_EQ(told(here, [](ImageHeader &header, ImageLent &) { header.sp += 8; }), ImageFault::malformed);
  auto &context = *reinterpret_cast<SavedContext *>(header_of(const_cast<Bytes &>(good))->sp);
  context.control.mxcsr = 0x11f80;
  EXPECT_EQ(told(here, [](ImageHeader &, ImageLent &) {}), ImageFault::malformed);
}

TEST_F(Image, ComesFromAProcessWithOtherAddresses) {
  for (const void *out : {static_cast<const void *>(&stored), in_libc, static_cast<const void *>(stdout),
                          static_cast<const void *>(nullptr), reinterpret_cast<const void *>(-1),
                          reinterpret_cast<const void *>(UINT64_C(1) << 45)}) {
    Bytes image = image_with(out);
    ImageHeader *header = header_of(image);
    constexpr uint64_t program_shift = 0x1234000, library_shift = -UINT64_C(0x5000), stack_shift = 0x7890000;
    auto *module = reinterpret_cast<ImageModule *>(header + 1);
    ASSERT_LE(header->module_count, 1u);
    auto shifted = [&](uint64_t word) {
      if (word - header->slot_begin < header->slot_end - header->slot_begin)
        return word + stack_shift;
      if (word - header->image_begin < header->image_end - header->image_begin)
        return word + program_shift;
      if (header->module_count && word - module->begin < module->end - module->begin)
        return word + library_shift;
      return word;
    };
    size_t first = image.size() - (header->stack_high - header->sp) / 8;
    for (size_t i = first; i < image.size(); i++)
      image[i] = shifted(image[i]);
    auto *function = reinterpret_cast<uint64_t *>(&header->travels.start.function);
    *function = shifted(*function);
    header->slot_begin += stack_shift;
    header->stack_low += stack_shift;
    header->stack_high += stack_shift;
    header->slot_end += stack_shift;
    header->sp += stack_shift;
    header->image_begin += program_shift;
    header->image_end += program_shift;
    if (header->module_count) {
      module->begin += library_shift;
      module->end += library_shift;
    }
    seal(image);
    expect_restored(image, out);
  }
}

TEST_F(Image, NamesOnlyLibrariesThatItPointsInto) {
  Bytes none = image_with(&stored);
  EXPECT_EQ(header_of(none)->module_count, 0u);
  Bytes one = image_with(in_libc);
  ASSERT_EQ(header_of(one)->module_count, 1u);
  auto *module = reinterpret_cast<ImageModule *>(header_of(one) + 1);
  EXPECT_STREQ(module->name, "libc.so.6");
}

TEST_F(Image, AThreadThatHasNotRunTravelsAsItsArguments) {
  start_runtime_once();
  Thread *thread = thread_new(id);
  bundle_enter(thread, bundle_root);
  thread->start.function = store;
  thread->start.count = 3;
  thread->start.classes = SKEIN_ARGUMENT_INTEGER | SKEIN_ARGUMENT_POINTER << 2 | SKEIN_ARGUMENT_DOUBLE << 4;
  auto look_alike = reinterpret_cast<uint64_t>(&stored);
  thread->words[0] = look_alike;
  thread->words[1] = look_alike;
  thread->words[2] = 0x3ff0000000000000;
  thread->start.control = {0x5f81, 0x077f};
  Bytes image = capture(*thread);
  thread_delete(thread);
  EXPECT_EQ(image.size() * 8, sizeof(ImageHeader) + 24);
  ImageHeader *header = header_of(image);
  header->image_begin += 0x1000;
  header->image_end += 0x1000;
  *reinterpret_cast<uint64_t *>(&header->travels.start.function) += 0x1000;
  image[sizeof(ImageHeader) / 8 + 1] += 0x1000;
  seal(image);

  ImageFault fault;
  Refusal why;
  thread = image_restore(image.data(), image.size() * 8, fault, why);
  ASSERT_NE(thread, nullptr) << why.text;
  EXPECT_EQ(thread->state, ThreadState::initialised);
  EXPECT_FALSE(thread->stack);
  EXPECT_EQ(thread->start.function, store);
  EXPECT_EQ(thread->start.count, 3u);
  EXPECT_EQ(thread->words[0], look_alike); // an integer
  EXPECT_EQ(thread->words[1], look_alike); // a pointer, relocated
  EXPECT_EQ(thread->words[2], 0x3ff0000000000000u);
  EXPECT_EQ(thread->start.control.mxcsr, 0x5f81u);
  EXPECT_EQ(thread->start.control.x87, 0x077fu);
  thread_delete(thread);

  header_of(image)->travels.start.control.mxcsr |= 0x10000; // no processor accepts that
  seal(image);
  EXPECT_EQ(restored(image), ImageFault::malformed);
}

TEST_F(Image, BeginsOnlyWhereAFunctionBegins) {
  start_runtime_once();
  static int data = 1;
  const auto ours = reinterpret_cast<void (*)(void)>(expect_restored);
  for (auto function : {ours, reinterpret_cast<void (*)(void)>(const_cast<void *>(in_libc))}) {
    Thread *thread = thread_new(id);
    bundle_enter(thread, bundle_root);
    thread->start.function = function;
    Bytes image = capture(*thread);
    thread_delete(thread);
    auto *begin = reinterpret_cast<uint64_t *>(&header_of(image)->travels.start.function);
    const uint64_t right = *begin;
    for (uint64_t wrong : {right + 1, right + 4, reinterpret_cast<uint64_t>(&data), UINT64_C(0), UINT64_C(1),
                           header_of(image)->image_begin, UINT64_C(0x4141414141414141), header_of(image)->image_end}) {
      *begin = wrong;
      seal(image);
      std::string text;
      EXPECT_EQ(restored(image, &text), ImageFault::unknown_code) << wrong;
      EXPECT_NE(text.find("where no function of this program or its libraries begins"), std::string::npos) << text;
    }
    *begin = right;
    seal(image);
    EXPECT_EQ(restored(image), ImageFault::none);
  }
}

TEST_F(Image, HasNoMoreArgumentsThanACallHasRegistersFor) {
  start_runtime_once();
  Thread *thread = thread_new(id);
  bundle_enter(thread, bundle_root);
  thread->start.function = store;
  thread->start.count = SKEIN_ARGUMENTS_MAX;
  for (unsigned i = 6; i < SKEIN_ARGUMENTS_MAX; i++)
    thread->start.classes |= SKEIN_ARGUMENT_DOUBLE << 2 * i;
  thread->state = ThreadState::initialised;
  Bytes image = capture(*thread);
  thread_delete(thread);
  EXPECT_EQ(restored(image), ImageFault::none);
  const uint32_t right = header_of(image)->travels.start.classes;
  for (uint32_t wrong : {right & ~(3u << 12), right | SKEIN_ARGUMENT_FLOAT, 0u, ~0u}) {
    header_of(image)->travels.start.classes = wrong;
    seal(image);
    EXPECT_EQ(restored(image), ImageFault::malformed) << wrong;
  }
}

TEST_F(Image, CarriesTheErrorTextOfTheLastCall) {
  Thread *thread = make_thread(id, nullptr);
  thread_error(thread, SKEIN_ENODE, "there is no node %d", 17);
  Bytes image = capture(*thread);
  thread_delete(thread);
  ImageFault fault;
  Refusal why;
  thread = image_restore(image.data(), image.size() * 8, fault, why);
  ASSERT_NE(thread, nullptr) << why.text;
  ASSERT_NE(thread->error_text, nullptr);
  EXPECT_STREQ(thread->error_text, "there is no node 17");
  thread_delete(thread);
}

// The contexts of the innermost frame and of one that has been left are both there. Serial numbers go on from where
// they were.
TEST_F(Image, CarriesWhatSetjmpSaved) {
  Thread *thread = make_thread(id, &stored);
  auto *words = static_cast<uint64_t *>(thread->sp);
  JumpContext context = {};
  context.return_address = return_address(reinterpret_cast<void *>(sum), 0);
  context.flags = jump_masks;
  context.mask = 0x80;
  context.r13 = 4711;
  context.buffer = reinterpret_cast<uint64_t>(words + mine_0);
  context.sp = reinterpret_cast<uint64_t>(words + mine_0);
  ASSERT_TRUE(jump_keep(*thread, context));
  const uint64_t serial = context.serial;
  context.sp -= 64;
  ASSERT_TRUE(jump_keep(*thread, context));
  Bytes image = capture(*thread);
  EXPECT_EQ(thread->jumps->count(), 2u);
  taken.push_back(thread->stack);
  thread->stack = Stack();
  thread_delete(thread);

  ImageFault fault;
  Refusal why;
  thread = image_restore(image.data(), image.size() * 8, fault, why);
  ASSERT_NE(thread, nullptr) << why.text;
  ASSERT_EQ(thread->jumps->count(), 1u);
  EXPECT_EQ(thread->jumps->last_serial, serial + 1);
  ASSERT_TRUE(jump_find(*thread, serial, context));
  words = static_cast<uint64_t *>(thread->sp);
  EXPECT_EQ(context.sp, reinterpret_cast<uint64_t>(words + mine_0));
  EXPECT_EQ(context.buffer, reinterpret_cast<uint64_t>(words + mine_0));
  EXPECT_EQ(context.mask, 0x80u);
  EXPECT_EQ(context.flags, jump_masks);
  EXPECT_EQ(context.r13, 4711u);
  thread_delete(thread);

  for (size_t bytes = 0; bytes < image.size() * 8; bytes += 8)
    EXPECT_NE(restored(image, bytes), ImageFault::none);
  auto *jumps = reinterpret_cast<ImageJumps *>(bytes_of(image) + sizeof(ImageHeader));
  ASSERT_EQ(jumps->count, 2u);
  for (uint64_t count : {uint64_t{1}, uint64_t{3}, jumps_max + 1, UINT64_MAX}) {
    jumps->count = count;
    seal(image);
    EXPECT_EQ(restored(image), ImageFault::malformed) << count;
  }
}

TEST_F(Image, StandsBehindAMessageHeaderInTheSameBuffer) {
  Thread *thread = make_thread(id, &stored);
  Buffer buffer;
  std::memset(buffer.extend(13), 'x', 13);
  Refusal why;
  ASSERT_TRUE(image_capture(*thread, buffer, why));
  thread_delete(thread);
  ImageFault fault;
  EXPECT_EQ(buffer.data()[12], 'x');
  EXPECT_NE(image_check(buffer.data() + 16, buffer.size() - 16, fault, why), nullptr) << why.text;
  unsigned char *memory = buffer.take();
  EXPECT_EQ(buffer.size(), 0u);
  free(memory);
}

TEST_F(Image, EveryTruncationAndExtensionIsRefused) {
  Bytes image = image_with(in_libc);
  for (size_t bytes = 0; bytes < image.size() * 8; bytes++)
    EXPECT_EQ(restored(image, bytes), ImageFault::truncated) << bytes;
  image.push_back(0);
  EXPECT_EQ(restored(image), ImageFault::truncated);
}

TEST_F(Image, EveryFlippedByteIsRefused) {
  Bytes image = image_with(in_libc);
  for (size_t at = 0; at < image.size() * 8; at++)
    for (unsigned char mask : {0x01, 0x80, 0xff}) {
      bytes_of(image)[at] ^= mask;
      ImageFault expected = at < 8    ? ImageFault::magic
                            : at < 10 ? ImageFault::wire_version
                            : at < 12 ? ImageFault::abi_version
                            : at < 16 ? ImageFault::checksum
                            : at < 20 ? ImageFault::truncated
                                      : ImageFault::checksum;
      EXPECT_EQ(restored(image), expected) << at;
      bytes_of(image)[at] ^= mask;
    }
  EXPECT_EQ(restored(image), ImageFault::none);
}

// A peer seals what it damaged. Anything may come out, but not a crash (the asan preset watches reads), and an image
// that is refused leaves no thread and no stack behind.
TEST_F(Image, SealedDamageNeverCrashes) {
  const Bytes good = image_with(in_libc);
  std::mt19937_64 random(7);
  unsigned refused = 0, accepted = 0;
  auto attempt = [&](Bytes &image) {
    seal(image);
    (restored(image) == ImageFault::none ? accepted : refused)++;
    EXPECT_FALSE(thread_with(id, [](Thread *) {}));
  };
  for (size_t at = 16; at < good.size() * 8; at++)
    for (int round = 0; round < 8; round++) {
      Bytes image = good;
      bytes_of(image)[at] = static_cast<unsigned char>(random());
      attempt(image);
    }
  const uint64_t evil[] = {0, 1, ~UINT64_C(0), UINT64_C(1) << 63, 0x7fffffffffff, sizeof(ImageHeader), ~UINT64_C(7)};
  for (size_t at = 2; at < good.size(); at++)
    for (uint64_t word : evil) {
      Bytes image = good;
      image[at] = word;
      attempt(image);
    }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(accepted, 500u); // the damage was in dead words or integers
}

struct WrongCase {
  const char *name;
  ImageFault fault;
  const char *says;
  void (*wrong)(Bytes &);
};
class WrongImage : public Image, public testing::WithParamInterface<WrongCase> {};

TEST_P(WrongImage, IsRefusedWithItsReason) {
  Bytes image = image_with(in_libc);
  GetParam().wrong(image);
  seal(image);
  std::string text;
  EXPECT_EQ(restored(image, &text), GetParam().fault);
  EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
}

uint64_t &live(Bytes &image, size_t word) {
  return image[image.size() - (header_of(image)->stack_high - header_of(image)->sp) / 8 + word];
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongImage,
    testing::Values(
        WrongCase{"version", ImageFault::wire_version, "wire version 17, this node speaks 16",
                  [](Bytes &image) { header_of(image)->wire_version++; }},
        WrongCase{"abi", ImageFault::abi_version, "ABI version", [](Bytes &image) { header_of(image)->abi_version++; }},
        WrongCase{"build", ImageFault::build_id, "another program: build-id ",
                  [](Bytes &image) { header_of(image)->build_id[19] ^= 1; }},
        WrongCase{"flags", ImageFault::malformed, "contradicts", [](Bytes &image) { header_of(image)->flags |= 64; }},
        WrongCase{"unproved", ImageFault::stack, "a call on its stack is not proved, and its stack",
                  [](Bytes &image) { header_of(image)->flags |= image_unproved; }},
        WrongCase{"number", ImageFault::stack, "an address of its stack was made into a number, and that address",
                  [](Bytes &image) { header_of(image)->numbered = 1; }},
        WrongCase{"number_text", ImageFault::stack, "an address of its stack was made into a number, and that address",
                  [](Bytes &image) { header_of(image)->numbered = UINT64_C(1) << 40; }},
        WrongCase{"number_of_program", ImageFault::stack, "an address of the program was made into a number, and the",
                  [](Bytes &image) {
                    header_of(image)->program_numbered = 1;
                    header_of(image)->modules ^= 1;
                  }},
        WrongCase{"awaiting", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->travels.awaiting = 2; }},
        WrongCase{"daemon", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->travels.daemon = 2; }},
        WrongCase{"handlersInTheStack", ImageFault::malformed, "added a move handler",
                  [](Bytes &image) { header_of(image)->travels.move_handlers = 48; }},
        WrongCase{"handlersOutside", ImageFault::malformed, "added a move handler",
                  [](Bytes &image) { header_of(image)->travels.move_handlers = UINT64_MAX - 7; }},
        WrongCase{"name", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->travels.name[thread_name_bytes - 1] = 'x'; }},
        WrongCase{"result", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->travels.join_result.kind = ResultKind{4}; }},
        WrongCase{"arguments", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->travels.start.count = SKEIN_ARGUMENTS_MAX + 1; }},
        WrongCase{"modules", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->module_count = 2; }},
        WrongCase{"program size", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { header_of(image)->image_end += 4096; }},
        WrongCase{"control words", ImageFault::malformed, "contradicts",
                  [](Bytes &image) { reinterpret_cast<SavedContext *>(&live(image, 0))->control.mxcsr = 0x11f80; }},
        WrongCase{"sp", ImageFault::malformed, "contradicts", [](Bytes &image) { header_of(image)->sp -= 8; }},
        WrongCase{"overlap", ImageFault::malformed, "its stack lies in the program",
                  [](Bytes &image) {
                    ImageHeader *header = header_of(image);
                    header->image_end -= header->image_begin;
                    header->image_begin = header->slot_begin;
                    header->image_end += header->image_begin;
                  }},
        WrongCase{"id", ImageFault::duplicate, "already", [](Bytes &image) { header_of(image)->travels.id = 0; }},
        WrongCase{"module", ImageFault::missing_module, "libc.so.6 (build-id ",
                  [](Bytes &image) { reinterpret_cast<ImageModule *>(header_of(image) + 1)->build_id[0] ^= 1; }},
        WrongCase{"code", ImageFault::unknown_code, "not compiled to migrate",
                  [](Bytes &image) { live(image, return_1) += 1; }},
        WrongCase{"code outside", ImageFault::unknown_code, "foreign frame",
                  [](Bytes &image) { live(image, return_0) = 0x4141414141414141; }},
        WrongCase{"no bottom", ImageFault::unknown_code, "foreign frame",
                  [](Bytes &image) { live(image, return_bottom) = 0; }},
        WrongCase{"too deep", ImageFault::stack, "does not fit",
                  [](Bytes &image) { live(image, return_bottom) = live(image, return_1); }},
        WrongCase{"large stack", ImageFault::no_stack, "no stack",
                  [](Bytes &image) {
                    ImageHeader *header = header_of(image);
                    header->slot_begin = 0x10000;
                    header->stack_low = 0x10000;
                  }},
        WrongCase{"slot", ImageFault::no_stack, "is not to be had on this node",
                  [](Bytes &image) { header_of(image)->flags |= image_reserved; }}),
    [](const testing::TestParamInfo<WrongCase> &info) {
      std::string name = info.param.name;
      for (char &letter : name)
        letter = letter == ' ' ? '_' : letter;
      return name;
    });

TEST_F(Image, AThreadIsNotRestoredTwice) {
  Thread *thread = make_thread(id, nullptr);
  Bytes image = capture(*thread);
  EXPECT_EQ(restored(image), ImageFault::duplicate);
  EXPECT_TRUE(thread_with(id, [](Thread *) {})); // the thread that is here stays
  thread_delete(thread);
}

TEST(Restore, AThreadOfAnotherStrategyIsRefused) {
  Thread *thread = make_thread(id, nullptr);
  Bytes image = capture(*thread);
  thread_delete(thread);
  const StackStrategy before = knobs.stacks;
  knobs.stacks = StackStrategy::reserve;
  ImageFault fault = ImageFault::none;
  Refusal why;
  EXPECT_EQ(image_restore(image.data(), image.size() * 8, fault, why), nullptr);
  knobs.stacks = before;
  EXPECT_EQ(fault, ImageFault::stack);
  EXPECT_NE(std::string(why.text).find("the nodes use different strategies for stacks"), std::string::npos) << why.text;
}

} // namespace
