#!/bin/sh
# Runs a compiler with ccache: cached_compiler.sh CCACHE COMPILER ARGUMENT...
#
# The compiler gets no path of this clone or of its build folder: ccache compares arguments and
# sources, and finds in each clone what another one compiled. CMake writes such paths into the
# sources that compile others together, so a copy without them is compiled.
#
# Precompiled headers are not cached. ccache would search for one by its code without comments, or
# by the older one that it replaces, but the compiler compares whole headers. The bytes of a
# precompiled header differ each time, so ccache uses a sum of all headers in it instead: then files
# that are compiled with it come from the cache in each clone.
ccache=$1
shift
root=$CCACHE_BASEDIR
up=$(realpath --relative-to=. "$root")
output=
dependencies=
previous=
for argument; do
  shift
  case $argument in
    "$PWD"/*) argument=${argument#"$PWD"/} ;;
    "$root"/*) argument=$up${argument#"$root"} ;;
    -I"$root") argument=-I$up ;;
    -I"$PWD"/*) argument=-I${argument#-I"$PWD"/} ;;
    -I"$root"/*) argument=-I$up${argument#-I"$root"} ;;
    -ffile-prefix-map="$root"=*) argument=-ffile-prefix-map=$up=${argument#*=*=} ;;
  esac
  case $previous in
    -o) output=$argument ;;
    -MF) dependencies=$argument ;;
    -c)
      case $argument in
        */Unity/unity_*)
          sed -e "s|\"$PWD/|\"|" -e "s|\"$root/|\"|" "$argument" > "$argument.cpp" || exit
          argument=$argument.cpp
          set -- "$@" -iquote . -iquote "$up"
          ;;
      esac
      ;;
  esac
  previous=$argument
  set -- "$@" "$argument"
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
