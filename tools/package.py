#!/usr/bin/env python3
"""Makes the packages of packaging/packages.toml, a portable archive, a list of what is in them, and
their checksums in build/package/out: `make package`. Two runs of one commit give the same bytes.

    tools/package.py                  the packages for this system
    tools/package.py --key KEY        signs the checksums with this key of gpg
    tools/package.py --arm            the command for 64-bit ARM, too
    tools/package.py --only libraries what must be built on each system: not the command
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import build
import installed_documents

ROOT = build.ROOT
WORK = ROOT / "build" / "package"
OUT = WORK / "out"
STAGE = WORK / "stage"
ETC = Path(os.environ.get("NEXUSFIX_ETC", "/etc"))
MAINTAINER = "NexusFIX maintainers <maintainers@nexusfix.example>"
STATIC, SHARED, ARM = "package/static", "package/shared", "package/arm"
FETCHED = ("fmtlib", "howardhinnant-date")  # no static library in Debian
ARM_LIBRARIES = ("libcli11-dev", "libfmt-dev", "libhowardhinnant-date-dev", "liblzma-dev",
                 "libncurses-dev", "libpugixml-dev", "libre2-dev", "libsodium-dev", "libssl-dev",
                 "libzstd-dev", "nlohmann-json3-dev", "zlib1g-dev")
DOCUMENTS = ("CHANGELOG.md", "NOTICE", "README.md", "ROADMAP.md", "SECURITY.md", "SUPPORT.md",
             "docs")
LOADER = "ld-linux-x86-64.so.2"
RUNTIME = (LOADER, "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
           "librt.so.1", "libstdc++.so.6")


class Failed(Exception):
    """Its text is for the person who called."""


def run(*command, **options):
    """The output of a command, which must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                     f"{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(nexusfix VERSION ([\d.]+)", text)[1]


class Apt:
    """apt for the release that this system is of, or for another release of the same archive, with
    lists of its own: no root is needed."""

    def __init__(self, folder, kind, *options, release=None):
        lists, parts = folder / "apt" / "lists", folder / "apt" / "sources"
        for path in (lists, parts):
            path.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.options = ["-q", "-o", "Dir::Etc::sourcelist=/dev/null",
                        "-o", f"Dir::Etc::sourceparts={parts}", "-o", f"Dir::State::lists={lists}",
                        "-o", "APT::Sandbox::User=root", *options]
        codename = re.search(r"VERSION_CODENAME=(\w+)", (ETC / "os-release").read_text())
        found = False
        for path in [ETC / "apt/sources.list", *(ETC / "apt/sources.list.d").glob("*")]:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            own = codename and re.search(rf"(?m)^(deb |Suites:).*\b{codename[1]}\b", text)
            if own and path.suffix in (".list", ".sources"):
                found = True
                text = re.sub(r"(?m)^deb ", f"{kind} ", text)
                text = re.sub(rf"\b{codename[1]}\b", release or codename[1], text)
                (parts / path.name).write_text(
                    re.sub(r"(?m)^Types: deb$", f"Types: {kind}", text))
        if not found:
            raise Failed("apt of this system names no packages of its own release")
        self.run("update")

    def run(self, *arguments):
        run("apt-get", *self.options, *arguments, cwd=self.folder)


def debian_sources(folder):
    """The sources of FETCHED, by apt, from where this system has its own packages."""
    if all(list(folder.glob(f"{name}-*/src")) for name in FETCHED):
        return
    Apt(folder, "deb-src").run("source", "--download-only", *FETCHED)
    for name in FETCHED:
        [archive] = folder.glob(f"{name}_*.orig.tar.*")
        run("tar", "xf", archive, cwd=folder)


def arm_libraries(folder):
    """What the command links, for 64-bit ARM, unpacked in FOLDER/root: of this system's release."""
    if (folder / "complete").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    status = folder / "status"
    status.touch()
    needed = [run("dpkg-query", "-W", "-f", "${Depends}", name).split()[0]
              for name in ("libboost-dev", "libpugixml-dev")]  # headers; CMake looks for the .so
    Apt(folder, "deb", "-o", "APT::Architecture=arm64", "-o", f"Dir::State::status={status}").run(
        "download", *needed, *ARM_LIBRARIES)
    for path in sorted(folder.glob("*.deb")):
        run("dpkg-deb", "-x", path, folder / "root")
    (folder / "complete").touch()


