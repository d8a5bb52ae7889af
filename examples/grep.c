/* grep, by threads and over nodes: at_grep of Active Threads (TR-97-054, section 8.1).
 *
 * A *cascade* thread reads a directory. For each subdirectory it starts another cascade thread, and for each file a
 * *search* thread, which looks for the patterns and prints the lines. A policy decides which node searches where; there
 * are those of that report:
 *
 *     alone           nothing moves
 *     steal-search    idle nodes steal search threads; cascade threads stay where they are
 *     steal-cascade   idle nodes steal cascade threads, and so whole directories; search threads stay
 *     push-turn       node 0 reads the directories, and pushes the search threads to the other nodes in turn
 *     push-load       as push-turn, but to the node to which the fewest bytes have been pushed
 *     local           every directory below the operands belongs to a node, and threads push themselves to the owner
 *                     of what they read
 *
 * May a kind of thread leave its node? That is a property of the bundle it is in: SKEIN_BUNDLE makes one that exists on
 * all nodes, skein_bundle_create one that belongs to its node, and so do its threads. The rest is the same program.
 *
 * What belongs to a node is plain C: the compiled patterns, buffers, and counters are global variables, of which each
 * node has its own. The patterns come to it in a message (`prepare`), and its part of the result goes back in another
 * (`tell`). What goes with a thread is on its stack: the path, and how far it got. An open file cannot, so a file is
 * searched in blocks, each of which is opened, read and closed in a function that does not migrate, and says so;
 * between two blocks the thread may move, and goes on with the next one elsewhere:
 *
 *     search         path[], at.offset, at.line, at.selected        <- here it may be stolen
 *       search_block   file descriptor, buffer, regular expressions   (SKEIN_NOMIGRATE)
 *
 * The output is that of GNU grep, but for the order of files (its lines are written whole; in a pipe, those of at most
 * PIPE_BUF bytes). Blocks end where GNU's buffers do, since what is a binary file depends on that: a NUL turns off the
 * output of lines from the buffer on in which it lies.
 *
 * Rejected: passing open descriptors or buffers on (the thread would stay where it is); a work bag of files, as in the
 * program by Winacott which at_grep was made of (threads are cheap enough). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <skein/bundle.h>
#include <skein/messages.h>
#include <skein/migration.h>
#include <skein/shared.h>

enum policy { ALONE, STEAL_SEARCH, STEAL_CASCADE, PUSH_TURN, PUSH_LOAD, LOCAL, POLICIES };
static const char *const policy_names[] = {"alone", "steal-search", "steal-cascade", "push-turn", "push-load", "local"};

/* What is to be done: from main to each node. */
struct query {
  int extended, fixed, ignore_case; /* what the patterns are */
  int invert, number, names;        /* which lines, and what stands before them */
  int list, count, quiet;           /* instead of lines: names, numbers, nothing */
  int recursive, silent;
  enum policy policy;
  int owners;          /* so many nodes own directories, whether they take part or not */
  unsigned foreign_us; /* what it takes to open what another node owns; 0: as long as it takes */
  char patterns[];     /* separated by newlines, ended by NUL */
};

/* What a node has done: back to main. A thread's time is put into bucket i if it took 2^(i/2) ns or more. */
enum { BUCKETS = 80 };
struct work {
  long cascades, searches, blocks, bytes;
  int selected, errors;
  long times[BUCKETS];
};

/* --- the node's own ----------------------------------------------------------------------------------------------- */

struct pattern {
  const char *text; /* looked for as it is, or */
  size_t length;
  int compiled; /* by this */
  regex_t expression;
};

/* What a worker needs while it searches a block. Its threads take turns, and none moves meanwhile. */
struct bench {
  char *buffer, *output;
  size_t room, kept; /* kept: the beginning of a line, of a stream */
  size_t output_room, written;
  struct pattern *patterns;
};

static struct query *query;
static int patterns;
static struct bench *benches;          /* by worker */
static struct skein_bundle *residents; /* threads in it stay on this node */
static struct {
  _Atomic long cascades, searches, blocks, bytes, times[BUCKETS];
  _Atomic int selected, errors;
} done;

SKEIN_BUNDLE(searches, &skein_bundle_local)
SKEIN_BUNDLE(cascades, &skein_bundle_local) /* the newest first; thieves get the oldest: the largest directories */

/* Cascades wait until all files that are known here have been searched: so directories are left for thieves until the
 * end, and few paths wait. The rest is as in skein_bundle_local (`prepare`). */
