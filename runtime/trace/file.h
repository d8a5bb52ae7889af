// The file into which one node records; docs/tracing.md draws it. The node maps its first part, so that what it has
// recorded is in the file whatever happens to the process. Numbers are little-endian.
//
//     TraceFileHeader                         one page
//     TraceName[names_most]                   names that the program gives to its own events
//     TraceRing + bytes, rings times          what has been recorded and is not in a chunk yet (packed.h)
//     TraceChunk + data, …                    from chunks_at to the end
//
// The last chunk may be cut off, where the node was killed. Records of a ring that a chunk has already may still be in
// the ring, too: the bytes of a ring are numbered, so that a reader takes each once. A chunk has whole records.
#ifndef SKEIN_TRACE_FILE_H
#define SKEIN_TRACE_FILE_H

#include "trace/packed.h"

#include <atomic>
#include <cstdint>

namespace skein {

inline constexpr char trace_file_magic[8] = {'S', 'k', 'e', 'i', 'n', 't', 'r', '2'};

/// One kernel thread writes a ring, and the recorder takes out what it has written.
struct TraceRing {
  std::atomic<uint64_t> written; // bytes so far; the one of number n is at n modulo the size
  std::atomic<uint64_t> lost;    // events for which there was no room
  int32_t worker;                // whose kernel thread writes; -1: no worker's
  uint32_t reserved[11];
  std::atomic<uint64_t> taken; // the recorder's; in a cache line of its own
  uint64_t reserved_too[7];
};
static_assert(sizeof(TraceRing) == 128);

struct TraceName {
  std::atomic<uint32_t> bytes; // 0: unused
  char text[60];               // without the end
};
static_assert(sizeof(TraceName) == 64);

enum class TraceClock : uint32_t { ticks, nanoseconds };

struct TraceFileHeader {
  char magic[8];
  uint32_t node, nodes;
  uint32_t process;
  uint32_t names_most;
  uint32_t rings_most;
  std::atomic<uint32_t> rings; // in use
  uint64_t ring_bytes;         // a power of two
  uint64_t names_at, rings_at, chunks_at;
  uint64_t wall_ns; // the time of day when it began
  char host[40];    // boot id: on nodes with the same, CLOCK_MONOTONIC is one clock
  TraceClock clock;
  uint32_t classes;               // from the start
  std::atomic<uint32_t> finished; // 1: the node has ended, and everything is in chunks
  uint32_t reserved;
  std::atomic<uint64_t> homeless;  // events of kernel threads for which there was no ring
  std::atomic<uint64_t> discarded; // events taken out of rings for which the file had no room
  std::atomic<uint64_t> unnamed;   // events whose names, functions or texts did not fit in
  char program[256];
};
inline constexpr size_t trace_header_bytes = 4096;
static_assert(sizeof(TraceFileHeader) <= trace_header_bytes);

struct TraceChunk {
  uint32_t magic; // trace_chunk_magic
  uint32_t type;  // TraceChunkType
  uint32_t bytes; // of data, which follows; chunks are 8-aligned
  uint32_t ring;  // of records
  uint64_t first; // of records: the number of their first byte
  uint64_t reserved;
};
static_assert(sizeof(TraceChunk) == 32);
inline constexpr uint32_t trace_chunk_magic = 0x4b4e4843; // "CHNK"

enum class TraceChunkType : uint32_t {
  records = 1,
  clock, // a TraceClockPoint
  text,  // a TraceText and its characters
};
/// Two clocks, read together.
struct TraceClockPoint {
  uint64_t time;     // of records
  uint64_t ns;       // CLOCK_MONOTONIC, somewhere
  uint64_t error_ns; // at most so far from it
};
enum class TraceTextKind : uint64_t { function, text };
struct TraceText {
  TraceTextKind kind;
  uint64_t key; // what the records have
};

} // namespace skein

#endif
