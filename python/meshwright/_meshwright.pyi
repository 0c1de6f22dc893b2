"""The native half: runs a verb of the program in this process."""

VERSION: str

def call(words: list[str], files: list[tuple[str, bytes]]) -> tuple[int, str, str]: ...
