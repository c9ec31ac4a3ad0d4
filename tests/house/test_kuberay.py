"""The manifests of deploy/kuberay are of kinds and shapes that a cluster takes, and open no door of Ray's."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from rearview.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "kuberay"
# Fields of ray.io/v1 RayCluster that are used; the whole schema has some 20,000 lines.
SPEC = {"rayVersion", "headGroupSpec", "workerGroupSpecs"}
HEAD = {"serviceType", "rayStartParams", "template"}
WORKER = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}


def manifests() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            found.append((f"{path.name}: {one['kind']}", one))
    return found


def pods() -> list[dict[str, Any]]:
    """Every pod template, those of Ray's nodes as well."""
    found = []
    for _, one in manifests():
        if one["kind"] in ("Deployment", "StatefulSet"):
            found.append(one["spec"]["template"])
        if one["kind"] == "RayCluster":
            groups = [one["spec"]["headGroupSpec"], *one["spec"]["workerGroupSpecs"]]
            found += [group["template"] for group in groups]
    return found


CORE = [pair for pair in manifests() if pair[1]["kind"] != "RayCluster"]


@pytest.mark.parametrize(("name", "manifest"), CORE, ids=[name for name, _ in CORE])
def test_a_manifest_is_what_kubernetes_takes(name: str, manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.30.0", strict=True)


def test_the_ray_cluster_has_the_fields_of_its_kind_and_its_pods_are_pods() -> None:
    (cluster,) = (one for _, one in manifests() if one["kind"] == "RayCluster")
    assert (cluster["apiVersion"], set(cluster["spec"])) == ("ray.io/v1", SPEC)
    assert set(cluster["spec"]["headGroupSpec"]) == HEAD
    for group in cluster["spec"]["workerGroupSpecs"]:
        assert set(group) == WORKER
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
    for template in pods():
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **template["metadata"]}}
        kubernetes_validate.validate({**pod, "spec": template["spec"]}, "1.30.0", strict=True)


def test_a_manifest_with_a_wrong_field_would_be_noticed() -> None:
    wrong = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}, "spec": {"prots": []}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.30.0", strict=True)


def test_ray_asks_for_a_token_has_no_dashboard_and_no_port_outside() -> None:
    (cluster,) = (one for _, one in manifests() if one["kind"] == "RayCluster")
    head = cluster["spec"]["headGroupSpec"]
    assert head["rayStartParams"]["include-dashboard"] == "false"
    assert head["serviceType"] == "ClusterIP"
    for template in pods():
        for container in template["spec"]["containers"]:
            if "ray" in container["name"]:
                environment = {one["name"]: one["value"] for one in container["env"]}
                assert environment["RAY_AUTH_MODE"] == "token"
                assert environment["RAY_AUTH_TOKEN_PATH"].startswith("/secrets/")
    for _, one in manifests():
        assert one["kind"] != "Ingress"
        if one["kind"] == "Service":
            assert one["spec"].get("type", "ClusterIP") == "ClusterIP"
            assert {port["port"] for port in one["spec"]["ports"]} <= {6379, 8100}


def test_every_container_says_what_it_needs_and_secrets_come_from_files() -> None:
    for template in pods():
        for container in template["spec"]["containers"]:
            assert {"cpu", "memory"} <= set(container["resources"]["requests"]), container["name"]
            assert "memory" in container["resources"]["limits"], container["name"]
    text = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml"))
    assert not re.search(r"(?i)(password|token|key): *[a-z0-9]{16,}", text)


def test_the_settings_of_the_service_are_ones_it_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (service,) = (one for _, one in manifests() if one["kind"] == "Deployment")
    (container,) = (c for c in service["spec"]["template"]["spec"]["containers"] if c["name"] == "rearview")
    environment = {one["name"]: one["value"] for one in container["env"]}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = load_settings({}, environment)
    assert settings.snapshots.url.startswith("s3://")
    assert settings.ray.resource == "rearview_host"
