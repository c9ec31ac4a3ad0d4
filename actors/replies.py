"""What an actor answers with: plain dicts that survive msgpack. The views themselves are the engine's."""

from engine.views import TIME_KEYS, Reply, memory_view, memory_with_history, suppression_view

__all__ = ["TIME_KEYS", "Reply", "memory_view", "memory_with_history", "suppression_view"]
