#!/bin/sh
# Generate the Go code of the contract into position_oracle/v1; needs protoc, protoc-gen-go and
# protoc-gen-go-grpc.
set -eu
cd "$(dirname "$0")"
proto=${ORACLE_PROTO:-../../schema/proto}
${PROTOC:-protoc} -I "$proto" --go_out=. --go-grpc_out=. "$proto"/position_oracle/v1/*.proto
