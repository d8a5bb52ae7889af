// Merging the files of a run's nodes; see folder.h.
#include "launch/traces/folder.h"
#include "launch/traces/node_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <queue>

namespace skein::traces {

namespace {

/// Reads the events of one ring in order.
class RingReader {
public:
  RingReader(const NodeFile &file, const NodeInfo &info, const RingRecords &ring)
      : file_(file), info_(info), worker_(ring.worker), records_(file.reader(ring)) {}

  /// False at the end.
  bool step() {
    TraceRecord record;
    if (!records_.next(record))
      return false;
    fill(record);
    return true;
  }
  const Event &event() const { return event_; }

private:
  void fill(const TraceRecord &record) {
    const int64_t here = file_.ns(record.time);
    event_ = {here + info_.offset_ns + static_cast<int64_t>(info_.drift * static_cast<double>(here)),
              record.thread,
              record.a,
              record.b,
              record.c,
              static_cast<TraceEvent>(record.event),
              static_cast<uint16_t>(info_.node),
              static_cast<int16_t>(worker_)};
  }

  const NodeFile &file_;
  const NodeInfo &info_;
  int worker_;
  RecordReader records_;
  Event event_ = {};
};

/// At `here` on a node's clock, node 0's was ahead of it by at least `least` and at most `most`.
struct Bounds {
  double here, least, most;
};

/// Calls take(record) for each record of the file.
template <class Take> void each_record(const NodeFile &file, Take &&take) {
  TraceRecord record;
  for (const RingRecords &ring : file.rings())
    for (RecordReader records = file.reader(ring); records.next(record);)
      take(record);
}

/// What is known of the distance of two clocks: an answer of node 0 was given between question and answer, and a thread
/// arrives after it has left.
std::vector<Bounds> compare(const NodeFile &zero, const NodeFile &other) {
  std::vector<Bounds> all;
  std::map<std::pair<uint64_t, uint32_t>, double> left, came; // by thread and hop, on node 0's clock
  const double none = std::numeric_limits<double>::infinity();
  each_record(zero, [&](const TraceRecord &record) {
    const auto event = static_cast<TraceEvent>(record.event);
    if (event == TraceEvent::departs && record.c == other.header().node)
      left[{record.thread, record.b}] = static_cast<double>(zero.ns(record.time));
    if (event == TraceEvent::arrives && record.c == other.header().node)
      came[{record.thread, record.b}] = static_cast<double>(zero.ns(record.time));
  });
  each_record(other, [&](const TraceRecord &record) {
    const auto here = static_cast<double>(other.ns(record.time));
    const std::pair<uint64_t, uint32_t> key = {record.thread, record.b};
    const auto event = static_cast<TraceEvent>(record.event);
    if (event == TraceEvent::clock) {
      const auto asked = static_cast<double>(record.a), there = static_cast<double>(record.thread);
      all.push_back({asked + record.b / 2.0, there - (asked + record.b), there - asked});
    } else if (const auto begin = left.find(key); event == TraceEvent::arrives && begin != left.end()) {
      all.push_back({here, begin->second - here, none});
    } else if (const auto end = came.find(key); event == TraceEvent::departs && end != came.end()) {
      all.push_back({here, -none, end->second - here});
    }
  });
  return all;
}

/// A line for the distance of two clocks: offset + drift * (here - at), right to `error`.
struct Line {
  double at, offset, drift, error;
};

/// The line that keeps all bounds with the greatest distance from them. How far bounds allow lines of one slope to be
/// moved is a concave function of the slope, so its maximum is found by narrowing.
Line line_within(const std::vector<Bounds> &bounds) {
  Line line = {bounds[0].here, 0, 0, 0};
  const auto room = [&](double drift, double &middle) {
    double least = -std::numeric_limits<double>::infinity(), most = -least;
    for (const Bounds &bound : bounds) {
      const double moved = drift * (bound.here - line.at);
      least = std::max(least, bound.least - moved);
      most = std::min(most, bound.most - moved);
    }
    middle = (least + most) / 2;
    return most - least;
  };
  double from = -1e-3, to = 1e-3; // clocks that differ more are broken
  for (int i = 0; i < 100; i++) {
    const double a = from + (to - from) / 3, b = to - (to - from) / 3;
    double middle;
    (room(a, middle) < room(b, middle) ? from : to) = room(a, middle) < room(b, middle) ? a : b;
  }
  line.drift = (from + to) / 2;
  line.error = std::abs(room(line.drift, line.offset)) / 2;
  return line;
}

class FolderRecording : public Recording {
public:
  explicit FolderRecording(const std::string &path) {
    namespace fs = std::filesystem;
    for (const auto &entry : fs::directory_iterator(path))
      if (entry.path().filename().string().rfind("node-", 0) == 0)
        files_.push_back(std::make_unique<NodeFile>(entry.path()));
    if (files_.empty())
      throw path + " holds no recording (files node-0, …)";
    std::sort(files_.begin(), files_.end(),
              [](const auto &a, const auto &b) { return a->header().node < b->header().node; });
    nodes_of_run_ = static_cast<int>(files_[0]->header().nodes);
    for (const auto &file : files_) {
      if (file->header().nodes != files_[0]->header().nodes)
        throw path + " holds recordings of different runs";
      file->add_texts(texts_);
      nodes_.push_back(info_of(*file));
    }
    for (size_t i = 0; i < files_.size(); i++)
      for (const RingRecords &ring : files_[i]->rings())
        readers_.emplace_back(*files_[i], nodes_[i], ring);
    for (size_t i = 0; i < readers_.size(); i++)
      if (readers_[i].step())
        queue_.push({readers_[i].event().ns, i});
  }

