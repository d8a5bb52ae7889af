// Writing and reading Perfetto's format; see perfetto.h. The numbers of fields are those of
// protos/perfetto/trace/trace_packet.proto and its kin; test/trace checks them against the published message types.
#include "launch/traces/perfetto.h"
#include "launch/traces/protobuf.h"
#include "launch/traces/timeline.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skein::traces {

namespace {

namespace trace {
constexpr unsigned packet = 1;
}
namespace packet {
constexpr unsigned timestamp = 8, sequence = 10, track_event = 11, interned = 12, sequence_flags = 13, descriptor = 60,
                   skein = 7000; // unknown to Perfetto
constexpr uint64_t state_cleared = 1, needs_state = 2;
} // namespace packet
namespace descriptor {
constexpr unsigned uuid = 1, name = 2, process = 3, parent = 5, counter = 8;
}
namespace process {
constexpr unsigned pid = 1, name = 6;
}
namespace track_event {
constexpr unsigned categories = 3, annotation = 4, type = 9, name = 10, track = 11, counter_value = 30, flow = 47,
                   terminating_flow = 48;
constexpr uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
} // namespace track_event
namespace interned {
constexpr unsigned categories = 1, names = 2, annotation_names = 3;
constexpr unsigned iid = 1, name = 2;
} // namespace interned
namespace annotation {
constexpr unsigned name = 1, text = 6;
}

/// Our own fields, in packet::skein.
namespace own {
constexpr unsigned nodes_of_run = 1, node = 2, text = 3, events = 4;
namespace of_node {
constexpr unsigned number = 1, pid = 2, finished = 3, same_clock = 4, offset = 5, drift = 6, error = 7, lost = 8,
                   discarded = 9, unnamed = 10, program = 11, host = 12;
}
namespace of_text {
constexpr unsigned node = 1, kind = 2, key = 3, text = 4;
}
} // namespace own

/// An event in own::events: these bytes one after the other.
struct PackedEvent {
  int64_t ns;
  uint64_t thread, a;
  uint32_t b;
  uint16_t c, event, node;
  int16_t worker;
  uint32_t reserved;
};
static_assert(sizeof(PackedEvent) == 40);

class PerfettoWriter : public TimelineWriter {
public:
  PerfettoWriter(const Recording &recording, const std::string &path) : file_(path) {
    Message first;
    first.number(packet::sequence, 1);
    first.number(packet::sequence_flags, packet::state_cleared);
    put(first);
    Message own;
    own.number(own::nodes_of_run, static_cast<uint64_t>(recording.nodes_of_run()));
    for (const NodeInfo &info : recording.nodes())
      own.message(own::node, packed(info));
    for (const auto &[key, text] : recording.texts()) {
      Message entry;
      entry.number(own::of_text::node, static_cast<uint64_t>(std::get<0>(key)));
      entry.number(own::of_text::kind, static_cast<uint64_t>(std::get<1>(key)));
      entry.number(own::of_text::key, std::get<2>(key));
      entry.text(own::of_text::text, text);
      own.message(own::text, entry);
    }
    put_own(own);
  }

  void declare(const Track &track) override {
    Message message, what;
    message.number(descriptor::uuid, track.id);
    message.text(descriptor::name, track.name);
    if (track.parent)
      message.number(descriptor::parent, track.parent);
    if (track.kind == Track::Kind::node) {
      // Nodes of different hosts may have processes of the same number, and Perfetto takes those for one.
      what.number(process::pid, static_cast<uint64_t>(track.node) << 22 | (track.process & 0x3fffff));
      what.text(process::name, track.name);
      message.message(descriptor::process, what);
    }
    if (track.kind == Track::Kind::counter)
      message.message(descriptor::counter, what);
    Message whole;
    whole.number(packet::sequence, 1);
    whole.message(packet::descriptor, message);
    put(whole);
  }

