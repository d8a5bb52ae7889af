#!/bin/sh
# Debian's source has no test suite of Lua's: check.lua asserts what it should get.
[ "$(./src/lua "$(dirname "$0")/check.lua")" = right ]
