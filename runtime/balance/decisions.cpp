// What a decision maker decides; see decisions.h.
#include "balance/decisions.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

constexpr uint32_t difference_least = 200;      // hundredths of a thread, between two nodes
constexpr uint32_t group_difference_least = 50; // between the means of two groups
constexpr uint32_t threads_most = 16;           // at once
constexpr uint32_t quiet_messages = 8;          // in a period: a link that carries fewer is left alone
constexpr unsigned patience_most = 64;          // sample periods

} // namespace

bool Maker::begin(int first, int end, uint32_t group, uint32_t groups) {
  this->end();
  first_ = first;
  end_ = end;
  group_ = group;
  groups_ = groups;
  known_ = static_cast<Known *>(calloc(static_cast<size_t>(end - first), sizeof(Known)));
  digests_ = static_cast<GroupDigest *>(calloc(groups, sizeof(GroupDigest)));
  digest_came_ = static_cast<unsigned *>(calloc(groups, sizeof(unsigned)));
  ranks_ = static_cast<uint32_t *>(calloc(groups, sizeof(uint32_t)));
  return known_ && digests_ && digest_came_ && ranks_;
}

void Maker::end() {
  free(known_);
  free(digests_);
  free(digest_came_);
  free(ranks_);
  *this = {};
}

void Maker::summary(int node, const NodeSummary &summary) {
  if (!mine(node))
    return;
  Known &of = known_[node - first_];
  // Half of it is what was before, so that one period in which threads happened to wait for each other moves nothing.
  of.load_hundredths = of.fresh ? (of.load_hundredths + summary.load_hundredths) / 2 : summary.load_hundredths;
  of.fresh = true;
  of.count = std::min(summary.count, links_told);
  memcpy(of.links, summary.links, of.count * sizeof *of.links);
}

void Maker::forget(int node) {
  if (!mine(node))
    return;
  known_[node - first_] = {};
  known_[node - first_].dead = true;
}

void Maker::digest(const GroupDigest &digest) {
  if (digest.group >= groups_ || digest.group == group_)
    return;
  digests_[digest.group] = digest;
  digest_came_[digest.group] = period_;
}

void Maker::answered(const Wish &wish, uint32_t threads) {
  if (!mine(wish.to))
    return; // across: the next ones come with the next digests
  under_way_ = false;
  // Where nothing could be moved, nothing will be for a while.
  patience_ = threads ? 1 : std::min(2 * patience_, patience_most);
  waits_until_ = period_ + patience_;
}

void Maker::next_period(unsigned answer_periods) {
  period_++;
  if (under_way_ && period_ - asked_ >= answer_periods)
    under_way_ = false; // that node has died, or is late
}

uint32_t Maker::sent(int from, int to) const {
  const Known &known = of(from);
  for (uint32_t i = 0; i < known.count; i++)
    if (known.links[i].peer == static_cast<uint32_t>(to))
      return known.links[i].messages;
  return 0;
}

uint32_t Maker::link(int a, int b) const { return sent(a, b) + sent(b, a); }

bool Maker::all_known() const {
  for (int node = first_; node < end_; node++)
    if (!of(node).dead && !of(node).fresh)
      return false; // it has not told anything yet
  return true;
}

bool Maker::share(Wish &wish) {
  int most = -1, least = -1;
  for (int node = first_; node < end_; node++) {
    if (of(node).dead)
      continue;
    most = most < 0 || of(node).load_hundredths > of(most).load_hundredths ? node : most;
    least = least < 0 || of(node).load_hundredths < of(least).load_hundredths ? node : least;
  }
  if (most < 0)
    return false;
  const uint32_t difference = of(most).load_hundredths - of(least).load_hundredths;
  if (difference < difference_least)
    return false;
  wish = {most, least, std::clamp(difference / 200, 1u, threads_most), -1, -1};
  return true;
}

