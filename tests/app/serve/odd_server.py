"""A server of the odd model in a process of its own, which is told to end as the command is."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from babi_cascade.app.serve import LiveServer

signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
command = [sys.executable, str(Path(__file__).with_name("odd_model.py")), *sys.argv[1:]]
with LiveServer(command, port=0) as server:
    print("loading", flush=True)
    server.load()
    print(server.server_port, flush=True)
    server.serve_forever()
