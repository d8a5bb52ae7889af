// `skein trace`: looks at what a run has recorded (docs/tracing.md).
#include "launch/command/command.h"
#include "launch/traces/chrome.h"
#include "launch/traces/perfetto.h"
#include "launch/traces/tables.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein trace FILE [--summary | --csv | --out FILE | --plot FILE]

Reads what a run has recorded: a file that `skein run --trace FILE` wrote, or the folder of a run that was started with
SKEIN_OPTIONS=trace_in=FOLDER. Without an option it prints a summary: how busy workers were, what threads ran, waited
for and moved, messages, and what is missing in the recording.
)";

constexpr char footer[] =
    R"(ui.perfetto.dev opens files that end with anything but .json; speedscope and chrome://tracing open .json.
Status 1 if events are missing in the recording (it says which), 2 if there is no recording.
)";

struct Options {
  std::string from, out, plot;
  bool summary = false, csv = false, events = false, markdown = false;
};

void print_events(bool markdown) {
  if (markdown)
    puts("| class | event | words | meaning |\n|---|---|---|---|");
  for (size_t i = 0; i < trace_class_count; i++) {
    if (!markdown)
      printf("%s: %s\n", trace_class_table[i].name, trace_class_table[i].help);
    bool first = true;
    for (size_t event = 1; event < trace_event_count; event++) {
      const TraceEventInfo &info = trace_event_table[event];
      if (strcmp(info.class_name, trace_class_table[i].name) != 0)
        continue;
      std::string words;
      for (const auto &word : info.words)
        if (word.name)
          words += (words.empty() ? "" : ", ") + traces::plain_name(word.name);
      const std::string name = traces::plain_name(info.name);
      if (markdown)
        printf("| %s | %s | %s | %s |\n", first ? (std::string("`") + info.class_name + "`").c_str() : "", name.c_str(),
               words.c_str(), info.help);
      else
        printf("    %-17s %-24s %s\n", name.c_str(), words.c_str(), info.help);
      first = false;
    }
  }
}

/// Runs the script that draws, which reads the events as CSV.
int draw(traces::Recording &recording, const std::string &to) {
  const std::string bin = program_directory();
  const std::string script = bin.substr(0, bin.rfind('/')) + "/share/skein/trace/plot.py";
  if (access(script.c_str(), R_OK) != 0)
    throw "cannot read " + script + ": " + strerror(errno);
  const auto in_quotes = [](const std::string &text) {
    std::string quoted = "'";
    for (const char c : text)
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
  };
  FILE *pipe = popen(("python3 " + in_quotes(script) + " --out " + in_quotes(to)).c_str(), "we");
  if (!pipe)
    throw std::string("cannot run python3: ") + strerror(errno);
  traces::write_csv(recording, pipe);
  return pclose(pipe) == 0 ? 0 : 1;
}

int run(const Options &options) {
  if (options.events) {
    print_events(options.markdown);
    return 0;
  }
  if (options.from.empty())
    throw std::string("which recording?");
  const std::unique_ptr<traces::Recording> recording = traces::open_recording(options.from);
  if (options.csv) {
    traces::write_csv(*recording, stdout);
    return traces::write_missing(*recording, stderr);
  }
  if (!options.plot.empty()) {
    const int status = draw(*recording, options.plot);
    return traces::write_missing(*recording, stderr) ? 1 : status;
  }
  if (!options.out.empty()) {
    write_trace(*recording, options.out);
    return traces::write_missing(*recording, stderr);
  }
  return traces::write_summary(*recording, stdout);
}

Action declare(CLI::App &line) {
  auto options = std::make_shared<Options>();
  line.description(description)->footer(footer);
  line.add_option("recording", options->from, "a file, or a folder")->type_name("");
  auto *what = line.add_option_group("what");
  what->add_flag("--summary", options->summary, "print the summary (the default)");
  what->add_flag("--csv", options->csv, "print all events as lines of comma-separated values");
  what->add_option("--out", options->out, "write a file for a viewer")->type_name("FILE");
  what->add_option("--plot", options->plot, "draw ready queues, messages and moves over time, as .svg, .png\nor .pdf")
      ->type_name("FILE");
  what->add_flag("--events", options->events, "print which events there are, by class");
  what->require_option(0, 1);
  line.add_flag("--markdown", options->markdown, "--events: as in docs/tracing.md");
  return [options] { return run(*options); };
}

} // namespace

void write_trace(traces::Recording &recording, const std::string &to) {
  const bool json = to.size() > 5 && to.compare(to.size() - 5, 5, ".json") == 0;
  json ? traces::write_chrome(recording, to) : traces::write_perfetto(recording, to);
}

extern const Command trace_command = {"trace", "look at what a run has recorded: a summary, plots, files for viewers",
                                      declare};

} // namespace skein::launch
