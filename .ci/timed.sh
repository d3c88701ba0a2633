#!/usr/bin/env bash
# timed.sh COMMAND…: runs it, and then says how many seconds of processor time it took.
TIMEFORMAT='timed: %U %S'
time "$@"
