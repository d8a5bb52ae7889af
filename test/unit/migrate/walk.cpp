// The frame walk and relocation, on stacks written by hand: these tests check which words are found, and that no stack,
// however broken, leads the walk outside of it. Each stack lies in a buffer that ends where the live part ends.
#include "migrate/walk.h"
#include "migrate/relocate.h"

#include "map_builder.h"

#include <algorithm>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <skein/skein.h>
#include <tuple>

using namespace skein;

namespace {

constexpr uintptr_t bottom = 0x1234560;

// A stack of `words` words, of which index 0 is the lowest. It grows down from the end.
struct FakeStack {
  explicit FakeStack(size_t words) : memory(new uint64_t[words]()), words(words), top(words) {}
  uintptr_t address(size_t index) const { return reinterpret_cast<uintptr_t>(memory.get() + index); }
  uintptr_t high() const { return address(words); }
  uintptr_t sp() const { return address(top); }
  void push(uint64_t word) { memory[--top] = word; }
  // Pushes a frame whose callee returned to `pc`: `frame_words` zero words below the return address, then `pc`.
  size_t push_frame(unsigned frame_words, uintptr_t pc) {
    for (unsigned i = 0; i < frame_words; i++)
      push(0);
    size_t lowest = top;
    push(pc);
    return lowest;
  }
  void push_switch_frame(uint64_t rbx = 0, uint64_t rbp = 0) {
    push(rbp);
    push(rbx);
    for (size_t i = 0; i < sizeof(SavedContext) / 8 - 3; i++)
      push(0);
  }
  StackView view() const {
    StackView view;
    view.sp = sp();
    view.high = high();
    view.bottom = bottom;
    return view;
  }
  std::unique_ptr<uint64_t[]> memory;
  size_t words, top;
};

using Words = std::map<uintptr_t, WordKind>;

class Walk : public testing::Test {
protected:
  void build() { ASSERT_TRUE(index.build(builder.begin(), builder.end(), why)) << why.text; }
  bool go(const StackView &view) {
    found.clear();
    return walk(index, view, why, [&](const Frame &, uintptr_t at, WordKind kind) {
      EXPECT_TRUE(found.insert({at, kind}).second) << "visited twice";
      EXPECT_TRUE(view.holds(at, 8));
      return true;
    });
  }
  MapBuilder builder;
  MapIndex index;
  Refusal why;
  Words found;
};

skein_local_map local(int32_t offset, uint32_t count = 1, uint8_t kind = SKEIN_LOCAL_POINTER,
                      uint8_t base = SKEIN_BASE_CFA, uint16_t stride = 8) {
  return {offset, count, stride, kind, base};
}

// Two frames of a plain function: 32 bytes, pointers at CFA - 16 and (only in site 0) CFA - 24.
PretendFunction plain(uint32_t entry) {
  PretendFunction function;
  function.entry = entry;
  function.locals = {local(-16), local(-24)};
  function.sites = {{8, {0, 1}}, {16, {0}}};
  return function;
}

TEST_F(Walk, FindsTheLiveWordsOfEachFrame) {
  builder.add(plain(0));
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t outer = stack.push_frame(3, pretend_pc(0, 16)); // CFA - 32 .. CFA - 8
  size_t inner = stack.push_frame(3, pretend_pc(0, 8));
  stack.push_switch_frame();
  ASSERT_TRUE(go(stack.view())) << why.text;
  Words expected = {
      {stack.address(inner - 1), WordKind::code},    {stack.address(inner + 1), WordKind::pointer},
      {stack.address(inner + 2), WordKind::pointer}, {stack.address(outer - 1), WordKind::code},
      {stack.address(outer + 2), WordKind::pointer}, {stack.address(63), WordKind::code},
  };
  EXPECT_EQ(found, expected);
}

TEST_F(Walk, StrideCountKindAndBase) {
  PretendFunction function;
  function.entry = 0;
  function.frame_size = 128;
  function.locals = {local(-64, 3, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA, 16),
                     local(8, 2, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_SP), local(-120, 0)};
  function.sites = {{8, {0, 1, 2}}};
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(15, pretend_pc(0, 8));
  stack.push_switch_frame();
  ASSERT_TRUE(go(stack.view())) << why.text;
  Words expected = {
      {stack.address(low - 1), WordKind::code},      {stack.address(low + 8), WordKind::pointer},
      {stack.address(low + 10), WordKind::pointer},  {stack.address(low + 12), WordKind::pointer},
      {stack.address(low + 1), WordKind::ambiguous}, {stack.address(low + 2), WordKind::ambiguous},
      {stack.address(63), WordKind::code},
  };
  EXPECT_EQ(found, expected);
}

// The callee of a frame with a frame pointer does not save rbp, but its own callee does, so the slot lies two frames
// down.
// Passing over memory 32 places at a time must not leave out any place that is worth a look.
TEST(Typeless, NothingWorthALookIsPassedOver) {
  std::mt19937_64 random(7);
  std::vector<unsigned char> memory(700);
  StackView view;
  view.sp = 0x7f3a00010000; // as if the memory lay there
  view.high = view.sp + memory.size();
  view.bias = static_cast<intptr_t>(reinterpret_cast<uintptr_t>(memory.data()) - view.sp);
  for (int round = 0; round < 4000; round++) {
    const unsigned kind = round % 5; // of what fills it: zeroes, text, small numbers, anything
    for (unsigned char &byte : memory)
      byte = static_cast<unsigned char>(kind == 0   ? 0
                                        : kind == 1 ? 'a' + random() % 26
                                        : kind == 2 ? (random() % 4 ? 0 : random() % 3)
                                                    : random());
    for (unsigned i = 0, most = static_cast<unsigned>(random() % 4); i < most; i++) { // addresses, some of the stack
      uint64_t address = random() % 2 ? view.sp + random() % memory.size() : random() % user_end;
      if (random() % 2)
        address |= random() << 48;
      memcpy(&memory[random() % (memory.size() - 8)], &address, sizeof address);
    }
    view.others_move = round % 7 == 0;
    const size_t first = random() % 40, count = random() % (memory.size() - first - 8);
    std::vector<uintptr_t> expected, found;
    for (size_t i = 0; i < count; i++)
      if (detail::worth_a_look(view, view.sp + first + i))
        expected.push_back(view.sp + first + i);
    EXPECT_TRUE(detail::each_place(view, view.sp + first, count, 1, [&](uintptr_t at) {
      found.push_back(at);
      return true;
    }));
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST_F(Walk, FollowsTheFramePointerThroughCallees) {
  PretendFunction based;
  based.entry = 0;
  based.flags = SKEIN_MAP_FP;
  based.frame_size = 0;
  based.saved[SKEIN_SAVED_RBP] = 2;
  based.locals = {local(-24)};
  based.sites = {{8, {0}}};
  builder.add(based);
  PretendFunction passes = plain(64);
  builder.add(passes);
  PretendFunction saves = plain(128);
  saves.saved[SKEIN_SAVED_RBP] = 3;
  saves.locals.clear();
  saves.sites = {{8, {}}};
  builder.add(saves);
  build();

  FakeStack stack(64);
  stack.push(bottom);
  size_t outer = stack.push_frame(7, pretend_pc(0, 8)); // somewhere below the CFA; VLAs in between
  stack.push_frame(3, pretend_pc(64, 16));
  size_t inner = stack.push_frame(3, pretend_pc(128, 8));
  uintptr_t cfa = stack.address(outer + 7) + 8;
  stack.memory[inner + 1] = cfa - 16; // rbp, saved at the inner CFA - 24
  stack.push_switch_frame(0, 4711);   // the inner function uses rbp as an ordinary register
  ASSERT_TRUE(go(stack.view())) << why.text;
  EXPECT_EQ(found.at(stack.address(inner + 1)), WordKind::own_frame);
  EXPECT_EQ(found.at(cfa - 24), WordKind::pointer);
  EXPECT_EQ(found.count(stack.sp() + offsetof(SavedContext, rbp)), 0u);
}

TEST_F(Walk, FollowsTheBasePointerFromTheSwitchFrame) {
  PretendFunction based;
  based.entry = 0;
  based.flags = SKEIN_MAP_FP | SKEIN_MAP_BP;
  based.frame_size = 0;
  based.saved[SKEIN_SAVED_RBP] = 2;
  based.locals = {local(16, 1, SKEIN_LOCAL_POINTER, SKEIN_BASE_BP)};
  based.sites = {{8, {0}}};
  builder.add(based);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(9, pretend_pc(0, 8));
  stack.push_switch_frame(stack.address(low + 1), stack.high() - 16);
  ASSERT_TRUE(go(stack.view())) << why.text;
  EXPECT_EQ(found.at(stack.sp() + offsetof(SavedContext, rbx)), WordKind::own_frame);
  EXPECT_EQ(found.at(stack.sp() + offsetof(SavedContext, rbp)), WordKind::own_frame);
  EXPECT_EQ(found.at(stack.address(low + 3)), WordKind::pointer);
}

// --- contexts of setjmp

JumpContext context_at(uintptr_t sp, uintptr_t pc, uint64_t serial, uint64_t rbp = 0, uint64_t rbx = 0) {
  JumpContext context = {};
  context.serial = serial;
  context.sp = sp;
  context.return_address = pc;
  context.rbp = rbp;
  context.rbx = rbx;
  context.r12 = sp; // an integer that looks like an address
  return context;
}

struct Jumps {
  explicit Jumps(std::initializer_list<JumpContext> contexts) : table(JumpTable::create(contexts.size())) {
    for (const JumpContext &context : contexts) {
      table->resize(table->count() + 1);
      table->set(table->count() - 1, context);
    }
  }
  ~Jumps() { table->destroy(); }
  uint64_t flags(size_t i) const { return table->get(i).flags; }
  JumpTable *table;
};

TEST_F(Walk, ContextsLiveWhileTheirFramesDo) {
  builder.add(plain(0));
  builder.add(plain(64));
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t outer = stack.push_frame(3, pretend_pc(0, 16));
  size_t inner = stack.push_frame(3, pretend_pc(64, 8));
  stack.push_switch_frame();
  uintptr_t low = stack.sp() - 4096, high = stack.high() + 4096;
  Jumps jumps{
      context_at(stack.address(outer), pretend_pc(0, 8), 1),       // its frame is the outer one
      context_at(stack.address(outer), pretend_pc(64, 8), 2),      // another function was at that place
      context_at(stack.address(inner), pretend_pc(64, 16), 3),     // the inner one, with address of a buffer in it
      context_at(stack.address(inner) - 8, pretend_pc(64, 16), 4), // below all frames
      context_at(stack.high() + 64, pretend_pc(64, 16), 5),        // on another stack
  };
  JumpContext buffered = jumps.table->get(2);
  buffered.buffer = stack.address(inner + 1);
  buffered.flags = jump_masks | jump_live | jump_rbx_moves; // the flags of an earlier walk do not count
  jumps.table->set(2, buffered);
  StackView view = stack.view();
  view.jumps = jumps.table;
  ASSERT_TRUE(go(view)) << why.text;
  EXPECT_EQ(jumps.flags(0), jump_live);
  EXPECT_EQ(jumps.flags(1), 0u);
  EXPECT_EQ(jumps.flags(2), jump_masks | jump_live);
  EXPECT_EQ(jumps.flags(3), 0u);
  EXPECT_EQ(jumps.flags(4), 0u);

  jumps_relocate(*jumps.table, 0x10000, 0x7000, low, high);
  ASSERT_EQ(jumps.table->count(), 2u);
  JumpContext first = jumps.table->get(0), second = jumps.table->get(1);
  EXPECT_EQ(first.serial, 1u);
  EXPECT_EQ(first.sp, stack.address(outer) + 0x10000);
  EXPECT_EQ(first.return_address, pretend_pc(0, 8) + 0x7000);
  EXPECT_EQ(first.r12, stack.address(outer));
  EXPECT_EQ(second.serial, 3u);
  EXPECT_EQ(second.buffer, stack.address(inner + 1) + 0x10000);
  EXPECT_EQ(second.flags, jump_masks);
}

// There are three frames upwards: one that saves nothing, one that saves rbp, and one with a frame and a base pointer.
TEST_F(Walk, SavedRegistersOfAContextFollowTheFramesAbove) {
  builder.add(plain(0));
  PretendFunction saves = plain(64);
  saves.saved[SKEIN_SAVED_RBP] = 3;
  saves.sites = {{8, {}}};
  builder.add(saves);
  PretendFunction based;
  based.entry = 128;
  based.flags = SKEIN_MAP_FP | SKEIN_MAP_BP;
  based.frame_size = 0;
  based.saved[SKEIN_SAVED_RBP] = 2;
  based.saved[SKEIN_SAVED_RBX] = 3;
  based.sites = {{8, {}}};
  builder.add(based);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t top = stack.push_frame(7, pretend_pc(128, 8));
  size_t middle = stack.push_frame(3, pretend_pc(64, 8));
  size_t low = stack.push_frame(3, pretend_pc(0, 8));
  uintptr_t frame = stack.address(top + 7) + 8 - 16, base = stack.address(top + 2);
  stack.memory[middle + 1] = frame; // rbp, saved at the middle CFA - 24
  stack.push_switch_frame(base, 4711);
  Jumps jumps{
      context_at(stack.address(top), pretend_pc(128, 8), 1, frame, base),
      context_at(stack.address(top), pretend_pc(128, 8), 2, frame + 8, base), // of an earlier call at this depth
      context_at(stack.address(middle), pretend_pc(64, 8), 3, frame, base),
      context_at(stack.address(low), pretend_pc(0, 8), 4, frame, base),
  };
  StackView view = stack.view();
  view.jumps = jumps.table;
  ASSERT_TRUE(go(view)) << why.text;
  EXPECT_EQ(jumps.flags(0), jump_live | jump_rbp_moves | jump_rbx_moves);
  EXPECT_EQ(jumps.flags(1), 0u);
  // The middle function has saved rbp. In the contexts rbp is any value that looks like an address.
  EXPECT_EQ(jumps.flags(2), jump_live | jump_rbx_moves);
  EXPECT_EQ(jumps.flags(3), jump_live | jump_rbx_moves);
}

TEST_F(Walk, AContextWhoseSiteIsPinnedPinsItsThread) {
  PretendFunction function = plain(0);
  function.name = "pretend";
  function.sites.push_back({24, {}, 0, SKEIN_PIN_UNPROVED});
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(3, pretend_pc(0, 8));
  stack.push_switch_frame();
  Jumps jumps{context_at(stack.address(low), pretend_pc(0, 24), 1)};
  StackView view = stack.view();
  EXPECT_TRUE(go(view));
  view.jumps = jumps.table;
  EXPECT_FALSE(go(view));
  EXPECT_NE(std::string(why.text).find(skein_pin_text(SKEIN_PIN_UNPROVED)), std::string::npos) << why.text;
}

TEST_F(Walk, MaskOfAVariadicCallIsAppliedToTheCallee) {
  PretendFunction callee = plain(0);
  callee.frame_size = 96;
  callee.flags = SKEIN_MAP_VARIADIC;
  callee.va_save_offset = -80;
  callee.locals.clear();
  callee.sites = {{8, {}}};
  builder.add(callee);
  PretendFunction caller = plain(64);
  caller.locals.clear();
  caller.sites = {{8, {}, 0x2a}};
  builder.add(caller);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  stack.push_frame(3, pretend_pc(64, 8));
  size_t low = stack.push_frame(11, pretend_pc(0, 8)); // CFA - 96; the area begins at low + 2
  stack.push_switch_frame();
  ASSERT_TRUE(go(stack.view())) << why.text;
  for (unsigned i = 0; i < 6; i++)
    EXPECT_EQ(found.count(stack.address(low + 2 + i)), i % 2) << i;
}

TEST_F(Walk, ChainedBlocksAreReadBeforeTheirLinksChange) {
  PretendFunction function;
  function.entry = 0;
  function.frame_size = 160;
  function.locals = {local(-16), local(-16, 24, SKEIN_LOCAL_DYNAMIC_POINTER, SKEIN_BASE_CFA, 24),
                     local(-16, 16, SKEIN_LOCAL_DYNAMIC_AMBIGUOUS, SKEIN_BASE_CFA, 0),
                     local(-16, 0, SKEIN_LOCAL_DYNAMIC_POINTER, SKEIN_BASE_CFA, 0),
                     local(-24, 0, SKEIN_LOCAL_DYNAMIC_AMBIGUOUS)};
  function.sites = {{8, {0, 1, 2, 3, 4}}};
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(19, pretend_pc(0, 8));
  stack.push_switch_frame();
  stack.memory[low + 18] = stack.address(low + 1); // the head at CFA - 16
  stack.memory[low + 17] = 0;                      // at CFA - 24: no block
  stack.memory[low + 1] = stack.address(low + 6);  // a block of 40 bytes: one element of 24 bytes
  stack.memory[low + 2] = 40;
  stack.memory[low + 6] = 0; // the oldest, 64 bytes: two elements
  stack.memory[low + 7] = 64;
  Words seen;
  ASSERT_TRUE(walk(index, stack.view(), why, [&](const Frame &, uintptr_t at, WordKind kind) {
    EXPECT_TRUE(seen.insert({at, kind}).second); // each word is found once
    if (kind == WordKind::pointer)
      *reinterpret_cast<uint64_t *>(at) = 0x5555; // this is what a relocation would do
    return true;
  })) << why.text;
  Words expected = {
      {stack.address(low - 1), WordKind::code},      {stack.address(low + 1), WordKind::pointer},
      {stack.address(low + 3), WordKind::ambiguous}, {stack.address(low + 4), WordKind::pointer},
      {stack.address(low + 6), WordKind::pointer},   {stack.address(low + 8), WordKind::ambiguous},
      {stack.address(low + 9), WordKind::pointer},   {stack.address(low + 12), WordKind::pointer},
      {stack.address(low + 18), WordKind::pointer},  {stack.address(63), WordKind::code},
  };
  EXPECT_EQ(seen, expected);
}

TEST_F(Walk, AChainThatGoesInCirclesIsRefused) {
  PretendFunction function;
  function.entry = 0;
  function.frame_size = 96;
  function.locals = {local(-16, 0, SKEIN_LOCAL_DYNAMIC_POINTER, SKEIN_BASE_CFA, 0)};
  function.sites = {{8, {0}}};
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(11, pretend_pc(0, 8));
  stack.push_switch_frame();
  stack.memory[low + 10] = stack.address(low + 1);
  stack.memory[low + 1] = stack.address(low + 4);
  stack.memory[low + 2] = 24;
  stack.memory[low + 4] = stack.address(low + 1);
  stack.memory[low + 5] = 24;
  EXPECT_FALSE(go(stack.view()));
  EXPECT_NE(std::string(why.text).find("dynamic block"), std::string::npos) << why.text;
}

TEST_F(Walk, AForeignReturnAddressIsNamed) {
  builder.add(plain(0));
  build();
  FakeStack stack(64);
  stack.push(bottom);
  stack.push_frame(3, pretend_pc(0, 16));
  stack.push_frame(5, reinterpret_cast<uintptr_t>(&gnu_get_libc_version) + 1); // in libc
  stack.push_frame(3, pretend_pc(0, 8));
  stack.push_switch_frame();
  EXPECT_FALSE(go(stack.view()));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_TRUE(why.unknown_code);
  EXPECT_NE(std::string(why.text).find("gnu_get_libc_version in libc.so.6, called by `?` (pretend.c:7)"),
            std::string::npos)
      << why.text;
}

TEST_F(Walk, APinnedSiteSaysWhy) {
  PretendFunction function = plain(0);
  function.sites = {{8, {}, 0, SKEIN_PIN_INLINE_ASM}};
  static const char name[] = "holder";
  function.name = name;
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  stack.push_frame(3, pretend_pc(0, 8));
  stack.push_switch_frame();
  EXPECT_FALSE(go(stack.view()));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_FALSE(why.unknown_code);
  EXPECT_STREQ(why.text, "`holder` (pretend.c:7) cannot move: inline assembly holds an address across the call");
}

// If no address changes, a pinned frame goes along. Then all words are checked that may belong to it: those of the
// frame itself, and what the frames below it and the switch have saved.
TEST_F(Walk, WhereNothingMovesAPinnedFrameGoesAlong) {
  PretendFunction pinned = plain(100);
  pinned.sites = {{8, {}, 0, SKEIN_PIN_UNPROVED}};
  builder.add(plain(0));
  builder.add(pinned);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  const size_t outer = stack.push_frame(3, pretend_pc(0, 16));
  const size_t middle = stack.push_frame(3, pretend_pc(100, 8));
  stack.push_frame(3, pretend_pc(0, 16));
  stack.push_switch_frame();
  StackView view = stack.view();
  EXPECT_FALSE(go(view));
  bool unproved = false;
  view.unproved = &unproved;
  std::map<uintptr_t, unsigned> unknown;
  ASSERT_TRUE(walk(index, view, why, [&](const Frame &, uintptr_t at, WordKind kind) {
    unknown[at] += kind == WordKind::unknown;
    return true;
  })) << why.text;
  EXPECT_TRUE(unproved);
  for (uintptr_t at = stack.sp(); at < stack.high(); at += 8)
    EXPECT_EQ(unknown[at], at <= stack.address(middle + 3) ? 1u : 0u) << stack.high() - at;
  EXPECT_EQ(unknown[stack.address(outer + 2)], 0u);

  pinned.sites = {{8, {}, 0, SKEIN_PIN_FRAME}}; // nobody can find the words of this frame
  MapBuilder other;
  other.add(plain(0));
  other.add(pinned);
  MapIndex maps;
  ASSERT_TRUE(maps.build(other.begin(), other.end(), why));
  unproved = false;
  EXPECT_FALSE(walk(maps, view, why, [](const Frame &, uintptr_t, WordKind) { return true; }));
  EXPECT_FALSE(unproved);
}

// The arguments that its caller has passed in memory belong to the frame, too.
TEST_F(Walk, ArgumentsOfAPinnedFrameAreItsWords) {
  PretendFunction pinned = plain(100);
  pinned.sites = {{8, {}, 0, SKEIN_PIN_SAME, 7, 2}, {16, {}, 0, SKEIN_PIN_SAME, 7, 100}};
  builder.add(plain(0));
  builder.add(pinned);
  build();
  for (const unsigned at : {8u, 16u}) {
    FakeStack stack(64);
    stack.push(bottom);
    const size_t outer = stack.push_frame(3, pretend_pc(0, 16));
    stack.push_frame(3, pretend_pc(100, at));
    stack.push_switch_frame();
    StackView view = stack.view();
    bool unproved = false;
    view.unproved = &unproved;
    std::map<uintptr_t, unsigned> unknown;
    const bool walked = walk(index, view, why, [&](const Frame &, uintptr_t at, WordKind kind) {
      unknown[at] += kind == WordKind::unknown;
      return true;
    });
    if (at == 8) {
      ASSERT_TRUE(walked) << why.text;
      EXPECT_EQ(unknown[stack.address(outer)], 1u);
      EXPECT_EQ(unknown[stack.address(outer + 1)], 1u);
      EXPECT_EQ(unknown[stack.address(outer + 2)], 0u);
    } else {
      EXPECT_FALSE(walked); // more arguments than the stack has words
      EXPECT_NE(strstr(why.text, "has arguments outside the stack"), nullptr) << why.text;
    }
  }
}

TEST_F(Walk, EveryPinReasonHasItsText) {
  std::map<std::string, unsigned> texts;
  for (unsigned reason = SKEIN_PIN_UNPROVED; reason < SKEIN_PIN_COUNT; reason++)
    EXPECT_TRUE(texts.insert({skein_pin_text(reason), reason}).second) << reason;
  EXPECT_EQ(texts.count(skein_pin_text(SKEIN_PIN_COUNT)), 0u);
}

TEST_F(Walk, TooCoarseAnAlignmentIsRefused) {
  PretendFunction function = plain(0);
  function.alignment_log2 = 20;
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  stack.push_frame(3, pretend_pc(0, 16));
  stack.push_switch_frame();
  EXPECT_TRUE(go(stack.view())); // the stack has not moved
  // The stack is seen from a source where it lay 64 KiB lower.
  StackView moved = stack.view();
  moved.sp -= 0x10000;
  moved.high -= 0x10000;
  moved.bias = moved.delta = 0x10000;
  EXPECT_FALSE(go(moved));
  EXPECT_NE(std::string(why.text).find("alignment"), std::string::npos) << why.text;
}

// The frames have all features and random contents. The walk may refuse, but must read nothing outside (the buffer ends
// at `high`, and the asan preset watches), and every word it reports must lie inside. Half of the functions are plain.
// If setjmp may have been called, the walk takes no short way over their frames, and finds the same words in another
// order.
TEST_F(Walk, RandomStacksNeverLeadOutside) {
  std::mt19937_64 random(20260101);
  for (uint32_t i = 0; i < 64; i++) {
    PretendFunction function = plain(i * 64);
    const bool simple = i & 8;
    function.flags = simple ? 0 : i & 7;
    function.frame_size = (function.flags & SKEIN_MAP_FP) ? 0 : 8 + 8 * (i % 9);
    auto offset = [&] { return static_cast<int32_t>(random() % 256) - 192; };
    function.saved[SKEIN_SAVED_RBP] = static_cast<int16_t>(random() % 12);
    function.saved[SKEIN_SAVED_RBX] = static_cast<int16_t>(static_cast<int>(random() % 40) - 20);
    function.va_save_offset = offset();
    function.locals = {local(simple ? -8 * static_cast<int>(1 + i / 8) : offset(), random() % 4),
                       local(simple ? 8 : offset(), 2, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_SP, 24),
                       local(offset(), random() % 16, SKEIN_LOCAL_DYNAMIC_POINTER),
                       local(offset(), random() % 16, SKEIN_LOCAL_DYNAMIC_AMBIGUOUS, SKEIN_BASE_SP, 3 * (i % 2)),
                       local(INT32_MIN),
                       local(INT32_MAX, 1, SKEIN_LOCAL_POINTER, SKEIN_BASE_SP)};
    if (simple)
      function.locals.erase(function.locals.begin() + 2, function.locals.begin() + 4);
    if (function.flags & SKEIN_MAP_BP)
      function.locals.push_back(local(offset(), 1, SKEIN_LOCAL_POINTER, SKEIN_BASE_BP));
    if (simple)
      function.sites = {{8, {0, 1}}, {16, {1, 0}}, {24, {2}}, {32, {3}}};
    else
      function.sites = {{8, {0, 1}, 0x3f}, {16, {0, 2, 3}, 0x15}, {24, {4}}, {32, {5}}};
    builder.add(function);
  }
  build();
  unsigned finished = 0, long_ones = 0;
  JumpTable *none = JumpTable::create(1);
  for (int round = 0; round < 20000; round++) {
    FakeStack stack(32 + random() % 120);
    stack.push(bottom);
    while (stack.top > 20) {
      stack.push(pretend_pc(static_cast<uint32_t>(random() % 64) * 64, random() % 8 ? 8 : 16));
      for (unsigned n = random() % 6; n > 0 && stack.top > 20; n--)
        stack.push(random() % 3 ? stack.address(random() % stack.words) : random() % 128);
    }
    stack.push(pretend_pc(static_cast<uint32_t>(random() % 64) * 64, 8 + 8 * (random() % 4)));
    stack.push_switch_frame(stack.address(random() % stack.words), stack.address(random() % stack.words));
    StackView view = stack.view();
    Refusal reason, reason_of_long_way;
    using Visit = std::tuple<unsigned, uintptr_t, uintptr_t, uint32_t, WordKind>;
    std::vector<Visit> visits, visits_of_long_way;
    bool done = walk(index, view, reason, [&](const Frame &frame, uintptr_t at, WordKind kind) {
      EXPECT_TRUE(view.holds(at, 8));
      visits.emplace_back(frame.depth, frame.sp, at, frame.site, kind);
      return true;
    });
    EXPECT_NE(done, bool(reason));
    finished += done;
    view.jumps = none;
    EXPECT_EQ(done, walk(index, view, reason_of_long_way, [&](const Frame &frame, uintptr_t at, WordKind kind) {
                visits_of_long_way.emplace_back(frame.depth, frame.sp, at, frame.site, kind);
                return true;
              }));
    std::ranges::sort(visits);
    std::ranges::sort(visits_of_long_way);
    EXPECT_EQ(visits, visits_of_long_way);
    EXPECT_STREQ(reason.text, reason_of_long_way.text);
    long_ones += visits.size() > 4;
  }
  none->destroy();
  EXPECT_GT(long_ones, 1000u);
  EXPECT_LT(finished, 20000u);
}

TEST_F(Walk, AStackPointerOutsideOfTheStackIsRefused) {
  build();
  FakeStack stack(64);
  StackView view = stack.view();
  for (intptr_t offset : {0, -8, -56, 8, -60, -512 - 64}) {
    view.sp = stack.high() + static_cast<uintptr_t>(offset);
    if (offset == -512 - 64)
      view.high = view.sp - 8;
    EXPECT_FALSE(go(view));
    EXPECT_TRUE(found.empty());
  }
}

// --- relocation -----------------------------------------------------------------------------------------------------

TEST_F(Walk, RelocatesByRangeAndLeavesTheRest) {
  PretendFunction function;
  function.entry = 0;
  function.frame_size = 128;
  function.locals = {local(-120, 8), local(-24, 1, SKEIN_LOCAL_AMBIGUOUS)};
  function.sites = {{8, {0, 1}}};
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  size_t low = stack.push_frame(15, pretend_pc(0, 8));
  stack.push_switch_frame();
  const uintptr_t source_begin = 0x7000'0000'0000, source_end = source_begin + 0x10000;
  RangeTable ranges;
  ASSERT_TRUE(ranges.add(source_begin, source_end, 0x100000));
  ASSERT_TRUE(ranges.add(0x5555'0000'0000, 0x5555'0000'1000, -0x3000));
  ASSERT_TRUE(ranges.add(0x7fff'0000'0000, 0x7fff'0000'1000, 0));
  uint64_t before[8] = {
      source_begin, source_begin - 1, source_end - 1, source_end, 0x5555'0000'0fff, 0x7fff'0000'0010, 0, 42};
  uint64_t after[8] = {source_begin + 0x100000,
                       source_begin - 1,
                       source_end - 1 + 0x100000,
                       source_end,
                       0x5555'0000'0fff - 0x3000,
                       0x7fff'0000'0010,
                       0,
                       42};
  for (int i = 0; i < 8; i++)
    stack.memory[low + 1 + i] = before[i];
  stack.memory[low + 10] = source_begin + 8; // in no map: it looks like an address, but is none
  stack.memory[low + 13] = source_end;       // ambiguous, harmless
  MoveCounts counts;
  ASSERT_TRUE(relocate(index, stack.view(), ranges, counts, why)) << why.text;
  for (int i = 0; i < 8; i++)
    EXPECT_EQ(stack.memory[low + 1 + i], after[i]) << i;
  EXPECT_EQ(stack.memory[low + 10], source_begin + 8);
  EXPECT_EQ(stack.memory[low + 13], source_end);
  EXPECT_EQ(counts.pointers, 3u);
  EXPECT_EQ(counts.frames, 2u);

  stack.memory[low + 13] = 0x7fff'0000'0010; // in a range that does not move
  EXPECT_TRUE(relocate(index, stack.view(), ranges, counts, why));
  stack.memory[low + 13] = source_begin;
  EXPECT_FALSE(relocate(index, stack.view(), ranges, counts, why));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_NE(std::string(why.text).find("pointer or an integer"), std::string::npos) << why.text;
}

// The two high bytes of a pointer stay as they are. A word that may be no pointer refuses the move, also in memory
// without a type, where only possible addresses are looked at.
TEST_F(Walk, ATagAboveAnAddressMovesWithIt) {
  PretendFunction function;
  function.entry = 0;
  function.frame_size = 128;
  function.locals = {local(-120), local(-64, 9, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_CFA, 1)};
  function.sites = {{8, {0, 1}}};
  builder.add(function);
  build();
  FakeStack stack(64);
  stack.push(bottom);
  const size_t low = stack.push_frame(15, pretend_pc(0, 8));
  stack.push_switch_frame();
  const uintptr_t tag = UINT64_C(0xfedc) << 48, own = stack.address(low + 2), program = 0x5555'0000'0010;
  RangeTable ranges;
  ASSERT_TRUE(ranges.add(stack.sp(), stack.high(), 0x100000));
  ASSERT_TRUE(ranges.add(0x5555'0000'0000, 0x5555'0000'1000, -0x3000));
  MoveCounts counts;
  StackView view = stack.view();
  auto refused = [&](uintptr_t word, size_t byte) {
    std::memcpy(reinterpret_cast<char *>(&stack.memory[low + 8]) + byte, &word, sizeof word);
    const bool is = !relocate(index, view, ranges, counts, why);
    stack.memory[low + 8] = stack.memory[low + 9] = 0;
    return is;
  };
  stack.memory[low + 8] = stack.memory[low + 9] = 0;
  for (auto [before, after] :
       {std::pair{own | tag, (own + 0x100000) | tag}, {program | tag, (program - 0x3000) | tag}}) {
    stack.memory[low + 1] = before;
    EXPECT_TRUE(relocate(index, view, ranges, counts, why)) << why.text;
    EXPECT_EQ(stack.memory[low + 1], after);
  }
  for (size_t byte : {0, 3}) {
    EXPECT_TRUE(refused(own, byte));
    EXPECT_TRUE(refused(own | tag, byte));
    EXPECT_FALSE(refused(program | tag, byte)); // no map says that it moves
  }
  view.others_move = true;
  EXPECT_TRUE(refused(program | tag, 3));
}

TEST_F(Walk, ReturnAddressesMoveWithTheProgram) {
  builder.add(plain(0));
  build();
  FakeStack stack(64);
  constexpr intptr_t delta = 0x4000;
  stack.push(bottom - delta);
  size_t low = stack.push_frame(3, pretend_pc(0, 16) - delta);
  stack.push_switch_frame();
  StackView view = stack.view();
  view.code_delta = delta;
  RangeTable ranges;
  ranges.add(1, 2, 0);
  MoveCounts counts;
  ASSERT_TRUE(relocate(index, view, ranges, counts, why)) << why.text;
  EXPECT_EQ(stack.memory[63], bottom);
  EXPECT_EQ(stack.memory[low - 1], pretend_pc(0, 16));
}

TEST(RangeTable, RefusesEmptyAndOverlappingRanges) {
  RangeTable ranges;
  EXPECT_TRUE(ranges.add(100, 200, 1));
  EXPECT_TRUE(ranges.add(200, 300, 2));
  EXPECT_FALSE(ranges.add(50, 50, 3));
  EXPECT_FALSE(ranges.add(60, 50, 3));
  EXPECT_FALSE(ranges.add(50, 101, 3));
  EXPECT_FALSE(ranges.add(299, 400, 3));
  EXPECT_FALSE(ranges.add(120, 130, 3));
  EXPECT_EQ(ranges.find(99), nullptr);
  EXPECT_EQ(ranges.find(199)->delta, 1);
  EXPECT_EQ(ranges.find(200)->delta, 2);
  EXPECT_EQ(ranges.find(300), nullptr);
  while (ranges.count < 2 + modules_max)
    ASSERT_TRUE(ranges.add(1000 * (ranges.count + 1), 1000 * (ranges.count + 1) + 1, 0));
  EXPECT_FALSE(ranges.add(1'000'000, 1'000'001, 0));
}

} // namespace
