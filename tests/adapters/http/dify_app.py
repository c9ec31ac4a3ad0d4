"""Just enough of Dify to run the example app: nodes, edges, templates, conversation variables, and a model that echoes.

What Dify does is done as it does it: placeholders are replaced by text, an HTTP Request node that gets no answer sends
the same again, an if-else takes the first case that holds, an aggregator the first variable there is.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXAMPLE = Path(__file__).resolve().parents[3] / "deploy" / "dify" / "rearview-memory.yml"
_PLACEHOLDER = re.compile(r"\{\{#([a-zA-Z0-9_]+)\.([a-zA-Z_][a-zA-Z0-9_]*)#\}\}")
# (path, JSON body, Idempotency-Key) -> body of the answer
Post = Callable[[str, dict[str, Any], str], Awaitable[str]]


@dataclass
class DifyApp:
    """One conversation with the app."""

    post: Post
    user: str
    document: dict[str, Any] = field(default_factory=lambda: yaml.safe_load(EXAMPLE.read_text("utf-8")))
    conversation: dict[str, str] = field(default_factory=dict)
    runs: int = 0
    prompts: list[str] = field(default_factory=list)
    visited: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        graph = self.document["workflow"]["graph"]
        self.nodes = {node["id"]: node["data"] for node in graph["nodes"]}
        self.next = {(edge["source"], edge["sourceHandle"]): edge["target"] for edge in graph["edges"]}
        self.conversation = {one["name"]: one["value"] for one in self.document["workflow"]["conversation_variables"]}

    async def say(self, query: str) -> str:
        """One message of the user; what the app answers."""
        self.runs += 1
        values: dict[str, dict[str, Any]] = {
            "sys": {"query": query, "user_id": self.user, "workflow_run_id": f"{self.user}-run-{self.runs}"},
            "env": {"REARVIEW_URL": "", "REARVIEW_TOKEN": "t"},
            "conversation": self.conversation,
        }
        (node_id,) = [name for name, data in self.nodes.items() if data["type"] == "start"]
        answers: list[str] = []
        self.visited = []
        while node_id:
            self.visited.append(node_id)
            data = self.nodes[node_id]
            handle = "source"
            match data["type"]:
                case "http-request":
                    values[node_id] = {"body": await self._sent(data, values), "status_code": 200}
                case "code":
                    values[node_id] = _run(data, values)
                case "if-else":
                    handle = "true" if all(_holds(one, values) for one in data["cases"][0]["conditions"]) else "false"
                case "template-transform":
                    values[node_id] = {"output": data["template"]}
                case "variable-aggregator":
                    values[node_id] = {
                        "output": next(v for v in (_at(s, values) for s in data["variables"]) if v is not None)
                    }
                case "llm":
                    self.prompts.append(filled(data["prompt_template"][0]["text"], values))
                    values[node_id] = {"text": "(said by the model)"}
                case "answer":
                    answers.append(filled(data["answer"], values))
                case "assigner":
                    for item in data["items"]:
                        over_write = item["operation"] == "over-write"
                        self.conversation[item["variable_selector"][1]] = (
                            str(_at(item["value"], values)) if over_write else ""
                        )
            node_id = self.next.get((node_id, handle), "")
        return "".join(answers)

    async def _sent(self, data: Mapping[str, Any], values: Mapping[str, Any]) -> str:
        assert data["method"] == "post"
        assert data["authorization"]["config"] == {
            "type": "bearer",
            "api_key": "{{#env.REARVIEW_TOKEN#}}",
            "header": "",
        }
        body = json.loads(filled(data["body"]["data"][0]["value"], values))
        _, _, key = filled(data["headers"], values).partition("Idempotency-Key:")
        first = await self.post(filled(data["url"], values), body, key)
        if not key:
            return first
        again = await self.post(filled(data["url"], values), body, key)  # As if the first answer had been lost.
        assert _outcome(again) == _outcome(first), "a retry changes nothing and gives the first outcome"
        return again


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A text with its placeholders replaced."""
    return _PLACEHOLDER.sub(lambda found: str(values[found[1]][found[2]]), template)


def _at(selector: list[str], values: Mapping[str, Any]) -> Any:
    return values.get(selector[0], {}).get(selector[1])


def _run(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, str]:
    space: dict[str, Any] = {}
    exec(data["code"], space)
    result: dict[str, str] = space["main"](
        **{one["variable"]: _at(one["value_selector"], values) for one in data["variables"]}
    )
    assert set(result) == set(data["outputs"]), "a code node returns what it declares"
    assert all(isinstance(value, str) for value in result.values())
    return result


def _holds(condition: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    value = str(_at(condition["variable_selector"], values))
    checks: Mapping[str, Callable[[], bool]] = {
        "contains": lambda: condition["value"] in value,
        "is": lambda: value == condition["value"],
        "not empty": lambda: value != "",
    }
    return checks[condition["comparison_operator"]]()


def _outcome(body: str) -> dict[str, Any]:
    """What a workflow goes by. `reason` may say that it was done before, and `score` is not computed again."""
    return {name: value for name, value in json.loads(body).items() if name not in ("reason", "request_id")}
