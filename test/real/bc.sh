#!/bin/sh
# bc's Test folder has programs, and no answers: those of a bc built by clang are right. In the source folder, after make.
set -e
folder=$PWD
if [ ! -x "$folder-clang/bc/bc" ]; then
  rm -rf "$folder-clang"
  cp -a "$folder" "$folder-clang"
  cd "$folder-clang"
  find . -name Makefile -exec sed -i 's/-fskein-[a-z=]*//g' {} + # configure has written them down
  flags=$(echo "$CFLAGS" | sed 's/-fskein-[a-z=]*//g')
  made="AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:"
  make $made clean >/dev/null 2>&1
  make $made CC=clang-22 CFLAGS="$flags" >/dev/null 2>&1
fi
cd "$folder/Test"
for program in array arrayp aryprm atan div exp jn ln mul raise sine sqrt sqrt1 sqrt2 testfn; do
  echo quit | "$folder-clang/bc/bc" -l $program.b >wanted 2>&1
  echo quit | ../bc/bc -l $program.b >got 2>&1
  cmp wanted got
  echo "$program: right"
done
for text in '2 3 4 * + p' '20k 2 v p' '[la1+dsa*pla10>y]sy0sa1lyx' '16i FF p 2o p' '3 5 7 | p' '[hello]P'; do
  echo "$text" | "$folder-clang/dc/dc" >wanted 2>&1
  echo "$text" | ../dc/dc >got 2>&1
  cmp wanted got
done
echo "dc: right"