  bool next(Event &event) override {
    do {
      if (queue_.empty())
        return false;
      const size_t reader = queue_.top().second;
      queue_.pop();
      event = readers_[reader].event();
      if (readers_[reader].step())
        queue_.push({readers_[reader].event().ns, reader});
    } while (event.event == TraceEvent::clock); // it has served its purpose
    return true;
  }

private:
  NodeInfo info_of(const NodeFile &file) const {
    const TraceFileHeader &header = file.header();
    NodeInfo info;
    info.node = static_cast<int>(header.node);
    info.process = header.process;
    info.finished = header.finished.load() != 0;
    info.discarded = header.discarded.load() + file.unreadable();
    info.unnamed = header.unnamed.load();
    info.lost = header.homeless.load();
    for (const RingRecords &ring : file.rings())
      info.lost += ring.lost;
    info.program = header.program;
    info.host = header.host;
    info.error_ns = file.error_ns();
    const TraceFileHeader &first = files_[0]->header();
    info.same_clock = header.node == 0 || (first.node == 0 && info.host == first.host && !info.host.empty());
    if (!info.same_clock)
      compare_clocks(file, info);
    return info;
  }

  void compare_clocks(const NodeFile &file, NodeInfo &info) const {
    const std::vector<Bounds> bounds = compare(*files_[0], file);
    const bool answered = std::any_of(bounds.begin(), bounds.end(), [](const Bounds &bound) {
      return std::isfinite(bound.least) && std::isfinite(bound.most);
    });
    if (files_[0]->header().node != 0 || !answered)
      throw "node " + std::to_string(info.node) +
          " ran on another host than node 0, and no clocks were compared: its events cannot be put in order";
    const Line line = line_within(bounds);
    info.drift = line.drift;
    info.offset_ns = static_cast<int64_t>(line.offset - line.drift * line.at);
    info.error_ns += static_cast<int64_t>(line.error);
  }

  using Due = std::pair<int64_t, size_t>; // when, which reader; of two at the same time the first ring is first
  std::vector<std::unique_ptr<NodeFile>> files_;
  std::vector<RingReader> readers_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
};

} // namespace

std::unique_ptr<Recording> open_folder(const std::string &path) { return std::make_unique<FolderRecording>(path); }

} // namespace skein::traces
