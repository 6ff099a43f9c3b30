"""Files from elsewhere: downloaded, checked against known sums, and only then put into place."""

from babi_cascade.app.fetch.download import Transfer, fetch_file
from babi_cascade.app.fetch.errors import FetchError
from babi_cascade.app.fetch.programs import PROGRAMS, REPOSITORY, Jar, Program, fetch_program
from babi_cascade.app.fetch.released import SOURCES, FetchReport, fetch_data
from babi_cascade.app.fetch.sums import Verification, parse_sums, shipped_sums, verify_directory

__all__ = [
    "PROGRAMS",
    "REPOSITORY",
    "SOURCES",
    "FetchError",
    "FetchReport",
    "Jar",
    "Program",
    "Transfer",
    "Verification",
    "fetch_data",
    "fetch_file",
    "fetch_program",
    "parse_sums",
    "shipped_sums",
    "verify_directory",
]
