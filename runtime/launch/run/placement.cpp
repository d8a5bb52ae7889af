// Reading lists of hosts; see thread_placement.h.
#include "launch/run/placement.h"

#include "net/wire/bootstrap.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace skein::launch {

namespace {

bool is_this_host(const std::string &name) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  const std::string all = own;
  return name == "localhost" || name == all || name == all.substr(0, all.find('.'));
}

int number_in(const std::string &text, const std::string &word) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > bootstrap::nodes_max)
    throw "'" + word + "': the number of nodes must be 1 to " + std::to_string(bootstrap::nodes_max);
  return number;
}

Place parse_place(const std::string &word) {
  Place place;
  const size_t colon = word.rfind(':');
  const bool in_brackets = colon != std::string::npos && word.find(']', colon) != std::string::npos; // [fd00::1]
  place.host = in_brackets ? word : word.substr(0, colon);
  if (colon != std::string::npos && !in_brackets)
    place.nodes = number_in(word.substr(colon + 1), word);
  if (place.host.size() > 2 && place.host.front() == '[' && place.host.back() == ']')
    place.host = place.host.substr(1, place.host.size() - 2);
  if (place.host.empty() || place.host[0] == '-') // which ssh would take for an option
    throw "'" + word + "' names no host";
  if (is_this_host(place.host))
    place.host.clear();
  return place;
}

void add(std::vector<Place> &places, const Place &place) {
  if (std::any_of(places.begin(), places.end(), [&](const Place &other) { return other.host == place.host; }))
    throw "host " + (place.host.empty() ? "localhost (this one)" : place.host) + " is named twice";
  places.push_back(place);
}

} // namespace

std::vector<Place> parse_hosts(const std::string &list) {
  std::vector<Place> places;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    add(places, parse_place(word));
  if (places.empty())
    throw std::string("--hosts names no host");
  return places;
}

std::vector<Place> read_hosts(const std::string &file) {
  std::ifstream lines(file);
  if (!lines)
    throw "cannot read " + file + ": " + strerror(errno);
  std::vector<Place> places;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, more;
    if (!(words >> word))
      continue;
    Place place = parse_place(word);
    constexpr char slots[] = "slots=";
    while (words >> more)
      if (more.compare(0, sizeof slots - 1, slots) == 0)
        place.nodes = number_in(more.substr(sizeof slots - 1), line);
      else
        throw file + ": '" + more + "' is not understood after a host; slots=N is";
    add(places, place);
  }
  if (places.empty())
    throw file + " names no host";
  return places;
}

int fill(std::vector<Place> &places, int nodes) {
  int room = 0;
  for (const Place &place : places)
    room += place.nodes;
  if (nodes == 0)
    nodes = room;
  if (nodes > room)
    throw std::to_string(nodes) + " nodes are more than the hosts' " + std::to_string(room) +
        " places (host:nodes says how many a host has)";
  if (nodes > bootstrap::nodes_max)
    throw "there may be at most " + std::to_string(bootstrap::nodes_max) + " nodes";
  int left = nodes;
  for (Place &place : places) {
    place.nodes = std::min(place.nodes, left);
    left -= place.nodes;
  }
  places.erase(std::remove_if(places.begin(), places.end(), [](const Place &place) { return place.nodes == 0; }),
               places.end());
  return nodes;
}

std::vector<Place> placed(const std::vector<std::pair<int, std::string>> &nodes,
                          const std::vector<std::string> &hosts) {
  std::vector<Place> places;
  for (const std::string &host : hosts)
    places.push_back({host, 0, {}});
  if (places.empty())
    return places;
  std::vector<int> homeless;
  for (const auto &[number, host] : nodes) {
    const auto place =
        std::find_if(places.begin(), places.end(), [&, &name = host](const Place &one) { return one.host == name; });
    if (place != places.end())
      place->numbers.push_back(number);
    else
      homeless.push_back(number);
  }
  for (const int number : homeless)
    std::min_element(places.begin(), places.end(), [](const Place &one, const Place &other) {
      return one.numbers.size() < other.numbers.size();
    })->numbers.push_back(number);
  places.erase(std::remove_if(places.begin(), places.end(), [](const Place &place) { return place.numbers.empty(); }),
               places.end());
  for (Place &place : places)
    place.nodes = static_cast<int>(place.numbers.size());
  return places;
}

} // namespace skein::launch