  void begin(uint64_t track, int64_t ns, const std::string &name, const char *category, const std::string &details,
             Flow flow) override {
    happened(track_event::slice_begin, track, ns, name, category, details, flow);
  }
  void end(uint64_t track, int64_t ns) override {
    Message event;
    event.number(track_event::type, track_event::slice_end);
    event.number(track_event::track, track);
    put_event(ns, event);
  }
  void instant(uint64_t track, int64_t ns, const std::string &name, const char *category, const std::string &details,
               Flow flow) override {
    happened(track_event::instant, track, ns, name, category, details, flow);
  }
  void counter(uint64_t track, int64_t ns, int64_t value) override {
    Message event;
    event.number(track_event::type, track_event::counter);
    event.number(track_event::track, track);
    event.number(track_event::counter_value, static_cast<uint64_t>(value));
    put_event(ns, event);
  }

  void event(const Event &event) override {
    const PackedEvent packed = {event.ns,   event.thread, event.a, event.b, event.c, static_cast<uint16_t>(event.event),
                                event.node, event.worker, 0};
    events_.append(reinterpret_cast<const char *>(&packed), sizeof packed);
    if (events_.size() >= 1000 * sizeof packed)
      put_events();
  }

  void finish() override {
    put_events();
    file_.finish();
  }

private:
  static Message packed(const NodeInfo &info) {
    using namespace own::of_node;
    Message message;
    message.number(number, static_cast<uint64_t>(info.node));
    message.number(pid, info.process);
    message.number(finished, info.finished);
    message.number(same_clock, info.same_clock);
    message.number(offset, static_cast<uint64_t>(info.offset_ns));
    message.real(drift, info.drift);
    message.number(error, static_cast<uint64_t>(info.error_ns));
    message.number(lost, info.lost);
    message.number(discarded, info.discarded);
    message.number(unnamed, info.unnamed);
    message.text(program, info.program);
    message.text(host, info.host);
    return message;
  }

  void put(const Message &message) {
    Message whole;
    whole.message(trace::packet, message);
    file_.write(whole.bytes());
  }
  void put_own(const Message &own) {
    Message message;
    message.message(packet::skein, own);
    put(message);
  }
  void put_events() {
    if (events_.empty())
      return;
    Message own;
    own.text(own::events, events_);
    put_own(own);
    events_.clear();
  }
  void put_event(int64_t ns, const Message &event) {
    Message message;
    message.number(packet::timestamp, static_cast<uint64_t>(ns));
    message.number(packet::sequence, 1);
    message.number(packet::sequence_flags, packet::needs_state);
    if (!fresh_.bytes().empty())
      message.message(packet::interned, fresh_);
    fresh_.clear();
    message.message(packet::track_event, event);
    put(message);
  }

  void happened(uint64_t type, uint64_t track, int64_t ns, const std::string &name, const char *category,
                const std::string &details, Flow flow) {
    Message event;
    event.number(track_event::type, type);
    event.number(track_event::track, track);
    event.number(track_event::name, number_of(interned::names, name));
    event.number(track_event::categories, number_of(interned::categories, category));
    if (!details.empty()) {
      Message note;
      note.number(annotation::name, number_of(interned::annotation_names, "details"));
      note.text(annotation::text, details);
      event.message(track_event::annotation, note);
    }
    if (flow.id)
      event.fixed(flow.ends ? track_event::terminating_flow : track_event::flow, flow.id);
    put_event(ns, event);
  }

  /// A text that is used again and again is in the file once, and has a number.
  uint64_t number_of(unsigned kind, const std::string &text) {
    const auto [found, is_new] = numbers_.try_emplace({kind, text}, numbers_.size() + 1);
    if (is_new) {
      Message entry;
      entry.number(interned::iid, found->second);
      entry.text(interned::name, text);
      fresh_.message(kind, entry);
    }
    return found->second;
  }

