// The byte format of an image must be the one that is documented. image_write is given a known thread, and must make,
// byte by byte, the annotated dump in docs/wire-format.md. A change of the format changes that page, and the wire
// version with it.
#include "image_fixture.h"
#include "migrate/checksum.h"
#include "migrate/unpack.h"
#include "sched/bundle.h"

#include <fstream>
#include <gnu/libc-version.h>
#include <skein/skein.h>
#include <sstream>
#include <string>
#include <vector>

using namespace fixture;

namespace {

// Reads the bytes of the block that follows the line "<!-- golden: NAME -->", in lines "OFFSET XX XX ... | words".
std::vector<unsigned char> golden_bytes(const char *name) {
  std::ifstream page(SKEIN_SOURCE_DIR "/docs/wire-format.md");
  EXPECT_TRUE(page.is_open());
  std::string line;
  while (std::getline(page, line) && line != std::string("<!-- golden: ") + name + " -->")
    ;
  std::getline(page, line); // ```
  std::vector<unsigned char> bytes;
  while (std::getline(page, line) && line != "```") {
    std::istringstream fields(line.substr(0, line.find('|')));
    size_t offset = 0;
    fields >> std::hex >> offset;
    EXPECT_EQ(offset, bytes.size()) << line;
    for (unsigned byte; fields >> std::hex >> byte;)
      bytes.push_back(static_cast<unsigned char>(byte));
  }
  return bytes;
}

std::string dump(const unsigned char *bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++) {
    char part[16];
    snprintf(part, sizeof part, i % 8 ? " %02x" : "\n%04x  %02x", i % 8 ? bytes[i] : static_cast<unsigned>(i),
             bytes[i]);
    text += part;
  }
  return text;
}

TEST(Golden, AnImageIsWhatTheWireFormatSays) {
  start_runtime_once();
  // A thread of node 2, suspended in sum(2, gnu_get_libc_version): one frame.
  Thread *thread = thread_new((UINT64_C(2) << 40) + 11);
  bundle_enter(thread, bundle_root);
  thread->stack = stack_acquire();
  const Stack real = thread->stack;
  StackWriter writer(real);
  writer.push_sum(0, 2, reinterpret_cast<void *>(&gnu_get_libc_version), 102);
  SavedContext *context = writer.push_switch_frame(return_address(reinterpret_cast<void *>(sum), 0));
  context->error_number = 2;
  context->r15 = 15;
  context->r14 = 14;
  context->r13 = 13;
  context->r12 = 12;
  context->rbx = 0xb;
  context->rbp = 0xbb;
  thread->sp = writer.sp();
  thread->start.function = reinterpret_cast<void (*)()>(sum);
  thread->start.count = 2;
  thread->start.classes = SKEIN_ARGUMENT_INTEGER | SKEIN_ARGUMENT_POINTER << 2;
  thread->moves = 3;
  thread->stamp = 1000;
  thread->priority = -2;
  strcpy(thread->name, "walker");
  thread->join_result = {7, ResultKind::integer};
  thread->follow_patience = 4;
  thread->follow_home = 6;
  thread->result = SKEIN_ENODE;
  thread_error(thread, SKEIN_ENODE, "there is no node 9");

  ModulesUsed used;
  used.module[used.count++] = module_containing(reinterpret_cast<uintptr_t>(&gnu_get_libc_version));
  Buffer buffer;
  Refusal why;
  ASSERT_TRUE(image_write(*thread, used, buffer, why)) << why.text;
  ImageFault fault;
  ASSERT_NE(image_check(buffer.data(), buffer.size(), fault, why), nullptr) << why.text;
  thread_delete(thread);

  // What differs from run to run is set to what the page shows.
  auto *header = reinterpret_cast<ImageHeader *>(buffer.data());
  auto *module = reinterpret_cast<ImageModule *>(header + 1);
  auto *live = reinterpret_cast<uint64_t *>(buffer.data() + buffer.size() - (header->stack_high - header->sp));
  const uint64_t program = UINT64_C(0x555500000000), library = UINT64_C(0x7f5500000000),
                 slot = UINT64_C(0x7e0000000000);
  const uint64_t slot_was = header->slot_begin;
  for (unsigned i = 0; i < build_id_bytes; i++) {
    header->build_id[i] = static_cast<unsigned char>(0x10 + i);
    module->build_id[i] = static_cast<unsigned char>(0x40 + i);
  }
  header->image_begin = program;
  header->image_end = program + 0x6000;
  header->travels.start.function = reinterpret_cast<void (*)()>(program + 0x1230);
  module->begin = library;
  module->end = library + 0x1d7000;
  for (uint64_t *field : {&header->slot_begin, &header->stack_low, &header->stack_high, &header->slot_end, &header->sp})
    *field += slot - slot_was;
  header->slot = 100;
  header->modules = 0x2a;
  live[sizeof(SavedContext) / 8 - 1] = program + 0x1248;  // in sum
  live[sizeof(SavedContext) / 8 + 1] = library + 0x77820; // a function
  live[sizeof(SavedContext) / 8 + 3] = program + 0x2100;  // bottom
  header->checksum = checksum(buffer.data() + 16, buffer.size() - 16);

  std::vector<unsigned char> golden = golden_bytes("image");
  std::string now = dump(buffer.data(), buffer.size());
  EXPECT_EQ(golden.size(), buffer.size());
  EXPECT_EQ(dump(golden.data(), golden.size()), now);
}

} // namespace
