#include "launch/monitors/top.h"

#include "launch/monitors/text_view.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <curses.h>
#include <thread>
#include <unistd.h>

namespace skein::monitors {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int threads_most = 200; // that are listed of each node
constexpr double interval_least_s = 0.1, interval_most_s = 60;

void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::vector<Json> what_is_below(RunView &run, Below what) {
  return what == Below::nothing ? std::vector<Json>{} : run.threads(what == Below::threads ? threads_most : 0);
}

int no_answer(const std::string &folder) {
  fprintf(stderr, "skein top: no node of %s answers\n", folder.c_str());
  return 1;
}

bool anybody_answers(const RunView &run) {
  return std::any_of(run.nodes().begin(), run.nodes().end(), [](const NodeView &node) { return node.answers; });
}

std::string headline(const RunView &run) {
  return run.program() + ", " + std::to_string(run.nodes().size()) + (run.nodes().size() == 1 ? " node" : " nodes") +
         ", policy " + run.policy();
}

/// The terminal, and what its user has chosen.
class Screen {
public:
  Screen(const std::string &folder, double interval_s) : run_(folder), interval_s_(interval_s) {
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
  }
  Screen(const Screen &) = delete;
  ~Screen() { endwin(); }

  void watch() {
    while (!quit_) {
      run_.look(false);
      below_ = what_is_below(run_, what_);
      if (run_.over())
        return;
      draw();
      wait();
    }
  }

private:
  static constexpr const char *keys =
      "q quit  sort: n c t r m  f functions  l threads  o neither  p push  b balancing  P policy  +/-";

  void draw() {
    erase();
    const time_t now = time(nullptr);
    char clock[16];
    strftime(clock, sizeof clock, "%H:%M:%S", localtime(&now));
    put(0, "skein top: " + headline(run_) + ", every " + interval() + "   " + clock, A_BOLD);
    put(1, message_.empty() ? keys : message_, message_.empty() ? A_DIM : A_STANDOUT);
    const std::vector<Line> lines = text_view(run_, order_, what_, below_);
    for (size_t i = 0; i < lines.size() && static_cast<int>(i) + 3 < LINES; i++)
      put(static_cast<int>(i) + 3, lines[i].text, lines[i].heading ? A_REVERSE : A_NORMAL);
    refresh();
  }

  static void put(int row, const std::string &text, attr_t how) {
    attrset(how);
    mvaddnstr(row, 0, text.c_str(), COLS);
    attrset(A_NORMAL);
  }

  std::string interval() const {
    char text[32];
    snprintf(text, sizeof text, "%.3g s", interval_s_);
    return text;
  }

  /// Until it is time for the next look.
  void wait() {
    const auto end = Clock::now() + std::chrono::duration<double>(interval_s_);
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0)
        return;
      timeout(static_cast<int>(left));
      const int key = getch();
      if (key == ERR)
        return;
      press(key);
      if (quit_)
        return;
      draw();
    }
  }

  void press(int key) {
    message_.clear();
    switch (key) {
    case 'q':
      quit_ = true;
      break;
    case 'n':
      order_ = Order::number;
      break;
    case 'c':
      order_ = Order::cpu;
      break;
    case 't':
      order_ = Order::threads;
      break;
    case 'r':
      order_ = Order::ready;
      break;
    case 'm':
      order_ = Order::moves;
      break;
    case 'f':
    case 'l':
    case 'o':
      what_ = key == 'f' ? Below::functions : key == 'l' ? Below::threads : Below::nothing;
      below_ = what_is_below(run_, what_);
      break;
    case 'p':
      push();
      break;
    case 'P':
      choose_policy();
      break;
    case 'b':
      switch_balancing();
      break;
    case '+':
      interval_s_ = std::min(interval_most_s, interval_s_ * 2);
      break;
    case '-':
      interval_s_ = std::max(interval_least_s, interval_s_ / 2);
      break;
    default:
      break;
    }
  }

  void push() {
    const std::string said = prompt("Push which thread to which node? ID NODE: ");
    unsigned long long id;
    int to;
    if (said.empty())
      return;
    if (sscanf(said.c_str(), "%llu %d", &id, &to) != 2) {
      message_ = "'" + said + "' is not an id and a node";
      return;
    }
    for (const NodeView &node : run_.nodes()) { // the thread is on one of them
      const std::optional<std::string> error = run_.push(node.number, id, to);
      if (!error) {
        message_ = "Thread " + std::to_string(id) + " goes from node " + std::to_string(node.number) + " to node " +
                   std::to_string(to);
        return;
      }
      if (message_.empty() || error->find("not on this node") == std::string::npos)
        message_ = *error;
    }
  }

  void switch_balancing() {
    bool on = false;
    for (const NodeView &node : run_.nodes())
      if (node.answers)
        on = on || node.figures.value("balancing", false);
    const std::optional<std::string> error = run_.balancing(!on);
    message_ = error ? *error : on ? "Balancing is off: no thread moves by itself" : "Balancing is on";
    run_.look(false);
  }

  void choose_policy() {
    const std::string name = prompt("Which policy shall move threads? ");
    if (name.empty())
      return;
    const std::optional<std::string> error = run_.choose_policy(name);
    message_ = error ? *error : "The policy is " + name;
    run_.look(false);
  }

  static std::string prompt(const char *question) {
    move(1, 0);
    clrtoeol();
    put(1, question, A_STANDOUT);
    char said[64] = "";
    timeout(-1);
    echo();
    curs_set(1);
    getnstr(said, sizeof said - 1);
    noecho();
    curs_set(0);
    return said;
  }

  RunView run_;
  double interval_s_;
  Order order_ = Order::number;
  Below what_ = Below::functions;
  std::vector<Json> below_;
  std::string message_;
  bool quit_ = false;
};

} // namespace

int top(const std::string &folder, double interval_s) {
  if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
    fprintf(stderr, "skein top: this is no terminal; --once prints one view\n");
    return 2;
  }
  Screen(folder, interval_s).watch();
  return 0;
}

int top_once(const std::string &folder, double interval_s) {
  RunView run(folder);
  run.look(false);
  sleep_s(interval_s);
  run.look(false);
  if (!anybody_answers(run))
    return no_answer(folder);
  puts(headline(run).c_str());
  for (const Line &line : text_view(run, Order::number, Below::functions, what_is_below(run, Below::functions)))
    puts(line.text.c_str());
  return 0;
}

int top_json(const std::string &folder) {
  RunView run(folder);
  run.look(true);
  if (!anybody_answers(run))
    return no_answer(folder);
  for (const NodeView &node : run.nodes())
    if (node.answers)
      puts(node.figures.dump().c_str());
  return 0;
}

} // namespace skein::monitors
