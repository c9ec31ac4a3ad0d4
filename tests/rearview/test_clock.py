"""The clock of a test service moves when its file says so."""

from pathlib import Path

import pytest

from rearview.clock import clock, new_id, new_token, system_now_ms


def test_without_a_file_it_is_the_systems_clock() -> None:
    before = system_now_ms()
    assert before <= clock()() <= system_now_ms()


def test_the_file_is_read_at_every_look(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    now_ms = clock(str(file))
    assert abs(now_ms() - system_now_ms()) < 5_000
    file.write_text("86400\n")
    assert abs(now_ms() - system_now_ms() - 86_400_000) < 5_000
    file.write_text("-3600.5")
    assert abs(now_ms() - system_now_ms() + 3_600_500) < 5_000


def test_a_file_that_holds_no_number_is_an_error_and_not_an_offset_of_zero(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    file.write_text("soon")
    with pytest.raises(ValueError, match="soon"):
        clock(str(file))()


def test_ids_and_tokens_do_not_repeat_and_are_long_enough() -> None:
    assert len({new_id() for _ in range(1000)}) == 1000
    assert len(bytes.fromhex(new_id())) == 12
    assert len(new_token()) >= 3 + 43
