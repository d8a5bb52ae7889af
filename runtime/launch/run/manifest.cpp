// The manifest's format, and what is checked before a restart; see manifest.h.
#include "launch/run/manifest.h"

#include "launch/command/elf_file.h"
#include "launch/run/child.h"
#include "launch/run/host_facts.h"

#include <elf.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>
#include <type_traits>
#include <unistd.h>

namespace skein::launch {

namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json; // as the fields are listed
using Variables = decltype(Manifest::environment);

constexpr const char *fates[] = {"there", "left", "dead", "did not come"};

Fate fate_called(const std::string &name) {
  for (size_t i = 0; i < std::size(fates); i++)
    if (name == fates[i])
      return static_cast<Fate>(i);
  throw "a node cannot be '" + name + "'";
}

// The fields, each named once, for both directions. A record is const when it is written.

template <class Record, class Type> constexpr bool is_a = std::is_same_v<std::remove_const_t<Record>, Type>;

template <class Record, class Visit, std::enable_if_t<is_a<Record, NodeRecord>, int> = 0>
void fields_of(Record &node, Visit &field) {
  field("number", node.number);
  field("state", node.fate);
  field("host", node.host);
  field("kept_on", node.kept_on);
}

template <class Record, class Visit, std::enable_if_t<is_a<Record, Variables::value_type>, int> = 0>
void fields_of(Record &variable, Visit &field) {
  field("name", variable.first);
  field("value", variable.second);
}

template <class Record, class Visit, std::enable_if_t<is_a<Record, Manifest>, int> = 0>
void fields_of(Record &manifest, Visit &field) {
  field("number", manifest.number);
  field("skein", manifest.skein);
  field("when", manifest.when);
  field("bytes", manifest.bytes);
  field("pause_ms", manifest.pause_ms);
  field("took_ms", manifest.took_ms);
  field("command", manifest.command);
  field("build_id", manifest.build_id);
  field("folder", manifest.folder);
  field("options", manifest.options);
  field("numbers", manifest.numbers);
  field("founders", manifest.founders);
  field("seed", manifest.seed);
  field("nodes", manifest.nodes);
  field("several_hosts", manifest.several_hosts);
  field("transport", manifest.transport);
  field("own_disks", manifest.own_disks);
  field("processor", manifest.processor);
  field("kernel", manifest.kernel);
  field.group("output", [&](auto &of_output) {
    auto &output = manifest.output;
    of_output("held", output.held);
    of_output("regular", output.regular);
    of_output("device", output.device);
    of_output("inode", output.inode);
    of_output("position", output.position);
  });
  field.group("settings", [&](auto &setting) {
    setting("every_s", manifest.every_s);
    setting("keep", manifest.keep);
    setting("patience_s", manifest.patience_s);
    setting("recoveries", manifest.recoveries);
    setting("prefix", manifest.prefix);
    setting("bind", manifest.bind);
    setting("mixed", manifest.mixed);
    setting("same_image", manifest.same_image);
    setting("network", manifest.network);
    setting("ssh", manifest.ssh);
    setting("environment", manifest.environment);
  });
}

/// Puts the fields of a record into JSON.
struct Writer {
  Ordered json;
  template <class T> void operator()(const char *name, const T &value) { json[name] = value; }
  void operator()(const char *name, const Fate &value) { json[name] = fates[static_cast<size_t>(value)]; }
  void operator()(const char *name, const std::vector<NodeRecord> &records) { json[name] = each(records); }
  void operator()(const char *name, const Variables &variables) { json[name] = each(variables); }
  template <class Fields> void group(const char *name, Fields fields) {
    Writer inner;
    fields(inner);
    json[name] = inner.json;
  }

private:
  template <class Records> static Ordered each(const Records &records) {
    Ordered all = Ordered::array();
    for (const auto &record : records) {
      Writer inner;
      fields_of(record, inner);
      all.push_back(inner.json);
    }
    return all;
  }
};

/// Takes them out again. Throws a Json::exception, or a std::string.
struct Reader {
  const Json &json;
  template <class T> void operator()(const char *name, T &value) { json.at(name).get_to(value); }
  void operator()(const char *name, Fate &value) { value = fate_called(json.at(name)); }
  void operator()(const char *name, std::vector<NodeRecord> &records) { each(json.at(name), records); }
  void operator()(const char *name, Variables &variables) { each(json.at(name), variables); }
  template <class Fields> void group(const char *name, Fields fields) {
    Reader inner{json.at(name)};
    fields(inner);
  }

private:
  template <class Records> static void each(const Json &all, Records &records) {
    for (const Json &one : all) {
      Reader inner{one};
      fields_of(records.emplace_back(), inner);
    }
  }
};

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
  Writer writer;
  writer("format", manifest_format);
  fields_of(*this, writer);
  return writer.json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest Manifest::from_json(const std::string &text) {
  try {
    const Json json = Json::parse(text);
    if (const int format = json.at("format"); format != manifest_format)
      throw "it has format " + std::to_string(format) + ", and this Skein knows format " +
          std::to_string(manifest_format);
    Manifest manifest;
    Reader reader{json};
    fields_of(manifest, reader);
    if (!is_sound(manifest))
      throw std::string("its nodes are none");
    return manifest;
  } catch (const Json::exception &why) {
    throw std::string(why.what());
  }
}

std::string Manifest::identity() const { return std::to_string(number) + " " + std::to_string(seed) + " " + when; }

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