static struct skein_bundle_events files_first;
static struct skein_tcb *file_or_directory(struct skein_bundle *bundle, unsigned worker) {
  struct skein_tcb *thread = skein_bundle_idle(residents, worker);
  return thread ? thread : skein_bundle_local.processor_idle(bundle, worker);
}

__attribute__((noreturn)) SKEIN_NOMIGRATE static void give_up(const char *what) {
  fprintf(stderr, "grep: %s\n", what);
  exit(2);
}

SKEIN_NOMIGRATE static void *memory(void *old, size_t bytes) {
  void *block = realloc(old, bytes);
  if (!block)
    give_up("out of memory");
  return block;
}

SKEIN_NOMIGRATE static void complain(const char *path, int error) {
  if (!query->silent)
    fprintf(stderr, "grep: %s: %s\n", path, strerror(error));
  done.errors = 1;
}

/* --- patterns ----------------------------------------------------------------------------------------------------- */

/* As a basic regular expression that matches just this text. */
SKEIN_NOMIGRATE static char *escape(const char *text, size_t length) {
  char *escaped = memory(NULL, 2 * length + 1), *to = escaped;
  for (size_t i = 0; i < length; i++) {
    if (strchr("\\.[*^$", text[i]))
      *to++ = '\\';
    *to++ = text[i];
  }
  *to = 0;
  return escaped;
}

