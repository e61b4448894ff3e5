"""Runs each task that comes on a line, by the function of its form, and writes a line of what came of it."""

import asyncio
import inspect
import json
import sys
import traceback


class Tools:
    """The tools of one task, and which of them ran."""

    def __init__(self):
        self.ran = []

    def find_station(self, city: str) -> str:
        self.ran.append("find_station")
        return json.dumps({"station": f"K-{city}-{len(city)}"})

    def read_gauge(self, stations: list[str]) -> str:
        self.ran.append("read_gauge")
        return ", ".join(f"{station} is at {len(station) + 0.5} mm" for station in stations)

    def call(self, name: str, arguments: str | dict) -> str:
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
        return getattr(self, name)(**given)


DESCRIPTIONS = {"find_station": "The station of a city", "read_gauge": "What the gauges of stations say"}

SCHEMAS = {
    "find_station": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "read_gauge": {
        "type": "object",
        "properties": {"stations": {"type": "array", "items": {"type": "string"}}},
        "required": ["stations"],
        "additionalProperties": False,
    },
}


def serve(forms):
    for line in sys.stdin:
        task = json.loads(line)
        tools = Tools()
        try:
            said = forms[task["form"]](task, tools)
            outcome = {**(asyncio.run(said) if inspect.isawaitable(said) else said), "ran": tools.ran}
        except Exception:
            outcome = {"error": traceback.format_exc()}
        print("outcome " + json.dumps(outcome), flush=True)
