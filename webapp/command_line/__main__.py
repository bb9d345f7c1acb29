"""`python -m webapp.command_line` is the same as `tokenscope`."""

from webapp.command_line.main import run

if __name__ == "__main__":
    run()
