// The file of one node (trace/file.h), mapped.
#ifndef SKEIN_LAUNCH_TRACES_NODE_FILE_H
#define SKEIN_LAUNCH_TRACES_NODE_FILE_H

#include "launch/traces/recording.h"
#include "trace/file.h"

namespace skein::traces {

/// A run of words of one ring.
struct Segment {
  const uint64_t *words;
  uint64_t first, count; // numbers of words
};
struct RingRecords {
  int worker;
  std::vector<Segment> segments; // each begins where the one before it ends
  uint64_t lost;
};

/// Reads the records of one ring in order.
class RecordReader {
public:
  RecordReader(const RingRecords &ring, uint64_t half) : ring_(&ring), half_(half) {}
  /// False at the end. Throws a std::string if there are words that are no record.
  bool next(TraceRecord &record);

private:
  const RingRecords *ring_;
  uint64_t half_; // of the ring, in words
  size_t segment_ = 0;
  uint64_t index_ = 0; // in the segment
  TracePacking packing_;
};

class NodeFile {
public:
  /// Throws a std::string.
  explicit NodeFile(const std::string &path);
  NodeFile(const NodeFile &) = delete;
  ~NodeFile();

  const TraceFileHeader &header() const { return *header_; }
  const std::vector<RingRecords> &rings() const { return rings_; }
  RecordReader reader(const RingRecords &ring) const { return {ring, header_->ring_bytes / sizeof(uint64_t) / 2}; }
  /// Records that nobody can read, since the file had no room for what came before them.
  uint64_t unreadable() const { return unreadable_; }
  /// The node's clock in nanoseconds at that time of a record.
  int64_t ns(uint64_t time) const;
  /// How far that may be from the truth.
  int64_t error_ns() const { return error_ns_; }
  void add_texts(Texts &texts) const;

private:
  const std::byte *at(uint64_t offset, uint64_t bytes) const;
  void read_chunks();
  void read_rings();
  void read_ring(size_t index);
  void read_chunk(const TraceChunk &chunk, const std::byte *data);

  std::string path_;
  const std::byte *memory_ = nullptr;
  uint64_t bytes_ = 0;
  const TraceFileHeader *header_ = nullptr;
  std::vector<RingRecords> rings_;
  std::vector<TraceClockPoint> clock_;
  std::vector<std::pair<TraceText, std::string>> texts_;
  int64_t error_ns_ = 0;
  uint64_t unreadable_ = 0;
};

} // namespace skein::traces

#endif
