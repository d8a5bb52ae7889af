// Summaries of a recording; see tables.h.
#include "launch/traces/tables.h"

#include "net/wire/messages.h"

#include <algorithm>
#include <map>

namespace skein::traces {

namespace {

using Number = unsigned long long;

/// A duration with three digits and a unit.
std::string duration(double ns) {
  char text[32];
  const double value = ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns < 1e9 ? ns / 1e6 : ns / 1e9;
  snprintf(text, sizeof text,
           value < 10    ? "%.2f %s"
           : value < 100 ? "%.1f %s"
                         : "%.0f %s",
           value,
           ns < 1e3   ? "ns"
           : ns < 1e6 ? "us"
           : ns < 1e9 ? "ms"
                      : "s");
  return text;
}

struct Times {
  uint64_t count = 0;
  double sum_ns = 0;
  void add(double ns) {
    count++;
    sum_ns += ns;
  }
  std::string mean() const { return count ? duration(sum_ns / static_cast<double>(count)) : "-"; }
};

/// Sums up what is asked of all events.
class Summary {
public:
  explicit Summary(Recording &recording) : recording_(recording) {}

  void read() {
    Event event;
    while (recording_.next(event)) {
      if (!events_)
        first_ns_ = event.ns;
      last_ns_ = event.ns;
      events_++;
      classes_[{event.node, trace_event_table[static_cast<size_t>(event.event)].class_name}]++;
      take(event);
    }
  }

  bool print(FILE *to) const {
    const auto whole = static_cast<double>(last_ns_ - first_ns_);
    fprintf(to, "%llu events in %s on %zu of %d nodes\n", static_cast<Number>(events_), duration(whole).c_str(),
            recording_.nodes().size(), recording_.nodes_of_run());
    const bool missing = write_missing(recording_, to);
    print_nodes(to, whole);
    print_functions(to);
    print_waits(to);
    print_moves(to);
    print_messages(to);
    print_intervals(to);
    print_classes(to);
    return missing;
  }

private:
  struct Running {
    uint64_t thread = 0;
    int64_t since = 0;
    std::string function;
  };
  struct Function {
    uint64_t threads = 0;
    Times runs;
  };
  struct Waiting {
    int64_t since;
    std::string call;
  };
  struct Link {
    uint64_t count = 0, bytes = 0;
  };

  void stop(const Event &event) {
    Running &worker = workers_[{event.node, event.worker}];
    if (!worker.thread)
      return;
    const auto ran = static_cast<double>(event.ns - worker.since);
    functions_[worker.function].runs.add(ran);
    busy_[{event.node, event.worker}] += ran;
    worker.thread = 0;
  }

  void take(const Event &event) {
    switch (event.event) {
    case TraceEvent::created:
      functions_[word_text(recording_, event, 0)].threads++;
      return;
    case TraceEvent::runs: {
      stop(event);
      workers_[{event.node, event.worker}] = {event.thread, event.ns, word_text(recording_, event, 0)};
      const auto found = waiting_.find(event.thread);
      if (found == waiting_.end())
        return;
      waits_[found->second.call].add(static_cast<double>(event.ns - found->second.since));
      waiting_.erase(found);
      return;
    }
    case TraceEvent::blocks:
      stop(event);
      waiting_[event.thread] = {event.ns, word_text(recording_, event, 1)};
      return;
    case TraceEvent::ends:
    case TraceEvent::idle:
      return stop(event);
    case TraceEvent::departs: {
      stop_if(event);
      Link &link = moves_[{event.node, event.c}];
      link.count++;
      link.bytes += event.a;
      leaving_[{event.thread, event.b}] = event.ns;
      return;
    }
    case TraceEvent::arrives: {
      const auto found = leaving_.find({event.thread, event.b});
      if (found == leaving_.end())
        return;
      flights_[{event.c, event.node}].add(static_cast<double>(event.ns - found->second));
      leaving_.erase(found);
      return;
    }
    case TraceEvent::stays:
      refused_[word_text(recording_, event, 1)]++;
      return;
    case TraceEvent::message_sent: {
      Link &link = messages_[{event.node, event.c}];
      link.count++;
      link.bytes += event.a;
      kinds_[message_name(static_cast<uint8_t>(event.b >> 16))]++;
      return;
    }
    case TraceEvent::begin:
      begun_[{event.thread, word_text(recording_, event, 1)}].push_back(event.ns);
      return;
    case TraceEvent::end: {
      const std::string name = word_text(recording_, event, 1);
      std::vector<int64_t> &open = begun_[{event.thread, name}];
      if (open.empty())
        return;
      intervals_[name].add(static_cast<double>(event.ns - open.back()));
      open.pop_back();
      return;
    }
    default:
      return;
    }
  }

