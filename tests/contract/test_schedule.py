"""What every schedule must do."""

from persistence.plain_journal import PlainSchedule
from persistence.redis_schedule import RedisSchedule

Schedule = PlainSchedule | RedisSchedule
NOW = 1_760_000_000_000


async def test_nobody_is_due_at_first(schedule: Schedule) -> None:
    assert await schedule.due(NOW, 10) == []


async def test_the_longest_overdue_come_first_and_the_rest_waits(schedule: Schedule) -> None:
    for user_id, due_ms in [("c", NOW), ("用户 1", NOW - 5), ("a/b", NOW - 9), ("later", NOW + 1)]:
        await schedule.set_due(user_id, due_ms)
    assert await schedule.due(NOW, 10) == ["a/b", "用户 1", "c"]
    assert await schedule.due(NOW, 2) == ["a/b", "用户 1"]
    assert await schedule.due(NOW + 1, 10) == ["a/b", "用户 1", "c", "later"]


async def test_a_due_time_is_moved_and_taken_away(schedule: Schedule) -> None:
    await schedule.set_due("alice", NOW - 1)
    await schedule.set_due("alice", NOW + 10)
    assert await schedule.due(NOW, 10) == []
    assert await schedule.due(NOW + 10, 10) == ["alice"]
    await schedule.set_due("alice", None)
    await schedule.set_due("nobody", None)
    assert await schedule.due(NOW + 10, 10) == []
