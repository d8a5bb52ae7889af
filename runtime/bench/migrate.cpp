// `skein bench migrate`: what one migration between two processes of this machine costs, and where the time goes.
//
// A thread with a live stack of the given size pushes itself to and fro between two nodes (libexec/skein/ping_pong, run
// by `skein run -n 2` with one worker each). Beside it stands a bare UCX active message of as many bytes as the
// thread's image has (libexec/skein/ucx_pair), with the environment of the nodes. Both are half of a way to and fro;
// the parts of a migration are from a series of their own, in which both nodes read the clock.
//
// A machine has moods: two virtual cores may share a cache for some seconds, and not for the next ones, which is a
// factor of three for the bare message. So both are measured in turns, in several rounds, and each process has a core
// of its own, if there are two. Each figure is the median over the rounds of the median of one round; the ratio is the
// median of the rounds' ratios.
#include "bench/bench.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace skein::launch {

const char *const bench_migrate_help =
    "usage: skein bench migrate [options]\n\n"
    "Prints the median cost of one migration between two processes in microseconds, for live stacks of several sizes:\n"
    "capture (call to complete image), transfer (until the other node has it), relocation (verified, relocated, known\n"
    "there), resume (until the call returns); the whole, without reading the clock in between; and beside it a bare "
    "UCX\n"
    "active message of the size of the image, one way, with both sides spinning and with both sleeping while they "
    "wait.\n"
    "ratio: whole by UCX that spins, measured in turns.\n"
    "Then the same of stacks of many small frames, each with two pointers into the stack: what a frame more takes.\n"
    "With --transport tcp, then one message of several sizes one way, and MB a second of a stream of them: by bare\n"
    "sockets, by bare UCX over TCP, which no run uses, and by Skein's transport with nothing above it, sealed and "
    "plain.\n\n"
    "  --count N         migrations for each size (default 2000)\n"
    "  --sizes A,B,…     KiB of live stack, out of 0, 1, 2, 4, 16 (default all)\n"
    "  --stacks WHICH    relocate or reserve, with the program wherever the kernel puts it (image=any); auto, where "
    "nothing\n"
    "                    changes its address (image=same); or all (default)\n"
    "  --transport WHICH shm (default) or tcp\n"
    "  --csv FILE        write "
    "stacks,kib,image_bytes,capture_us,transfer_us,relocation_us,resume_us,whole_us,ucx_spinning_us,ucx_sleeping_us,"
    "ratio\n"
    "  --frames-csv FILE write stacks,frames,image_bytes,capture_us,relocation_us,capture_ns_a_frame,"
    "relocation_ns_a_frame\n";

