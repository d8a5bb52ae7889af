// The image of a thread: the bytes from which another process makes the thread again. docs/wire-format.md shows them.
//
// An image holds addresses as they are at the source, and the ranges in which they lie; the destination relocates them.
// An image is self-contained, unless it leaves memory behind (lazy_moves.h), lends it, or leaves the stack in place:
// then it can be kept, sent twice or written to a file. The protocol of room net ensures that a thread is restored only
// once.
//
//     +--------------------+  0
//     | ImageHeader        |  fixed, little-endian, 8-aligned
//     +--------------------+
//     | ImageModule  [M]   |  libraries that words of this thread point into
//     +--------------------+
//     | uint64_t     [A]   |  its arguments, if it has not run yet
//     +--------------------+
//     | error text         |  of its last failed call, padded with zeroes to 8
//     +--------------------+
//     | ImageJumps, [J]    |  what setjmp saved; only if it was ever called
//     +--------------------+
//     | ImageLent          |  what is not here, but where it was; only if anything is
//     +--------------------+
//     | live stack         |  [sp, high), untouched; absent if it has not run yet, is lent or stays in place
//     +--------------------+
//     | private memory     |  owned_image.h; absent if it owns nothing
//     +--------------------+  header.bytes
//
// Invariants
// * Capturing changes nothing, so a thread goes on where it is if its image was refused, lost or not answered.
// * Nothing that an image says is trusted. Sizes, offsets and ranges are checked before use, every return address must
//   be one that the maps know, and every change is made to a fresh copy. The checksum finds accidental damage first.
//
// Rejected: relocating at the source (it would have to know the destination's addresses, and could not keep its copy);
// sending only the mapped words (a thread's integers are most of it, and nobody knows which are dead).
#ifndef SKEIN_MIGRATE_IMAGE_H
#define SKEIN_MIGRATE_IMAGE_H

#include "base/buffer.h"
#include "base/lent_place.h"
#include "migrate/modules.h"
#include "migrate/refusal.h"
#include "thread/thread.h"

#include <stddef.h>
#include <stdint.h>

