// Reading /proc/cpuinfo and the list of interfaces; see host_facts.h.
#include "launch/run/host_facts.h"

#include "launch/run/stream.h"
#include "net/wire/bootstrap.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <set>
#include <skein/version.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

namespace skein::launch {

namespace {

// A thread that waits in a function which was chosen because the processor has one of these cannot go on without it.
// What a program asks of the kernel or of a machine's firmware is not among them.
const char *const extension_beginnings[] = {"sse", "ssse3", "avx",  "fma",  "bmi",    "aes",  "vaes",   "pclmul",
                                            "vpc", "gfni",  "sha_", "amx",  "popcnt", "abm",  "movbe",  "adx",
                                            "f16", "rdra",  "rdse", "xsav", "rtm",    "hle",  "pku",    "cx16",
                                            "lah", "xop",   "tbm",  "fsgs", "clwb",   "movd", "serial", "waitpkg"};

bool is_extension(const std::string &flag) {
  return std::any_of(std::begin(extension_beginnings), std::end(extension_beginnings),
                     [&](const char *beginning) { return flag.compare(0, strlen(beginning), beginning) == 0; });
}

std::string instructions_here() {
  std::ifstream about("/proc/cpuinfo");
  std::set<std::string> found;
  for (std::string line; std::getline(about, line);)
    if (line.compare(0, 5, "flags") == 0) {
      std::istringstream flags(line.substr(line.find(':') + 1));
      for (std::string flag; flags >> flag;)
        if (is_extension(flag))
          found.insert(flag);
      break;
    }
  std::string all;
  for (const std::string &flag : found)
    all += (all.empty() ? "" : " ") + flag;
  return all;
}

std::string numeric(const sockaddr *address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(address)->sin_addr, text, sizeof text);
  else if (address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr, text, sizeof text);
  return text;
}

/// The bytes of a numeric address; their number is 4, 16, or 0 if it is none.
size_t bytes_of(const std::string &text, uint8_t (&bytes)[16]) {
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1)
    return 4;
  return inet_pton(AF_INET6, text.c_str(), bytes) == 1 ? 16 : 0;
}

/// Whether the address is in a range such as 10.1.0.0/16.
bool is_in(const std::string &address, const std::string &range) {
  const size_t slash = range.find('/');
  uint8_t one[16], other[16];
  const size_t size = bytes_of(address, one);
  unsigned bits = static_cast<unsigned>(8 * size);
  if (slash != std::string::npos)
    std::from_chars(range.data() + slash + 1, range.data() + range.size(), bits);
  if (size == 0 || bytes_of(range.substr(0, slash), other) != size || bits > 8 * size)
    return false;
  for (unsigned bit = 0; bit < bits; bit++)
    if (((one[bit / 8] ^ other[bit / 8]) >> (7 - bit % 8)) & 1)
      return false;
  return true;
}

} // namespace

std::string HostFacts::packed() const {
  FrameWriter writer;
  writer << version << name << page_bytes << instructions << address << rank << places;
  return writer.bytes();
}

bool HostFacts::unpack(const std::string &bytes) {
  FrameReader reader(bytes);
  reader >> version >> name >> page_bytes >> instructions >> address >> rank >> places;
  return reader.sound();
}

HostFacts facts_of_this_host() {
  HostFacts facts;
  facts.version = SKEIN_VERSION_TEXT ", packets of version " + std::to_string(bootstrap::version);
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  facts.name = name;
  facts.page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  facts.instructions = instructions_here();
  // What sshd tells: the client's address and port, then those of this host.
  if (const char *connection = getenv("SSH_CONNECTION")) {
    std::istringstream words(connection);
    std::string client, port;
    words >> client >> port >> facts.address;
  }
  return facts;
}

std::string instructions_missing(const std::string &needed, const std::string &there) {
  std::istringstream has(there), wanted(needed);
  std::set<std::string> known;
  std::string text;
  for (std::string flag; has >> flag;)
    known.insert(flag);
  for (std::string flag; wanted >> flag;)
    if (!known.count(flag))
      text += (text.empty() ? "" : ", ") + flag;
  return text;
}

std::string why_not_together(const HostFacts &here, const std::string &there_called, const HostFacts &there,
                             bool mixed) {
  const std::string hosts = "this host, " + here.name + ", and host " + there_called + ", ";
  if (here.version != there.version)
    return hosts + "have different versions of Skein: " + here.version + " here, " + there.version + " there";
  if (here.page_bytes != there.page_bytes)
    return hosts + "have pages of different sizes: " + std::to_string(here.page_bytes) + " and " +
           std::to_string(there.page_bytes) + " bytes";
  const std::string missing = instructions_missing(here.instructions, there.instructions),
                    unknown = instructions_missing(there.instructions, here.instructions);
  if (mixed || (missing.empty() && unknown.empty()))
    return "";
  return hosts + "have processors with different instructions" +
         (missing.empty() ? "" : "; only this host has " + missing) +
         (unknown.empty() ? "" : "; only " + there_called + " has " + unknown) +
         ". A thread in a function that uses one of them could not go on elsewhere. If the program has no such "
         "function "
         "(compiled without -march= and target attributes), --mixed lets the run begin";
}

namespace {

/// The interfaces of this host that have an address, by their names.
std::vector<std::pair<std::string, std::string>> interfaces_here() {
  ifaddrs *interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0)
    throw std::string("getifaddrs: ") + strerror(errno);
  std::vector<std::pair<std::string, std::string>> all;
  for (const ifaddrs *at = interfaces; at; at = at->ifa_next)
    if (const std::string address = at->ifa_addr ? numeric(at->ifa_addr) : "";
        !address.empty() && address.compare(0, 4, "fe80") != 0) // of a link: it is none without the link's name
      all.emplace_back(at->ifa_name, address);
  freeifaddrs(interfaces);
  return all;
}

} // namespace

std::string address_in(const std::string &network) {
  std::string all;
  for (const auto &[name, address] : interfaces_here()) {
    if (network == name || is_in(address, network))
      return address;
    all += (all.empty() ? "" : ", ") + name + " " + address;
  }
  throw "no interface of this host is called, or has an address in, " + network + "; there are " + all;
}

std::vector<std::string> addresses_of_this_host() {
  std::vector<std::string> all;
  for (const auto &[name, address] : interfaces_here())
    if (name != "lo" && address.find(':') == std::string::npos)
      all.push_back(address);
  all.emplace_back("127.0.0.1");
  return all;
}

std::string address_towards(const std::string &address) {
  sockaddr_storage there{}, here{};
  socklen_t bytes = 0;
  auto *four = reinterpret_cast<sockaddr_in *>(&there);
  auto *six = reinterpret_cast<sockaddr_in6 *>(&there);
  if (inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(9); // nothing is sent
    bytes = sizeof *four;
  } else if (inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(9);
    bytes = sizeof *six;
  } else {
    throw "'" + address + "' is no numeric address";
  }
  const int way = socket(there.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t here_bytes = sizeof here;
  const bool known = way >= 0 && connect(way, reinterpret_cast<sockaddr *>(&there), bytes) == 0 &&
                     getsockname(way, reinterpret_cast<sockaddr *>(&here), &here_bytes) == 0;
  const int why = errno;
  if (way >= 0)
    close(way);
  if (!known)
    throw "there is no way from this host to " + address + ": " + strerror(why);
  return numeric(reinterpret_cast<sockaddr *>(&here));
}

std::string address_of(const std::string &endpoint) {
  const std::string host = endpoint.substr(0, endpoint.rfind(':'));
  return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

} // namespace skein::launch