namespace {

constexpr std::array parts = {"capture", "transfer", "relocation", "resume"};
enum Part { capture, transfer, relocation, resume };
constexpr int rounds = 7;
const std::vector<std::string> depths = {"10", "110", "510"}; // frames; each beside the first

struct Settings {
  int count = 2000;
  std::vector<std::string> sizes = {"0", "1", "2", "4", "16"};
  std::vector<std::string> strategies = {"relocate", "reserve", "auto"};
  std::string transport = "shm", csv, frames_csv;
};

/// One line of the table.
struct Row {
  std::string strategy, kib;
  long image_bytes = 0;
  std::array<double, parts.size()> ns{}; // medians
  double whole_ns = 0, ucx_spinning_ns = 0, ucx_sleeping_ns = 0, ratio = 0;
};

Settings parse(const Arguments &arguments) {
  Settings settings;
  std::string value;
  for (size_t i = 0; i < arguments.size(); i++) {
    if (option_value(arguments, i, "--count", value)) {
      settings.count = atoi(value.c_str());
      if (settings.count < 1)
        throw "--count: '" + value + "' is not a positive number";
    } else if (option_value(arguments, i, "--sizes", value)) {
      settings.sizes.clear();
      std::istringstream list(value);
      for (std::string size; std::getline(list, size, ',');) {
        if (size != "0" && size != "1" && size != "2" && size != "4" && size != "16")
          throw "--sizes: '" + size + "' is not one of 0, 1, 2, 4, 16";
        settings.sizes.push_back(size);
      }
    } else if (option_value(arguments, i, "--stacks", value)) {
      if (value != "all" && value != "relocate" && value != "reserve" && value != "auto")
        throw "--stacks: '" + value + "' is not relocate, reserve, auto or all";
      if (value != "all")
        settings.strategies = {value};
    } else if (option_value(arguments, i, "--transport", settings.transport)) {
      if (settings.transport != "shm" && settings.transport != "tcp")
        throw "--transport: '" + settings.transport + "' is not shm or tcp";
    } else if (!option_value(arguments, i, "--csv", settings.csv) &&
               !option_value(arguments, i, "--frames-csv", settings.frames_csv)) {
      throw "bench migrate: what is '" + arguments[i] + "'? `skein bench migrate --help` lists the options";
    }
  }
  return settings;
}

std::string helper(const char *name) {
  std::string bin = program_directory();
  return bin.substr(0, bin.rfind('/')) + "/libexec/skein/" + name;
}

/// SKEIN_OPTIONS with ours at the end: later ones win.
std::string options(const std::string &strategy) {
  const char *given = getenv("SKEIN_OPTIONS");
  return std::string("SKEIN_OPTIONS=") + (given && *given ? std::string(given) + "," : "") +
         "workers=1,steal=off,stacks=" + strategy + (strategy == "auto" ? ",image=same" : ",image=any");
}

/// Out of --count in one round.
int count_of_round(const Settings &settings) { return (settings.count + rounds - 1) / rounds; }

std::vector<Row> measure_moves(const Settings &settings, const std::string &strategy,
                               const std::vector<std::string> &sizes) {
  const int count = count_of_round(settings);
  std::vector<std::string> argv = {program_directory() + "/skein", "run", "-n", "2", "--transport", settings.transport};
  if (usable_cores().size() >= 2)
    argv.emplace_back("--bind"); // ucx_pair does the same
  argv.insert(argv.end(), {helper("ping_pong"), std::to_string(count)});
  argv.insert(argv.end(), sizes.begin(), sizes.end());
  Execution execution = execute(argv, {options(strategy)});
  if (execution.status != 0)
    throw "the migrating program ended with status " + std::to_string(execution.status);
  std::istringstream output(execution.output);
  std::vector<Row> rows;
  for (const std::string &size : sizes) {
    Row row{strategy, size};
    std::string printed;
    if (!(output >> printed >> row.image_bytes) || printed != size)
      throw "the migrating program printed something else than its figures:\n" + execution.output.substr(0, 400);
    std::vector<double> whole;
    std::array<std::vector<double>, parts.size()> columns;
    const auto read = [&](std::vector<double> &column) {
      long long ns;
      if (!(output >> ns) || ns < 0)
        throw std::string(
            "the migrating program printed too few figures, or one below zero: are the nodes' clocks apart?");
      column.push_back(static_cast<double>(ns));
    };
    for (int i = 0; i < count; i++)
      read(whole);
    for (int i = 0; i < count; i++)
      for (std::vector<double> &column : columns)
        read(column);
    row.whole_ns = median(whole);
    for (size_t part = 0; part < parts.size(); part++)
      row.ns[part] = median(columns[part]);
    rows.push_back(row);
  }
  return rows;
}

void measure_messages(const Settings &settings, std::vector<Row> &rows) {
  std::vector<std::string> argv = {helper("ucx_pair"), std::to_string(count_of_round(settings))};
  for (const Row &row : rows)
    argv.push_back(std::to_string(row.image_bytes));
  Execution execution = execute(argv, bare_ucx_environment(settings.transport));
  std::istringstream output(execution.output);
  for (Row &row : rows) {
    long bytes;
    if (execution.status != 0 || !(output >> bytes >> row.ucx_spinning_ns >> row.ucx_sleeping_ns) ||
        bytes != row.image_bytes)
      throw std::string("the bare UCX programs failed");
    row.ratio = row.whole_ns / row.ucx_spinning_ns;
  }
}

/// So many rounds as one: of each figure the median.
std::vector<Row> medians(const std::vector<std::vector<Row>> &all) {
  std::vector<Row> rows = all.front();
  const auto middle = [&](size_t row, auto value_of) {
    std::vector<double> values;
    for (std::vector<Row> of_round : all)
      values.push_back(value_of(of_round[row]));
    value_of(rows[row]) = median(values);
  };
  for (size_t row = 0; row < rows.size(); row++) {
    for (size_t part = 0; part < parts.size(); part++)
      middle(row, [=](Row &of) -> double & { return of.ns[part]; });
    for (double Row::*value : {&Row::whole_ns, &Row::ucx_spinning_ns, &Row::ucx_sleeping_ns, &Row::ratio})
      middle(row, [=](Row &of) -> double & { return of.*value; });
  }
  return rows;
}

std::vector<Row> measure_sizes(const Settings &settings, const std::string &strategy) {
  std::vector<std::vector<Row>> all;
  for (int round = 0; round < rounds; round++) {
    all.push_back(measure_moves(settings, strategy, settings.sizes));
    measure_messages(settings, all.back());
  }
  return medians(all);
}

std::vector<Row> measure_frames(const Settings &settings, const std::string &strategy) {
  std::vector<std::string> sizes;
  for (const std::string &depth : depths)
    sizes.push_back("frames:" + depth);
  std::vector<std::vector<Row>> all;
  for (int round = 0; round < rounds; round++)
    all.push_back(measure_moves(settings, strategy, sizes));
  return medians(all);
}

/// What a frame takes, by the difference of `row` from `few`, which has `frames` less.
double ns_a_frame(const Row &few, const Row &row, int frames, Part part) {
  return (row.ns[part] - few.ns[part]) / frames;
}

void print(const Row &row) {
  printf("%-9s %4s %7ld  ", row.strategy.c_str(), row.kib.c_str(), row.image_bytes);
  for (double ns : row.ns)
    printf(" %10.2f", ns / 1000);
  printf(" %10.2f   %9.2f %9.2f %6.2f\n", row.whole_ns / 1000, row.ucx_spinning_ns / 1000, row.ucx_sleeping_ns / 1000,
         row.ratio);
}

void write_csv(const std::string &path, const std::vector<Row> &rows) {
  FILE *file = fopen(path.c_str(), "w");
  if (!file)
    throw "cannot write " + path;
  fprintf(file, "stacks,kib,image_bytes,capture_us,transfer_us,relocation_us,resume_us,whole_us,ucx_spinning_us,ucx_"
                "sleeping_us,ratio\n");
  for (const Row &row : rows) {
    fprintf(file, "%s,%s,%ld", row.strategy.c_str(), row.kib.c_str(), row.image_bytes);
    for (double ns : row.ns)
      fprintf(file, ",%.3f", ns / 1000);
    fprintf(file, ",%.3f,%.3f,%.3f,%.3f\n", row.whole_ns / 1000, row.ucx_spinning_ns / 1000, row.ucx_sleeping_ns / 1000,
            row.ratio);
  }
  if (fclose(file))
    throw "cannot write " + path;
}

void frames_report(const std::vector<std::vector<Row>> &all, const std::string &csv) {
  printf("\nThe same of many small frames; ns a frame: beside %s frames\n\n%-9s %6s %7s   %10s %10s   %10s %10s\n",
         depths[0].c_str(), "stacks", "frames", "image B", "capture", "ns a frame", "relocation", "ns a frame");
  FILE *file = csv.empty() ? nullptr : fopen(csv.c_str(), "w");
  if (!csv.empty() && !file)
    throw "cannot write " + csv;
  if (file)
    fprintf(file, "stacks,frames,image_bytes,capture_us,relocation_us,capture_ns_a_frame,relocation_ns_a_frame\n");
  for (const std::vector<Row> &rows : all)
    for (size_t i = 1; i < rows.size(); i++) {
      const Row &row = rows[i];
      const int more = std::stoi(depths[i]) - std::stoi(depths[0]);
      const double captured = ns_a_frame(rows[0], row, more, capture);
      const double relocated = ns_a_frame(rows[0], row, more, relocation);
      printf("%-9s %6s %7ld   %10.2f %10.1f   %10.2f %10.1f\n", row.strategy.c_str(), depths[i].c_str(),
             row.image_bytes, row.ns[capture] / 1000, captured, row.ns[relocation] / 1000, relocated);
      if (file)
        fprintf(file, "%s,%s,%ld,%.3f,%.3f,%.2f,%.2f\n", row.strategy.c_str(), depths[i].c_str(), row.image_bytes,
                row.ns[capture] / 1000, row.ns[relocation] / 1000, captured, relocated);
    }
  if (file && fclose(file))
    throw "cannot write " + csv;
}

/// One message by each of the ways that there are over TCP, in turns.
void ways_report(const Settings &settings) {
  struct Way {
    const char *title;
    std::vector<std::string> argv;
    std::vector<std::string> environment;
  };
  const std::string bin = program_directory(), library = bin.substr(0, bin.rfind('/')) + "/lib/skein/libskein_tcp.so";
  const std::vector<Way> ways = {{"sockets", {helper("socket_pair")}, {}},
                                 {"UCX", {helper("ucx_pair")}, bare_ucx_environment("tcp")},
                                 {"sealed", {helper("transport_pair"), library, "sealed"}, {}},
                                 {"plain", {helper("transport_pair"), library, "plain"}, {}}};
  const std::vector<std::string> sizes = {"8", "64", "1024", "4096", "16384", "65536", "1048576"};
  constexpr size_t ucx = 1;
  struct Figures {
    std::vector<double> us, ratio, rate;
  };
  std::vector<std::vector<Figures>> all(sizes.size(), std::vector<Figures>(ways.size()));
  for (int round = 0; round < rounds; round++) {
    for (size_t way = 0; way < ways.size(); way++) {
      std::vector<std::string> argv = ways[way].argv;
      argv.insert(argv.end(), {"--stream", std::to_string(count_of_round(settings))});
      argv.insert(argv.end(), sizes.begin(), sizes.end());
      const Execution execution = execute(argv, ways[way].environment);
      std::istringstream output(execution.output);
      for (size_t i = 0; i < sizes.size(); i++) {
        double bytes, spinning, rate;
        if (execution.status != 0 || !(output >> bytes >> spinning >> rate))
          throw argv[0] + " ended with status " + std::to_string(execution.status);
        all[i][way].us.push_back(spinning / 1000);
        all[i][way].rate.push_back(rate);
      }
    }
    for (std::vector<Figures> &row : all)
      for (Figures &figures : row)
        figures.ratio.push_back(figures.us.back() / row[ucx].us.back());
  }
  printf("\nOne message over TCP one way, both sides spinning, us, and to UCX over TCP; a stream of them, MB/s\n\n%8s",
         "B");
  for (const Way &way : ways)
    printf(" %9s %6s", way.title, "to UCX");
  printf("  ");
  for (const Way &way : ways)
    printf(" %8s", way.title);
  for (size_t i = 0; i < sizes.size(); i++) {
    printf("\n%8s", sizes[i].c_str());
    for (const Figures &figures : all[i])
      printf(" %9.2f %6.2f", median(figures.us), median(figures.ratio));
    printf("  ");
    for (const Figures &figures : all[i])
      printf(" %8.0f", median(figures.rate));
  }
  putchar('\n');
}

} // namespace

int bench_migrate(const Arguments &arguments) {
  Settings settings = parse(arguments);
  printf("One migration between two processes, medians of %d in %d rounds, in us; UCX: one bare active message one "
         "way\n\n",
         rounds * count_of_round(settings), rounds);
  printf("%-9s %4s %7s  ", "stacks", "KiB", "image B");
  for (const char *part : parts)
    printf(" %10s", part);
  printf(" %10s   %9s %9s %6s\n", "whole", "UCX spin", "UCX sleep", "ratio");
  std::vector<Row> all;
  for (const std::string &strategy : settings.strategies) {
    std::vector<Row> rows = measure_sizes(settings, strategy);
    for (const Row &row : rows)
      print(row);
    fflush(stdout);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  if (!settings.csv.empty())
    write_csv(settings.csv, all);
  std::vector<std::vector<Row>> deep;
  for (const std::string &strategy : settings.strategies)
    deep.push_back(measure_frames(settings, strategy));
  frames_report(deep, settings.frames_csv);
  if (settings.transport == "tcp")
    ways_report(settings);
  return 0;
}

} // namespace skein::launch
