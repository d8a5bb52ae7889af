// The file of one node (trace/file.h), mapped.
#ifndef SKEIN_LAUNCH_TRACES_NODE_FILE_H
#define SKEIN_LAUNCH_TRACES_NODE_FILE_H

#include "launch/traces/recording.h"
#include "trace/file.h"

namespace skein::traces {

/// A run of records of one ring, in order of time.
struct Segment {
  const TraceRecord *records;
  uint64_t first, count; // numbers of records
  uint64_t lost;         // so many were lost before the next segment, since the ring began
};
struct RingRecords {
  int worker;
  std::vector<Segment> segments;
  uint64_t lost;
};

class NodeFile {
public:
  /// Throws a std::string.
  explicit NodeFile(const std::string &path);
  NodeFile(const NodeFile &) = delete;
  ~NodeFile();

  const TraceFileHeader &header() const { return *header_; }
  const std::vector<RingRecords> &rings() const { return rings_; }
  /// The node's clock in nanoseconds at that time of a record.
  int64_t ns(uint64_t time) const;
  /// How far that may be from the truth.
  int64_t error_ns() const { return error_ns_; }
  void add_texts(Texts &texts) const;

private:
  const std::byte *at(uint64_t offset, uint64_t bytes) const;
  void read_chunks();
  void read_rings();
  void read_chunk(const TraceChunk &chunk, const std::byte *data);

  std::string path_;
  const std::byte *memory_ = nullptr;
  uint64_t bytes_ = 0;
  const TraceFileHeader *header_ = nullptr;
  std::vector<RingRecords> rings_;
  std::vector<TraceClockPoint> clock_;
  std::vector<std::pair<TraceText, std::string>> texts_;
  int64_t error_ns_ = 0;
};

} // namespace skein::traces

#endif
