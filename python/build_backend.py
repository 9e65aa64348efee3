"""scikit-build-core, but for an archive of the sources: it would have this folder alone, and no
wheel can be built without the tree above it."""

from scikit_build_core.build import (build_editable, build_wheel, get_requires_for_build_editable,
                                     get_requires_for_build_wheel,
                                     prepare_metadata_for_build_editable,
                                     prepare_metadata_for_build_wheel)

__all__ = ["build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable",
           "get_requires_for_build_sdist", "get_requires_for_build_wheel",
           "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel"]


def get_requires_for_build_sdist(settings=None):
    return []


def build_sdist(folder, settings=None):
    raise SystemExit("nexusfix: the package is built of the whole tree: an archive of the tree "
                     "(git archive) is its source, and `pip install ./python` in it builds it")
