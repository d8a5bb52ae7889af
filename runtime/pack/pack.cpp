// The calls of <skein/pack.h>; see pack.h.
#include "pack/pack.h"
#include "abi/pack_calls.h"
#include "base/grow.h"
#include "base/program_heap.h"
#include "migrate/image.h"
#include "migrate/image_layout.h"
#include "migrate/image_room.h"
#include "migrate/movable.h"
#include "migrate/move_handlers.h"
#include "migrate/search.h"
#include "net/messages/calls.h"
#include "net/moves/shipments.h"
#include "pack/seal.h"
#include "private/paging/paging.h"
#include "private/regions/extents.h"
#include "sched/sched.h"

#include <skein/move_handlers.h>
#include <skein/pack.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

// --- packing ---------------------------------------------------------------------------------------------------------

/// What an image would double, besides what keeps a thread on its node anyway.
bool may_be_doubled(const Thread &thread, Refusal &why) {
  if (thread.id == main_id)
    return why.set(SKEIN_EPINNED, "main is not packed: the run ends with it, and that happens only once");
  if (thread.global_holds)
    return why.set(SKEIN_EPINNED, "it holds a mutex over nodes, or may hold one");
  return true;
}

/// For images that are being packed.
__thread KeptBuffers packing_blocks;

/// Packs a thread that the caller holds.
bool pack(Thread &thread, void **image, size_t *bytes, Refusal &why) {
  if (!may_be_doubled(thread, why))
    return false;
  extents_keep(thread); // before the image is made, so that a copy keeps them, too
  Buffer buffer;
  packing_blocks.give_to(buffer);
  uintptr_t bound_by;
  const bool left = move_leaves(thread, SKEIN_IMAGE, why);
  bool packed = left && image_capture(thread, buffer, why, {.bound_by = &bound_by});
  if (left)
    move_arrives(thread, node.self);
  void *sealed = nullptr;
  if (packed) {
    sealed = __skein_program_malloc(sealed_bytes(buffer.size()));
    packed = sealed ? seal(buffer.data(), buffer.size(), bound_by, sealed, why)
                    : why.set(SKEIN_EMEMORY, "no memory for an image of %zu bytes", sealed_bytes(buffer.size()));
  }
  if (packed) {
    *image = sealed;
    *bytes = sealed_bytes(buffer.size());
  } else if (sealed) {
    __skein_program_free(sealed);
  }
  packing_blocks.keep_from(buffer);
  return packed;
}

extern "C" Thread *skein_pack_call(Thread *self, uint64_t id, uint64_t image_place, uint64_t bytes_place) {
  auto **image = reinterpret_cast<void **>(image_place);
  auto *bytes = reinterpret_cast<size_t *>(bytes_place);
  thread_error_clear(self);
  // What they held before is mostly junk, or leads to an earlier image, and would bind the image to this process.
  *image = nullptr;
  *bytes = 0;
  paging_wait(id);
  Refusal why;
  bool packed = false;
  if (id == self->id) {
    self->result = static_cast<uint64_t>(SKEIN_UNPACKED);
    packed = pack(*self, image, bytes, why);
  } else {
    ThreadState state;
    if (Thread *thread = take_ready(id, &state)) {
      packed = pack(*thread, image, bytes, why);
      thread_ready(thread);
    } else {
      why.set(SKEIN_ETHREAD, "it is %s", state == ThreadState::ended ? "not on this node" : thread_state_name(state));
    }
  }
  if (packed)
    return answer(self, SKEIN_OK);
  return answer(self, thread_error(self, why.code, "skein_pack: thread %s: %s", thread_name(id).text, why.text));
}

// --- unpacking -------------------------------------------------------------------------------------------------------

/// Private memory that an image wants.
struct Wanted {
  uintptr_t begin;
  size_t bytes;
  bool claimed;
};

/// An image that is being unpacked, in memory of its own: on the worker's stack while nothing is waited for, and moved
/// to the heap when a claim has to ask another node.
struct Job {
  Thread *self;
  skein_thread_t *to; // where the new thread's id is wanted, or null
  bool roll_back;
  ImageRoom room = {}; // of the image
  Wanted *wanted = nullptr;
  uint32_t count = 0, capacity = 0, next = 0;

  const char *name() const { return roll_back ? "skein_roll_back" : "skein_unpack"; }
  const ImageHeader &header() const { return *reinterpret_cast<const ImageHeader *>(room.memory); }
};

void end_job(Job &job) {
  image_room_give(job.room);
  free(job.wanted);
}

