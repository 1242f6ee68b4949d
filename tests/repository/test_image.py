"""The image is built without Docker, run with a read-only root, asked from outside, and stopped."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle import OracleClient, __version__
from tests.clock import until
from tests.oracle.server.restarts import OK, TRY_AGAIN, crowd, over_grpc, over_http
from tests.oracle.server.words import free_port, page

ROOT = Path(__file__).parents[2]
TOOLS = ("buildah", "mmdebstrap", "unshare", "chroot")
LARGEST = 700e6
USER = 10001

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0 or any(shutil.which(tool) is None for tool in TOOLS),
        reason="needs root, buildah and mmdebstrap",
    ),
]

READ_ONLY = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"
if touch "$0/written" 2> /dev/null; then exit 1; fi
for folder in dev proc; do mount --rbind "/$folder" "$0/$folder"; done
mount --bind "$1" "$0/data" && mount --bind "$2" "$0/tmp"
mount --bind "$3" "$0/home/oracle/.cache"
root=$0; shift 3
exec chroot --userspec=10001:10001 "$root" env -i PATH=/opt/oracle/bin:/usr/bin:/bin \
  HOME=/home/oracle ORACLE_DB=/data oracle "$@"
"""
"""Runs the command `oracle` in a folder like `docker run --read-only`, with three volumes."""


def buildah(*words: str) -> str:
    own = {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
    command, environment = ["buildah", *words], {**os.environ, **own}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The files of the image. Layers that did not change are not built again."""
    subprocess.run(["scripts/image.sh"], cwd=ROOT, check=True)
    container = buildah("from", f"localhost/position-oracle:{__version__}")
    try:
        yield Path(buildah("mount", container))
    finally:
        buildah("rm", container)


def test_the_image_is_small(image: Path) -> None:
    found = {file: file.lstat() for file in image.rglob("*") if not file.is_symlink()}
    sizes = {status.st_ino: status.st_size for status in found.values()}  # count a hard link once
    assert sum(sizes.values()) < LARGEST
    assert not [file for file in found if file.name == "tests" and "site-packages" in file.parts]


def test_the_image_runs_with_a_read_only_root_and_loses_no_call(
    image: Path, tmp_path: Path
) -> None:
    volumes = [tmp_path / name for name in ("data", "tmp", "cache")]
    for volume in volumes[:2]:
        volume.mkdir()
    shutil.copytree(image / "home/oracle/.cache", volumes[2])
    subprocess.run(["chown", "-R", f"{USER}:{USER}", *volumes], check=True)
    run = ["unshare", "--mount", "sh", "-euc", READ_ONLY, str(image), *map(str, volumes)]
    subprocess.run([*run, "build", "chomp3", "--limit", "100"], check=True)
    port, web, pages = free_port(), free_port(), free_port()
    addresses = {"--address": port, "--web": web, "--metrics": pages}
    flags = [word for name, own in addresses.items() for word in (name, f"127.0.0.1:{own}")]
    with subprocess.Popen([*run, "serve", *flags]) as server:
        try:
            until(lambda: page(pages, "/readyz")[0] == 200)
            with OracleClient(f"127.0.0.1:{port}") as client:
                answer = client.outcome("chomp3:[100,50,30]")
                assert (answer.outcome.name, answer.certainty.name) == ("N", "EXACT_TABLE")
            status = Path(f"/proc/{server.pid}/status").read_text()
            assert f"\nUid:\t{USER}\t" in status
            with crowd(port, 4, over_grpc) as ends, crowd(web, 4, over_http) as others:
                until(lambda: page(web, "/v1/outcome?position=nim:[3,5]")[0] == 200)
                server.terminate()
                assert server.wait(60) == 0
        finally:
            server.kill()
    for each in (ends, others):
        assert each[OK]
        assert set(each) <= {OK, *TRY_AGAIN}
