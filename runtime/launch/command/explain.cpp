// `skein explain`: compiles one file with skeincc's own explanation of a line (-fskein-explain), and shows that alone.
#include "launch/command/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace skein::launch {

namespace {

constexpr char description[] = R"(usage: skein explain FILE:LINE [-- options of the compiler]

Compiles FILE and prints, for each call on that line: whether a thread may move during it and why, what is live across
it (variable, type, place in the frame, whether it is relocated), and what this costs. A line of a header or of another
file that FILE includes is given as FILE:LINE -- -fskein-explain=HEADER:LINE.

The options are those with which the file is compiled in the project; without any, -O2. -g is added for the names.
Status 1: there is no such call, or the file does not compile.
)";

bool is_cxx(const std::string &file) {
  const size_t dot = file.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : file.substr(dot);
  for (const char *cxx : {".cc", ".cpp", ".cxx", ".C", ".c++", ".cp"})
    if (ending == cxx)
      return true;
  return false;
}

/// Runs the compiler and copies what it prints. Returns its wait status.
int run_compiler(Arguments words, bool &printed) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::string("no pipe: ") + strerror(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t compiler;
  const int error = posix_spawn(&compiler, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw "cannot run the compiler " + words[0] + ": " + strerror(error);
  }
  char text[4096];
  for (ssize_t length; (length = read(ends[0], text, sizeof text)) > 0 || (length < 0 && errno == EINTR);)
    if (length > 0) {
      printed = true;
      fwrite(text, 1, static_cast<size_t>(length), stdout);
    }
  close(ends[0]);
  int status;
  while (waitpid(compiler, &status, 0) < 0 && errno == EINTR)
    ;
  return status;
}

int run(const std::string &place, Arguments options) {
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon + 1 == place.size() ||
      place.find_first_not_of("0123456789", colon + 1) != std::string::npos)
    throw "'" + place + "' names no line of a file: FILE:LINE";
  const std::string file = place.substr(0, colon), line = place.substr(colon + 1);
  if (access(file.c_str(), R_OK) != 0)
    throw "cannot read " + file + ": " + strerror(errno);
  if (!options.empty() && options[0] != "--")
    throw "'" + options[0] + "' is not understood: options of the compiler come after --";
  if (!options.empty())
    options.erase(options.begin());

  Arguments words = {program_directory() + (is_cxx(file) ? "/skein++" : "/skeincc")};
  if (options.empty())
    words.push_back("-O2");
  words.push_back("-fskein-explain=" + line);
  words.insert(words.end(), options.begin(), options.end());
  for (const char *last : {"-g", "-fno-lto", "-c", "-o", "/dev/null"})
    words.push_back(last);
  words.push_back(file);

  bool printed = false;
  const int status = run_compiler(std::move(words), printed);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return 1;
  if (printed)
    return 0;
  fprintf(stderr,
          "skein explain: the code that the compiler made of %s has no call on line %s. It may be one that was inlined "
          "or removed; -- -O0 keeps all.\n",
          file.c_str(), line.c_str());
  return 1;
}

Action declare(CLI::App &line) {
  auto place = std::make_shared<std::string>();
  line.description(description);
  line.prefix_command();
  line.add_option("FILE:LINE", *place)->required();
  return [&line, place] { return run(*place, line.remaining()); };
}

} // namespace

extern const Command explain_command = {"explain", "tell which calls on a line may migrate, why, and what it costs",
                                        declare};

} // namespace skein::launch