  /// The thread leaves, and may be the one that runs.
  void stop_if(const Event &event) {
    if (workers_[{event.node, event.worker}].thread == event.thread)
      stop(event);
  }

  void print_nodes(FILE *to, double whole) const {
    fprintf(to, "\n%-22s %10s\n", "worker", "busy");
    for (const auto &[key, ran] : busy_)
      fprintf(to, "node %d worker %-8d %10s %9.1f%%\n", key.first, key.second, duration(ran).c_str(),
              whole > 0 ? 100 * ran / whole : 0);
    fputc('\n', to);
    for (const NodeInfo &info : recording_.nodes())
      fprintf(to, "The clock of node %d is %s, to %s.\n", info.node,
              info.same_clock ? "node 0's" : "compared with node 0's",
              duration(static_cast<double>(info.error_ns)).c_str());
  }

  void print_functions(FILE *to) const {
    if (functions_.empty())
      return;
    std::vector<std::pair<std::string, Function>> order(functions_.begin(), functions_.end());
    std::sort(order.begin(), order.end(),
              [](const auto &a, const auto &b) { return a.second.runs.sum_ns > b.second.runs.sum_ns; });
    fprintf(to, "\n%-30s %10s %10s %10s %12s\n", "function of threads", "spawned", "runs", "time", "a run");
    for (const auto &[name, function] : order)
      fprintf(to, "%-30s %10llu %10llu %10s %12s\n", name.c_str(), static_cast<Number>(function.threads),
              static_cast<Number>(function.runs.count), duration(function.runs.sum_ns).c_str(),
              function.runs.mean().c_str());
  }

  static void print_times(FILE *to, const char *title, const std::map<std::string, Times> &all) {
    if (all.empty())
      return;
    fprintf(to, "\n%-41s %10s %10s %12s\n", title, "times", "sum", "mean");
    for (const auto &[name, times] : all)
      fprintf(to, "%-41s %10llu %10s %12s\n", name.c_str(), static_cast<Number>(times.count),
              duration(times.sum_ns).c_str(), times.mean().c_str());
  }
  void print_waits(FILE *to) const { print_times(to, "waits, until the thread runs again", waits_); }
  void print_intervals(FILE *to) const { print_times(to, "the program's intervals", intervals_); }

  void print_moves(FILE *to) const {
    if (!moves_.empty())
      fprintf(to, "\n%-22s %10s %12s %12s\n", "threads that moved", "threads", "bytes each", "under way");
    for (const auto &[link, sum] : moves_) {
      const auto flight = flights_.find(link);
      fprintf(to, "node %d to node %-7d %10llu %12llu %12s\n", link.first, link.second, static_cast<Number>(sum.count),
              static_cast<Number>(sum.bytes / sum.count),
              flight == flights_.end() ? "-" : flight->second.mean().c_str());
    }
    for (const auto &[code, count] : refused_)
      fprintf(to, "%llu moves were refused (%s)\n", static_cast<Number>(count), code.c_str());
  }

  void print_messages(FILE *to) const {
    if (messages_.empty())
      return;
    fprintf(to, "\n%-22s %10s %12s\n", "messages", "messages", "bytes");
    for (const auto &[link, sum] : messages_)
      fprintf(to, "node %d to node %-7d %10llu %12llu\n", link.first, link.second, static_cast<Number>(sum.count),
              static_cast<Number>(sum.bytes));
    fputs("of these: ", to);
    const char *between = "";
    for (const auto &[name, count] : kinds_) {
      fprintf(to, "%s%llu %s", between, static_cast<Number>(count), name.c_str());
      between = ", ";
    }
    fputc('\n', to);
  }

