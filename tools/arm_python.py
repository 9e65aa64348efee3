"""CPython for 64-bit ARM, of Debian's packages: its headers and libraries for a cross compiler, and
the program, which qemu-user runs."""

import os
import shutil

import package

ARCHITECTURE = "aarch64-linux-gnu"
RELEASES = {(3, 11): "bookworm", (3, 13): "trixie"}  # of Debian, with the CPython that each has
LINKED = (*package.ARM_LIBRARIES, "libboost-dev")
GLIBC_MAX = 36  # bookworm's 2.36, whose libraries are linked


class ArmPython:
    """A CPython of one of RELEASES. packages: others of that release, beside Python's own."""

    def __init__(self, folder, version, packages=()):
        self.name = f"python{version[0]}.{version[1]}"
        self.folder = folder
        self.root = folder / "root"
        self.headers = folder / "headers"
        self.program = folder / "python3"
        self.packages = self.root / "usr/local/lib" / self.name / "dist-packages"
        if not (folder / "complete").exists():
            self.unpack(RELEASES[version],
                        (self.name, f"lib{self.name}-dev", "libstdc++6", *packages))
            (folder / "complete").touch()

    def unpack(self, release, packages):
        shutil.rmtree(self.folder, ignore_errors=True)
        archives = self.folder / "archives"
        (archives / "partial").mkdir(parents=True)
        status = self.folder / "status"
        status.touch()
        apt = package.Apt(self.folder, "deb", "-o", "APT::Architecture=arm64",
                          "-o", "APT::Architectures=arm64", "-o", "APT::Install-Recommends=no",
                          "-o", f"Dir::State::status={status}",
                          "-o", f"Dir::Cache::archives={archives}", release=release)
        apt.run("-y", "--download-only", "install", *packages)
        for path in sorted(archives.glob("*.deb")):
            package.run("dpkg-deb", "-x", path, self.root)
        if (self.root / "lib").exists():  # trixie's packages have all in usr
            shutil.copytree(self.root / "lib", self.root / "usr/lib", symlinks=True,
                            dirs_exist_ok=True)
            shutil.rmtree(self.root / "lib")
        (self.root / "lib").symlink_to("usr/lib")
        for name in ("libc.so", "libm.so"):  # the cross compiler has its own
            (self.root / "usr/lib" / ARCHITECTURE / name).unlink(missing_ok=True)
        for path in self.root.rglob("*"):
            if path.is_symlink() and os.readlink(path).startswith("/"):
                target = self.root / os.readlink(path).lstrip("/")
                path.unlink()
                path.symlink_to(os.path.relpath(target, path.parent))
        shutil.copytree(self.root / "usr/include" / self.name, self.headers)
        shutil.copy(self.root / "usr/include" / ARCHITECTURE / self.name / "pyconfig.h",
                    self.headers)
        self.program.write_text(
            f"#!/bin/sh\nexec qemu-aarch64 -0 \"$0\" -L '{self.root}' "
            f"'{self.root}/usr/bin/{self.name}' \"$@\"\n", encoding="utf-8")
        self.program.chmod(0o755)

    def install_options(self):
        """The options of pip that put packages for the other machine where the program finds them.
        """
        platforms = [word for minor in range(17, GLIBC_MAX + 1)
                     for word in ("--platform", f"manylinux_2_{minor}_aarch64")]
        return ["--only-binary=:all:", "--target", self.packages, *platforms,
                "--platform", "manylinux2014_aarch64", "--implementation", "cp",
                "--python-version", self.name.removeprefix("python")]

    def library_path(self):
        return self.root / "usr/lib" / ARCHITECTURE


def build_options(linked, headers):
    """The options of pip for a wheel. linked: the ArmPython with the libraries."""
    defined = {"CMAKE_TOOLCHAIN_FILE": package.ROOT / "cmake/toolchain-aarch64.cmake",
               "NEXUSFIX_ARM_LIBRARIES": linked.root, "Python_INCLUDE_DIR": headers}
    return [word for name, value in defined.items()
            for word in ("-C", f"cmake.define.{name}={value}")]


def build_environment(linked, version):
    """What makes pip, scikit-build-core and auditwheel build for the other machine."""
    return {"_PYTHON_HOST_PLATFORM": "linux-aarch64",
            "SETUPTOOLS_EXT_SUFFIX": f".cpython-{version[0]}{version[1]}-{ARCHITECTURE}.so",
            "AUDITWHEEL_LD_LIBRARY_PATH": str(linked.library_path())}
