// What each event means for the tracks; see timeline.h.
#include "launch/traces/timeline.h"
#include "net/wire/messages.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <unistd.h>
#include <unordered_map>

namespace skein::traces {

namespace {

constexpr uint64_t hash(uint64_t a, uint64_t b) {
  uint64_t mixed = (a + 0x9e3779b97f4a7c15) ^ (b * 0xbf58476d1ce4e5b9);
  mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111eb;
  return (mixed ^ mixed >> 29) | 1; // 0 is no track and no flow
}

constexpr char ready_name[] = "ready";

class Timeline {
public:
  Timeline(Recording &recording, TimelineWriter &writer) : recording_(recording), writer_(writer) {}

  void run() {
    for (const NodeInfo &info : recording_.nodes())
      writer_.declare(
          {Track::Kind::node, node_track(info.node), 0, info.node, info.process, "node " + std::to_string(info.node)});
    Event event;
    while (recording_.next(event)) {
      writer_.event(event);
      last_ = event.ns;
      take(event);
    }
    for (auto &[track, open] : open_)
      for (; open; open--)
        writer_.end(track, last_);
    writer_.finish();
  }

private:
  struct Thread {
    uint64_t track = 0; // 0: not declared
    bool has_state = false, is_ready = false;
    uint64_t on = 0; // the worker track on which it has an interval
  };

  static uint64_t node_track(int node) { return hash(1, static_cast<uint64_t>(node)); }

  uint64_t declared(Track::Kind kind, uint64_t id, uint64_t parent, int node, const std::string &name) {
    if (declared_.insert(id).second)
      writer_.declare({kind, id, parent, node, kind == Track::Kind::thread ? 0 : recording_.node(node).process, name});
    return id;
  }

  uint64_t worker_track(const Event &event) {
    return declared(Track::Kind::worker, hash(2, uint64_t{event.node} << 16 | static_cast<uint16_t>(event.worker)),
                    node_track(event.node), event.node,
                    event.worker < 0 ? "outside of workers" : "worker " + std::to_string(event.worker));
  }

  Thread &thread_of(const Event &event, const std::string &function = "") {
    Thread &thread = threads_[event.thread];
    if (!thread.track) {
      thread.track = hash(3, event.thread);
      const std::string name = "thread " + thread_text(event.thread);
      declared(Track::Kind::thread, thread.track, 0, 0, function.empty() ? name : name + " " + function);
    }
    return thread;
  }

  uint64_t part_of(const Event &event, const char *what) {
    const Thread &thread = thread_of(event);
    return declared(Track::Kind::part, hash(thread.track, hash(4, static_cast<unsigned char>(what[0]))), thread.track,
                    0, what);
  }

  void begin(uint64_t track, const Event &event, const std::string &name, const std::string &details = "",
             Flow flow = {}) {
    open_[track]++;
    writer_.begin(track, event.ns, name, class_of(event), details, flow);
  }
  void end(uint64_t track, const Event &event) {
    unsigned &open = open_[track];
    if (!open) // it began before recording did, or was lost
      return;
    open--;
    writer_.end(track, event.ns);
  }
  static const char *class_of(const Event &event) {
    return trace_event_table[static_cast<size_t>(event.event)].class_name;
  }
  void instant(uint64_t track, const Event &event, Flow flow = {}) {
    writer_.instant(track, event.ns, trace_event_table[static_cast<size_t>(event.event)].name, class_of(event),
                    words_text(recording_, event), flow);
  }

  void state(Thread &thread, const Event &event, const std::string &name, const std::string &details = "",
             Flow flow = {}) {
    const bool ready = name == ready_name;
    if (ready && thread.is_ready && !flow.id)
      return; // the queue says so, too
    if (thread.has_state)
      end(thread.track, event);
    thread.has_state = !name.empty();
    thread.is_ready = ready;
    if (thread.has_state)
      begin(thread.track, event, name, details, flow);
  }

  /// The worker runs this thread no more.
  void leaves_worker(Thread &thread, const Event &event) {
    if (thread.on && runs_[thread.on] == event.thread) {
      end(thread.on, event);
      runs_[thread.on] = 0;
    }
    thread.on = 0;
  }

  void runs(const Event &event) {
    const std::string function = word_text(recording_, event, 0);
    Thread &thread = thread_of(event, function);
    const uint64_t worker = worker_track(event);
    if (thread.on == worker && runs_[worker] == event.thread)
      return state(thread, event, place(event)); // it has yielded, and no other was there
    leaves_worker(thread, event);
    if (uint64_t &before = runs_[worker]) { // it has yielded
      end(worker, event);
      Thread &other = threads_[before];
      other.on = 0;
      state(other, event, ready_name);
    }
    runs_[worker] = event.thread;
    thread.on = worker;
    begin(worker, event, function, "thread " + thread_text(event.thread));
    state(thread, event, place(event));
  }

  static std::string place(const Event &event) {
    return "runs on node " + std::to_string(event.node) + ", worker " + std::to_string(event.worker);
  }

  /// The numbers of messages go round, so a flow has another one each time.
  Flow message_flow(const Event &event, bool ends) {
    const uint64_t from = ends ? event.c : event.node, to = ends ? event.node : event.c, number = event.b & 0xffff;
    uint64_t &round = rounds_[from << 40 | to << 20 | number];
    if (!ends)
      round++;
    return {hash(hash(5, round), from << 40 | to << 20 | number), ends};
  }

  void counter(const Event &event, const std::string &name, int64_t value) {
    writer_.counter(declared(Track::Kind::counter, hash(hash(6, event.node), std::hash<std::string>()(name)),
                             node_track(event.node), event.node, name),
                    event.ns, value);
  }

