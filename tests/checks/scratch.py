"""What the tests of this folder share: the scripts on the path, and small trees to plant faults in."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))


class ScratchTest(unittest.TestCase):
    """A test with a folder of its own, self.folder, which is gone afterwards."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="heapledger-check-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def plant(self, name, text):
        """Writes a file below self.folder and returns its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path
