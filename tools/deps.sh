#!/bin/sh
# Installs what is lacking on Debian 12. Usage: deps.sh [--list] run|bench|test
#   run    what `make run` needs: a compiler, CMake, Ninja and the libraries that the engine links
#   bench  that, and what `make bench` needs: QuickFIX and io_uring, to be measured beside
#   test   that, and what `make test` needs: clang, sanitizers, test libraries, QuickFIX, Java,
#          PostgreSQL's programs, and a compiler and an emulator for 64-bit ARM
# Nothing lacks: says so without calling apt. --list: prints what lacks and installs nothing.
set -eu

packages_run="g++ cmake ninja-build python3 libpugixml-dev libfmt-dev libcli11-dev
  libhowardhinnant-date-dev libsodium-dev libssl-dev libzstd-dev nlohmann-json3-dev tzdata"
packages_bench="libquickfix-dev liburing-dev"
packages_test="ccache pkgconf clang-19 libclang-rt-19-dev clang-format-19
  libgtest-dev libgmock-dev librapidcheck-dev openjdk-17-jdk-headless maven openssl
  googletest g++-aarch64-linux-gnu qemu-user libpq-dev postgresql"

list_only=no
if [ "${1:-}" = "--list" ]; then
  list_only=yes
  shift
fi
case "${1:-}" in
  run) wanted="$packages_run" ;;
  bench) wanted="$packages_run $packages_bench" ;;
  test) wanted="$packages_run $packages_bench $packages_test" ;;
  *)
    sed -n '2,7s/^# //p' "$0" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "make deps knows Debian and its relatives only. Install these and use DEPS=no:" >&2
  echo "  $(echo $wanted)" >&2
  exit 1
fi

lacking=""
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = "installed" ] || lacking="$lacking $package"
done

if [ -z "$lacking" ]; then
  [ "$list_only" = yes ] || [ -n "${QUIET:-}" ] || echo "deps: nothing lacks for 'make $1'"
  exit 0
fi
echo "deps: lacking for 'make $1':$lacking"
[ "$list_only" = no ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "deps: installing needs root, and there is no sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$lacking" >&2
    exit 1
  fi
  as_root="sudo"
fi

log=$(mktemp)
no_server=""
trap 'rm -f "$log"; [ -z "$no_server" ] || $as_root rm -f "$no_server"' EXIT
# apt's own output is long and says little; it is shown when something fails.
apt() {
  if ! $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "deps: 'apt-get $*' failed; its output stands above" >&2
    exit 1
  fi
}
echo "deps: apt-get update"
apt update
# The tests start a server of their own. Debian's package would make and start one as well, on its
# first installation; this file keeps it from that, and is removed again.
case " $lacking " in
  *" postgresql "*)
    no_server="${NEXUSFIX_ETC:-/etc}/postgresql-common/createcluster.d/nexusfix.conf"
    $as_root sh -c 'mkdir -p "${1%/*}" && echo "create_main_cluster = false" >"$1"' sh "$no_server"
    ;;
esac
echo "deps: apt-get install (some minutes on a fresh machine)"
# shellcheck disable=SC2086 -- one word a package is meant
apt install -y --no-install-recommends $lacking
echo "deps: installed"