def build_tree(folder, targets, definitions):
    """A hardened build in build/FOLDER, without debugging information that names this machine.
    The trees share objects by ccache, so that most of the libraries are compiled once."""
    definitions = ["CMAKE_INSTALL_PREFIX=/usr",
                   "CMAKE_BUILD_RPATH_USE_ORIGIN=ON",  # build-ids contain the search path
                   "NEXUSFIX_TESTS=OFF", *definitions]
    tree = ROOT / "build" / folder
    # cmake/cached_compiler.sh gives the compiler relative paths: only its working folder is left.
    # ccache does not compare that option: an object of another build names that build's folder.
    environment = {**os.environ, "CXXFLAGS": f"-fdebug-prefix-map={tree}=.",
                   "CCACHE_NAMESPACE": "package"}
    tree.mkdir(parents=True, exist_ok=True)
    log = tree / "package.log"
    for command in (["cmake", "--preset", "hardened", "-B", tree,
                     *(f"-D{definition}" for definition in definitions)],
                    ["ninja", "-C", tree, f"-j{build.job_count()}", *targets]):
        print(f"{folder}: {command[0]} ...", flush=True)
        with open(log, "ab") as output:
            done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False,
                                  env=environment)
        if done.returncode != 0:
            raise Failed(f"{folder}: {command[0]} failed; its output: {log.relative_to(ROOT)}")
    return tree


def install(tree, component, stage):
    run("cmake", "--install", tree, "--prefix", "/usr", "--component", component,
        env={**os.environ, "DESTDIR": str(stage)})


