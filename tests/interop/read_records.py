"""Reads every dialog record of a workspace with AgentScope's Msg class, and fails on the first line that it refuses."""

import json
import pathlib
import sys

import agentscope
from agentscope.message import Msg

records = sorted(pathlib.Path(sys.argv[1]).glob("session/dialog/*.jsonl"))
lines = 0
for record in records:
    for number, line in enumerate(record.read_text(encoding="utf-8").split("\n"), 1):
        if line:
            try:
                Msg.model_validate(json.loads(line))
            except Exception as error:
                sys.exit(f"{record}:{number}: {error}")
            lines += 1
if not lines:
    sys.exit(f"no messages under {sys.argv[1]}")
print(f"AgentScope {agentscope.__version__} read {lines} messages of {len(records)} records")
