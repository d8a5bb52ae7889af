#!/bin/sh
# For `skein run --ssh`: a "host" that is this one. Nodes there are taken for nodes of another host, and share no memory
# with the others.
shift
exec sh -c "$*"
