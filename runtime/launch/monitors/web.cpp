#include "launch/monitors/web.h"

#include "launch/monitors/metrics.h"
#include "launch/monitors/run_view.h"

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <httplib.h>
#include <mutex>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace skein::monitors {

namespace {

using namespace std::chrono_literals;

constexpr auto between_events = 500ms;
constexpr int events_between_functions = 4; // a survey of threads takes locks that threads need to start and end

/// share/skein/web, next to lib/skein/skein-monitor.
std::string page_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string whole(path, length > 0 ? static_cast<size_t>(length) : 0);
  return whole.substr(0, whole.rfind('/')) + "/../../share/skein/web/";
}

Json links_of(const NodeView &node) {
  Json links = Json::array();
  for (const Link &link : node.links)
    links.push_back({{"to", link.to},
                     {"alive", link.alive},
                     {"threads_per_s", link.threads_per_s},
                     {"channel_messages_per_s", link.channel_messages_per_s}});
  return links;
}

Json summary(RunView &run, bool functions) {
  Json nodes = Json::array();
  for (const NodeView &node : run.nodes()) {
    Json one = {{"node", node.number}, {"answers", node.answers}, {"cpu_percent", node.cpu_percent}};
    for (const FigureInfo &figure : figure_table)
      one[figure.name] = figure_of(node.values, figure.name);
    for (const FigureInfo &figure : figure_table)
      if (figure.counts)
        one[std::string(figure.name) + "_per_s"] = figure_of(node.per_s, figure.name);
    one["links"] = links_of(node);
    one["ns"] = node.figures.is_object() ? node.figures.value("ns", uint64_t{0}) : 0;
    one["moves"] = node.answers ? node.figures.value("moves", Json::array()) : Json::array();
    nodes.push_back(std::move(one));
  }
  Json all = {{"program", run.program()}, {"policy", run.policy()}, {"nodes", std::move(nodes)}};
  if (functions) {
    all["functions"] = Json::object();
    for (const auto &[name, threads] : by_function(run.threads(0)))
      all["functions"][name] = {{"running", threads.running},
                                {"ready", threads.ready},
                                {"waiting", threads.waiting},
                                {"other", threads.other}};
  }
  return all;
}

/// Whether the request names this server as its user would.
bool names_us(const std::string &host, const std::string &address) {
  const std::string name =
      host.substr(0, host.rfind(':') == std::string::npos || host.back() == ']' ? host.size() : host.rfind(':'));
  return name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == address ||
         name == '[' + address + ']' ||
         // Whoever listens on all addresses is called by any of them, but by no name.
         ((address == "0.0.0.0" || address == "::") &&
          name.find_first_not_of("0123456789.:[]abcdef") == std::string::npos);
}

/// Those that end this process, in good order.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

class Site {
public:
  Site(std::string folder, std::string address)
      : folder_(std::move(folder)), address_(std::move(address)), once_(folder_) {}

