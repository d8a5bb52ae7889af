// Memory that follows its thread: a move with `moves=lazy` leaves most pages of the private heap and of the private
// globals behind, and the destination fetches them when they are touched, and the rest in between. (Seed 3, sections
// 2.2.2 and 3.3.4.)
//
// Vocabulary. A region of a thread's heap, or with its copy of the private globals, is *tracked* from when it is
// mapped: the kernel notes which of its pages are written. A page is *plain* if no aligned word of it could be an
// address of what may stay behind or move: of a program, a library, a heap of the process, or a stack. A plain page
// that was not written since that was found out is *proved*. Pages that a thread has *left* at a node wait there, and
// are *missing* where the thread is.
//
//     source                                                  destination
//     written --look through--> proved                        missing --fault, or its turn--> asked --> there, proved
//                    |             |   thread leaves              |
//                    v             +--> left ---------------------+-- all are there, or the thread has ended
//                not plain ............ goes along                      |
//                                       left: given back <-- over ------+
//
// Invariants
//  * What is handed over later is as good as what is handed over at once. Only proved pages are left, and these are
//    the pages of which the check of a thread that leaves (migrate/owned.h) has nothing to say, whenever it looks. All
//    other pages go along, and are checked before the thread leaves.
//  * A thread with missing pages stays where it is until they have come. So pages of a thread lie at two nodes at most,
//    and each page is at one of them.
//  * The source changes no page that it keeps, and keeps it until the destination says that it is over, or has died. A
//    refused move is forgotten: the source still has all pages.
//  * Nobody touches memory that may be missing while holding the lock of this file, and the kernel threads that bring
//    pages (net/paging) never touch such memory. So whoever else waits for a page, a handler too, waits for somebody
//    who does not wait for it.
//
// Rejected: to check pages when they are asked for. One that may not leave its node would be found when its thread has
// left, in the middle of an instruction, where it cannot go back. Also rejected: to send pages by messages of the link,
// as everything else: a handler of the link that writes to a missing page would wait for a message that comes after it.
#ifndef SKEIN_PRIVATE_PAGING_PAGING_H
#define SKEIN_PRIVATE_PAGING_PAGING_H

#include "private/regions/extents.h"
#include "thread/thread.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

// --- tracking -------------------------------------------------------------------------------------------------------

/// Whether regions are tracked. Set before threads run by whoever has started what it takes: from then on somebody has
/// to take what the kernel tells (paging_next_fault).
extern bool paging_on;
/// Opens what the system has for that. Returns why that is not possible, or null.
const char *paging_start();

/// In a process that is made of a copy, where no pages were missing: regions are not tracked any more, since the kernel
/// has not watched them in this process. Takes no lock, and touches no descriptor.
void paging_reborn();

/// Whether pages of such extents may stay behind.
bool paging_may_leave(ExtentKind kind);
/// Called by room regions, and where private globals become memory that kernel threads share. An extent of a thread is
/// mapped here:
void paging_mapped(const Thread &thread, const Extent &extent);
/// it is about to be unmapped or emptied, since it is given back, or to be mapped in another way, after paging_wait;
/// its missing pages are wanted no more:
void paging_ends(const Extent &extent);
/// its thread has left, or could not be restored. True: its memory stays mapped until others have fetched it.
bool paging_departs(const Extent &extent);
/// Somebody has these addresses now, so the thread that left its pages there has ended, or has fetched them.
void paging_taken(uintptr_t begin, size_t bytes);

// --- the source -----------------------------------------------------------------------------------------------------

struct PageRun {
  uintptr_t begin;
  size_t bytes;
};

/// What a thread that is about to leave takes along of the extents that it leaves.
class Leaving {
public:
  Leaving() = default;
  Leaving(const Leaving &) = delete;
  ~Leaving();

