#!/bin/sh
# Builds QuickFIX from the sources of its Python package, as a static library with its headers:
#   bench/compare/quickfix_from_pypi.sh 1.16.0 build/quickfix-1.16
#   make bench QUICKFIX=$PWD/build/quickfix-1.16
# The package has no classes of messages: those of FIX 4.4 are Debian's (libquickfix-dev).
set -eu
version=$1
mkdir -p "$2/include/quickfix" "$2/lib" "$2/sources" "$2/objects"
prefix=$(cd "$2" && pwd)
pip download --quiet --no-deps --no-binary :all: --dest "$prefix/sources" \
  "quickfix==$version"
tar -xzf "$prefix/sources/quickfix-$version.tar.gz" -C "$prefix/sources" --strip-components=1
cp -r "$prefix/sources/C++/." /usr/include/quickfix/fix44 "$prefix/include/quickfix"
find "$prefix/sources/C++" -name '*.cpp' ! -name QuickfixPython.cpp -o -name '*.cc' |
  xargs -P "$(nproc)" -I{} sh -c \
  'g++ -std=c++17 -O2 -DNDEBUG -D__cpp_noexcept_function_type -w -fPIC -I"$1/sources/C++" \
     -c "$2" -o "$1/objects/$(basename "$2").o"' sh "$prefix" {}
ar rcs "$prefix/lib/libquickfix.a" "$prefix"/objects/*.o
echo "built $prefix/lib/libquickfix.a"
