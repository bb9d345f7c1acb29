"""`python -m webapp.command_line` does what `tokenscope` does."""

from webapp.command_line.main import run

if __name__ == "__main__":
    run()
