"""`python -m babi_cascade` is the command `babi-cascade`."""

from babi_cascade.app.cli import main

if __name__ == "__main__":
    main()
