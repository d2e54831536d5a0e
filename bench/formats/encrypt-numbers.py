"""Encrypts the same card numbers for each line that it reads, and answers with a line: the first of the results.

Ends at once where Python has no fastfpe.
"""

import sys

try:
    from fastfpe import ff1
except ImportError:
    sys.exit(1)

key, alphabet, *numbers = sys.argv[1:]
print('"ready"', flush=True)
for _ in sys.stdin:
    tokens = [ff1.encrypt(key, "", alphabet, number) for number in numbers]
    print(f'"{tokens[0]}"', flush=True)
