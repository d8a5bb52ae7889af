// Writing Chrome's trace event format; see chrome.h. A node is a process, each worker a thread of it; Skein's threads
// are threads of a process of their own, which is none of the nodes.
#include "launch/traces/chrome.h"
#include "launch/traces/json_string.h"
#include "launch/traces/timeline.h"

#include <map>

namespace skein::traces {

namespace {

class ChromeWriter : public TimelineWriter {
public:
  ChromeWriter(const Recording &recording, const std::string &path)
      : file_(path), threads_process_(recording.nodes_of_run()) {
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    name("process_name", threads_process_, 0, "threads");
  }

  void declare(const Track &track) override {
    Place &place = places_[track.id];
    place.process =
        track.kind == Track::Kind::node || track.kind == Track::Kind::worker || track.kind == Track::Kind::counter
            ? track.node
            : threads_process_;
    place.row = static_cast<int>(places_.size());
    if (track.kind == Track::Kind::node)
      return name("process_name", place.process, 0, track.name);
    if (track.kind == Track::Kind::counter) {
      place.name = track.name;
      return;
    }
    const auto parent = names_.find(track.parent);
    const std::string whole =
        track.kind == Track::Kind::part && parent != names_.end() ? parent->second + ": " + track.name : track.name;
    names_[track.id] = whole;
    name("thread_name", place.process, place.row, whole);
  }

  void begin(uint64_t track, int64_t ns, const std::string &name, const char *category, const std::string &details,
             Flow flow) override {
    put('B', track, ns, ",\"name\":" + json_string(name) + ",\"cat\":" + json_string(category) + arguments(details));
    arrow(track, ns, flow);
  }
  void end(uint64_t track, int64_t ns) override { put('E', track, ns, ""); }
  void instant(uint64_t track, int64_t ns, const std::string &name, const char *category, const std::string &details,
               Flow flow) override {
    put('i', track, ns,
        ",\"s\":\"t\",\"name\":" + json_string(name) + ",\"cat\":" + json_string(category) + arguments(details));
    arrow(track, ns, flow);
  }
  void counter(uint64_t track, int64_t ns, int64_t value) override {
    put('C', track, ns,
        ",\"name\":" + json_string(places_[track].name) + ",\"args\":{\"value\":" + std::to_string(value) + "}");
  }
  void finish() override {
    file_.write("\n]}\n");
    file_.finish();
  }

private:
  struct Place {
    int process, row;
    std::string name;
  };

  static std::string arguments(const std::string &details) {
    return details.empty() ? "" : ",\"args\":{\"details\":" + json_string(details) + "}";
  }
  void arrow(uint64_t track, int64_t ns, Flow flow) {
    if (flow.id)
      put(flow.ends ? 'f' : 's', track, ns,
          ",\"bp\":\"e\",\"name\":\"arrow\",\"cat\":\"arrow\",\"id\":\"" + std::to_string(flow.id) + "\"");
  }
  void line(const std::string &text) {
    file_.write(first_ ? "" : ",\n");
    first_ = false;
    file_.write(text);
  }
  void name(const char *what, int process, int row, const std::string &text) {
    line("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(process) +
         ",\"tid\":" + std::to_string(row) + ",\"args\":{\"name\":" + json_string(text) + "}}");
  }
  void put(char phase, uint64_t track, int64_t ns, const std::string &rest) {
    const Place &place = places_[track];
    char begin[128];
    snprintf(begin, sizeof begin, "{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03d", phase, place.process,
             place.row, static_cast<long long>(ns / 1000), static_cast<int>(ns % 1000));
    line(begin + rest + "}");
  }

  NewFile file_;
  int threads_process_;
  bool first_ = true;
  std::map<uint64_t, Place> places_;
  std::map<uint64_t, std::string> names_;
};

} // namespace

void write_chrome(Recording &recording, const std::string &path) {
  ChromeWriter writer(recording, path);
  write_timeline(recording, writer);
}

} // namespace skein::traces