  void sample(const Event &event) {
    const std::string name = word_text(recording_, event, 2);
    auto value = static_cast<int64_t>(event.a);
    if (event.c == static_cast<uint16_t>(TraceLoad::cpu_us)) {
      // In percent of a core, over the time since the last sample.
      auto &[when, used] = cpu_[event.node];
      const int64_t passed = event.ns - when, more = value - used;
      const bool first = when == 0;
      when = event.ns;
      used = value;
      if (first || passed <= 0)
        return;
      return counter(event, "CPU time (% of a core)", more * 100'000 / passed);
    }
    counter(event, name, value);
  }

  void take(const Event &event) {
    switch (event.event) {
    case TraceEvent::none:
    case TraceEvent::clock:
    case TraceEvent::unqueued:
      return;
    case TraceEvent::created:
      return state(thread_of(event, word_text(recording_, event, 0)), event, ready_name);
    case TraceEvent::runs:
      return runs(event);
    case TraceEvent::blocks: {
      Thread &thread = thread_of(event);
      leaves_worker(thread, event);
      return state(thread, event, word_text(recording_, event, 1),
                   event.a ? "object " + word_text(recording_, event, 0) : "");
    }
    case TraceEvent::yields:
      return;
    case TraceEvent::ends: {
      Thread &thread = thread_of(event);
      leaves_worker(thread, event);
      return state(thread, event, "");
    }
    case TraceEvent::idle: {
      const uint64_t worker = worker_track(event);
      if (runs_[worker])
        end(worker, event);
      runs_[worker] = 0;
      return;
    }
    case TraceEvent::queued:
      return state(thread_of(event), event, ready_name);
    case TraceEvent::sends:
    case TraceEvent::receives:
      return begin(part_of(event, "channels"), event, event.event == TraceEvent::sends ? "send" : "receive",
                   words_text(recording_, event));
    case TraceEvent::selects:
      return begin(part_of(event, "channels"), event, "alternative", words_text(recording_, event));
    case TraceEvent::sent:
    case TraceEvent::received:
    case TraceEvent::selected:
      return end(part_of(event, "channels"), event);
    case TraceEvent::departs: {
      Thread &thread = thread_of(event);
      leaves_worker(thread, event);
      return state(thread, event, "moves to node " + std::to_string(event.c), words_text(recording_, event),
                   {hash(event.thread, event.b), false});
    }
    case TraceEvent::arrives:
      return state(thread_of(event), event, ready_name, words_text(recording_, event),
                   {hash(event.thread, event.b), true});
    case TraceEvent::stays:
    case TraceEvent::access:
    case TraceEvent::page_fault:
    case TraceEvent::pages_came:
    case TraceEvent::complete:
      return instant(part_of(event, "what happened"), event);
    case TraceEvent::awaits:
      return begin(part_of(event, "locks"), event, word_text(recording_, event, 1), words_text(recording_, event));
    case TraceEvent::gets:
      return end(part_of(event, "locks"), event);
    case TraceEvent::rehomed:
      return instant(worker_track(event), event);
    case TraceEvent::message_sent:
      return instant(worker_track(event), event, message_flow(event, false));
    case TraceEvent::message_received:
      return instant(worker_track(event), event, message_flow(event, true));
    case TraceEvent::mark:
      return writer_.instant(event.thread ? part_of(event, "program") : worker_track(event), event.ns,
                             word_text(recording_, event, 1), class_of(event),
                             "value " + word_text(recording_, event, 0));
    case TraceEvent::begin:
      return begin(event.thread ? part_of(event, "program") : worker_track(event), event,
                   word_text(recording_, event, 1), "value " + word_text(recording_, event, 0));
    case TraceEvent::end:
      return end(event.thread ? part_of(event, "program") : worker_track(event), event);
    case TraceEvent::counter:
      return counter(event, word_text(recording_, event, 1), static_cast<int64_t>(event.a));
    case TraceEvent::sample:
      return sample(event);
    case TraceEvent::lost:
      return instant(worker_track(event), event);
    }
  }

  Recording &recording_;
  TimelineWriter &writer_;
  std::set<uint64_t> declared_;
  std::unordered_map<uint64_t, Thread> threads_;
  std::unordered_map<uint64_t, uint64_t> runs_, rounds_; // which thread a worker track has; see message_flow
  std::map<uint64_t, unsigned> open_;                    // intervals of a track
  std::map<int, std::pair<int64_t, int64_t>> cpu_;
  int64_t last_ = 0;
};

} // namespace

void write_timeline(Recording &recording, TimelineWriter &writer) { Timeline(recording, writer).run(); }

NewFile::NewFile(const std::string &path) : path_(path), unfinished_(path + ".unfinished") {
  file_ = fopen(unfinished_.c_str(), "we");
  if (!file_)
    throw "cannot write " + unfinished_ + ": " + strerror(errno);
  setvbuf(file_, nullptr, _IOFBF, 1 << 20);
}

NewFile::~NewFile() {
  if (!file_)
    return;
  fclose(file_);
  unlink(unfinished_.c_str());
}

void NewFile::write(std::string_view text) { fwrite(text.data(), 1, text.size(), file_); }

void NewFile::finish() {
  const bool bad = ferror(file_) != 0;
  if (fclose(file_) != 0 || bad || rename(unfinished_.c_str(), path_.c_str()) != 0) {
    file_ = nullptr;
    unlink(unfinished_.c_str());
    throw "cannot write " + path_ + ": " + strerror(errno);
  }
  file_ = nullptr;
}

} // namespace skein::traces