def write_gzip(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(data)


def check_key(key):
    """Before minutes of building."""
    done = subprocess.run(["gpg", "--batch", "--list-secret-keys", "--", key], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"gpg has no secret key '{key}': gpg --list-secret-keys shows those it has")


def licenses_of(packages):
    """The texts of Debian's packages whose code is linked, by package."""
    found = {}
    for package in packages:
        path = Path(f"/usr/share/doc/{package}/copyright")
        if path.exists():
            found[package] = path.read_bytes()
    return found


def archive_hashes(versions):
    """The SHA-256 of the archive of each of Debian's packages, by its name, as the signed lists of
    apt have it; a package that is not in the lists has none. versions: of each its name, version
    and architecture."""
    wanted = {(name, number, architecture) for name, number, architecture in versions}
    if shutil.which("apt-cache") is None or not wanted:
        return {}
    asked = sorted(f"{name}={number}" for name, number, _ in wanted)
    done = subprocess.run(["apt-cache", "show", *asked], capture_output=True, text=True,
                          check=False, env={**os.environ, "LC_ALL": "C"})
    found = {}
    for stanza in done.stdout.split("\n\n"):
        fields = dict(re.findall(r"(?m)^(Package|Version|Architecture|SHA256): (\S+)$", stanza))
        key = tuple(fields.get(name) for name in ("Package", "Version", "Architecture"))
        if key in wanted and "SHA256" in fields:
            found[key[0]] = fields["SHA256"]
    return found


def hashes(digest):
    """A field of CycloneDX; nothing: the hash is not known."""
    return {"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {}


def finish_symbols(tree):
    """Symbols are there for our programs alone: the libraries of Arrow have none."""
    for path in sorted(tree.rglob("*.debug")):
        if ".debug_info" not in run("readelf", "-SW", path):
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    control = tree / "DEBIAN/control"
    text = control.read_text(encoding="utf-8")
    ids = " ".join(path.parent.name + path.stem for path in sorted(tree.rglob("*.debug")))
    text = re.sub(r"(?m)^Build-Ids: .*", f"Build-Ids: {ids}", text)
    control.write_text(re.sub(r"(?m)^Package-Type: .*\n", "", text), encoding="utf-8")
    name = re.search(r"(?m)^Package: (.*)", text)[1]
    documents = tree / "usr/share/doc"
    documents.mkdir(parents=True)
    (documents / name).symlink_to(name.removesuffix("-dbgsym"))


def add_headers(headers, tree):
    shutil.copytree(headers, tree / "usr/include")
    control = tree / "DEBIAN/control"
    kibibytes = sum(-(-path.stat().st_size // 1024) for path in headers.rglob("*")
                    if path.is_file())
    control.write_text(re.sub(r"(?m)^(Installed-Size:) *(\d+)",
                              lambda found: f"{found[1]} {int(found[2]) + kibibytes}",
                              control.read_text(encoding="utf-8")), encoding="utf-8")


class Packager:
    def __init__(self, key):
        self.key = key
        self.version = version()
        self.commit = run("git", "-C", ROOT, "describe", "--always", "--exclude=*", "--abbrev=12",
                          "--dirty=-changed").strip()
        self.epoch = int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
        os.environ["SOURCE_DATE_EPOCH"] = str(self.epoch)
        os.environ["TZ"] = "UTC"
        os.umask(0o022)
        self.architecture = run("dpkg", "--print-architecture").strip()
        self.packages = tomllib.loads((ROOT / "packaging" / "packages.toml").read_text())
        self.inputs = {}  # of each tree: Debian's packages whose files are in the programs

    # --- what is built ---

    def build_static(self):
        sources = WORK / "sources"
        debian_sources(sources)
        python = run(ROOT / "tools" / "columns.py").strip()
        tree = build_tree(STATIC, ["nexusfix", "nexusfix_pages", "nexusfix_arrow_command"],
                          ["NEXUSFIX_STATIC=ON", f"NEXUSFIX_STATIC_SOURCES={sources}",
                           "NEXUSFIX_PACKS_RELOCATIONS=OFF",  # glibc reads them since 2.36
                           "NEXUSFIX_ARROW=ON", f"NEXUSFIX_ARROW_PYTHON={python}"])
        self.install_command(tree, STAGE / "nexusfix")
        install(tree, "arrow", STAGE / "nexusfix-logs")
        self.inputs[STATIC] = self.linked(tree, "nexusfix", "nexusfix_arrow_command")
        self.stage_documents("nexusfix", STATIC)
        licenses = STAGE / "nexusfix-logs/usr/share/doc/nexusfix-logs/licenses"
        for path in Path(python).parents[1].glob("lib/*/site-packages/pyarrow-*/licenses/*.txt"):
            write_gzip(licenses / f"pyarrow-{path.name}.gz", path.read_bytes())
        if len(list(licenses.glob("*"))) != 2:
            raise Failed("pyarrow has not the two files of licenses that it had")

    def build_arm(self):
        """The command for 64-bit ARM, without Apache Arrow. qemu-user runs what the build runs."""
        libraries = WORK / "arm-libraries"
        arm_libraries(libraries)
        tree = build_tree(ARM, ["nexusfix", "nexusfix_pages"],
                          [f"CMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/toolchain-aarch64.cmake'}",
                           f"NEXUSFIX_ARM_LIBRARIES={libraries / 'root'}", "NEXUSFIX_STATIC=ON",
                           f"NEXUSFIX_STATIC_SOURCES={WORK / 'sources'}", "NEXUSFIX_ARROW=OFF"])
        self.install_command(tree, STAGE / "nexusfix-arm" / "nexusfix")
        self.stage_documents("nexusfix", STATIC, STAGE / "nexusfix-arm")
        self.finish_stage("nexusfix", STAGE / "nexusfix-arm")
        program = STAGE / "nexusfix-arm/nexusfix/usr/bin/nexusfix"
        run("aarch64-linux-gnu-strip", program)
        for generator in ("DEB", "RPM"):
            self.cpack("nexusfix", generator, arm=True)
        self.archive("aarch64", STAGE / "nexusfix-arm" / "nexusfix")

    def build_shared(self):
        tree = build_tree(SHARED, ["nexusfix_installed"],
                          ["NEXUSFIX_SHARED=ON", "NEXUSFIX_POSTGRES=ON", "NEXUSFIX_CLUSTER=ON",
                           "NEXUSFIX_KAFKA=ON", "NEXUSFIX_ARROW=OFF", "NEXUSFIX_BENCH=OFF",
                           "CMAKE_SKIP_INSTALL_RPATH=ON"])
        development, libraries = STAGE / "libnexusfix-dev", STAGE / "libnexusfix0"
        for component in ("core", "catalog", "cluster", "console", "coroutine", "explanation",
                          "logger", "passwords", "proxy", "record_store", "simulator", "testing",
                          "c"):
            install(tree, component, development)
        documents = development / "usr/share/doc"
        examples = documents / "nexusfix/examples"
        (documents / "libnexusfix-dev").mkdir()
        examples.rename(documents / "libnexusfix-dev/examples")
        shutil.rmtree(documents / "nexusfix")
        installed_documents.mend(documents / "libnexusfix-dev",
                                 {"include": development / "usr/include"})
        for path in sorted(development.glob("usr/lib/*/*.so.*")):
            place = libraries / path.relative_to(development)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
        cluster = STAGE / "nexusfix-cluster"
        self.install_command(tree, cluster)
        self.inputs[SHARED] = self.linked(tree, "nexusfix_installed")
        shutil.copytree(ROOT / "share/cluster",
                        cluster / "usr/share/doc/nexusfix-cluster/share/cluster",
                        ignore=shutil.ignore_patterns(".gitignore"))
        self.stage_documents("nexusfix-cluster", SHARED)
        console = STAGE / "nexusfix-console"
        for folder in ("prometheus", "grafana"):
            shutil.copytree(ROOT / "share" / folder, console / "usr/share/nexusfix" / folder)

    @staticmethod
    def install_command(tree, stage):
        """The command and the kits of venues; stage_documents() has the documents."""
        for component in ("command", "venues"):
            install(tree, component, stage)
        shutil.rmtree(stage / "usr/share/doc")

    def stage_documents(self, package, tree, stages=STAGE):
        """The documents that the command's texts name, and the configurations of the examples."""
        folder = stages / package / "usr/share/doc" / package
        for name in DOCUMENTS:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            folder.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, folder / name)
        for path in (ROOT / "apps/nexusfix/config").glob("*.cfg"):
            (folder / "examples").mkdir(exist_ok=True)
            shutil.copy(path, folder / "examples")
        installed_documents.mend(folder, {
            "apps/nexusfix/config": folder / "examples",
            "venues": stages / package / "usr/share/nexusfix/venues"})
        for library, text in licenses_of(self.inputs[tree]).items():
            write_gzip(folder / "licenses" / f"{library}.gz", text)

    @staticmethod
    def linked(tree, *targets):
        """Debian's packages whose headers a build has read, and whose libraries it has linked."""
        read = [line.strip() for line in run("ninja", "-C", tree, "-t", "deps").splitlines()
                if line.startswith("    /")]
        libraries = [path for path in run("ninja", "-C", tree, "-t", "inputs", *targets).split()
                     if re.search(r"\.(a|so)[.\d]*$", path)]
        found = {os.path.realpath(path) for path in read + libraries if path.startswith("/usr/")}
        packages = set()
        done = subprocess.run(["dpkg", "-S", *sorted(found)], capture_output=True, text=True,
                              check=False)  # files of no package: a compiler's cache
        for line in done.stdout.splitlines():
            packages |= {name.partition(":")[0] for name in line.rpartition(": ")[0].split(", ")}
        return sorted(packages)

    # --- packages ---

    def finish_stage(self, name, stages=STAGE):
        """What each package has: its license, its changes; packed man pages; usual modes."""
        stage = stages / name
        folder = stage / "usr/share/doc" / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "packaging/copyright", folder / "copyright")
        entry = (f"nexusfix ({self.version}) stable; urgency=medium\n\n"
                 f"  * Commit {self.commit}; CHANGELOG.md of the sources names the changes.\n\n"
                 f" -- {MAINTAINER}  {formatdate(self.epoch)}\n")
        write_gzip(folder / "changelog.gz", entry.encode())
        for page in stage.glob("usr/share/man/*/*.[1-9]"):
            write_gzip(page.with_name(page.name + ".gz"), page.read_bytes())
            page.unlink()
        overrides = ROOT / "packaging/lintian" / name
        if overrides.exists():
            place = stage / "usr/share/lintian/overrides" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(overrides, place)
        for path in [stage, *stage.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            elif not path.is_symlink():
                executable = path.stat().st_mode & 0o100 and ".so" not in path.name
                path.chmod(0o755 if executable else 0o644)
            os.utime(path, (self.epoch, self.epoch), follow_symlinks=False)

    def cpack(self, name, generator, arm=False):
        """Packs the stage of a package."""
        facts = self.packages[name]
        stage = (STAGE / "nexusfix-arm" if arm else STAGE) / name
        made = WORK / "cpack" / name
        values = {
            "CPACK_PACKAGE_NAME": name, "CPACK_PACKAGE_VERSION": self.version,
            "CPACK_PACKAGE_FILE_NAME": name, "CPACK_PACKAGE_CONTACT": MAINTAINER,
            "CPACK_PACKAGE_VENDOR": "NexusFIX",
            "CPACK_PACKAGE_DESCRIPTION_SUMMARY": facts["summary"],
            "CPACK_PACKAGE_DESCRIPTION": facts["description"].strip(),
            "CPACK_INSTALLED_DIRECTORIES": f"{stage};/",
            "CPACK_PACKAGING_INSTALL_PREFIX": "/", "CPACK_SET_DESTDIR": "OFF",
            "CPACK_PACKAGE_DIRECTORY": str(made), "CPACK_THREADS": "2",
            "CPACK_DEBIAN_FILE_NAME": "DEB-DEFAULT", "CPACK_DEBIAN_COMPRESSION_TYPE": "gzip",
            "CPACK_DEBIAN_PACKAGE_SECTION": facts["section"],
            "CPACK_DEBIAN_PACKAGE_PRIORITY": "optional",
            "CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION": "ON",
            "CPACK_DEBIAN_PACKAGE_SHLIBDEPS": "ON",
            "CPACK_RPM_PACKAGE_DESCRIPTION": facts["description"].strip(),
            "CPACK_RPM_FILE_NAME": "RPM-DEFAULT", "CPACK_RPM_PACKAGE_LICENSE": "Apache-2.0",
            "CPACK_RPM_PACKAGE_RELOCATABLE": "OFF", "CPACK_RPM_COMPRESSION_TYPE": "xz",
            "CPACK_RPM_SPEC_MORE_DEFINE":
                "%define _buildhost nexusfix\n%define clamp_mtime_to_source_date_epoch 1\n"
                "%define use_source_date_epoch_as_buildtime 1\n%define __strip /bin/true\n"
                "%define _build_id_links none\n%define __os_install_post %{nil}",
        }
        if facts.get("architecture") == "all":
            values["CPACK_DEBIAN_PACKAGE_ARCHITECTURE"] = "all"
            values["CPACK_DEBIAN_PACKAGE_SHLIBDEPS"] = "OFF"
        elif arm:  # it needs no library
            values["CPACK_DEBIAN_PACKAGE_ARCHITECTURE"] = "arm64"
            values["CPACK_RPM_PACKAGE_ARCHITECTURE"] = "aarch64"
            values["CPACK_DEBIAN_PACKAGE_SHLIBDEPS"] = "OFF"
        else:
            values["CPACK_DEBIAN_DEBUGINFO_PACKAGE"] = "ON"
        for word in ("depends", "recommends", "suggests"):
            if word in facts:
                values[f"CPACK_DEBIAN_PACKAGE_{word.upper()}"] = facts[word].replace(
                    "${version}", self.version)
        if facts.get("shared"):
            values["CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS"] = "ON"
            values["CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY"] = ">="
        if "replaces" in facts:
            for word in ("CONFLICTS", "REPLACES"):
                values[f"CPACK_DEBIAN_PACKAGE_{word}"] = facts["replaces"]
        if name in ("nexusfix", "nexusfix-cluster"):
            values["CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA"] = str(ROOT / "packaging/postinst")
            values["CPACK_RPM_POST_INSTALL_SCRIPT_FILE"] = str(ROOT / "packaging/postinst")
        config = WORK / f"cpack-{name}.cmake"
        config.write_text("".join(f"set({key} [==[{value}]==])\n" for key, value in values.items()))
        shutil.rmtree(made, ignore_errors=True)
        libraries = ":".join(map(str, STAGE.glob("libnexusfix0/usr/lib/*")))  # for dpkg-shlibdeps
        with self.headers_aside(stage) as headers:
            run("cpack", "-G", generator, "--config", config, cwd=WORK,
                env={**os.environ, "LD_LIBRARY_PATH": libraries})
        for path in sorted(made.glob("*.*")):
            if path.suffix in (".deb", ".ddeb"):
                self.finish_deb(path, OUT / path.name.replace(".ddeb", ".deb"), headers)
            elif path.suffix == ".rpm":
                path.rename(OUT / path.name)

    @staticmethod
    @contextmanager
    def headers_aside(stage):
        """CPack starts two programs for each file of a .deb: for thousands of headers, a minute."""
        headers, aside = stage / "usr/include", stage.with_name(f"{stage.name}-headers")
        if headers.exists():
            headers.rename(aside)
        try:
            yield headers
        finally:
            if aside.exists():
                aside.rename(headers)

    def package(self, name):
        """Each as .deb; those that need no library of Debian's as .rpm, too."""
        self.cpack(name, "DEB")
        if self.packages[name].get("static"):
            self.strip(name)
            self.cpack(name, "RPM")

    @staticmethod
    def finish_deb(made, path, headers):
        """Packs again what CPack has packed, with the headers: its package of symbols names files
        by their place on this machine, and its scripts call ldconfig, which has a trigger."""
        tree = made.parent / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        run("dpkg-deb", "-R", made, tree)
        control = tree / "DEBIAN"
        for name in ("postinst", "postrm"):
            script = control / name
            if script.exists() and "ldconfig" in script.read_text():
                script.unlink()
        if list(tree.glob("usr/lib/*-linux-gnu/*.so.*")):
            (control / "triggers").write_text("activate-noawait ldconfig\n")
        if "-dbgsym_" in path.name:
            finish_symbols(tree)
        elif headers.exists():
            add_headers(headers, tree)
        files = sorted(file for file in tree.rglob("*")
                       if file.is_file() and not file.is_symlink() and control not in file.parents)
        (control / "md5sums").write_text("".join(
            f"{hashlib.md5(file.read_bytes()).hexdigest()}  {file.relative_to(tree)}\n"
            for file in files))
        level = 1 if "-dbgsym_" in path.name else 6  # symbols: a fifth of the time
        run("dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--build", tree, path)

    @staticmethod
    def strip(name):
        """The .deb has its debugging symbols in a package of their own."""
        for path in [*STAGE.glob(f"{name}/usr/bin/*"), *STAGE.glob(f"{name}/usr/lib/nexusfix/*")]:
            run("strip", path)

    # --- the portable archive ---

    def archive(self, machine, command, logs=None):
        """The command for any Linux of the architecture, in a folder that may lie anywhere."""
        name = f"nexusfix-{self.version}-linux-{machine}"
        folder = WORK / name
        shutil.rmtree(folder, ignore_errors=True)
        for place in ("bin", "share"):
            shutil.copytree(command / "usr" / place, folder / place, symlinks=True)
        if logs:
            self.add_arrow(folder, logs)
        shutil.rmtree(folder / "share/lintian", ignore_errors=True)
        shutil.copy(ROOT / "LICENSE", folder / "LICENSE")
        self.pack(folder)

    @staticmethod
    def add_arrow(folder, logs):
        # nexusfix-arrow needs Arrow's library, and that needs glibc as a library: both are in the
        # archive, with the loader that belongs to them.
        shutil.copytree(logs / "usr/share", folder / "share", dirs_exist_ok=True)
        library = folder / "lib/nexusfix"
        shutil.copytree(logs / "usr/lib/nexusfix", library)
        (library / "nexusfix-arrow").rename(library / "nexusfix-arrow.program")
        for needed in RUNTIME:
            shutil.copy(os.path.realpath(run("g++", f"-print-file-name={needed}").strip()),
                        library / needed)
        shutil.copy(ROOT / "packaging/nexusfix-arrow", library / "nexusfix-arrow")

    def pack(self, folder):
        name = folder.name
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in [folder, *sorted(folder.rglob("*"))]:
                member = archive.gettarinfo(path, str(path.relative_to(WORK)))
                member.uid = member.gid = 0
                member.uname = member.gname = "root"
                member.mtime = self.epoch
                member.mode = 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644
                with open(path, "rb") if path.is_file() else io.BytesIO() as content:
                    archive.addfile(member, content if path.is_file() else None)
        run("xz", "-T1", "-6", "--keep", "--force", self.write(WORK / f"{name}.tar", raw))
        (WORK / f"{name}.tar.xz").rename(OUT / f"{name}.tar.xz")

    @staticmethod
    def write(path, raw):
        path.write_bytes(raw.getvalue())
        return path

    # --- what is in it ---

    def bill(self):
        """What is in the packages, as CycloneDX: this project, and what its builds read."""
        facts = run("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}\t"
                    "${source:Package}\t${db:Status-Status}\n")
        installed = {row[0]: row for row in (line.split("\t") for line in facts.splitlines())
                     if row[4] == "installed"}
        components = []
        known = archive_hashes(tuple(installed[name][:3]) for packages in self.inputs.values()
                               for name in packages)
        for tree, packages in self.inputs.items():
            for package in packages:
                _, number, architecture, source, _ = installed[package]
                components.append({
                    "type": "library", "name": package, "version": number,
                    "purl": f"pkg:deb/debian/{package}@{number}?arch={architecture}",
                    **hashes(known.get(package)),
                    "properties": [{"name": "debian:source", "value": source},
                                   {"name": "nexusfix:build", "value": tree.rpartition("/")[2]}]})
        for path in sorted((WORK / "sources").glob("*.dsc")):
            name, _, number = path.stem.partition("_")
            components.append({"type": "library", "name": name, "version": number,
                               "purl": f"pkg:deb/debian/{name}@{number}?arch=source",
                               **hashes(hashlib.sha256(path.read_bytes()).hexdigest()),
                               "properties": [{"name": "nexusfix:build", "value": "static"}]})
        wanted = (ROOT / "tools/columns/requirements.txt").read_text(encoding="utf-8")
        if STATIC in self.inputs:
            number = re.search(r"pyarrow==(\S+)", wanted)[1]
            components.append({"type": "library", "name": "pyarrow", "version": number,
                               "purl": f"pkg:pypi/pyarrow@{number}",
                               "properties": [{"name": "nexusfix:build", "value": "static"}]})
        for number, component in enumerate(components):
            component["bom-ref"] = str(number)
        when = run("date", "-u", "-d", f"@{self.epoch}", "+%Y-%m-%dT%H:%M:%SZ").strip()
        bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"timestamp": when, "component": {
                    "type": "application", "bom-ref": "nexusfix", "name": "nexusfix",
                    "version": self.version, "licenses": [{"license": {"id": "Apache-2.0"}}],
                    "properties": [{"name": "commit", "value": self.commit}]}},
                "components": components}
        (OUT / f"nexusfix-{self.version}.cdx.json").write_text(
            json.dumps(bill, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def sums(self):
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                 for path in sorted(OUT.iterdir())]
        (OUT / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
        if self.key:
            run("gpg", "--batch", "--yes", "--local-user", self.key, "--armor", "--detach-sign",
                OUT / "SHA256SUMS")
        else:
            print("not signed: no key was named (make package KEY=...)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--key", default="", help="sign the checksums with this key of gpg")
    parser.add_argument("--only", choices=["command", "libraries"],
                        help="the command with its archive, or the shared libraries")
    parser.add_argument("--arm", action="store_true", help="the command for 64-bit ARM, too")
    arguments = parser.parse_args()
    if arguments.arm and arguments.only == "libraries":
        parser.error("--arm is for the command")
    for program in ("ccache", "cpack", "dpkg-shlibdeps", "git", "gpg", "ninja", "rpmbuild",
                    *(("aarch64-linux-gnu-g++", "qemu-aarch64") if arguments.arm else ())):
        if shutil.which(program) is None:
            raise Failed(f"there is no {program}: `make package` installs it on Debian 12 or later")
    if arguments.key:
        check_key(arguments.key)
    for folder in (OUT, STAGE):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    packager = Packager(arguments.key)
    if arguments.only != "libraries":
        packager.build_static()
    if arguments.only != "command":
        packager.build_shared()
    made = [name for name in packager.packages if (STAGE / name).is_dir()]
    for name in made:
        packager.finish_stage(name)
    with ThreadPoolExecutor(build.job_count()) as threads:
        list(threads.map(packager.package, made))
    if arguments.only != "libraries":
        packager.archive(os.uname().machine, STAGE / "nexusfix", STAGE / "nexusfix-logs")
    if arguments.arm:
        packager.build_arm()
    packager.bill()
    packager.sums()
    print(f"commit {packager.commit}, in {OUT.relative_to(ROOT)}:")
    for path in sorted(OUT.iterdir()):
        print(f"  {path.stat().st_size:>11,}  {path.name}")


if __name__ == "__main__":
    try:
        main()
    except (Failed, OSError) as error:
        sys.exit(f"package: {error}")
