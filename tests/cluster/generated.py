"""Generated text for tests: words of very different counts, Chinese lines, empty lines, and a line without end."""

from random import Random


def text(size: int, seed: int) -> str:
    """Return about `size` bytes of text, the same for the same seed."""
    random = Random(seed)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(1, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]
    lines: list[str] = []
    written = 0
    while written < size:
        kind = random.random()
        if kind < 0.1:
            line = "".join(random.choices(characters, weights[:3_000], k=random.randint(1, 80))) + "。"
        elif kind < 0.15:
            line = ""
        else:
            line = " ".join(random.choices(words, weights, k=random.randint(1, 400))) + random.choice(
                ["", ".", " ", "!\t"]
            )
        lines.append(line)
        written += len(line.encode()) + 1
    return "\n".join(lines)