SKEIN_NOMIGRATE static void compile(struct pattern *pattern, const char *text, size_t length) {
  char *copy = memory(NULL, length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  *pattern = (struct pattern){.text = copy, .length = length};
  if (!query->ignore_case && (query->fixed || !strpbrk(copy, "\\.[]*^$+?(){}|")))
    return;
  char *expression = query->fixed ? escape(text, length) : copy;
  /* As regcomp() with REG_NEWLINE, but in grep's own dialect: POSIX's says that `*x` is an error after -E. */
  pattern->expression.fastmap = memory(NULL, UCHAR_MAX + 1);
  re_set_syntax(((query->extended ? RE_SYNTAX_EGREP : RE_SYNTAX_GREP) & ~RE_DOT_NEWLINE) | RE_HAT_LISTS_NOT_NEWLINE |
                (query->ignore_case ? RE_ICASE : 0));
  const char *error = re_compile_pattern(expression, strlen(expression), &pattern->expression);
  if (error)
    give_up(error);
  re_compile_fastmap(&pattern->expression);
  pattern->compiled = 1;
  if (expression != copy)
    free(expression);
}

SKEIN_NOMIGRATE static int matches(const struct pattern *pattern, const char *from, const char *to, regmatch_t *where) {
  *where = (regmatch_t){0, to - from};
  return regexec(&pattern->expression, from, 1, where, REG_STARTEND) == 0;
}

SKEIN_NOMIGRATE static const char *end_of_line(const char *at) { return rawmemchr(at, '\n'); }

SKEIN_NOMIGRATE static const char *begin_of_line(const char *at, const char *from) {
  const char *before = memrchr(from, '\n', (size_t)(at - from));
  return before ? before + 1 : from;
}

/* Some place in the first line of [from, to) that matches, or `to`. An expression is let loose on all lines at once.
 * Where what it found extends over the end of a line (a blank may be a newline), that line is looked at alone. None is
 * skipped: a match within a line is one in all the lines, too, and the leftmost of those lies no later. (But not if the
 * pattern knows the ends of the text: then each line is looked at.) */
SKEIN_NOMIGRATE static const char *find(const struct pattern *pattern, const char *from, const char *to) {
  if (!pattern->compiled) {
    const char *found = memmem(from, (size_t)(to - from), pattern->text, pattern->length);
    return found ? found : to;
  }
  const int line_by_line = strstr(pattern->text, "\\`") || strstr(pattern->text, "\\'");
  while (from < to) {
    regmatch_t where;
    if (!line_by_line) {
      if (!matches(pattern, from, to - 1, &where))
        return to;
      const char *found = from + where.rm_so;
      if (!memchr(found, '\n', (size_t)(where.rm_eo - where.rm_so)))
        return found;
      from = begin_of_line(found, from);
    }
    const char *end = end_of_line(from);
    if (matches(pattern, from, end, &where))
      return from;
    from = end + 1;
  }
  return to;
}

/* The first line in [from, to) that matches any pattern, or `to`. */
SKEIN_NOMIGRATE static const char *find_any(const struct bench *bench, const char *from, const char *to) {
  const char *first = to;
  for (int i = 0; i < patterns; i++) {
    const char *found = find(&bench->patterns[i], from, first);
    if (found < first)
      first = begin_of_line(found, from);
  }
  return first;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

SKEIN_NOMIGRATE static void write_all(const char *text, size_t bytes) {
  while (bytes > 0) {
    ssize_t n = write(STDOUT_FILENO, text, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      give_up("write error");
    text += n;
    bytes -= (size_t)n;
  }
}

/* Whole lines, as many as a pipe takes at once: those of other nodes do not get in between. */
SKEIN_NOMIGRATE static void flush(struct bench *bench) {
  const char *at = bench->output, *end = at + bench->written;
  while (end - at > PIPE_BUF) {
    const char *last = memrchr(at, '\n', PIPE_BUF);
    const char *next = last ? last + 1 : end_of_line(at) + 1;
    write_all(at, (size_t)(next - at));
    at = next;
  }
  write_all(at, (size_t)(end - at));
  bench->written = 0;
}

SKEIN_NOMIGRATE static void put(struct bench *bench, const char *text, size_t bytes) {
  if (bench->written + bytes > bench->output_room)
    bench->output = memory(bench->output, bench->output_room = 2 * (bench->written + bytes));
  memcpy(bench->output + bench->written, text, bytes);
  bench->written += bytes;
}

/* "path:", "path:12:", ..., and the end of a number that is all there is to a line. */
SKEIN_NOMIGRATE static void put_name(struct bench *bench, const char *path, char after) {
  put(bench, path, strlen(path));
  put(bench, &after, 1);
}

SKEIN_NOMIGRATE static void put_number(struct bench *bench, long number, char after) {
  char text[24];
  put(bench, text, (size_t)snprintf(text, sizeof text, "%ld%c", number, after));
}

/* Whether these bytes are characters. A line that has others is not shown. */
SKEIN_NOMIGRATE static int is_text(const char *from, const char *to) {
  if (MB_CUR_MAX == 1)
    return 1;
  mbstate_t state = {0};
  while (from < to) {
    size_t n = *from >= 0 ? 1 : mbrlen(from, (size_t)(to - from), &state);
    if (n >= (size_t)-2)
      return 0;
    from += n ? n : 1;
  }
  return 1;
}

/* --- searching a block -------------------------------------------------------------------------------------------- */

/* How far a thread has got in its file: all of it that is worth moving. */
struct progress {
  off_t offset;  /* of the first line that has not been searched */
  long line;     /* so many are before it, if that is of interest */
  long selected; /* lines */
  int binary;    /* has a NUL: no more lines of it are shown */
  int unshown;   /* a selected line was not shown */
};

/* GNU grep reads so much at a time. */
enum { BLOCK = 96 << 10 };

SKEIN_NOMIGRATE static long count_lines(const char *from, const char *to) {
  long lines = 0;
  for (; (from = memchr(from, '\n', (size_t)(to - from))); from++)
    lines++;
  return lines;
}

SKEIN_NOMIGRATE static void put_line(struct bench *bench, const char *path, const char *from, const char *to,
                                     const char **counted, struct progress *at) {
  if (query->names)
    put_name(bench, path, ':');
  if (query->number) {
    at->line += count_lines(*counted, to);
    *counted = to;
    put_number(bench, at->line, ':');
  }
  put(bench, from, (size_t)(to - from));
}

/* The lines [from, to) are selected. 0: no more of the file is of interest. */
SKEIN_NOMIGRATE static int select_lines(struct bench *bench, const char *path, const char *from, const char *to,
                                        const char **counted, struct progress *at) {
  if (query->count) {
    at->selected += count_lines(from, to);
    return 1;
  }
  while (from < to) {
    const char *end = end_of_line(from);
    at->selected++;
    if (query->list || query->quiet)
      return 0;
    if (!at->binary && is_text(from, end))
      put_line(bench, path, from, end + 1, counted, at);
    else
      at->unshown = 1;
    if (at->binary)
      return 0;
    from = end + 1;
  }
  return 1;
}

/* The lines [from, to). 0 as select_lines. */
SKEIN_NOMIGRATE static int search_lines(struct bench *bench, const char *path, const char *from, const char *to,
                                        struct progress *at) {
  const char *counted = from;
  while (from < to) {
    const char *found = find_any(bench, from, to);
    const char *after = found < to ? end_of_line(found) + 1 : to;
    if (!select_lines(bench, path, query->invert ? from : found, query->invert ? found : after, &counted, at))
      return 0;
    from = after;
  }
  if (query->number)
    at->line += count_lines(counted, to);
  return 1;
}

/* Whether the file has a hole after its first block, and so a NUL, which nobody needs to read. */
SKEIN_NOMIGRATE static int has_hole(int file) {
  struct stat status;
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size <= BLOCK)
    return 0;
  off_t hole = lseek(file, BLOCK, SEEK_HOLE);
  lseek(file, BLOCK, SEEK_SET);
  return hole >= 0 && hole < status.st_size;
}

/* The next block of an open file: up to a multiple of BLOCK, or further, to the end of a line; of a stream, what it
 * has. Returns whether there is more of interest. */
SKEIN_NOMIGRATE static int search_open(struct bench *bench, int file, int stream, const char *path,
                                       struct progress *at) {
  size_t have = bench->kept, want = have + BLOCK - (size_t)(at->offset + (off_t)have) % BLOCK;
  int ended = 0;
  const char *last = NULL; /* newline */
  while (!last && !ended) {
    if (want + 1 > bench->room)
      bench->buffer = memory(bench->buffer, bench->room = want + BLOCK);
    ssize_t n;
    do {
      n = read(file, bench->buffer + have, want - have);
      have += n > 0 ? (size_t)n : 0;
    } while ((n < 0 && errno == EINTR) || (n > 0 && have < want && !stream));
    if (n < 0)
      complain(path, errno);
    ended = n <= 0;
    if (!at->binary && (memchr(bench->buffer, 0, have) || (at->offset == 0 && have == BLOCK && has_hole(file))))
      at->binary = 1;
    if (at->binary)
      for (char *nul = bench->buffer; (nul = memchr(nul, 0, (size_t)(bench->buffer + have - nul)));)
        *nul = '\n';
    last = memrchr(bench->buffer, '\n', have);
    want = have + BLOCK;
  }
  if (ended && have > 0 && bench->buffer[have - 1] != '\n')
    bench->buffer[have++] = '\n';
  size_t lines = ended ? have : (size_t)(last + 1 - bench->buffer);
  int more = search_lines(bench, path, bench->buffer, bench->buffer + lines, at) && !ended;
  done.blocks++;
  done.bytes += (long)lines;
  at->offset += (off_t)lines;
  bench->kept = have - lines;
  memmove(bench->buffer, bench->buffer + lines, bench->kept);
  if (!more) { /* the last words on this file */
    if (query->count) {
      if (query->names)
        put_name(bench, path, ':');
      put_number(bench, at->selected, '\n');
    }
    if (query->list && at->selected)
      put_name(bench, path, '\n');
    if (at->unshown)
      fprintf(stderr, "grep: %s: binary file matches\n", path);
    if (at->selected) {
      done.selected = 1;
      if (query->quiet)
        exit(0); /* the run is over, on all nodes */
    }
  }
  flush(bench);
  return more;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

SKEIN_NOMIGRATE static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

SKEIN_NOMIGRATE static void record_time(uint64_t ns) {
  int bucket = 0;
  for (double least = 1.4142; (double)ns >= least && bucket + 1 < BUCKETS; least *= 1.4142)
    bucket++;
  done.times[bucket]++;
}

/* The node that owns what is at `path`: its first name after the operand decides. */
SKEIN_NOMIGRATE static int owner(const char *path, int operand) {
  unsigned sum = 0;
  for (const char *at = path + operand; *at && *at != '/'; at++)
    sum += (unsigned char)*at;
  return (int)(sum % (unsigned)query->owners);
}

/* As if it had to be fetched over a network. Nothing else runs on this worker meanwhile. */
SKEIN_NOMIGRATE static void fetch(const char *path, int operand) {
  if (query->foreign_us && owner(path, operand) != skein_node())
    usleep(query->foreign_us);
}

SKEIN_NOMIGRATE static int search_block(const char *path, int operand, struct progress *at) {
  int file = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    complain(path, errno);
    return 0;
  }
  fetch(path, operand);
  struct bench *bench = &benches[skein_worker()];
  bench->kept = 0;
  if (at->offset)
    lseek(file, at->offset, SEEK_SET);
  int more = search_open(bench, file, 0, path, at);
  close(file);
  return more;
}

/* What a new thread is told of its path: the bytes lie in shared memory until it has fetched them. */
static skein_shared char *share(const char *path, int length) {
  skein_shared char *to = skein_shared_alloc(skein_node(), (size_t)length);
  if (!to)
    give_up(skein_error_text());
  for (int i = 0; i < length; i++)
    to[i] = path[i];
  return to;
}

static void fetch_path(char *path, skein_shared char *from, int length) {
  for (int i = 0; i < length; i++)
    path[i] = from[i];
  path[length] = 0;
  skein_shared_free(from);
}

static void go_to_owner(const char *path, int operand) {
  int to = owner(path, operand);
  if (query->policy == LOCAL && to != skein_node() && to < skein_nodes() && skein_push_self(to))
    fprintf(stderr, "grep: %s: %s\n", path, skein_error_text()); /* it stays, and pays */
}

static void search(skein_shared char *shared_path, int length, int operand) {
  char path[length + 1];
  fetch_path(path, shared_path, length);
  go_to_owner(path, operand);
  uint64_t begin = now_ns();
  struct progress at = {0};
  while (search_block(path, operand, &at))
    skein_yield(); /* the rest of the file may be searched elsewhere */
  done.searches++;
  record_time(now_ns() - begin);
}

/* Of the policies that push: to which node, of all but this one. */
static long *pushed; /* bytes, to each node */
static int destination(long bytes) {
  static int last;
  int to = last % (skein_nodes() - 1) + 1;
  if (query->policy == PUSH_LOAD)
    for (int node = 1; node < skein_nodes(); node++)
      if (pushed[node] < pushed[to])
        to = node;
  pushed[to] += bytes;
  return last = to;
}

static void start_search(const char *path, int length, int operand, long bytes) {
  struct skein_attributes attributes = {.bundle = query->policy == STEAL_CASCADE ? residents : searches()};
  skein_thread_t thread = skein_spawn_with(&attributes, search, share(path, length), length, operand);
  if (!thread)
    give_up(skein_error_text());
  if ((query->policy == PUSH_TURN || query->policy == PUSH_LOAD) && skein_nodes() > 1)
    skein_pending_forget(skein_push_start(thread, destination(bytes)));
}

static void cascade(skein_shared char *shared_path, int length, int operand);
static void start_cascade(const char *path, int length, int operand) {
  int stays = query->policy != STEAL_CASCADE && query->policy != LOCAL;
  struct skein_attributes attributes = {.bundle = stays ? residents : cascades()};
  if (!skein_spawn_with(&attributes, cascade, share(path, length), length, operand))
    give_up(skein_error_text());
}

/* A name in the directory `path`: a thread for it, if it is a directory or a file. Links are not followed. */
static void start_for(const char *path, int length, int operand, const struct dirent *entry) {
  char below[length + 1 + (int)strlen(entry->d_name) + 1];
  int bytes = sprintf(below, "%s%s%s", path, length && path[length - 1] != '/' ? "/" : "", entry->d_name);
  struct stat status = {.st_mode = DTTOIF(entry->d_type)};
  if ((entry->d_type == DT_UNKNOWN || query->policy == PUSH_LOAD) && lstat(below, &status)) {
    complain(below, errno);
    return;
  }
  if (S_ISDIR(status.st_mode))
    start_cascade(below, bytes, operand);
  else if (S_ISREG(status.st_mode))
    start_search(below, bytes, operand, status.st_size);
}

static void cascade(skein_shared char *shared_path, int length, int operand) {
  char path[length + 1];
  fetch_path(path, shared_path, length);
  go_to_owner(path, operand);
  uint64_t begin = now_ns();
  fetch(path, operand);
  DIR *directory = opendir(length ? path : ".");
  if (!directory)
    complain(path, errno);
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
      start_for(path, length, operand, entry);
  if (directory)
    closedir(directory);
  done.cascades++;
  record_time(now_ns() - begin);
}

/* --- from main to the nodes, and back ----------------------------------------------------------------------------- */

SKEIN_HANDLER(prepare, message) {
  setlocale(LC_ALL, "");
  query = memory(NULL, message->bytes);
  memcpy(query, message->data, message->bytes);
  benches = calloc(skein_workers(), sizeof *benches);
  residents = skein_bundle_create("residents", &skein_bundle_local, NULL);
  if (!benches || !residents)
    give_up("out of memory");
  files_first = skein_bundle_local;
  files_first.name = "files first";
  files_first.processor_idle = file_or_directory;
  if (skein_bundle_events_set(cascades(), &files_first))
    give_up(skein_error_text());
  patterns = 1;
  for (const char *text = query->patterns; *text; text++)
    patterns += *text == '\n';
  for (unsigned i = 0; i < skein_workers(); i++) { /* to each its own: regexec() locks an expression */
    benches[i].patterns = memory(NULL, (size_t)patterns * sizeof *benches[i].patterns);
    const char *text = query->patterns;
    for (int j = 0; j < patterns; j++) {
      size_t length = strcspn(text, "\n");
      compile(&benches[i].patterns[j], text, length);
      text += length + 1;
    }
  }
}

SKEIN_HANDLER(tell, message) {
  struct work work = {done.cascades, done.searches, done.blocks, done.bytes, done.selected, done.errors, {0}};
  for (int i = 0; i < BUCKETS; i++)
    work.times[i] = done.times[i];
  skein_reply(message, &work, sizeof work);
}

static void report(const struct work *work, double seconds, int times) {
  fprintf(stderr, "%s: %.6f s\n", policy_names[query->policy], seconds);
  for (int node = 0; node < skein_nodes(); node++) {
    struct skein_statistics s = {0};
    skein_statistics_get(node, &s);
    fprintf(stderr, "node %d: %ld cascade and %ld search threads, %ld blocks, %.1f MiB; %lu threads came, %lu stolen\n",
            node, work[node].cascades, work[node].searches, work[node].blocks, (double)work[node].bytes / (1 << 20),
            s.threads_received, s.threads_stolen);
  }
  for (int i = 0; times && i < BUCKETS; i++) {
    long threads = 0;
    for (int node = 0; node < skein_nodes(); node++)
      threads += work[node].times[i];
    if (threads)
      fprintf(stderr, "from %.3g us: %ld threads\n", (double)(1ull << i / 2) * (i % 2 ? 1.4142e-3 : 1e-3), threads);
  }
}

/* --- main --------------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: grep [options] PATTERN [FILE...]        (several nodes: skein run -n N grep ...)\n"
    "  -E, -F, -G   patterns are extended expressions, plain text, basic expressions (default)\n"
    "  -e PATTERN   may be given several times\n"
    "  -i           small letters and capitals are the same\n"
    "  -v           lines that do not match\n"
    "  -n -h -H     number of the line; no name, a name before it\n"
    "  -c -l -q     instead of lines: how many, names of files, nothing\n"
    "  -s           no words about files that cannot be read\n"
    "  -r           files in directories, too\n"
    "      --policy NAME         alone, steal-search (default), steal-cascade, push-turn, push-load, local\n"
    "      --foreign-delay US    what it takes to open a file or directory that another node owns\n"
    "      --owners N            so many own directories; default: all nodes\n"
    "      --report, --times     what each node did; how long threads took\n";

__attribute__((noreturn)) static void misused(void) {
  fputs(usage, stderr);
  exit(2);
}

/* A directory, without -r. GNU's grep counts its lines all the same. */
SKEIN_NOMIGRATE static void not_searched(const char *operand) {
  struct bench *bench = &benches[skein_worker()];
  complain(operand, EISDIR);
  if (query->count) {
    if (query->names)
      put_name(bench, operand, ':');
    put_number(bench, 0, '\n');
    flush(bench);
  }
}

/* One more operand. What cannot be opened twice (standard input, a pipe) is searched at once. */
static void begin(const char *operand) {
  struct stat status;
  int standard = strcmp(operand, "-") == 0;
  const char *name = standard ? "(standard input)" : operand;
  if (!standard && stat(operand, &status)) {
    complain(operand, errno);
  } else if (!standard && S_ISDIR(status.st_mode)) {
    int length = (int)strlen(operand);
    while (length > 1 && operand[length - 1] == '/' && operand[length - 2] == '/')
      length--;
    if (query->recursive)
      start_cascade(operand, length, length + (length && operand[length - 1] != '/'));
    else
      not_searched(operand);
  } else if (!standard && S_ISREG(status.st_mode)) {
    start_search(operand, (int)strlen(operand), 0, status.st_size);
  } else {
    int file = standard ? STDIN_FILENO : open(operand, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    struct progress at = {0};
    if (file < 0)
      complain(operand, errno);
    while (file >= 0 && search_open(&benches[skein_worker()], file, 1, name, &at))
      ;
    if (file > STDIN_FILENO)
      close(file);
  }
}

static int is_directory(const char *operand) {
  struct stat status;
  return stat(operand, &status) == 0 && S_ISDIR(status.st_mode);
}

static void add_patterns(char **all, const char *more) {
  size_t length = *all ? strlen(*all) + 1 : 0;
  *all = memory(*all, length + strlen(more) + 1);
  if (length)
    (*all)[length - 1] = '\n';
  strcpy(*all + length, more);
}

int main(int argc, char **argv) {
  struct query q = {.policy = STEAL_SEARCH, .owners = skein_nodes()};
  char *text = NULL;
  int names = -1, reports = 0, times = 0;
  enum { POLICY = 256, DELAY, OWNERS, REPORT, TIMES };
  static const struct option longs[] = {{"policy", 1, 0, POLICY}, {"foreign-delay", 1, 0, DELAY},
                                        {"owners", 1, 0, OWNERS}, {"report", 0, 0, REPORT},
                                        {"times", 0, 0, TIMES},   {0, 0, 0, 0}};
  skein_stealing_set(0);
  for (int c; (c = getopt_long(argc, argv, "EFGe:ivnhHclqsr", longs, NULL)) != -1;)
    switch (c) {
    case 'E':
    case 'F':
    case 'G':
      q.extended = c == 'E';
      q.fixed = c == 'F';
      break;
    case 'e':
      add_patterns(&text, optarg);
      break;
    case 'i':
      q.ignore_case = 1;
      break;
    case 'v':
      q.invert = 1;
      break;
    case 'n':
      q.number = 1;
      break;
    case 'h':
    case 'H':
      names = c == 'H';
      break;
    case 'c':
      q.count = 1;
      break;
    case 'l':
      q.list = 1;
      break;
    case 'q':
      q.quiet = 1;
      break;
    case 's':
      q.silent = 1;
      break;
    case 'r':
      q.recursive = 1;
      break;
    case POLICY:
      for (q.policy = 0; q.policy < POLICIES && strcmp(optarg, policy_names[q.policy]);)
        q.policy++;
      if (q.policy == POLICIES)
        misused();
      break;
    case DELAY:
      q.foreign_us = (unsigned)atoi(optarg);
      break;
    case OWNERS:
      if ((q.owners = atoi(optarg)) < 1)
        misused();
      break;
    case REPORT:
    case TIMES:
      reports = 1;
      times |= c == TIMES;
      break;
    default:
      misused();
    }
  if (!text && optind == argc)
    misused();
  if (!text)
    add_patterns(&text, argv[optind++]);
  q.list = q.list && !q.quiet;
  q.count = q.count && !q.quiet && !q.list;
  int operands = argc - optind;
  q.names = names >= 0 ? names : operands > 1 ? 1 : q.recursive && (operands == 0 || is_directory(argv[optind]));

  size_t bytes = sizeof q + strlen(text) + 1;
  struct query *all = memory(NULL, bytes);
  *all = q;
  strcpy(all->patterns, text);
  for (int node = 0; node < skein_nodes(); node++)
    if (skein_call(node, &prepare, all, bytes, NULL, 0, NULL))
      give_up(skein_error_text());
  pushed = calloc((size_t)skein_nodes(), sizeof *pushed);
  if (!pushed)
    give_up("out of memory");
  skein_stealing_set(q.policy == STEAL_SEARCH || q.policy == STEAL_CASCADE);

  uint64_t start = now_ns();
  for (int i = optind; i < argc; i++)
    begin(argv[i]);
  if (operands == 0 && q.recursive)
    start_cascade("", 0, 0);
  else if (operands == 0)
    begin("-");
  if (skein_quiesce()) /* nobody searches, and nothing is on its way */
    give_up(skein_error_text());
  double seconds = (double)(now_ns() - start) * 1e-9;

  struct work *work = memory(NULL, (size_t)skein_nodes() * sizeof *work);
  int selected = 0, errors = 0;
  for (int node = 0; node < skein_nodes(); node++) {
    if (skein_call(node, &tell, NULL, 0, &work[node], sizeof *work, NULL))
      give_up(skein_error_text());
    selected |= work[node].selected;
    errors |= work[node].errors;
  }
  if (reports)
    report(work, seconds, times);
  return errors ? 2 : !selected;
}
