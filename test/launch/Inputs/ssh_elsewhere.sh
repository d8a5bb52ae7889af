#!/bin/sh
# For `skein run --ssh`: a "host" that is this one, but for the folder HOSTS_OWN, which it has for itself. For root alone.
shift
exec unshare --mount sh -c 'mount -t tmpfs none "$HOSTS_OWN" && exec sh -c "$1"' sh "$*"