  NewFile file_;
  std::map<std::pair<unsigned, std::string>, uint64_t> numbers_;
  Message fresh_; // texts that the next packet brings along
  std::string events_;
};

class PerfettoRecording : public Recording {
public:
  explicit PerfettoRecording(const std::string &path) : path_(path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat what;
    if (file < 0 || fstat(file, &what) != 0)
      throw "cannot read " + path + ": " + strerror(errno);
    const auto bytes = static_cast<size_t>(what.st_size);
    void *memory = bytes ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (memory == MAP_FAILED)
      throw path + " is no trace: it is empty, or cannot be mapped";
    whole_ = {static_cast<const char *>(memory), bytes};
    packets_ = Fields(whole_);
    // What describes the run comes before all events.
    while (events_.empty() && next_own())
      ;
    if (nodes_.empty())
      throw path + " is no trace that `skein run --trace` or `skein trace` wrote";
  }
  ~PerfettoRecording() override { munmap(const_cast<char *>(whole_.data()), whole_.size()); }

  bool next(Event &event) override {
    while (events_.empty())
      if (!next_own())
        return false;
    PackedEvent packed;
    if (events_.size() < sizeof packed)
      throw path_ + ": it is damaged: an event is cut off";
    memcpy(&packed, events_.data(), sizeof packed);
    events_.remove_prefix(sizeof packed);
    if (packed.event >= trace_event_count)
      throw path_ + ": it is damaged, or of a newer version: there is no event " + std::to_string(packed.event);
    event = {packed.ns,   packed.thread, packed.a, packed.b, packed.c, static_cast<TraceEvent>(packed.event),
             packed.node, packed.worker};
    return true;
  }

private:
  /// Reads the next packet of ours. False at the end.
  bool next_own() {
    try {
      while (packets_.next()) {
        Fields fields(packets_.text());
        bool found = false;
        while (packets_.number() == trace::packet && fields.next())
          if (fields.number() == packet::skein) {
            take_own(fields.text());
            found = true;
          }
        if (found)
          return true;
      }
    } catch (const std::string &why) {
      throw path_ + ": " + why;
    }
    return false;
  }

  void take_own(std::string_view message) {
    for (Fields fields(message); fields.next();)
      switch (fields.number()) {
      case own::nodes_of_run:
        nodes_of_run_ = static_cast<int>(fields.value());
        break;
      case own::node:
        nodes_.push_back(node_of(fields.text()));
        break;
      case own::text:
        take_text(fields.text());
        break;
      case own::events:
        events_ = fields.text();
        break;
      }
  }

  static NodeInfo node_of(std::string_view message) {
    using namespace own::of_node;
    NodeInfo info;
    for (Fields fields(message); fields.next();)
      switch (fields.number()) {
      case number:
        info.node = static_cast<int>(fields.value());
        break;
      case pid:
        info.process = static_cast<uint32_t>(fields.value());
        break;
      case finished:
        info.finished = fields.value() != 0;
        break;
      case same_clock:
        info.same_clock = fields.value() != 0;
        break;
      case offset:
        info.offset_ns = static_cast<int64_t>(fields.value());
        break;
      case drift:
        info.drift = fields.real();
        break;
      case error:
        info.error_ns = static_cast<int64_t>(fields.value());
        break;
      case lost:
        info.lost = fields.value();
        break;
      case discarded:
        info.discarded = fields.value();
        break;
      case unnamed:
        info.unnamed = fields.value();
        break;
      case program:
        info.program = fields.text();
        break;
      case host:
        info.host = fields.text();
        break;
      }
    return info;
  }

  void take_text(std::string_view message) {
    uint64_t values[4] = {};
    std::string text;
    for (Fields fields(message); fields.next();)
      if (fields.number() == own::of_text::text)
        text = fields.text();
      else if (fields.number() < 4)
        values[fields.number()] = fields.value();
    texts_[{static_cast<int>(values[own::of_text::node]), static_cast<TextKind>(values[own::of_text::kind]),
            values[own::of_text::key]}] = text;
  }

  std::string path_;
  std::string_view whole_, events_;
  Fields packets_{""};
};

} // namespace

void write_perfetto(Recording &recording, const std::string &path) {
  PerfettoWriter writer(recording, path);
  write_timeline(recording, writer);
}

std::unique_ptr<Recording> open_perfetto(const std::string &path) { return std::make_unique<PerfettoRecording>(path); }

} // namespace skein::traces
