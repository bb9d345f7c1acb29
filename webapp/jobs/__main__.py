"""Command line: `python -m webapp.jobs` is a worker, which runs trainings until SIGTERM or Ctrl-C."""

import argparse

from webapp.jobs.worker import stop_with_input, work

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m webapp.jobs", description="Train the vocabularies that wait.")
    parser.add_argument("--beside", action="store_true", help="stop when standard input ends")
    if parser.parse_args().beside:
        stop_with_input()
    work()
