"""Each provider's block of docs/models.md works as it stands there, against a stub in the provider's place."""

import importlib.util
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from actors.judging import STATEMENT_CHARS_MAX
from actors.model_client import ModelClient
from actors.model_gate import GateLimits
from adapters.models.providers import TEXT_CHARS_MAX
from engine.judgement import REPLY_CHARS_MAX
from rearview.model_wiring import known_dimensions, model_host
from rearview.settings import ModelSettings, Settings
from tests.actors.models import LocalCalls
from tests.model_stub import ModelStub, running

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"### (\w+)[^\n]*\n\n```bash\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def stub() -> Iterator[ModelStub]:
    if importlib.util.find_spec("litellm") is None:
        pytest.skip("litellm is not installed: pip install '.[models]'")
    with running() as stub:
        yield stub


def variables(block: str) -> dict[str, str]:
    return dict(line.removeprefix("export ").split("=", 1) for line in block.splitlines())


def settings_of(block: str, stub: ModelStub | None, data_dir: Path) -> Settings:
    """The block as settings, with the stub's address in the place of the provider's."""
    models: dict[str, object] = {}
    for name, value in variables(block).items():
        prefix, _, field = name.partition("__")
        assert prefix == "REARVIEW_MODELS"
        if stub is not None and field.endswith("API_BASE"):
            value = stub.api_base.removesuffix("/v1") + urlsplit(value).path
        models[field.lower()] = value
    return Settings(data_dir=str(data_dir), models=ModelSettings(**models))  # type: ignore[arg-type]


def test_there_is_a_block_for_each_of_the_four_providers() -> None:
    assert set(BLOCKS) == {"Ollama", "Any", "DashScope", "SiliconFlow"}


@pytest.mark.parametrize("provider", sorted(BLOCKS))
async def test_a_providers_block_judges_and_embeds(provider: str, stub: ModelStub, tmp_path: Path) -> None:
    settings = settings_of(BLOCKS[provider], stub, tmp_path)
    dimensions = known_dimensions(settings)
    stub.dimensions = dimensions or 256
    host = model_host(settings.revealed_json())
    client = ModelClient(LocalCalls(host))
    await client.ask("warm", {}, seconds=90.0)
    opinion = await client.ask("judge", {"statement": {"text": "我对花生过敏"}, "known": []}, seconds=20.0)
    assert opinion["importance"] == 8
    reply = await client.ask("embed", {"texts": [f"text {n}" for n in range(12)]}, seconds=20.0)
    assert reply["dimensions"] == stub.dimensions
    most = 10 if provider == "DashScope" else 16
    batches = [body["input"] for path, body in stub.calls if "embed" in path]
    assert max(len(batch) for batch in batches) <= most
    assert all(urlsplit(path).path.startswith(base_path(provider)) for path, _ in stub.calls)
    await host.fitted()
    assert (await client.ask("space", {}, seconds=5.0))["dimensions"] == stub.dimensions
    await host.close()


def base_path(provider: str) -> str:
    return urlsplit(variables(BLOCKS[provider])["REARVIEW_MODELS__JUDGE_API_BASE"]).path


def test_every_limit_of_the_page_is_the_one_in_the_code() -> None:
    limits, fields = GateLimits(), ModelSettings.model_fields
    rows: Mapping[str, object] = {
        "DAILY_CALLS": fields["daily_calls"].default,
        "DAILY_TOKENS": fields["daily_tokens"].default,
        "calls at once": limits.concurrent,
        "calls that wait": limits.waiting_max,
        "repeats of a call": limits.retries,
        "open the breaker": limits.failures_to_open,
        "shown to a judge": STATEMENT_CHARS_MAX,
        "shown to an embedder": TEXT_CHARS_MAX,
        "a judge's reply": REPLY_CHARS_MAX,
    }
    for words, value in rows.items():
        row = next(line for line in PAGE.splitlines() if line.startswith("|") and words in line)
        assert re.search(rf"\| {value}\b", row), f"{words}: {value}"
    assert f"for {limits.open_ms // 1000} s" in PAGE
    assert f"at most {limits.open_max_ms // 1000} s" in PAGE


def test_every_variable_of_the_page_is_a_setting() -> None:
    for name in re.findall(r"REARVIEW_MODELS__(\w+)", PAGE):
        assert name.lower() in ModelSettings.model_fields, name
