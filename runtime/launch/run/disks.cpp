// Which files are where, and how they get there; see disks.h.
#include "launch/run/disks.h"

#include "launch/run/file_of_node.h"
#include "launch/run/remote_host.h"

#include <algorithm>
#include <utility>

namespace skein::launch {

using What = DiskRequest::What;

struct Disks::File {
  std::string name;
  RemoteHost *from, *to;
  Then then;
  uint64_t offset = 0;
};

namespace {

/// What is to follow when several things are done: with the first failure, if there was any.
class Last {
public:
  explicit Last(Disks::Then then) : then_(std::move(then)) {}
  Last(const Last &) = delete;
  ~Last() = default;
  static Disks::Then one_of(const std::shared_ptr<Last> &last) {
    last->left_++;
    return [last](const std::string &why) {
      if (last->why_.empty())
        last->why_ = why;
      last->one_less();
    };
  }
  /// All have been begun.
  void one_less() {
    if (--left_ == 0)
      then_(why_);
  }

private:
  Disks::Then then_;
  std::string why_;
  int left_ = 1;
};

} // namespace

void Disks::settle(CheckpointFolder &folder, const std::string &program) {
  folder_ = &folder;
  disk_.emplace(folder);
  program_ = program;
  last_number_ = folder.last_number();
}

void Disks::ask(RemoteHost *host, const DiskRequest &request, Answered then) {
  const auto answered = [this, host, then = std::move(then)](DiskAnswer &answer) {
    if (!answer.failed.empty() && host)
      answer.failed = "host " + host->name() + ": " + answer.failed;
    if (on_progress)
      on_progress();
    then(answer);
  };
  if (host)
    return host->ask(request, answered);
  DiskAnswer answer = disk_->perform(request);
  answered(answer);
}

std::string Disks::name_of(const RemoteHost *host) const { return host ? host->name() : here_; }

/// The hosts in the run's order.
std::vector<RemoteHost *> Disks::all() const {
  std::vector<RemoteHost *> hosts = {nullptr};
  for (RemoteHost *host : elsewhere_)
    if (!host->is_gone())
      hosts.push_back(host);
  return hosts;
}

/// Asks the other hosts, all at once; none, if they have no folders of their own.
void Disks::ask_all(const DiskRequest &request, const std::function<void(RemoteHost *, DiskAnswer &)> &each,
                    Then then) {
  const auto last = std::make_shared<Last>(std::move(then));
  for (RemoteHost *host : all())
    if (host && own())
      ask(host, request, [host, each, one = Last::one_of(last)](DiskAnswer &answer) {
        if (answer.failed.empty() && each)
          each(host, answer);
        one(answer.failed);
      });
  last->one_less();
}

/// Returns why the host cannot be one of the run, in words, or nothing.
std::string Disks::note_form(const RemoteHost &host, const DiskAnswer &answer) {
  const Form form = answer.shared ? Form::shared : Form::own;
  if (form_ != Form::one_host && form_ != form)
    return "host " + host.name() + (answer.shared ? " shares the folder " : " does not share the folder ") +
           folder_->path() + " with this host, and others do" + (answer.shared ? " not" : "") +
           ": checkpoints need one folder that all hosts share, or one on each host's own disk";
  form_ = form;
  if (!answer.shared)
    last_number_ = std::max(last_number_, static_cast<int>(answer.size));
  if (answer.aside != 0 && on_words)
    on_words("host " + host.name() + " has checkpoints that this host does not have: " + std::to_string(answer.aside) +
             (answer.aside == 1 ? " is" : " are") + " put aside there: " + folder_->path() + "/NUMBER.aside");
  return "";
}

void Disks::open(RemoteHost &host, Then then) {
  DiskRequest request;
  request.what = What::open;
  request.name = folder_->path();
  request.data = folder_->mark();
  request.names = {program_};
  for (const int number : checkpoints_in(folder_->path()))
    if (const std::string identity = identity_in(folder_->path(), number); !identity.empty())
      request.names.push_back(identity);
  ask(&host, request, [this, &host, then = std::move(then)](DiskAnswer &answer) {
    then(answer.failed.empty() ? note_form(host, answer) : answer.failed);
  });
}

void Disks::open(Then then) {
  const auto last = std::make_shared<Last>(std::move(then));
  for (RemoteHost *host : all())
    if (host)
      open(*host, Last::one_of(last));
  last->one_less();
}

void Disks::gather(const Manifest &manifest, const std::vector<Located> &nodes, Then then) {
  if (!own() && !manifest.own_disks) // they are where they have always been
    return then("");
  using Holders = std::map<std::string, std::vector<RemoteHost *>>;
  const auto holders = std::make_shared<Holders>(); // by the names of files
  const auto note = [holders](RemoteHost *host, const DiskAnswer &answer) {
    for (const std::string &name : answer.names)
      (*holders)[name].push_back(host);
  };
  DiskRequest request;
  request.what = What::holds;
  request.number = manifest.number;
  request.data = manifest.to_json();
  ask(nullptr, request, [&](const DiskAnswer &answer) { note(nullptr, answer); });
  ask_all(request, note, [this, manifest, nodes, holders, then = std::move(then)](const std::string &why) {
    if (!why.empty())
      return then(why);
    const auto last = std::make_shared<Last>(then);
    for (const Located &node : nodes) {
      const std::string name = file_of_node(std::to_string(manifest.number), node.node);
      const std::vector<RemoteHost *> &having = (*holders)[name];
      RemoteHost *const to = own() ? node.host : nullptr;
      if (std::find(having.begin(), having.end(), to) != having.end())
        continue;
      if (!having.empty()) {
        bring_needed(name, having.front(), to, false, Last::one_of(last));
        continue;
      }
      std::string kept;
      for (const std::string &host : manifest.nodes[static_cast<size_t>(node.node)].kept_on)
        kept += (kept.empty() ? ", which was on " : " and ") + host;
      kept += kept.empty() ? "" : ",";
      Last::one_of(last)("the copy of node " + std::to_string(node.node) + " of checkpoint " +
                         std::to_string(manifest.number) + kept + " is on none of the run's hosts");
    }
    last->one_less();
  });
}

void Disks::begin(int number) {
  DiskRequest request;
  request.what = What::begin;
  request.number = number;
  ask_all(request, nullptr, [](const std::string &) {}); // whoever cannot write there says so
}

void Disks::spread(int number, const std::vector<Located> &nodes, bool output, Then then) {
  bytes_ = 0;
  kept_on_.clear();
  const std::vector<RemoteHost *> hosts = all();
  const std::string folder = std::to_string(number) + ".part";
  const auto last = std::make_shared<Last>(std::move(then));
  for (const Located &node : nodes) {
    const auto at = std::find(hosts.begin(), hosts.end(), node.host);
    RemoteHost *const next = at == hosts.end() || at + 1 == hosts.end() ? hosts.front() : *(at + 1);
    kept_on_[node.node] = {name_of(node.host)};
    if (next != node.host)
      kept_on_[node.node].push_back(name_of(next));
    bring_needed(file_of_node(folder, node.node), node.host, next, true, Last::one_of(last));
  }
  for (RemoteHost *const host : hosts)
    if (host && output)
      bring(folder + "/" + output_name, nullptr, host, Last::one_of(last));
  last->one_less();
}

std::vector<std::string> Disks::kept_on(int node) const {
  const auto found = kept_on_.find(node);
  return found == kept_on_.end() ? std::vector<std::string>() : found->second;
}

void Disks::complete(const Manifest &manifest, Then then) {
  DiskRequest request;
  request.what = What::complete;
  request.number = manifest.number;
  request.data = manifest.to_json();
  ask_all(request, nullptr, std::move(then));
}

void Disks::take_back(int number) {
  DiskRequest request;
  request.what = What::take_back;
  request.number = number;
  ask_all(request, nullptr, [](const std::string &) {});
}

void Disks::prune(int keep, Then then) {
  DiskRequest request;
  request.what = What::prune;
  request.number = keep;
  ask_all(request, nullptr, std::move(then));
}

/// Brings a node's file, and all that it needs and is not there. `measure`: what it is itself counts.
void Disks::bring_needed(const std::string &name, RemoteHost *from, RemoteHost *to, bool measure, Then then) {
  DiskRequest needs;
  needs.what = What::needs;
  needs.name = name;
  ask(from, needs, [this, from, to, measure, then = std::move(then)](DiskAnswer &needed) {
    if (measure)
      bytes_ += needed.size;
    if (!needed.failed.empty() || from == to)
      return then(needed.failed);
    DiskRequest lacks;
    lacks.what = What::lacks;
    lacks.names = std::move(needed.names);
    ask(to, lacks, [this, from, to, then](DiskAnswer &lacked) {
      const auto last = std::make_shared<Last>(then);
      for (const std::string &file : lacked.names)
        bring(file, from, to, Last::one_of(last));
      if (!lacked.failed.empty())
        Last::one_of(last)(lacked.failed);
      last->one_less();
    });
  });
}

void Disks::bring(const std::string &name, RemoteHost *from, RemoteHost *to, Then then) {
  waiting_.push_back(std::make_shared<File>(File{name, from, to, std::move(then)}));
  proceed();
}

void Disks::proceed() {
  while (under_way_ < most_at_once && !waiting_.empty()) {
    under_way_++;
    const auto file = std::move(waiting_.front());
    waiting_.pop_front();
    pass_on(file);
  }
}

/// The next piece of a file.
void Disks::pass_on(const std::shared_ptr<File> &file) {
  DiskRequest read;
  read.what = What::read;
  read.name = file->name;
  read.offset = file->offset;
  ask(file->from, read, [this, file](DiskAnswer &piece) {
    if (!piece.failed.empty())
      return done(file, piece.failed);
    DiskRequest write;
    write.what = What::write;
    write.name = file->name;
    write.offset = file->offset;
    write.data = std::move(piece.data);
    file->offset += write.data.size();
    write.last = file->offset >= piece.size;
    ask(file->to, write, [this, file, last = write.last](DiskAnswer &written) {
      if (written.failed.empty() && !last)
        return pass_on(file);
      done(file, written.failed);
    });
  });
}

void Disks::done(const std::shared_ptr<File> &file, const std::string &why) {
  under_way_--;
  file->then(why);
  proceed();
}

} // namespace skein::launch
