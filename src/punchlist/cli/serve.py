"""Serve the Model Context Protocol over stdio, or over HTTP on loopback."""

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "--http", type=int, metavar="PORT", help="serve streamable HTTP on 127.0.0.1:PORT with a bearer token"
    )
    parser.add_argument("--root", help="root of the project")


def run(options: argparse.Namespace) -> int:
    """Serve until the client goes away."""
    from punchlist.server.main import serve

    return serve(root=options.root, http=options.http)