/// Whether it holds an address that meant shared memory in the run where it was packed. Aligned words only: of text,
/// one byte in eight would look like the beginning of one.
bool holds_shared_address(const SealedHeader &sealed, const ImageHeader &image) {
  const uint64_t most = (SKEIN_SHARED_END - SKEIN_SHARED_BASE) >> SKEIN_SLICE_BITS;
  const uint64_t nodes = sealed.nodes < most ? sealed.nodes : most;
  const auto *begin = reinterpret_cast<const unsigned char *>(&image);
  const ImageLayout layout = image_layout(image);
  const auto aligned = [](uintptr_t at, uintptr_t) { return at % 8 != 0; };
  return !each_address(begin + layout.words, image.bytes - layout.words, SKEIN_SHARED_BASE,
                       SKEIN_SHARED_BASE + (nodes << SKEIN_SLICE_BITS), aligned);
}

/// Copies the image, if it is intact and may be used by this thread.
bool open_image(Job &job, const void *sealed, size_t bytes, Refusal &why) {
  SealedHeader header;
  if (!sealed_check(sealed, bytes, header, why))
    return false;
  job.room = image_room_take(bytes);
  if (!job.room.memory)
    return why.set(SKEIN_EMEMORY, "no memory for a copy of its %zu bytes", bytes);
  ImageFault fault;
  if (!seal_open(header, sealed, job.room.memory, why) ||
      !image_check(job.room.memory, bytes - sizeof header, fault, why))
    return false;
  const bool here = sealed_here(header);
  const ImageHeader &image = job.header();
  if (!here && holds_shared_address(header, image))
    return why.set(SKEIN_EREFUSED, "it comes from another run, and holds an address of that run's shared memory");
  if (!job.roll_back)
    return true;
  if (!here || image.travels.id != job.self->id)
    return why.set(SKEIN_EREFUSED, "the image is not of this thread, but of thread %s%s",
                   thread_name(image.travels.id).text, here ? "" : " of another run");
  if (!(image.flags & image_started))
    return why.set(SKEIN_EREFUSED, "the thread was packed before it had run");
  return true;
}

bool list_regions(Job &job, Refusal &why) {
  struct List {
    Job &job;
    bool memory = true;
  } list = {job};
  const auto add = [](uint64_t begin, uint64_t bytes, void *to) {
    auto &[given, memory] = *static_cast<List *>(to);
    memory = grow(given.wanted, given.count, given.capacity, uint32_t{8});
    if (memory)
      given.wanted[given.count++] = {begin, bytes, false};
    return memory;
  };
  if (image_regions(job.header(), add, &list))
    return true;
  return list.memory ? why.set(SKEIN_EREFUSED, "the image contradicts itself: its private memory")
                     : why.set(SKEIN_EMEMORY, "no memory for a list of its private memory");
}

/// Whether the thread that is rolled back has that region now.
bool has_region(const Thread &thread, const Wanted &region) {
  const Extent *extent = extent_containing(thread, region.begin);
  return extent && extent->begin == region.begin && region_bytes(extent->region) == region.bytes;
}

/// `claim` says how the owner has answered.
bool addresses_taken(const Wanted &region, Claim claim, Refusal &why) {
  return why.set(claim == Claim::abroad ? SKEIN_PACK_ABROAD : SKEIN_EBUSY,
                 "its private memory at %#zx is not free: the thread that was packed, or another copy of it, lives and "
                 "has these addresses, or another thread may get them",
                 region.begin);
}

/// Makes the claims that this node can decide. False, with a reason: one was refused. Else either all are made, or
/// job.next is the one that node `owner` has to be asked for.
bool claim(Job &job, int &owner, Refusal &why) {
  for (; job.next < job.count; job.next++) {
    Wanted &region = job.wanted[job.next];
    if (job.roll_back && has_region(*job.self, region))
      continue;
    owner = region_owner(region.begin);
    if (owner < 0 || region_owner(region.begin + region.bytes - 1) != owner)
      return why.set(SKEIN_EREFUSED, "its private memory at %#zx lies in the part of no node of this run of %d",
                     region.begin, node.count);
    if (owner != node.self)
      return true;
    if (const Claim answer = region_claim(region.begin, region.bytes); answer != Claim::granted)
      return addresses_taken(region, answer, why);
    region.claimed = true;
  }
  return true;
}

/// All that was claimed is in hand: makes the thread, or puts the caller back. False with a reason.
bool complete(Job &job, Refusal &why) {
  ImageFault fault;
  // A thread that had this memory, and left this node with it, may still be mapped here until the news of its arrival.
  if (job.count)
    settle_former_owners_of_memory(job.header());
  if (job.roll_back) {
    if (!move_leaves(*job.self, SKEIN_IMAGE, why))
      return false;
    const bool back = image_roll_back(job.header(), *job.self, fault, why);
    move_arrives(*job.self, back ? SKEIN_IMAGE : node.self);
    return back;
  }
  Thread *thread = image_copy(job.header(), fault, why);
  if (!thread)
    return false;
  if (job.to)
    *job.to = thread->id;
  move_arrives(*thread, SKEIN_IMAGE);
  thread_announce(thread);
  thread_arrived(thread);
  return true;
}

