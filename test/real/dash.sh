#!/bin/sh
# dash has no test suite: a script with functions, loops, here-documents, pipes, traps, subshells and arithmetic.
cat >check.sh <<'SHELL'
f() { if [ "$1" -le 1 ]; then echo 1; else echo $(($1 * $(f $(($1 - 1))))); fi; }
f 10
i=0
while [ $i -lt 50 ]; do i=$((i + 1)); case $i in *7) echo "seven $i" ;; esac; done
for w in a "b c" d; do printf '<%s>' "$w"; done; echo
cat <<END | sed 's/x/y/' | tr a-z A-Z
here x $((1 << 10)) ${HOME:+home}
END
trap 'echo leaving' EXIT
(exit 3) || echo "status $?"
set -- one two three; shift; echo "$# $1 ${1#t} ${2%e}"
x=abc; echo "${x:-none} ${#x} ${y:=default} $y"
eval 'g() { echo "in g: $*"; }'; g 1 2 3
echo a:b:c | (IFS=: read -r p q r; echo "$r$q$p")
SHELL
./src/dash check.sh >got 2>&1
dash check.sh >wanted 2>&1
cmp got wanted && echo right
