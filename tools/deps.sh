#!/bin/sh
# Installs missing packages on Debian 12 or 13.
# Usage: deps.sh [--list] run|bench|test|wasm|lint|docs|package|release|contestants
#   run    what `make run` needs: a compiler and its cache, CMake, Ninja and the libraries that the
#          engine links
#   bench  that, and what `make bench` needs: QuickFIX and io_uring, for the comparison
#   test   that, and what `make test` needs: clang, sanitizers, test libraries, Asio, Java, Node.js,
#          etcd, PostgreSQL's programs, network namespaces, Prometheus, QuickFIX, a compiler and
#          an emulator for 64-bit ARM, Valgrind, a browser, and what wasm needs
#   wasm   what run needs, clang and its libraries for WebAssembly
#   lint   that, and clang-tidy
#   docs   what `make docs` needs; the rest comes from PyPI
#   package  what `make package` needs; Apache Arrow comes from PyPI
#   release  that, and what `make release-check` needs
#   contestants  what test needs, Go, Cargo and npm; those of another origin are not replaced
# It does not call apt if nothing is missing. --list: prints the missing packages, installs nothing.
set -eu

# Each release has one Java. Debian 13 has the old names of time zones in a package of their own.
java=openjdk-17-jdk-headless
zones=
if grep -qs '^VERSION_CODENAME=trixie' "${NEXUSFIX_ETC:-/etc}/os-release"; then
  java=openjdk-21-jdk-headless
  zones=tzdata-legacy
fi

# ccache is here because a build that gets it later compiles everything again.
packages_run="g++ cmake ninja-build python3 ccache libpugixml-dev libfmt-dev libcli11-dev
  libboost-dev libhowardhinnant-date-dev liblzma-dev libncurses-dev libre2-dev libsodium-dev
  libssl-dev libzstd-dev nlohmann-json3-dev tzdata zlib1g-dev"
packages_bench="libquickfix-dev liburing-dev"
packages_wasm="binaryen clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32
  libclang-rt-19-dev-wasm32"
packages_test="$packages_wasm abigail-tools mold pkgconf libclang-rt-19-dev clang-format-19
  fish libasio-dev libc++-19-dev libc++abi-19-dev libgtest-dev libgmock-dev
  librapidcheck-dev libspdlog-dev libsqlite3-dev
  $java $zones maven openssl googletest g++-aarch64-linux-gnu qemu-user libpq-dev
  haproxy iproute2 libfaketime libnats-dev librdkafka-dev mandoc nats-server
  zsh etcd-server postgresql prometheus doxygen python3-venv nodejs valgrind chromium
  chromium-driver"
packages_package="dpkg-dev file g++-aarch64-linux-gnu git gpg gpg-agent libpq-dev
  librdkafka-dev python3-venv qemu-user rpm xz-utils"

list_only=no
if [ "${1:-}" = "--list" ]; then
  list_only=yes
  shift
fi
case "${1:-}" in
  run) wanted="$packages_run" ;;
  bench) wanted="$packages_run $packages_bench" ;;
  test) wanted="$packages_run $packages_bench $packages_test" ;;
  wasm) wanted="$packages_run $packages_wasm" ;;
  lint) wanted="$packages_run $packages_bench $packages_test clang-tidy-19" ;;
  docs) wanted="$packages_run $packages_wasm python3-venv doxygen" ;;
  package) wanted="$packages_run $packages_package" ;;
  release) wanted="$packages_run $packages_package buildah debootstrap lintian
    zstd" ;;
  contestants)
    wanted="$packages_run $packages_bench $packages_test"
    command -v go >/dev/null || wanted="$wanted golang-go"
    command -v cargo >/dev/null || wanted="$wanted cargo"
    command -v npm >/dev/null || wanted="$wanted npm"
    ;;
  *)
    sed -n '2,17s/^# //p' "$0" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "deps: this is not Debian: install these or their like, and use DEPS=no:" $wanted >&2
  exit 1
fi

lacking=""
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = "installed" ] || lacking="$lacking $package"
done

if [ -z "$lacking" ]; then
  [ "$list_only" = yes ] || [ -n "${QUIET:-}" ] || echo "deps: nothing is missing for 'make $1'"
  exit 0
fi
echo "deps: missing for 'make $1':$lacking"
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
trap 'rm -f "$log"; [ -z "$no_server" ] || $as_root rm -f $no_server' EXIT
# apt's output is long. It is shown only on a failure.
apt() {
  if ! $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "deps: 'apt-get $*' failed; its output is above" >&2
    exit 1
  fi
}
echo "deps: apt-get update"
apt update
# The tests start a server of their own. Debian's package would create and start another one on its
# first installation. This file prevents that, and is removed afterwards.
case " $lacking " in
  *" postgresql "*)
    no_server="${NEXUSFIX_ETC:-/etc}/postgresql-common/createcluster.d/nexusfix.conf"
    $as_root sh -c 'mkdir -p "${1%/*}" && echo "create_main_cluster = false" >"$1"' sh "$no_server"
    ;;
esac
# The packages of Prometheus, etcd and HAProxy would start them at once and at each boot.
case " $lacking " in
  *" prometheus "* | *" etcd-server "* | *" haproxy "*)
    policy="${NEXUSFIX_SBIN:-/usr/sbin}/policy-rc.d"
    if [ ! -e "$policy" ]; then
      no_server="$no_server $policy"
      $as_root sh -c 'printf "#!/bin/sh\nexit 101\n" >"$1" && chmod +x "$1"' sh "$policy"
    fi
    ;;
esac
echo "deps: apt-get install (some minutes on a fresh machine)"
# shellcheck disable=SC2086 -- each word is a package
apt install -y --no-install-recommends $lacking
for service in prometheus etcd haproxy; do
  case " $lacking " in
    *" $service "* | *" $service-server "*)
      ! command -v update-rc.d >/dev/null 2>&1 || $as_root update-rc.d "$service" disable
      ;;
  esac
done
echo "deps: installed"