namespace skein {

inline constexpr uint16_t image_wire_version = 16;
inline constexpr char image_magic[8] = {'S', 'K', 'E', 'I', 'N', 'T', 'H', 'R'};

enum : uint32_t {
  image_started = 1,   // it has a stack
  image_reserved = 2,  // its slot `slot` is unique over all nodes, and is to be kept
  image_jumps = 4,     // ImageJumps follow the error text
  image_wanted = 8,    // the node where it was created wants to hear of its end at once
  image_unproved = 16, // it is right only where its stack and all modules keep their addresses (`modules`)
  image_lends = 32,    // it has an ImageLent
  image_in_place = 64, // its stack is not here, but in its slot, whose memory all nodes share (stacks=shared)
};

struct ImageHeader {
  char magic[8];
  uint16_t wire_version;
  uint16_t abi_version;
  uint32_t checksum; // of the bytes [16, bytes), see checksum.h
  uint32_t bytes;    // of the whole image, a multiple of 8
  uint32_t flags;
  unsigned char build_id[build_id_bytes]; // of the program
  uint32_t module_count;
  uint64_t image_begin; // the program
  uint64_t image_end;
  uint64_t slot_begin; // the slot of its stack; this and what follows up to `sp` is 0 if it has not started
  uint64_t stack_low;
  uint64_t stack_high;
  uint64_t slot_end;
  uint64_t sp;
  uint32_t slot;
  uint32_t error_bytes; // without padding and NUL
  uint64_t owned_bytes; // of the private memory
  uint32_t bundle;      // the number of its definition in the program
  uint32_t bound;       // 1 + the number of the only worker that may run it, if it has not run yet; 0: any may
  uint64_t modules;     // modules_digest() of the sender
  // Not 0: an address of its stack was made into a number, so it may go on only where its stack keeps its address. It
  // is where in the program the text lies that says how, or 1.
  uint64_t numbered;
  // The same for an address of the program or a library, at the sender: it may go on only where all modules lie at the
  // same addresses.
  uint64_t program_numbered;
  Travels travels;
};
static_assert(sizeof(ImageHeader) == 256);

struct ImageModule {
  uint64_t begin;
  uint64_t end;
  unsigned char build_id[build_id_bytes];
  char name[44]; // NUL-padded
};
static_assert(sizeof(ImageModule) == 80);

// Followed by `count` contexts (JumpContext of thread/jumps.h), oldest first.
struct ImageJumps {
  uint64_t last_serial;
  uint64_t count;
};
static_assert(sizeof(ImageJumps) == 16 && sizeof(JumpContext) == 104);

struct CaptureOptions {
  bool globals_checked = false;  // globals_hold_no_stack() has just been true
  uintptr_t *bound_by = nullptr; // pointers to what stays behind do not refuse the image, but bind it to this process;
                                 // it gets one of them, or 0
  int lazily_to = -1;            // the image may leave memory behind for that node to fetch (lazy_moves.h); if it is
                                 // not sent, paging_stayed is called
  uint64_t lend_least = UINT64_MAX; // so many bytes of stack or private memory, or more, are lent
  bool in_place = false;            // the destination goes on on the stack where it is (stack_keeps_memory)
};

// Appends the image of a suspended or not yet started thread to `to`, at the next multiple of 8 (so a message header
// may come first). The caller holds the thread (it is in_flight, or its own call is being served), and has set its
// `result`. If the thread may not leave (pinned, a foreign frame, a pointer to what stays behind, no memory), this is
// false with a reason, and `to` is as before. Does not block. Called on a worker's stack or a progress thread.
bool image_capture(const Thread &thread, Buffer &to, Refusal &why, const CaptureOptions &options = {});

// A stack, or private memory, that is lent stays where it is, unchanged, until the sender knows what has become of the
// thread. Who restores the image copies it from there.
struct ImageLent {
  LentPlace place;
  uint64_t stack_bytes; // the live stack, or 0
  uint64_t bytes;       // with the pages of the private memory, if they are lent
};
static_assert(sizeof(ImageLent) == 32);
// How many bytes an intact image lends, or 0.
uint64_t image_lent_bytes(const ImageHeader &image);
// Writes into an image that was just captured where they are lent.
void image_lend(ImageHeader &image, const LentPlace &place);
// What copies them, at most so many pieces at once, and so many bytes. False: that is not possible, and some may have
// been written.
struct LentPiece {
  uint64_t from;
  void *to;
  size_t bytes;
};
inline constexpr size_t lent_pieces_most = 60, lent_bytes_most = 1 << 30;
struct Lender {
  int node;
  bool (*read)(int node, const ImageLent &lent, uint64_t thread, const LentPiece *pieces, size_t count);
};

// Why the destination could not use an image.
enum class ImageFault : uint8_t {
  none,
  truncated,
  magic,
  wire_version,
  abi_version,
  build_id,
  checksum,
  malformed,      // sizes or ranges contradict each other
  unknown_code,   // a return address that the maps do not know
  missing_module, // a library it points into is not loaded here
  stack,          // the stack contradicts the maps, or cannot be relocated
  duplicate,      // a thread of this id is here
  no_stack,
  no_memory,      // or its private memory's addresses are taken
  private_memory, // it holds an address that may be no pointer
  no_worker,      // it is bound to a worker that this node does not have
  leaving,        // this node is about to leave the run
  unread,         // its stack or pages cannot be read where they are lent
  not_in_place,   // it cannot go on on its stack where that lies
  last = not_in_place,
};
const char *image_fault_name(ImageFault fault); // "build-id", …

// Writes the checksum into an image whose bytes were changed on purpose (fault injection, tests).
void image_seal(ImageHeader &image);

// Whether the thread of this intact image owns addresses that `other`, another thread, has here: its stack slot under
// reserve, or private memory.
bool image_owns_what(const ImageHeader &image, const Thread &other);
// The same of private memory only, for an image that was kept: its slot may be another thread's by now.
bool image_owns_memory_of(const ImageHeader &image, const Thread &other);

// Makes a thread from an image: relocated, in the table under its id, state in_flight or (if not started) initialised.
// The caller makes it ready. Null with fault and reason (code SKEIN_EREFUSED or SKEIN_EMEMORY); nothing is left behind
// then. Counts pointers_relocated and threads_at_other_address; the caller counts all else. `bytes` must be 8-aligned.
Thread *image_restore(const void *bytes, size_t count, ImageFault &fault, Refusal &why);

// The first half of that: returns the header, once magic, versions, build-id, sizes and checksum have been found right;
// else null with the fault.
const ImageHeader *image_check(const void *bytes, size_t count, ImageFault &fault, Refusal &why);
// The second half: makes a thread from an intact image. `former`, if not null, is the record that the same thread left
// here (image_fits), on whose stack it goes on. After a refusal `former` still belongs to the caller, as the record of
// a thread that is elsewhere: it owns nothing, and its stack holds nothing of use. `anywhere`: if the thread's own
// stack is not to be had under stacks=auto, it goes on on another one; else that is a fault (no_stack).
// Without a `lender` an image that lends memory is refused.
struct RestoreOptions {
  Thread *former = nullptr;
  bool anywhere = false;
  const Lender *lender = nullptr;
};
Thread *image_restore(const ImageHeader &header, ImageFault &fault, Refusal &why, const RestoreOptions &options = {});

// Makes a thread of this node from an intact image: another one than the thread that was packed, with an id, a record
// and a stack of its own. Its private memory has the addresses that the image says, which the caller has claimed for it
// (region_claim). It is in_flight or (if not started) initialised, and the caller makes it ready. Null with fault and
// reason; nothing is left behind then, and the addresses are the caller's as before.
Thread *image_copy(const ImageHeader &header, ImageFault &fault, Refusal &why);

// The thread becomes what it was when it was packed: its stack, private memory, result and all that travels. It keeps
// its id and its place on this node. It is suspended, holds no lock, and the image is its own. False with fault and
// reason: nothing has changed.
bool image_roll_back(const ImageHeader &header, Thread &thread, ImageFault &fault, Refusal &why);

// Calls visit(begin, bytes) for the private memory of an intact image, each with its size in address space, until it
// returns false. False: the parts of the image that say so contradict each other, or visit has returned false.
bool image_regions(const ImageHeader &header, bool (*visit)(uint64_t begin, uint64_t bytes, void *context),
                   void *context);

// Whether the thread of this intact image can go on in the record `former`, which it left here when it went and which
// has been in_flight since.
bool image_fits(const ImageHeader &header, const Thread &former);

} // namespace skein

#endif
