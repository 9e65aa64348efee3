"""The public sources of this folder's dictionaries, which tests/peers/dictionaries also compares them with.
The client of its registry fetches each, with the user's own configuration.

quickfixj   QuickFIX/J's message artefacts, by Maven
orchestra   the FIX Trading Community's Orchestra artefact, by Maven
quickfix    QuickFIX's source package, by pip
repository  the FIX Trading Community's repository of 2010, which has the values of each field for
            each published version from 4.0 to 5.0 SP2; in the package fefix, by cargo
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

VERSIONS = ("FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIX50", "FIX50SP1", "FIX50SP2", "FIXT11")
QUICKFIXJ = "2.3.2"
QUICKFIX = "quickfix-1.16.0"
ORCHESTRA = "fix-standard-1.5.4"
FEFIX = "fefix-0.7.0"
REPOSITORY_FILE = (f"{FEFIX}/resources/repositories/fix_repository_2010_edition_20140507/"
                   "Unified/FixRepository.xml")
REPOSITORY_VERSIONS = dict(zip(VERSIONS, (
    "FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2",
    "FIXT.1.1")))

CARGO_PROJECT = """[package]
name = "sources"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[dependencies]
{} = "={}"
"""


def fetch_from_maven(folder, artefact):
    subprocess.run(["mvn", "-q", "-B", "dependency:copy", f"-DoutputDirectory={folder}",
                    f"-Dartifact={artefact}"], check=True)


def fetch_from_cargo(folder, package):
    """Cargo keeps the fetched package among its own files."""
    with tempfile.TemporaryDirectory() as project:
        name, version = package.rsplit("-", 1)
        (pathlib.Path(project) / "Cargo.toml").write_text(CARGO_PROJECT.format(name, version))
        (pathlib.Path(project) / "lib.rs").touch()
        subprocess.run(["cargo", "fetch", "-q"], cwd=project, check=True)
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    shutil.copy(next(home.glob(f"registry/cache/*/{package}.crate")), folder)


def fetch_all(folder):
    for version in VERSIONS:
        fetch_from_maven(
            folder, f"org.quickfixj:quickfixj-messages-{version.lower()}:{QUICKFIXJ}")
    name, version = ORCHESTRA.rsplit("-", 1)
    fetch_from_maven(folder, f"io.fixprotocol.orchestrations:{name}:{version}")
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                    ":all:", "-d", folder, QUICKFIX.replace("-", "==")], check=True)
    fetch_from_cargo(folder, FEFIX)


def from_jar(path, file):
    with zipfile.ZipFile(path) as jar:
        return jar.read(file)


def from_tar(path, file):
    with tarfile.open(path) as archive:
        return archive.extractfile(file).read()


def quickfixj(folder, version):
    return from_jar(folder / f"quickfixj-messages-{version.lower()}-{QUICKFIXJ}.jar",
                    f"{version}.xml")


def quickfix(folder, version):
    return from_tar(folder / f"{QUICKFIX}.tar.gz", f"{QUICKFIX}/spec/{version}.xml")


def orchestra(folder, file="OrchestraFIXLatest.xml"):
    return from_jar(folder / f"{ORCHESTRA}.jar", file)


def repository(folder):
    """The element of each version, by our names."""
    root = ElementTree.fromstring(from_tar(folder / f"{FEFIX}.crate", REPOSITORY_FILE))
    of_name = {version.get("version"): version for version in root}
    return {version: of_name[name] for version, name in REPOSITORY_VERSIONS.items()}
