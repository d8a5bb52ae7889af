// Reading the file of one node. It may be cut off anywhere, and a ring may hold what a chunk has, too.
#include "launch/traces/node_file.h"
#include "os/linux/memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::traces {

namespace {
uint64_t end_of(const Segment &segment) { return segment.first + segment.count; }
} // namespace

bool RecordReader::next(TraceRecord &record) {
  while (segment_ < ring_->segments.size()) {
    const Segment &segment = ring_->segments[segment_];
    if (index_ >= segment.count) {
      segment_++;
      index_ = 0;
      continue;
    }
    const uint64_t *at = segment.words + index_;
    if (!packing_.unpack(at, segment.words + segment.count, record))
      throw "the recording is damaged: what a kernel thread wrote as word " + std::to_string(segment.first + index_) +
          " of its ring is no event";
    index_ = static_cast<uint64_t>(at - segment.words);
    if (record.event)
      return true;
    index_ = round_up(segment.first + index_, half_) - segment.first;
  }
  return false;
}

NodeFile::NodeFile(const std::string &path) : path_(path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat what;
  if (file < 0 || fstat(file, &what) != 0)
    throw "cannot read " + path + ": " + strerror(errno);
  bytes_ = static_cast<uint64_t>(what.st_size);
  void *memory = bytes_ ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED)
    throw path + " is no recording of Skein's: it is empty, or cannot be mapped";
  memory_ = static_cast<const std::byte *>(memory);
  header_ = reinterpret_cast<const TraceFileHeader *>(at(0, sizeof *header_));
  if (memcmp(header_->magic, trace_file_magic, sizeof header_->magic) != 0)
    throw path + " is no recording of Skein's, or one of another version";
  const uint64_t ring_bytes = header_->ring_bytes;
  if (header_->rings.load() > header_->rings_most || ring_bytes < 2 * sizeof(uint64_t) ||
      (ring_bytes & (ring_bytes - 1)) != 0 || ring_bytes > bytes_)
    throw path + " is damaged: its header contradicts itself";
  read_chunks();
  read_rings();
  if (clock_.empty())
    throw path + " is damaged: it does not say how long a tick is";
  for (const TraceClockPoint &point : clock_)
    error_ns_ = std::max(error_ns_, static_cast<int64_t>(point.error_ns));
}

NodeFile::~NodeFile() {
  if (memory_)
    munmap(const_cast<std::byte *>(memory_), bytes_);
}

const std::byte *NodeFile::at(uint64_t offset, uint64_t bytes) const {
  if (offset > bytes_ || bytes > bytes_ - offset)
    throw path_ + " is damaged: it has no byte " + std::to_string(offset) + " and following";
  return memory_ + offset;
}

void NodeFile::read_chunks() {
  rings_.resize(header_->rings.load());
  for (uint64_t offset = header_->chunks_at; offset + sizeof(TraceChunk) <= bytes_;) {
    const auto &chunk = *reinterpret_cast<const TraceChunk *>(at(offset, sizeof(TraceChunk)));
    offset += sizeof chunk;
    if (chunk.magic != trace_chunk_magic || chunk.bytes > bytes_ - offset)
      return; // cut off where the node was killed
    read_chunk(chunk, at(offset, chunk.bytes));
    offset += chunk.bytes;
  }
}

void NodeFile::read_chunk(const TraceChunk &chunk, const std::byte *data) {
  switch (static_cast<TraceChunkType>(chunk.type)) {
  case TraceChunkType::records:
    if (chunk.ring < rings_.size()) {
      std::vector<Segment> &segments = rings_[chunk.ring].segments;
      const uint64_t first = chunk.first / sizeof(uint64_t);
      if (first != (segments.empty() ? 0 : end_of(segments.back())))
        throw path_ + " is damaged: a chunk does not continue the one before it";
      segments.push_back({reinterpret_cast<const uint64_t *>(data), first, chunk.bytes / sizeof(uint64_t)});
    }
    return;
  case TraceChunkType::clock:
    if (chunk.bytes >= sizeof(TraceClockPoint))
      clock_.push_back(*reinterpret_cast<const TraceClockPoint *>(data));
    return;
  case TraceChunkType::text:
    if (chunk.bytes >= sizeof(TraceText)) {
      const auto *text = reinterpret_cast<const char *>(data + sizeof(TraceText));
      texts_.emplace_back(*reinterpret_cast<const TraceText *>(data),
                          std::string(text, strnlen(text, chunk.bytes - sizeof(TraceText))));
    }
    return;
  }
}

/// Adds what is still in the rings.
void NodeFile::read_rings() {
  for (size_t i = 0; i < rings_.size(); i++)
    read_ring(i);
}

void NodeFile::read_ring(size_t index) {
  const uint64_t bytes = sizeof(TraceRing) + header_->ring_bytes, size = header_->ring_bytes / sizeof(uint64_t);
  const std::byte *memory = at(header_->rings_at + index * bytes, bytes);
  const auto &ring = *reinterpret_cast<const TraceRing *>(memory);
  const auto *words = reinterpret_cast<const uint64_t *>(memory + sizeof(TraceRing));
  RingRecords &all = rings_[index];
  all.worker = ring.worker;
  all.lost = ring.lost.load();
  const uint64_t written = ring.written.load() / sizeof(uint64_t), taken = ring.taken.load() / sizeof(uint64_t);
  uint64_t next = all.segments.empty() ? 0 : end_of(all.segments.back());
  const bool continues = next >= taken; // otherwise the file was full
  next = std::max(next, taken);
  if (next > written || written - next > size)
    throw path_ + " is damaged: a ring holds more than it can";
  RingRecords rest = {};
  while (next < written) {
    const uint64_t count = std::min(written - next, size - next % size);
    (continues ? all : rest).segments.push_back({words + next % size, next, count});
    next += count;
  }
  TraceRecord record;
  for (RecordReader missing = reader(rest); missing.next(record);)
    unreadable_ += trace_is_event(record.event);
}

int64_t NodeFile::ns(uint64_t time) const {
  if (header_->clock == TraceClock::nanoseconds && clock_.size() == 1)
    return static_cast<int64_t>(time - clock_[0].time + clock_[0].ns);
  // The two points around it; outside of all, the first and the last, which are far from each other.
  const auto after = std::upper_bound(clock_.begin(), clock_.end(), time,
                                      [](uint64_t value, const TraceClockPoint &point) { return value < point.time; });
  const bool outside = after == clock_.begin() || after == clock_.end();
  const TraceClockPoint &a = outside ? clock_.front() : after[-1], &b = outside ? clock_.back() : *after;
  const auto ticks = static_cast<int64_t>(b.time - a.time);
  const double slope = ticks > 0 ? static_cast<double>(b.ns - a.ns) / static_cast<double>(ticks) : 1;
  const TraceClockPoint &near = after == clock_.end() ? b : a;
  return static_cast<int64_t>(near.ns) +
         static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(time - near.time)) * slope);
}

void NodeFile::add_texts(Texts &texts) const {
  const int node = static_cast<int>(header_->node);
  for (const auto &[what, text] : texts_)
    texts[{node, what.kind == TraceTextKind::function ? TextKind::function : TextKind::text, what.key}] = text;
  const uint64_t most = header_->names_most;
  const auto *names = reinterpret_cast<const TraceName *>(at(header_->names_at, most * sizeof(TraceName)));
  for (uint64_t i = 0; i < most; i++)
    if (const uint32_t bytes = names[i].bytes.load(); bytes && bytes <= sizeof names[i].text)
      texts[{node, TextKind::name, i}] = std::string(names[i].text, bytes);
}

} // namespace skein::traces