/// The result of the call; the job is over.
uint64_t end(Job &job, bool done, const Refusal &why) {
  if (!done) {
    for (uint32_t i = 0; i < job.count; i++)
      if (job.wanted[i].claimed)
        region_give_back({job.wanted[i].begin, job.wanted[i].bytes | region_kept, job.self->id});
    thread_error(job.self, why.code & SKEIN_PACK_CODE, "%s: %s", job.name(), why.text);
  }
  const uint64_t result = !done           ? static_cast<uint64_t>(why.code)
                          : job.roll_back ? job.self->result // that of the skein_pack to which it returns
                                          : SKEIN_OK;
  end_job(job);
  return result;
}

void ask(Job *job, int owner);

void finish_claim(const Call &call, const ReplyMessage *reply, size_t data_bytes) {
  if (reply && (data_bytes || reply->value > static_cast<uint64_t>(Claim::abroad)))
    reply = call_distrust(call, "%llu is no answer to a claim", static_cast<unsigned long long>(reply->value));
  Job *job = static_cast<Job *>(call.place);
  Wanted &region = job->wanted[job->next];
  Refusal why;
  int owner = -1;
  bool agreed = false;
  if (!reply)
    why.set(SKEIN_EDEAD, "node %d, which decides who has its private memory at %#zx, died", call.peer, region.begin);
  else if (const auto answer = static_cast<Claim>(reply->value); answer != Claim::granted)
    addresses_taken(region, answer, why);
  else {
    region.claimed = true;
    job->next++;
    agreed = claim(*job, owner, why);
    if (agreed && job->next < job->count) {
      ask(job, owner);
      return;
    }
  }
  const bool done = agreed && complete(*job, why);
  Thread *self = job->self;
  const uint64_t result = end(*job, done, why);
  free(job);
  thread_wake(self, result);
}

void ask(Job *job, int owner) {
  const Wanted &region = job->wanted[job->next];
  const uint64_t call = call_begin({finish_claim, owner, job->self, job->self->id, job, 0});
  link_tell<ClaimMessage>(owner, call, region.begin, region.bytes);
  call_sent(call);
}

Thread *unpack(Job &given, const void *sealed, size_t bytes) {
  Thread *self = given.self;
  thread_error_clear(self);
  Refusal why;
  int owner = -1;
  bool done = open_image(given, sealed, bytes, why) && list_regions(given, why) && claim(given, owner, why);
  if (done && given.next < given.count) {
    if (auto *job = static_cast<Job *>(malloc(sizeof(Job)))) {
      *job = given;
      thread_block(self, given.name(), nullptr);
      ask(job, owner);
      return thread_next();
    }
    done = why.set(SKEIN_EMEMORY, "no memory to ask node %d for its private memory", owner);
  }
  done = done && complete(given, why);
  self->result = end(given, done, why);
  return self;
}

extern "C" Thread *__skein_unpack_call(Thread *self, uint64_t image, uint64_t bytes, uint64_t thread) {
  Job job = {self, reinterpret_cast<skein_thread_t *>(thread), false};
  return unpack(job, reinterpret_cast<const void *>(image), bytes);
}

extern "C" Thread *__skein_roll_back_call(Thread *self, uint64_t image, uint64_t bytes) {
  paging_wait(self->id);
  Refusal why;
  if (!movable(*self, Journey::to_node, why) || !may_be_doubled(*self, why)) {
    thread_error_clear(self);
    return answer(self, thread_error(self, why.code, "skein_roll_back: %s", why.text));
  }
  Job job = {self, nullptr, true};
  return unpack(job, reinterpret_cast<const void *>(image), bytes);
}

/// It is no stub: it needs only the header, which anybody may read.
extern "C" int skein_image_stays(const void *image, size_t bytes) {
  SealedHeader header;
  Refusal why;
  return sealed_check(image, bytes, header, why) && header.process != 0;
}

// --- the owner of private memory -------------------------------------------------------------------------------------

void on_claim(Arrival &arrival) {
  const auto &ask = arrival.body<ClaimMessage>();
  call_reply(arrival.from, ask.call, static_cast<uint64_t>(region_claim(ask.begin, ask.bytes)));
}

} // namespace

void pack_start() {
  link_handle<ClaimMessage>(on_claim);
  seal_keys_start();
  events.forked.add(seal_keys_after_fork);
}

} // namespace skein
