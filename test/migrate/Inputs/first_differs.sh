# Runs a program with other options on the node that starts first: sh first_differs.sh FOLDER OPTIONS OPTIONS PROGRAM
if mkdir "$1/first" 2>/dev/null; then SKEIN_OPTIONS=$2; else SKEIN_OPTIONS=$3; fi
export SKEIN_OPTIONS
exec "$4"
