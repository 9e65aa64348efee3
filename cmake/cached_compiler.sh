#!/bin/sh
# Runs a compiler by way of ccache: cached_compiler.sh CCACHE COMPILER ARGUMENT...
#
# A precompiled header that is there already is removed before it is compiled again. Otherwise
# ccache takes the old one for an input, does not read the headers, and returns what another folder
# made of the same old one.
previous=
for argument; do
  if [ "$previous" = -o ]; then
    case $argument in *.gch | *.pch) rm -f "$argument" ;; esac
  fi
  previous=$argument
done
exec "$@"
