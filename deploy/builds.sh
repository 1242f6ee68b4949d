#!/bin/sh
# One build of a list, for the tasks of an array: of Slurm, or of a Job of Kubernetes with
# completionMode Indexed.
#
#   builds.sh LIST FOLDER     LIST has the arguments of a build a line; tables go to FOLDER/0, 1, ...
set -eu
index=${SLURM_ARRAY_TASK_ID:-${JOB_COMPLETION_INDEX:?is not set: this is a task of no array}}
build=$(sed -n "$((index + 1))p" "$1")
[ -n "$build" ] || { echo "$1 has no line $((index + 1))" >&2; exit 1; }
data=$2/$index
set -f  # words are as they stand there, without quotes
# shellcheck disable=SC2086
oracle build $build --if-missing --db "$data"
oracle verify --db "$data"
[ -z "${TABLES_URL:-}" ] || oracle tables push "$TABLES_URL/$index" --db "$data"
