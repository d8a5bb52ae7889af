// A translation unit that does not use Skein gets no reports.
// RUN: %plain-skeincc -fsyntax-only -Wall -Wextra -Werror=skein -Werror %s 2>&1 | count 0
int counter;
int changes(void) { return ++counter; }
