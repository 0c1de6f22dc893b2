"""Process mapping by KaHIP: a graph on standard input, the place of every vertex on standard output, a line for each run.

Input, in whole numbers: the seed; how many levels the machine has, for each its parts and the distance between them, the
innermost first; how many vertices; for each how many neighbours, then neighbour and weight. The package `kahip` of PyPI has
no Python function for this, but its library does: `process_mapping` of `kaHIP_interface.h`, here with all presets.
"""
import ctypes
import os
import sys

# This script has the name of the package: its own folder must not be looked into.
sys.path.pop(0)

import kahip  # noqa: E402

PRESETS, MAPPINGS = range(6), range(2)


def main():
    folder = os.path.dirname(os.path.dirname(kahip.__file__))
    library = ctypes.CDLL(os.path.join(folder, "lib", "libkahip.so"))
    words = map(int, sys.stdin.read().split())
    seed, depth = next(words), next(words)
    levels = [(next(words), next(words)) for _ in range(depth)]
    vertices = next(words)
    first, neighbours, weights = [0], [], []
    for _ in range(vertices):
        for _ in range(next(words)):
            neighbours.append(next(words))
            weights.append(next(words))
        first.append(len(neighbours))

    def array(numbers):
        return (ctypes.c_int * len(numbers))(*numbers)

    number = ctypes.c_int
    for preset in PRESETS:
        for mapping in MAPPINGS:
            place, cut, cost = array([0] * vertices), number(), number()
            library.process_mapping(
                ctypes.byref(number(vertices)), array([1] * vertices), array(first), array(weights), array(neighbours),
                array([parts for parts, _ in levels]), array([distance for _, distance in levels]), depth,
                preset, mapping, ctypes.byref(ctypes.c_double(0.0)), ctypes.c_bool(True), seed,
                ctypes.byref(cut), ctypes.byref(cost), place)
            print(*place)


main()
