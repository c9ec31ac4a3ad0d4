"""Settings come from file, environment and flags; whatever is unknown or unusable is named and refused."""

from pathlib import Path

import pytest

from rearview.settings import Settings, SettingsError, load_settings, words


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rearview.toml").write_text('durability = "relaxed"\n[http]\nport = 1\nhost = "localhost"\n')
    monkeypatch.setenv("REARVIEW_HTTP__PORT", "2")
    settings = load_settings({"http": {"port": 3}})
    assert (settings.http.port, settings.http.host, settings.durability) == (3, "localhost", "relaxed")
    assert load_settings().http.port == 2


@pytest.mark.parametrize("name", ["REARVIEW_NONSENSE", "REARVIEW_HTTP__PROT", "REARVIEW_DURABILITY__X", "REARVIEW_"])
def test_an_unknown_variable_is_named_and_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load_settings(environment={name: "1"})


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("REARVIEW_HTTP__PORT", "seventy", "http.port"),
        ("REARVIEW_DURABILITY", "maybe", "durability"),
        ("REARVIEW_USER__TIME_ZONE", "Mars/Base", "user.time_zone"),
        ("REARVIEW_ACTORS__HOSTS", "0", "actors.hosts"),
        ("REARVIEW_REDIS__URL", "seventy:6379", "redis.url"),
    ],
)
def test_a_value_that_cannot_be_used_names_the_setting_and_not_the_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, field: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert field in str(caught.value)
    assert "seventy" not in str(caught.value)


def test_an_unknown_name_in_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rearview.toml").write_text("[http]\nprot = 1\n")
    with pytest.raises(SettingsError, match="prot"):
        load_settings()


def test_a_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rearview.toml").write_text("port: 1\n")
    with pytest.raises(SettingsError, match=r"rearview\.toml"):
        load_settings()


def test_the_variables_of_the_clients_are_known() -> None:
    load_settings(environment={"REARVIEW_URL": "x", "REARVIEW_TOKEN": "y"})


def test_the_defaults_of_the_contract_hold() -> None:
    settings = Settings()
    policy = settings.policy()
    assert settings.http.port == 8100
    assert settings.http.host == "127.0.0.1"
    assert min(settings.capacity.working, settings.capacity.episodic, settings.capacity.semantic) >= 200_000
    assert policy.limits.text_chars_max == 10_000
    assert policy.write.threshold == 0.6
    assert policy.write.working_ttl_ms == 3_600_000
    assert policy.write.episodic_ttl_ms == 30 * 86_400_000


def test_a_list_is_separated_by_commas() -> None:
    assert words(" a, b ,,c:* ") == ("a", "b", "c:*")
    assert words("") == ()


def test_a_named_ranking_can_be_chosen_and_single_numbers_of_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REARVIEW_RECALL__PRESET", "article-a")
    monkeypatch.setenv("REARVIEW_RECALL__FLOOR", "0.5")
    recall = load_settings().policy().recall
    assert (round(recall.semantic_weight, 6), recall.keyword_weight, recall.floor) == (0.6, 0.0, 0.5)


def test_a_ranking_of_which_all_weights_are_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("SEMANTIC", "KEYWORD", "RECENCY", "CONFIDENCE"):
        monkeypatch.setenv(f"REARVIEW_RECALL__{part}_WEIGHT", "0")
    with pytest.raises(SettingsError, match="recall"):
        load_settings()
