#!/bin/sh
# Generate the Go code of the contract into oracle/v1; needs protoc, protoc-gen-go and
# protoc-gen-go-grpc. The contract names no Go package: the mapping below does.
set -eu
cd "$(dirname "$0")"
proto=${ORACLE_PROTO:-../../schema/proto}
protoc=${PROTOC:-protoc}
options=
files=
for path in "$proto"/position_oracle/v1/*.proto; do
    file=position_oracle/v1/$(basename "$path")
    files="$files $file"
    options="$options --go_opt=M$file=example/oracle/v1 --go-grpc_opt=M$file=example/oracle/v1"
done
# shellcheck disable=SC2086 # words are meant
$protoc -I "$proto" --go_out=. --go_opt=module=example --go-grpc_out=. --go-grpc_opt=module=example \
    $options $files
