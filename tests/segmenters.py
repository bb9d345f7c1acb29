"""Segment a gold text by other libraries, for the table of methods on `/evaluate`; and make that table again.

    pip install jieba==0.42.1 thulac==0.2.2 snownlp==0.12.3              # in an environment of their own
    python tests/segmenters.py jieba GOLD > WORDS                        # there
    python -m tests.segmenters table FOLDER PYTHON                       # runs the command of each row again

FOLDER has the files `*_gold.utf8` and `*_words.utf8` of SIGHAN's icwb2-data and `zh_gsdsimp-ud-test.conllu` of
Universal Dependencies 2.16; PYTHON is the interpreter of that environment. It takes some minutes. A row is what its
command prints; seconds are of the machine.
"""

import csv
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "webapp" / "tools" / "evaluate" / "sample"
TABLE = SAMPLE.parent / "table.csv"


def _jieba() -> Callable[[str], list[str]]:
    import jieba

    jieba.setLogLevel(60)
    jieba.initialize()
    return lambda text: list(jieba.lcut(text))


def _thulac() -> Callable[[str], list[str]]:
    import thulac  # type: ignore[import-not-found,unused-ignore]

    model = thulac.thulac(seg_only=True)
    return lambda text: [word for word, _tag in model.cut(text)]


def _snownlp() -> Callable[[str], list[str]]:
    import snownlp  # type: ignore[import-not-found,unused-ignore]

    return lambda text: list(snownlp.SnowNLP(text).words)


LIBRARIES = {"jieba": _jieba, "thulac": _thulac, "snownlp": _snownlp}


def segment(library: str, gold: str) -> None:
    """Write the words of each line, and the processor time to standard error."""
    output, sys.stdout = sys.stdout, sys.stderr  # libraries print
    if gold == "sample":
        text = "".join((SAMPLE / f"{name}.txt").read_text("utf-8") for name in ("luxun", "honglou", "shuihu"))
    else:
        text = Path(gold).read_text("utf-8-sig")
    if gold.endswith(".conllu"):
        found = (line.removeprefix("# text = ") for line in text.split("\n") if line.startswith("# text = "))
        text = "\n".join(found)
    words_of = LIBRARIES[library]()
    began = time.process_time()
    lines = [" ".join(words_of("".join(line.split()))) if line.strip() else "" for line in text.split("\n")]
    sys.stderr.write(f"{time.process_time() - began:.1f}\n")
    output.reconfigure(encoding="utf-8")  # type: ignore[attr-defined,unused-ignore]
    output.write("\n".join(lines))


def make_table(folder: Path, python: str) -> None:
    """Run the commands of the rows without figures, and write what they print; to run one again, empty its F1."""
    rows = list(csv.DictReader(TABLE.open(encoding="utf-8")))
    here = Path(__file__).parents[1]
    replaced = {"python tests": f"{python} {here}/tests", "tokenscope ": f"{sys.executable} -m webapp.command_line "}
    for row in rows:
        if row["F1"]:
            continue
        command = row["command"]
        for name, path in replaced.items():
            command = command.replace(name, path)
        ran = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(here), "PATH": "/bin"},
        )
        head, *_others, last = (line.split("\t") for line in ran.stdout.splitlines())
        found = dict(zip(head, last, strict=True))
        if row["library"]:
            found["seconds"] = next(line for line in ran.stderr.split("\n") if line.replace(".", "").isdecimal())
        row.update({name: value for name, value in found.items() if name != "method"})
        sys.stderr.write(f"{row['set']} {row['title']} {row['F1']} {row['seconds']}\n")
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, rows[0], lineterminator="\n")
        written.writeheader()
        written.writerows(rows)


if __name__ == "__main__":
    if sys.argv[1] == "table":
        make_table(Path(sys.argv[2]), sys.argv[3])
    else:
        segment(*sys.argv[1:3])
