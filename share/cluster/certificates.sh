#!/bin/sh
# Makes an authority, a certificate for each member of etcd, and one for the engines, for a year:
#   share/cluster/certificates.sh FOLDER etcd1 etcd2 etcd3
# Each name is a host name as the engines and the members use it. Keep ca.key on no machine of an
# engine.
set -eu
umask 077
folder=$1
shift
mkdir -p "$folder"
cd "$folder"
curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
# shellcheck disable=SC2086
[ -e ca.key ] || openssl req -x509 $curve -keyout ca.key -out ca.pem -subj /CN=nexusfix-etcd \
  -days 3650 2>/dev/null
for name in "$@" engine; do
  # etcd with users refuses a client whose certificate has a CN.
  subject="/CN=$name"
  [ "$name" != engine ] || subject=/O=nexusfix-engine
  # shellcheck disable=SC2086
  openssl req $curve -keyout "$name.key" -out "$name.csr" -subj "$subject" 2>/dev/null
  printf 'subjectAltName=DNS:%s,DNS:localhost,IP:127.0.0.1\n' "$name" >"$name.names"
  openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 \
    -extfile "$name.names" -out "$name.pem" 2>/dev/null
  rm "$name.csr" "$name.names"
done
