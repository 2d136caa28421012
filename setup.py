"""Builds into an empty folder.

Setuptools packs whatever an older build has left in it, and a driver imports every module of its
folder: those that are gone would break it.
"""

import shutil

from setuptools import setup
from setuptools.command.build import build


class CleanBuild(build):
    """The build, without what an older one has left."""

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(cmdclass={"build": CleanBuild})
