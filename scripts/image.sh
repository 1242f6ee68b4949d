#!/usr/bin/env bash
# Build the image of the Dockerfile without Docker: as root on Debian, with buildah and mmdebstrap.
#
#   scripts/image.sh            position-oracle:VERSION, in the storage of buildah, and what is in
#                               it as CycloneDX: build/position-oracle-VERSION.cdx.json
#   scripts/image.sh FILE.tar   and as an archive that `docker load` and `podman load` read
#
# Packages come from Debian and PyPI, over the network and with the certificates of this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

# Neither a daemon nor rights beyond those of root: layers are copies, steps run in a chroot.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
base=localhost/position-oracle-base:bookworm-slim
version=$(sed -nE 's/^__version__ = "(.+)"$/\1/p' position_oracle/__init__.py)
image=localhost/position-oracle:$version

for program in buildah mmdebstrap; do
  command -v "$program" > /dev/null || { echo "needs $program: apt-get install $program" >&2; exit 1; }
done

# What the Dockerfile expects of python:3.11-slim: python, pip, useradd and a shell.
# Perl is only there to move files to /usr, which mmdebstrap has done.
perl="usrmerge perl perl-modules-5.36 libperl5.36"
if ! buildah inspect "$base" > /dev/null 2>&1; then
  archive=$(mktemp --suffix=.tar)
  trap 'rm -f "$archive"' EXIT
  mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --include=usr-is-merged,python-is-python3,python3-pip,ca-certificates,passwd \
    --customize-hook="chroot \"\$1\" apt-get purge -qq --yes $perl > /dev/null" bookworm "$archive"
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$archive" > /dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$base" > /dev/null
fi

# HEALTHCHECK is known to Docker's format only.
buildah bud --quiet --layers --format docker --network host --volume /etc/ssl/certs:/etc/ssl/certs:ro \
  --build-arg BASE="$base" --build-arg VERSION="$version" --tag "$image" . > /dev/null
buildah images "$image"

# What is in it: packages, versions, licences.
container=$(buildah from "$image")
mkdir -p build
python3 scripts/sbom.py "$(echo "$(buildah mount "$container")"/opt/oracle/lib/python3*/site-packages)" \
  > "build/position-oracle-$version.cdx.json"
buildah rm "$container" > /dev/null
if (($#)); then
  buildah push --quiet "$image" "docker-archive:$1:$image"
fi