  void print_classes(FILE *to) const {
    fprintf(to, "\nevents");
    for (size_t i = 0; i < trace_class_count; i++)
      fprintf(to, " %10s", trace_class_table[i].name);
    fputc('\n', to);
    for (const NodeInfo &info : recording_.nodes()) {
      fprintf(to, "%-6d", info.node);
      for (size_t i = 0; i < trace_class_count; i++) {
        const auto found = classes_.find({info.node, trace_class_table[i].name});
        fprintf(to, " %10llu", static_cast<Number>(found == classes_.end() ? 0 : found->second));
      }
      fputc('\n', to);
    }
  }

  Recording &recording_;
  uint64_t events_ = 0;
  int64_t first_ns_ = 0, last_ns_ = 0;
  std::map<std::pair<int, std::string>, uint64_t> classes_;
  std::map<std::pair<int, int>, Running> workers_;
  std::map<std::pair<int, int>, double> busy_;
  std::map<std::string, Function> functions_;
  std::map<uint64_t, Waiting> waiting_;
  std::map<std::string, Times> waits_, intervals_;
  std::map<std::pair<uint64_t, uint64_t>, int64_t> leaving_;
  std::map<std::pair<int, int>, Link> moves_, messages_;
  std::map<std::pair<int, int>, Times> flights_;
  std::map<std::string, uint64_t> refused_, kinds_;
  std::map<std::pair<uint64_t, std::string>, std::vector<int64_t>> begun_;
};

} // namespace

bool write_missing(const Recording &recording, FILE *to) {
  bool any = false;
  const auto say = [&](int node, uint64_t count, const char *what) {
    if (count)
      fprintf(to, "node %d: %llu %s\n", node, static_cast<Number>(count), what);
    any |= count != 0;
  };
  for (const NodeInfo &info : recording.nodes()) {
    say(info.node, info.lost,
        "events are missing: they were more than the recorder could take (SKEIN_OPTIONS="
        "trace_ring=16M, or fewer classes)");
    say(info.node, info.discarded, "events are missing: the file was full (SKEIN_OPTIONS=trace_most=)");
    say(info.node, info.unnamed, "events have no name: there were too many names, or functions");
    if (!info.finished) {
      fprintf(to, "node %d did not end by itself; what it recorded until then is here\n", info.node);
      any = true;
    }
  }
  for (int number = 0; number < recording.nodes_of_run(); number++)
    if (std::none_of(recording.nodes().begin(), recording.nodes().end(),
                     [&](const NodeInfo &info) { return info.node == number; })) {
      fprintf(to, "node %d has recorded nothing\n", number);
      any = true;
    }
  return any;
}

void write_csv(Recording &recording, FILE *to) {
  fputs("ns,node,worker,class,event,thread,words\n", to);
  Event event;
  int64_t begin = 0;
  for (bool first = true; recording.next(event); first = false) {
    if (first)
      begin = event.ns;
    const TraceEventInfo &info = trace_event_table[static_cast<size_t>(event.event)];
    fprintf(to, "%lld,%u,%d,%s,%s,%llu,", static_cast<long long>(event.ns - begin), event.node, event.worker,
            info.class_name, plain_name(info.name).c_str(), static_cast<Number>(event.thread));
    std::string words;
    for (int word = 0; word < 3; word++)
      if (info.words[word].name)
        words +=
            (words.empty() ? "" : ";") + plain_name(info.words[word].name) + "=" + word_text(recording, event, word);
    const bool quote = words.find_first_of(",\"\n") != std::string::npos;
    if (quote) {
      std::string doubled;
      for (const char c : words)
        doubled += c == '"' ? std::string("\"\"") : std::string(1, c);
      words = "\"" + doubled + "\"";
    }
    fprintf(to, "%s\n", words.c_str());
  }
}

bool write_summary(Recording &recording, FILE *to) {
  Summary summary(recording);
  summary.read();
  return summary.print(to);
}

} // namespace skein::traces
