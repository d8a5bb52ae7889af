// How a checkpoint is made; see checkpoints.h.
#include "launch/run/checkpoints.h"

#include "launch/run/clock_ms.h"

#include <algorithm>
#include <utility>

namespace skein::launch {

using bootstrap::Type;

namespace {

constexpr int quick_rounds = 3;           // of counting, one behind the other; then there are pauses,
constexpr uint64_t between_rounds_ms = 5; // so that nodes whose messages take longer are not asked all the time
constexpr int not_kept = 1;               // the status in `kept`

} // namespace

void Checkpoints::settle(int last, int every_s, int patience_s, uint64_t respite_ms) {
  settled_ = true;
  now_.number = last;
  every_ms_ = static_cast<uint64_t>(every_s) * 1000;
  patience_ms_ = static_cast<uint64_t>(patience_s) * 1000;
  respite_ms_ = respite_ms;
}

void Checkpoints::begin(uint64_t now_ms) {
  begun_ = true;
  due_at_ms_ = every_ms_ != 0 ? now_ms + every_ms_ : 0;
}

void Checkpoints::over() {
  if (std::exchange(over_, true))
    return;
  if (stage_ > Stage::waiting) {
    if (stands())
      send_all({.type = Type::go_on, .node = now_.number});
    owner_.drop_checkpoint(now_.number);
  }
  stage_ = Stage::idle;
  until_ms_ = count_at_ms_ = 0;
  served_.merge(askers_);
  for (const uint64_t asker : std::exchange(served_, {}))
    owner_.tell(asker, News::over, -1, "the run is over");
}

std::string Checkpoints::ask(uint64_t asker) {
  if (!settled_)
    return "the run was started without a folder for checkpoints (`skein run --checkpoint DIR`)";
  if (over_)
    return "the run is over";
  askers_.insert(asker);
  return "";
}

void Checkpoints::cancel(uint64_t asker) {
  askers_.erase(asker);
  served_.erase(asker);
}

bool Checkpoints::is_wanted(uint64_t now_ms) const {
  return begun_ && !over_ && settled_ && now_ms >= not_before_ms_ &&
         (wished_ || !askers_.empty() || (due_at_ms_ != 0 && now_ms >= due_at_ms_));
}

void Checkpoints::tick(uint64_t now_ms) {
  if (stage_ == Stage::idle && now_ms < not_before_ms_ && !askers_.empty())
    tell_progress("waits until the run has gone on for a while, since the last checkpoint was given up");
  if (stage_ == Stage::idle && is_wanted(now_ms)) {
    stage_ = Stage::waiting;
    changes_.hold();
  }
  if (stage_ == Stage::waiting) {
    if (changes_.is_busy())
      tell_progress(changes_.waits_for_words());
    else if (!unwritten_.empty())
      tell_progress("waits for copies of checkpoint " + std::to_string(unwritten_of_) + ", which was given up, to end");
    else
      halt(now_ms);
  }
  if (stage_ == Stage::counting && count_at_ms_ != 0 && now_ms >= count_at_ms_)
    count();
  if (until_ms_ != 0 && now_ms >= until_ms_)
    on_time_over(now_ms);
}

int Checkpoints::due_ms(uint64_t now_ms) const {
  uint64_t due = UINT64_MAX;
  if (stage_ == Stage::idle && begun_ && !over_ && settled_)
    due = std::max(not_before_ms_, wished_ || !askers_.empty() ? now_ms : due_at_ms_ != 0 ? due_at_ms_ : due);
  for (const uint64_t time : {until_ms_, stage_ == Stage::counting ? count_at_ms_ : 0})
    if (time != 0)
      due = std::min(due, time);
  if (due == UINT64_MAX)
    return -1;
  return due > now_ms ? static_cast<int>(std::min<uint64_t>(due - now_ms, 1000000)) : 0;
}

void Checkpoints::send_all(const bootstrap::Header &header, const std::string &text) const {
  for (const Node &node : nodes_)
    if (node.is_there())
      node.send_text(header, text);
}

void Checkpoints::tell_progress(const std::string &text) {
  if (text == told_)
    return;
  told_ = text;
  for (const auto *askers : {&askers_, &served_})
    for (const uint64_t asker : *askers)
      owner_.tell(asker, News::progress, -1, text);
}

void Checkpoints::halt(uint64_t now_ms) {
  const int number = now_.number + 1;
  now_ = {};
  now_.number = number;
  began_ms_ = now_ms;
  kept_by_.clear();
  try {
    folder_ = owner_.begin_checkpoint(number);
  } catch (const std::string &why) {
    return give_up(why);
  }
  for (const Node &node : nodes_)
    if (node.is_there())
      now_.nodes.push_back(node.number);
  unanswered_ = {now_.nodes.begin(), now_.nodes.end()};
  stage_ = Stage::halting;
  until_ms_ = now_ms + patience_ms_;
  send_all({.type = Type::halt, .node = number});
  tell_progress("the nodes halt");
}

/// Asks all nodes what they have sent and handled.
void Checkpoints::count() {
  count_at_ms_ = 0;
  unanswered_ = {now_.nodes.begin(), now_.nodes.end()};
  send_all({.type = Type::count, .node = now_.number});
}

/// All nodes have told what they have sent and handled.
void Checkpoints::counted() {
  uint64_t sent = 0, handled = 0;
  for (const auto &[node, counts] : counts_) {
    sent += counts.sent;
    handled += counts.handled;
  }
  const bool first = stage_ == Stage::halting;
  if (!first && sent == handled_before_)
    return cut();
  handled_before_ = handled;
  if (first) {
    stage_ = Stage::counting;
    rounds_ = 0;
  }
  if (++rounds_ <= quick_rounds)
    return count();
  count_at_ms_ = clock_ms() + between_rounds_ms;
}

void Checkpoints::cut() {
  stage_ = Stage::cutting;
  until_ms_ = clock_ms() + patience_ms_;
  unanswered_ = unwritten_ = {now_.nodes.begin(), now_.nodes.end()};
  unwritten_of_ = now_.number;
  served_ = std::exchange(askers_, {});
  wished_ = false;
  send_all({.type = Type::cut, .node = now_.number}, folder_);
}

/// All have made their copies.
void Checkpoints::go_on() {
  owner_.has_cut();
  stage_ = Stage::writing;
  until_ms_ = 0; // a copy ends, and its node says so if it does not itself
  now_.pause_ms = clock_ms() - began_ms_;
  send_all({.type = Type::go_on, .node = now_.number});
  tell_progress("the nodes go on after " + std::to_string(now_.pause_ms) + " ms; their copies are written");
  complete();
}

/// If all copies are written, they are brought to where they are to be.
void Checkpoints::complete() {
  if (stage_ != Stage::writing || !unwritten_.empty())
    return;
  stage_ = Stage::spreading;
  now_.took_ms = clock_ms() - began_ms_;
  try {
    if (owner_.spread_checkpoint(now_))
      return conclude();
  } catch (const std::string &why) {
    return give_up(why);
  }
  tell_progress("the copies are written, and brought to other hosts");
}

void Checkpoints::spread(int number, const std::string &why) {
  if (stage_ != Stage::spreading || number != now_.number)
    return;
  if (why.empty())
    conclude();
  else
    give_up(why);
}

void Checkpoints::conclude() {
  now_.took_ms = clock_ms() - began_ms_;
  try {
    owner_.complete_checkpoint(now_);
  } catch (const std::string &why) {
    return give_up(why);
  }
  last_ = now_;
  last_at_ms_ = clock_ms();
  failed_.clear();
  close(0, "");
  for (const uint64_t asker : std::exchange(served_, {}))
    owner_.tell(asker, News::kept, last_.number,
                std::to_string(last_.bytes) + " " + std::to_string(last_.pause_ms) + " " +
                    std::to_string(last_.took_ms));
}

void Checkpoints::give_up(const std::string &why) {
  const std::string text = "checkpoint " + std::to_string(now_.number) + " is given up: " + why;
  failed_ = why;
  if (stands())
    send_all({.type = Type::go_on, .node = now_.number});
  if (stage_ < Stage::cutting) { // who has asked since the cut gets the next one
    served_ = std::exchange(askers_, {});
    wished_ = false;
  }
  owner_.drop_checkpoint(now_.number);
  owner_.say(text + "; the run goes on");
  close(not_kept, why);
  for (const uint64_t asker : std::exchange(served_, {}))
    owner_.tell(asker, News::failed, -1, text);
}

/// There is no checkpoint under way any more.
void Checkpoints::close(int status, const std::string &why) {
  send_all({.type = Type::kept, .node = now_.number, .status = status}, why);
  stage_ = Stage::idle;
  until_ms_ = count_at_ms_ = 0;
  unanswered_.clear();
  counts_.clear();
  told_.clear();
  const uint64_t now = clock_ms();
  if (every_ms_ != 0) // a run that takes longer to write than it may go on in between is to get on, too
    due_at_ms_ = std::max(began_ms_ + every_ms_, now + every_ms_ / 2);
  changes_.release();
}

bool Checkpoints::on_packet(Node &from, const bootstrap::Packet &packet, size_t bytes) {
  const std::string text(packet.bytes, bytes);
  switch (packet.header.type) {
  case Type::wish:
    if (settled_)
      wished_ = true;
    else
      from.send_text({.type = Type::kept, .status = not_kept}, ask(Changes::program));
    return true;
  case Type::halting:
  case Type::halted:
  case Type::copied:
  case Type::written:
    if (from.is_there())
      heard(from, packet, text);
    return true;
  default:
    return false;
  }
}

/// False: it had answered, and the answer is no news.
bool Checkpoints::has_answered(const Node &from) { return unanswered_.erase(from.number) != 0; }

void Checkpoints::heard(Node &from, const bootstrap::Packet &packet, const std::string &text) {
  const Type type = packet.header.type;
  const bool failed = packet.header.status != 0;
  const bool ends = type == Type::written || (type == Type::copied && failed); // there is no copy any more
  if (ends && packet.header.node == unwritten_of_)
    unwritten_.erase(from.number);
  if (packet.header.node != now_.number || stage_ <= Stage::waiting)
    return;
  if (type == Type::halting) {
    kept_by_[from.number] = text;
    return tell_progress(name_of(from) + " has not halted: " + text);
  }
  if (type == Type::halted && (stage_ == Stage::halting || stage_ == Stage::counting)) {
    bootstrap::Counts counts;
    if (text.size() < sizeof counts)
      return give_up(name_of(from) + " has sent what is not understood (another version of Skein?)");
    memcpy(&counts, text.data(), sizeof counts);
    counts_[from.number] = counts;
    if (has_answered(from) && unanswered_.empty())
      counted();
    return;
  }
  if (failed)
    return give_up(name_of(from) +
                   (type == Type::copied ? " could not make a copy of itself" : "'s copy was not written") +
                   (text.empty() ? "" : ": " + text));
  if (type == Type::copied && stage_ == Stage::cutting && has_answered(from) && unanswered_.empty())
    return go_on();
  if (type == Type::written)
    complete();
}

void Checkpoints::on_death(const Node &node, const std::string &how) {
  unanswered_.erase(node.number);
  const bool written = unwritten_.erase(node.number) == 0;
  if (over_ || stage_ <= Stage::waiting || (stage_ >= Stage::writing && written) ||
      std::find(now_.nodes.begin(), now_.nodes.end(), node.number) == now_.nodes.end())
    return;
  give_up(name_of(node) + " " + how);
}

/// The nodes that have not said what they have to, and why not, as far as they have told.
std::string Checkpoints::who_is_missing() const {
  std::string text;
  int more = 0;
  for (const int number : unanswered_)
    if (const auto why = kept_by_.find(number); text.size() > 400)
      more++;
    else
      text += (text.empty() ? "" : "; ") + ("node " + std::to_string(number)) +
              (why != kept_by_.end() && stage_ == Stage::halting ? ": " + why->second : "");
  return text + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

void Checkpoints::on_time_over(uint64_t now_ms) {
  not_before_ms_ = now_ms + respite_ms_;
  const std::string limit = " within " + std::to_string(patience_ms_ / 1000) + " s (--checkpoint-patience)";
  if (stage_ == Stage::halting)
    give_up("the nodes have not all halted" + limit + ": " + who_is_missing());
  else if (stage_ == Stage::counting)
    give_up("messages were still under way" + limit +
            (unanswered_.empty() ? "" : ", or not counted: " + who_is_missing()));
  else
    give_up("the nodes have not all made a copy of themselves" + limit + ": " + who_is_missing());
}

} // namespace skein::launch