  int serve(int port) {
    server_.set_pre_routing_handler([&](const httplib::Request &request, httplib::Response &response) {
      if (names_us(request.get_header_value("Host"), address_))
        return httplib::Server::HandlerResponse::Unhandled;
      response.status = 403;
      response.set_content("This server is called by its address, or as localhost.\n", "text/plain");
      return httplib::Server::HandlerResponse::Handled;
    });
    // Two servers on one port would get every other request; the library allows that by default.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // Every page that is open holds a thread of the server.
    server_.new_task_queue = [] { return new httplib::ThreadPool(32); };
    file("/", "page.html", "text/html; charset=utf-8");
    file("/uPlot.iife.min.js", "uPlot.iife.min.js", "text/javascript");
    file("/uPlot.min.css", "uPlot.min.css", "text/css");
    server_.Get("/metrics", [&](const httplib::Request &, httplib::Response &response) {
      const std::lock_guard guard(once_lock_);
      once_.look(false);
      response.set_content(metrics(once_), metrics_type);
    });
    server_.Get("/figures.json", [&](const httplib::Request &, httplib::Response &response) {
      const std::lock_guard guard(once_lock_);
      once_.look(false);
      response.set_content(summary(once_, true).dump() + '\n', "application/json");
    });
    server_.Get("/events", [&](const httplib::Request &, httplib::Response &response) { events(response); });
    const int bound = port == 0                                      ? server_.bind_to_any_port(address_.c_str())
                      : server_.bind_to_port(address_.c_str(), port) ? port
                                                                     : -1;
    if (bound < 0) {
      fprintf(stderr, "skein web: cannot listen on port %d of %s\n", port, address_.c_str());
      return 1;
    }
    fprintf(stderr, "skein web: http://%s:%d/ shows the run\n",
            address_.find(':') == std::string::npos ? address_.c_str() : ('[' + address_ + ']').c_str(), bound);
    std::thread watcher([&] { watch(); });
    server_.listen_after_bind();
    end();
    watcher.join();
    return 0;
  }

private:
  void file(const char *at, const char *name, const char *type) {
    server_.Get(at, [name, type](const httplib::Request &, httplib::Response &response) {
      std::ifstream file(page_folder() + name, std::ios::binary);
      if (!file) {
        response.status = 500;
        return response.set_content("cannot read " + page_folder() + name + '\n', "text/plain");
      }
      std::ostringstream content;
      content << file.rdbuf();
      response.set_content(content.str(), type);
    });
  }

  void events(httplib::Response &response) {
    struct Stream {
      Stream(const std::string &folder, std::atomic<int> &count) : run(folder), open(count) { open++; }
      Stream(const Stream &) = delete;
      ~Stream() { open--; }
      RunView run;
      std::atomic<int> &open;
      int sent = 0;
    };
    auto stream = std::make_shared<Stream>(folder_, streams_);
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider("text/event-stream", [this, stream](size_t, httplib::DataSink &sink) {
      std::string event;
      if (!(stream->sent && over_within(between_events)))
        stream->run.look(true);
      if (over_within(0ms) || stream->run.over()) {
        event = "event: over\ndata: {}\n\n";
        sink.write(event.data(), event.size());
        sink.done();
        return true;
      }
      event = "event: figures\ndata: " + summary(stream->run, stream->sent++ % events_between_functions == 0).dump() +
              "\n\n";
      return sink.write(event.data(), event.size());
    });
  }

  /// Until the run is over, or this process has been asked to end: then those who watch are told.
  void watch() {
    RunView run(folder_);
    do
      run.look(false);
    while (!run.over() && !asked_to_end(between_events) && !over_within(0ms));
    end();
    for (int tries = 0; streams_ > 0 && tries < 100; tries++)
      std::this_thread::sleep_for(10ms);
    server_.stop();
  }

  /// The signals are blocked in all threads.
  static bool asked_to_end(std::chrono::milliseconds patience) {
    const sigset_t signals = end_signals();
    const timespec most = {0, patience / 1ns};
    return sigtimedwait(&signals, nullptr, &most) > 0;
  }

  void end() {
    const std::lock_guard guard(over_lock_);
    over_ = true;
    over_changes_.notify_all();
  }

  bool over_within(std::chrono::milliseconds patience) {
    std::unique_lock guard(over_lock_);
    return over_changes_.wait_for(guard, patience, [&] { return over_; });
  }

  std::string folder_, address_;
  httplib::Server server_;
  std::mutex once_lock_;
  RunView once_; // for what is asked once: rates are those since the last question
  std::mutex over_lock_;
  std::condition_variable over_changes_;
  bool over_ = false;
  std::atomic<int> streams_{0};
};

} // namespace

int web(const std::string &folder, const std::string &address, int port) {
  const sigset_t signals = end_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr); // also for the threads that come
  return Site(folder, address).serve(port);
}

} // namespace skein::monitors
