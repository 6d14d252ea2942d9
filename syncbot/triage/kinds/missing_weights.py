"""Files of a model are not where they are looked for."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(
    r"does not appear to have (?:a file named|files named)|Cannot find any model weights"
    r"|is not a local folder and is not a valid model identifier"
    r"|Can't load the (?:configuration|model|tokenizer)"
    r"|Repository Not Found for url|Invalid repository ID or local directory"
    r"|Cannot find any of the following keys"
    r"|Error no file named .{1,200} found in directory"
)
_FILE = re.compile(
    r"\[Errno 2\] No such file or directory: .{1,600}"
    r"(?:\.(?:safetensors|bin|pt|pth|gguf|ckpt|onnx)|config\.json|tokenizer[\w.]*|vocab[\w.]*|merges\.txt)"
)


@kind
def missing_weights(error: Raised) -> Symptom | None:
    """No names: the text says which model it is."""
    if not (_WORDS.search(error.message) or _FILE.search(error.message)):
        return None
    note = "files of the model are missing: fetch them, or mend the path"
    return Symptom("missing-weights", Nature.ENVIRONMENT, note=note)
