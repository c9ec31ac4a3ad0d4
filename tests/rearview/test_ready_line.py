"""The line and the file that say where a service answers."""

from pathlib import Path

from rearview.ready_line import Ready, forget_ready_file, parse_ready, ready_file, ready_line, write_ready_file

HERE = Ready("http://127.0.0.1:8100", "/home/a b/.rearview/admin-token", 41)


def test_the_line_is_read_back_as_it_was_meant() -> None:
    found = parse_ready(ready_line(HERE) + "\n")
    assert found is not None
    assert (found.url, found.token_file) == (HERE.url, HERE.token_file)
    assert parse_ready("WARNING: not ready http://x token-file y") is None


def test_a_service_takes_back_its_own_file_and_never_anothers(tmp_path: Path) -> None:
    forget_ready_file(tmp_path, 41)
    write_ready_file(tmp_path, HERE)
    forget_ready_file(tmp_path, 42)
    assert ready_file(tmp_path).exists()
    forget_ready_file(tmp_path, 41)
    assert not ready_file(tmp_path).exists()
