"""Integers of every width: `integers/natural_words.{plain,clever,mutant<n>}`."""

from .build import add

add("integers/natural_words.cu", "plain")
add("integers/natural_words.cu", "clever", defines={"CLEVER": 1})
for fault in range(1, 9):
    add("integers/natural_words.cu", f"mutant{fault}", defines={"CLEVER": 1, "MUTANT": fault}, lines=True)
add("integers/rotations.cu", "plain")
add("integers/rotations.cu", "clever", defines={"CLEVER": 1})
for fault in range(1, 3):
    add("integers/rotations.cu", f"mutant{fault}", defines={"CLEVER": 1, "MUTANT": fault}, lines=True)
