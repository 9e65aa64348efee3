"""The Conan 2 recipe of NexusFIX. In the folder of the sources:

    conan create packaging/conan --build=missing -s compiler.cppstd=23
    conan create packaging/conan -s compiler.cppstd=23 -o 'nexusfix/*:dependencies=system'

The second one takes the system's libraries.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

EXPORTED = ("CMakeLists.txt", "LICENSE", "*.md", "apps/*", "catalog/*", "cluster/*", "cmake/*",
            "console/*", "coroutine/*", "explanation/*", "dictionaries/*", "docs/*", "examples/*",
            "gateway/*", "http/*", "include/*", "journal/*", "logger/*", "logs/*", "passwords/*",
            "proxy/*", "record_store/*", "share/*", "simulator/*", "src/*", "stream/*", "tester/*",
            "testing/*", "tools/*", "venue/*", "venues/*", "bench/*", "c/*", "wasm/*")


class NexusFix(ConanFile):
    name = "nexusfix"
    description = "A FIX-protocol engine in C++23"
    license = "Apache-2.0"
    topics = ("fix", "fix-protocol", "trading", "finance")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "tls": [True, False],        # OpenSSL
        "passwords": [True, False],
        "postgres": [True, False],   # libpq
        "web": [True, False],        # Boost.Beast
        "dependencies": ["conan", "system"],
    }
    default_options = {"shared": False, "tls": True, "passwords": True, "postgres": False,
                       "web": False, "dependencies": "conan"}

    @property
    def _sources(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self._sources, "CMakeLists.txt"))
        self.version = re.search(r"project\(nexusfix VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in EXPORTED:
            copy(self, pattern, self._sources, self.export_sources_folder,
                 excludes=("build/*", "__pycache__/*"))

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("NexusFIX runs on Linux")
        check_min_cppstd(self, 23)

    def requirements(self):
        if self.options.dependencies == "system":
            return
        self.requires("pugixml/1.14")
        self.requires("fmt/9.1.0")
        self.requires("date/3.0.1")
        self.requires("cli11/2.3.2")
        self.requires("nlohmann_json/3.11.3")
        self.requires("zstd/1.5.5")
        self.requires("zlib/[>=1.2.11 <2]")
        self.requires("xz_utils/[>=5.4.5 <6]")
        self.requires("re2/20230301")
        self.requires("libsodium/1.0.19")
        if self.options.tls:
            self.requires("openssl/[>=3.0 <4]")
        if self.options.postgres:
            self.requires("libpq/15.4")
        if self.options.web:
            self.requires("boost/1.83.0", options={"header_only": True})

    def generate(self):
        if self.options.dependencies == "conan":
            CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.user_presets_path = False
        toolchain.cache_variables.update({
            "NEXUSFIX_TESTS": False,
            "NEXUSFIX_WERROR": False,
            "NEXUSFIX_SHARED": bool(self.options.shared),
            "NEXUSFIX_TLS": bool(self.options.tls),
            "NEXUSFIX_PASSWORDS": bool(self.options.passwords),
            "NEXUSFIX_POSTGRES": "ON" if self.options.postgres else "OFF",
            "NEXUSFIX_WEB": bool(self.options.web),
            "NEXUSFIX_CLUSTER": False,
            "NEXUSFIX_TUI": "OFF",
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="nexusfix_installed")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The package's own files say what each component needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        for folder in ("lib", "lib64", os.path.join("lib", "x86_64-linux-gnu")):
            if os.path.isdir(os.path.join(self.package_folder, folder, "cmake")):
                self.cpp_info.builddirs.append(os.path.join(folder, "cmake", "nexusfix"))
