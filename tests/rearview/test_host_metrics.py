"""What /metrics says of the hosts."""

from rearview.host_metrics import host_metrics

FIGURES = {
    "live_users": 3,
    "hydrated": 5,
    "passivated": 2,
    "damaged": 1,
    "vectors_waiting": 7,
    "judgements_waiting": 4,
    "snapshots": 6,
    "failures": 8,
}


def test_every_host_is_counted_and_a_lost_one_is_down() -> None:
    lines = host_metrics({"host-0": FIGURES, "host-1": {}}, ("host-0", "host-1")).splitlines()
    assert 'rearview_host_up{host="host-0"} 1' in lines
    assert 'rearview_host_up{host="host-1"} 0' in lines
    assert 'rearview_live_users{host="host-0"} 3' in lines
    assert 'rearview_users_hydrated_total{host="host-0"} 5' in lines
    assert 'rearview_background_failures_total{host="host-0"} 8' in lines


def test_hosts_of_users_own_are_added_up_and_never_named() -> None:
    text = host_metrics({"host-0": FIGURES, "user-geheim": FIGURES, "user-auch": FIGURES}, ("host-0",))
    assert 'rearview_host_up{host="dedicated"} 2' in text.splitlines()
    assert 'rearview_live_users{host="dedicated"} 6' in text.splitlines()
    assert "geheim" not in text
