"""The operations page, the dashboard and the alerts name metrics that exist, and the page names them all."""

import json
import re
from pathlib import Path

import yaml
from prometheus_client import CollectorRegistry

from adapters.http.metrics import Metrics
from adapters.observed import Operations
from engine.errors import Unavailable
from persistence.redis_client import STORE_FULL
from rearview import host_metrics, model_metrics

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
DASHBOARD = (ROOT / "deploy" / "grafana" / "rearview.json").read_text(encoding="utf-8")
ALERTS = (ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text(encoding="utf-8")


def of_the_service() -> set[str]:
    registry = CollectorRegistry()
    Metrics(registry)
    Operations(registry)
    own = {metric.name + ("_total" if metric.type == "counter" else "") for metric in registry.collect()}
    return own | {name for name, _, _ in host_metrics._HELP}


def of_the_models() -> set[str]:
    return {name for name, _, _ in model_metrics._HELP}


def test_the_page_lists_every_metric_of_the_service() -> None:
    table = PAGE.split("<!-- metrics:begin -->")[1].split("<!-- metrics:end -->")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == of_the_service()


def test_the_dashboard_and_the_alerts_ask_for_metrics_that_exist() -> None:
    panels = json.loads(DASHBOARD)["panels"]
    rules = yaml.safe_load(ALERTS)["groups"][0]["rules"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]] + [rule["expr"] for rule in rules]
    named = {re.sub("_(bucket|sum|count)$", "", name) for expr in asked for name in re.findall(r"rearview_\w+", expr)}
    assert named <= of_the_service() | of_the_models()


def test_every_alert_is_explained() -> None:
    rules = yaml.safe_load(ALERTS)["groups"][0]["rules"]
    assert [rule["alert"] for rule in rules] == re.findall(r"^\| `(Rearview\w+)` \|", PAGE, re.MULTILINE)


def test_the_codes_that_alerts_ask_for_are_codes() -> None:
    codes = re.search(r'result=~"([\w|]+)"', ALERTS)
    assert codes is not None
    assert set(codes[1].split("|")) == {Unavailable.default_code, STORE_FULL}
