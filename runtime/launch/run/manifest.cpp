// The manifest's format, and what is checked before a restart; see manifest.h.
#include "launch/run/manifest.h"

#include "launch/command/elf_file.h"
#include "launch/run/child.h"
#include "launch/run/host_facts.h"

#include <elf.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <unistd.h>

namespace skein::launch {

namespace {

using Json = nlohmann::json;

constexpr const char *fates[] = {"there", "left", "dead", "did not come"};

Fate fate_called(const std::string &name) {
  for (size_t i = 0; i < std::size(fates); i++)
    if (name == fates[i])
      return static_cast<Fate>(i);
  throw "a node cannot be '" + name + "'";
}

Manifest read(const Json &json) {
  Manifest manifest;
  manifest.number = json.at("number");
  manifest.skein = json.at("skein");
  manifest.when = json.at("when");
  manifest.bytes = json.at("bytes");
  manifest.pause_ms = json.at("pause_ms");
  manifest.took_ms = json.at("took_ms");
  manifest.command = json.at("command");
  manifest.build_id = json.at("build_id");
  manifest.folder = json.at("folder");
  manifest.options = json.at("options");
  manifest.numbers = json.at("numbers");
  manifest.founders = json.at("founders");
  manifest.seed = json.at("seed");
  for (const Json &node : json.at("nodes"))
    manifest.nodes.push_back({node.at("number"), fate_called(node.at("state")), node.at("host")});
  manifest.several_hosts = json.at("several_hosts");
  manifest.processor = json.at("processor");
  manifest.kernel = json.at("kernel");
  const Json &output = json.at("output");
  manifest.output = {output.at("held"), output.at("regular"), output.at("device"), output.at("inode"),
                     output.at("position")};
  const Json &settings = json.at("settings");
  manifest.every_s = settings.at("every_s");
  manifest.keep = settings.at("keep");
  manifest.patience_s = settings.at("patience_s");
  manifest.recoveries = settings.at("recoveries");
  manifest.prefix = settings.at("prefix");
  manifest.bind = settings.at("bind");
  manifest.mixed = settings.at("mixed");
  manifest.same_image = settings.at("same_image");
  manifest.network = settings.at("network");
  manifest.ssh = settings.at("ssh");
  for (const Json &variable : settings.at("environment"))
    manifest.environment.emplace_back(variable.at("name"), variable.at("value"));
  return manifest;
}

/// Whether the numbers can be those of a run.
bool is_sound(const Manifest &manifest) {
  if (manifest.command.empty() || manifest.number < 1 || manifest.numbers < 2 ||
      manifest.numbers > bootstrap::nodes_max || manifest.founders < 1 || manifest.founders > manifest.numbers ||
      manifest.nodes.size() > static_cast<size_t>(manifest.numbers) || manifest.nodes.empty() ||
      manifest.nodes[0].fate != Fate::there)
    return false;
  for (size_t i = 0; i < manifest.nodes.size(); i++)
    if (manifest.nodes[i].number != static_cast<int>(i))
      return false;
  return true;
}

} // namespace

std::string Manifest::to_json() const {
  Json all_nodes = Json::array(), variables = Json::array();
  for (const NodeRecord &node : nodes)
    all_nodes.push_back(
        {{"number", node.number}, {"state", fates[static_cast<size_t>(node.fate)]}, {"host", node.host}});
  for (const auto &[name, value] : environment)
    variables.push_back({{"name", name}, {"value", value}});
  nlohmann::ordered_json json;
  json["format"] = manifest_format;
  json["number"] = number;
  json["skein"] = skein;
  json["when"] = when;
  json["bytes"] = bytes;
  json["pause_ms"] = pause_ms;
  json["took_ms"] = took_ms;
  json["command"] = command;
  json["build_id"] = build_id;
  json["folder"] = folder;
  json["options"] = options;
  json["numbers"] = numbers;
  json["founders"] = founders;
  json["seed"] = seed;
  json["nodes"] = all_nodes;
  json["several_hosts"] = several_hosts;
  json["processor"] = processor;
  json["kernel"] = kernel;
  json["output"] = {{"held", output.held},
                    {"regular", output.regular},
                    {"device", output.device},
                    {"inode", output.inode},
                    {"position", output.position}};
  json["settings"] = {{"every_s", every_s},
                      {"keep", keep},
                      {"patience_s", patience_s},
                      {"prefix", prefix},
                      {"bind", bind},
                      {"mixed", mixed},
                      {"network", network},
                      {"ssh", ssh},
                      {"environment", variables},
                      {"recoveries", recoveries},
                      {"same_image", same_image}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest Manifest::from_json(const std::string &text) {
  try {
    const Json json = Json::parse(text);
    if (const int format = json.at("format"); format != manifest_format)
      throw "it has format " + std::to_string(format) + ", and this Skein knows format " +
          std::to_string(manifest_format);
    const Manifest manifest = read(json);
    if (!is_sound(manifest))
      throw std::string("its nodes are none");
    return manifest;
  } catch (const Json::exception &why) {
    throw std::string(why.what());
  }
}

std::vector<int> Manifest::nodes_there() const {
  std::vector<int> numbers;
  for (const NodeRecord &node : nodes)
    if (node.fate == Fate::there)
      numbers.push_back(node.number);
  return numbers;
}

std::string why_not_here(const Manifest &manifest) {
  const HostFacts here = facts_of_this_host();
  if (manifest.skein != here.version)
    return "it was made by another version of Skein: " + manifest.skein + "; this is " + here.version;
  const std::string program = found_program(manifest.command[0]);
  if (program.empty() || access(program.c_str(), X_OK) != 0)
    return "its program is not here any more: " + manifest.command[0];
  if (const std::string id = build_id_of(program); id != manifest.build_id)
    return "the program " + program + " was built again since: its build-id is " + (id.empty() ? "none" : id) +
           ", and was " + (manifest.build_id.empty() ? "none" : manifest.build_id) +
           ". The copies have its code and data at their addresses, and fit no other build";
  if (const std::string missing = instructions_missing(manifest.processor, here.instructions); !missing.empty())
    return "the processor of this host lacks instructions that the nodes may be using: " + missing;
  if (const std::string kernel = kernel_release(); kernel != manifest.kernel)
    return "it was made under another kernel, " + manifest.kernel + ", and this is " + kernel +
           ": what the kernel maps into each process (the vdso) may differ, and the copies hold addresses in it";
  return "";
}

std::string build_id_of(const std::string &program) {
  std::string id;
  try {
    ElfFile(program).any_note([&](std::string_view name, uint32_t type, std::string_view bytes) {
      if (name != "GNU" || type != NT_GNU_BUILD_ID)
        return false;
      for (const char byte : bytes) {
        char two[3];
        snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
        id += two;
      }
      return true;
    });
  } catch (const std::string &) {
    return ""; // a script
  }
  return id;
}

std::string program_path(const std::string &program) {
  const std::string file = found_program(program);
  std::error_code error;
  const std::string path = std::filesystem::canonical(file, error).string();
  return error ? program : path;
}

std::string kernel_release() {
  utsname name;
  return uname(&name) == 0 ? name.release : "";
}

} // namespace skein::launch
