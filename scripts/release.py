"""Build a release from the committed files, check it, and describe it: `make release`.

python scripts/release.py [FOLDER]        the wheel and the source archive go to dist, or FOLDER
"""

import argparse
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from email import message_from_string
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from packaging.metadata import Metadata
from readme_renderer import markdown

ROOT: Final = Path(__file__).parents[1]
ROOMS: Final = ("clients", "engine", "oracle", "schema")
PACKAGE: Final = "position_oracle"


def main() -> None:
    """Build, check and describe."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    folder = options.parse_args().folder
    with TemporaryDirectory() as place:
        source = Path(place)
        committed(source)
        wheel, archive = build(source, folder)
        faults = check(source, wheel, archive)
    describe(wheel, archive)
    for fault in faults:
        print(f"FAULT: {fault}", file=sys.stderr)
    sys.exit(bool(faults))


def committed(place: Path) -> None:
    """Copy the committed files into a folder."""
    with subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE) as git:
        subprocess.run(["tar", "-x", "-C", place], stdin=git.stdout, check=True)
    if subprocess.run(["git", "diff", "--quiet", "HEAD"], cwd=ROOT, check=False).returncode:
        print("there are changes that are not committed: they are left out", file=sys.stderr)


def build(source: Path, folder: Path) -> tuple[Path, Path]:
    """Build the source archive of a folder, and the wheel from the archive.

    Raises:
        subprocess.CalledProcessError: the build failed; its output was printed.
    """
    uv = [sys.executable, "-m", "uv", "build", "--no-build-isolation", "--python", sys.executable]
    done = subprocess.run(
        [*uv, "--out-dir", folder, source], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        done.check_returncode()
    text = (source / PACKAGE / "__init__.py").read_text()
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.M)
    name = f"{PACKAGE}-{version}"
    return folder / f"{name}-py3-none-any.whl", folder / f"{name}.tar.gz"


def check(source: Path, wheel: Path, archive: Path) -> list[str]:
    """Return the faults of a release."""
    expected = shipped(source)
    faults = [
        f"{file.name} lacks {path}"
        for file in (wheel, archive)
        for path in sorted(expected - members(file))
    ]
    own = f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info"
    others = {path for path in members(wheel) - expected if path.partition("/")[0] != own}
    faults += [f"{wheel.name} installs {path}, too" for path in sorted(others)]
    with tarfile.open(archive) as tar:
        links = [each.name for each in tar if each.issym() or each.islnk()]
    faults += [f"{archive.name} has a link: {name}" for name in links]
    return faults + check_metadata(metadata_of(wheel))


def check_metadata(text: str) -> list[str]:
    """Return faults of the metadata: against the standard, and as package indexes show it."""
    try:
        metadata = Metadata.from_email(text)
    except ExceptionGroup as group:
        return [f"metadata: {error}" for error in group.exceptions]
    description = metadata.description or ""
    shown = markdown.render(description)
    links = re.findall(r"\]\((?!https://|#)([^)]*)\)", description)
    faults = [f"the description links to {link}, which an index does not have" for link in links]
    return faults if shown else [*faults, "the description cannot be shown"]


def describe(wheel: Path, archive: Path) -> None:
    """Describe the contents of a release."""
    data = message_from_string(metadata_of(wheel))
    print(f"{data['Name']} {data['Version']}, Python {data['Requires-Python']}")
    for file in (wheel, archive):
        print(f"  {file}  {file.stat().st_size / 1e6:.2f} MB, {len(members(file))} files")
    with zipfile.ZipFile(wheel) as content:
        sizes: Counter[str] = Counter()
        for entry in content.infolist():
            sizes["/".join(entry.filename.split("/")[:2])] += entry.file_size
    for place, size in sizes.most_common(6):
        print(f"    {place:28} {size / 1e6:6.2f} MB")
    print(f"  extras: {', '.join(data.get_all('Provides-Extra', []))}")
    print(f"\n{changes(data['Version'])}")


def changes(version: str) -> str:
    """Return the changelog's section about a version, or about unreleased changes."""
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    for title in (f"[{version}]", "[Unreleased]"):
        for section in sections:
            if section.startswith(title):
                return f"Changelog {section.strip()}"
    return "The changelog has nothing on it."


def shipped(source: Path) -> set[str]:
    """Return the files of the package in a folder of sources, by their places in it."""
    files = {f"{PACKAGE}/{path.name}" for path in (source / PACKAGE).iterdir() if path.is_file()}
    for room in ROOMS:
        paths = (path.relative_to(source) for path in (source / room).rglob("*") if path.is_file())
        files |= {f"{PACKAGE}/{path}" for path in paths if "__pycache__" not in path.parts}
    return files


def members(file: Path) -> set[str]:
    """Return the files in a wheel or a source archive, without the archive's top folder."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as content:
            return set(content.namelist())
    with tarfile.open(file) as tar:
        return {each.name.partition("/")[2] for each in tar if each.isfile()}


def metadata_of(wheel: Path) -> str:
    """Return the METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as content:
        (name,) = [name for name in content.namelist() if name.endswith(".dist-info/METADATA")]
        return content.read(name).decode()


if __name__ == "__main__":
    main()
