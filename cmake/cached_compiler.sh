#!/bin/sh
# Runs a compiler with ccache: cached_compiler.sh CCACHE COMPILER ARGUMENT...
#
# Precompiled headers are not cached. ccache would search for one by its code without comments, or
# by the older one that it replaces, but the compiler compares whole headers. The bytes of a
# precompiled header differ each time, so ccache uses a sum of all headers in it instead: then files
# that are compiled with it come from the cache in each clone.
ccache=$1
shift
output=
dependencies=
previous=
for argument; do
  case $previous in
    -o) output=$argument ;;
    -MF) dependencies=$argument ;;
  esac
  previous=$argument
done
case $output in
  *.gch | *.pch) ;;
  *) exec "$ccache" "$@" ;;
esac

rm -f "$output" "$output.sum"
"$@" || exit
[ -n "$dependencies" ] || exit 0
# Not a sum of the list of headers itself, which names this clone's folder.
if sed -e 's/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs sh -c '
     for header; do
       case $header in
         *cmake_pch.*) ;;
         *) cat -- "$header" || exit 255 ;;
       esac
     done' sh > "$output.headers"; then
  sha256sum < "$output.headers" > "$output.sum"
fi
rm -f "$output.headers"