/// Only what some node has told can be the busiest link, so not all pairs are looked at.
bool Maker::quieten(Wish &wish) {
  int a = -1, b = -1;
  uint32_t carried = 0;
  uint64_t messages = 0, living = 0;
  for (int node = first_; node < end_; node++) {
    living += !of(node).dead;
    for (uint32_t i = 0; i < of(node).count; i++) {
      const int peer = static_cast<int>(of(node).links[i].peer);
      if (!mine(peer) || peer == node || of(peer).dead)
        continue;
      messages += of(node).links[i].messages;
      if (const uint32_t both = link(node, peer); both > carried) {
        a = std::min(node, peer);
        b = std::max(node, peer);
        carried = both;
      }
    }
  }
  const uint64_t links = living * (living - 1) / 2;
  if (a < 0 || carried < quiet_messages || carried < messages / links || period_ < link_waits_until_)
    return false;
  const bool helped = carried < link_before_ - link_before_ / 5;
  link_patience_ = !link_before_ || helped ? 1 : std::min(2 * link_patience_, patience_most);
  link_before_ = carried;
  link_waits_until_ = period_ + 1 + link_patience_;
  const bool from_b = of(b).load_hundredths > of(a).load_hundredths;
  wish = {from_b ? b : a, from_b ? a : b, 1, a, b};
  return true;
}

bool Maker::within(Wish &wish) {
  if (!all_known() || under_way_ || period_ < waits_until_ || (!share(wish) && !quieten(wish)))
    return false;
  under_way_ = true;
  asked_ = period_;
  return true;
}

bool Maker::own_digest(GroupDigest &to) const {
  if (!all_known())
    return false;
  to = {};
  to.group = group_;
  uint64_t sum = 0;
  for (int node = first_; node < end_; node++) {
    if (of(node).dead)
      continue;
    const uint32_t load = of(node).load_hundredths;
    sum += load;
    // The few with least stand in their order.
    uint32_t at = std::min<uint32_t>(to.nodes, digest_nodes);
    if (at == digest_nodes && load >= to.loads_hundredths[at - 1]) {
      to.nodes++;
      continue;
    }
    for (at = std::min<uint32_t>(at, digest_nodes - 1); at > 0 && to.loads_hundredths[at - 1] > load; at--) {
      to.least[at] = to.least[at - 1];
      to.loads_hundredths[at] = to.loads_hundredths[at - 1];
    }
    to.least[at] = static_cast<uint32_t>(node);
    to.loads_hundredths[at] = load;
    to.nodes++;
  }
  to.load_hundredths = to.nodes ? static_cast<uint32_t>(sum / to.nodes) : 0;
  return to.nodes > 0;
}

unsigned Maker::across(Wish *wishes) {
  GroupDigest own;
  if (groups_ < 2 || period_ < across_until_ || !own_digest(own))
    return 0;
  digests_[group_] = own;
  digest_came_[group_] = period_;
  const auto usable = [&](uint32_t group) {
    return digests_[group].nodes && period_ - digest_came_[group] <= 2 * digest_periods;
  };
  const auto above = [&](uint32_t one, uint32_t other) { // equal loads: the lower number counts as more
    const uint32_t a = digests_[one].load_hundredths, b = digests_[other].load_hundredths;
    return a != b ? a > b : one < other;
  };
  uint32_t known = 0;
  for (uint32_t group = 0; group < groups_; group++)
    if (usable(group))
      ranks_[known++] = group;
  std::sort(ranks_, ranks_ + known, above);
  const auto rank = static_cast<uint32_t>(std::find(ranks_, ranks_ + known, group_) - ranks_);
  if (rank >= known / 2)
    return 0; // one that gets
  const GroupDigest *other = &digests_[ranks_[known - 1 - rank]];
  if (own.load_hundredths < other->load_hundredths + group_difference_least)
    return 0;
  across_until_ = period_ + digest_periods;
  // Half of the difference, of all nodes of the smaller group, in equal parts from the nodes with most to do.
  const uint64_t threads =
      uint64_t{own.load_hundredths - other->load_hundredths} * std::min(own.nodes, other->nodes) / 200;
  const unsigned parts = std::min<unsigned>({digest_nodes, own.nodes, other->nodes});
  const uint32_t each = static_cast<uint32_t>(std::clamp<uint64_t>(threads / parts, 1, threads_most));
  int givers[digest_nodes];
  unsigned count = 0;
  for (unsigned part = 0; part < parts && part < std::max<uint64_t>(threads, 1); part++) {
    int most = -1;
    for (int node = first_; node < end_; node++)
      if (!of(node).dead && std::find(givers, givers + part, node) == givers + part &&
          (most < 0 || of(node).load_hundredths > of(most).load_hundredths))
        most = node;
    givers[part] = most;
    wishes[count++] = {most, static_cast<int>(other->least[part]), each, -1, -1};
  }
  return count;
}

} // namespace skein