  uint64_t number() const { return number_; } // by which the destination asks for the rest; 0: nothing is left
  /// Whether all pages of the extent stay but those that `each_run` visits.
  bool leaves(const Extent &extent) const { return place_of(extent.begin) != nullptr; }
  /// Calls visit(begin, bytes, context) for the pages of such an extent that go along, until it returns false.
  bool each_run(const Extent &extent, bool (*visit)(uintptr_t begin, size_t bytes, void *context), void *context) const;

private:
  friend bool paging_leave(const Thread &thread, int to, Leaving &leaving, const char *&why);
  struct Place {
    uintptr_t begin;
    uint32_t first, count; // of runs_
  };
  const Place *place_of(uintptr_t begin) const;
  bool add_run(uintptr_t begin, size_t bytes);

  uint64_t number_ = 0;
  Place *places_ = nullptr;
  uint32_t place_count_ = 0, place_capacity_ = 0;
  PageRun *runs_ = nullptr;
  uint32_t run_count_ = 0, run_capacity_ = 0;
};

/// The thread, which is suspended, is about to leave for node `to`, and keeps its stack's address there: looks through
/// what it has written, and leaves what may be left. False with a reason: all of it has to go along.
bool paging_leave(const Thread &thread, int to, Leaving &leaving, const char *&why);
/// It stays after all. `refused`: by the destination, so the next move takes all along.
void paging_stayed(const Thread &thread, bool refused);

/// Whether node `peer` fetches pages from here.
bool paging_fetched_by(int peer);
/// It does, or does not any more. Once it does not, what was left for it is given back.
void paging_peer(int peer, bool fetches);
/// Copies pages that are left under that number for node `peer`. 1: done; 0: all of them are zero; -1: there are none.
int paging_read(int peer, uint64_t number, uintptr_t begin, size_t bytes, void *to);
/// They have been sent, and are not asked for again.
void paging_sent(uint64_t number, uintptr_t begin, size_t bytes);
/// How many bytes of memory are kept here for threads that have left.
size_t paging_kept();
/// Nothing is asked for any more under that number.
void paging_over(int peer, uint64_t number);

/// Looks through pages that were written, before any thread leaves: up to `most` bytes. Returns how many bytes it has
/// looked at; less than `most`: it has been through all regions.
size_t paging_look_through(size_t most);

// --- the destination ------------------------------------------------------------------------------------------------

/// The mapped extent of a thread that arrives has these pages only, in ascending order; the others are missing, and
/// node `from` has them. False without memory.
bool paging_arrives(const Thread &thread, const Extent &extent, int from, uint64_t number, const PageRun *runs,
                    size_t count);
/// Whether pages of the thread are missing, and at which node; -1: none are.
int paging_missing_at(uint64_t thread);
/// Waits until none of the thread's are; 0: of no thread's. Blocks the kernel thread, and may be called wherever that
/// holds nothing that net/paging needs.
void paging_wait(uint64_t thread);

struct WantedPages {
  int from;
  uint64_t number;
  uintptr_t begin;
  size_t bytes;
};
/// Set by net/paging: called when there are pages to be asked for, or to be told that they are not.
extern void (*paging_work)();
/// Takes what the kernel tells: somebody waits for a page, or gives some back. True: these are to be asked for.
bool paging_next_fault(WantedPages &wanted);
/// The next pages to be asked for although nobody waits for them yet.
bool paging_next(WantedPages &wanted);
/// They have come; null: they are zero. False: they were not asked for, or they are `unknown` there, and wanted here.
bool paging_came(int from, uint64_t number, uintptr_t begin, size_t bytes, const void *pages, bool unknown = false);
/// Under which number nothing more will be asked for; its node is to be told. False: none.
bool paging_next_over(int &from, uint64_t &number);
/// Calls visit for the threads of which pages are missing at that node.
void paging_each_missing_at(int from, void (*visit)(uint64_t thread, size_t bytes));

/// What this node has done so far.
struct PagingCounts {
  std::atomic<uint64_t> moves;  // threads that left pages behind
  std::atomic<uint64_t> faults; // accesses that had to wait for a page
  std::atomic<uint64_t> pages;  // that were fetched, also those that are zero
  std::atomic<uint64_t> ns_max; // the longest time until nothing was left behind
};
extern PagingCounts paging_counts;

} // namespace skein

#endif
