"""An example of every reply, for the OpenAPI document. A test holds them against what the routes answer."""

from collections.abc import Mapping

_JSON, _NDJSON, _TEXT = "application/json", "application/x-ndjson", "text/plain"

MEMORY: dict[str, object] = {
    "id": "6f2a90c41b7d",
    "user": "alice",
    "tier": "semantic",
    "category": "fact",
    "content": "我对花生过敏。",
    "source": "user",
    "confidence": 1.0,
    "importance": 0.81,
    "status": "active",
    "space": "shared",
    "sensitivity": "normal",
    "tags": [],
    "metadata": {},
    "task": "",
    "conversation": "",
    "client": "",
    "created_at": "2026-11-30T11:35:20.000+00:00",
    "updated_at": "2026-11-30T11:35:20.000+00:00",
    "said_at": "2026-11-30T11:35:20.000+00:00",
    "occurred_at": None,
    "valid_from": "2026-11-30T11:35:20.000+00:00",
    "valid_to": None,
    "expires_at": None,
    "last_accessed_at": None,
    "access_count": 0,
    "pinned": False,
    "supersedes": [],
    "superseded_by": None,
    "derived_from": [],
    "version": 1,
}
_DURABLE: dict[str, object] = {"seq": 17, "durability": "strict"}
_WRITTEN: dict[str, object] = {
    "outcome": "stored",
    "memory": MEMORY,
    "reason": "A durable fact about the user.",
    "rule": "scored",
    "score": {
        "density": 0.8,
        "relevance": 0.5,
        "durability": 0.9,
        "explicitness": 1.0,
        "total": 0.81,
        "threshold": 0.6,
        "by": "rules",
    },
    "related": [],
    "indexed": "now",
    **_DURABLE,
}
_WRITTEN_IN_TURN = {name: value for name, value in _WRITTEN.items() if name not in _DURABLE}
_SKIPPED: dict[str, object] = {
    **_WRITTEN,
    "outcome": "skipped",
    "memory": None,
    "reason": "Small talk is not kept.",
    "rule": "chitchat",
}
_WHY: dict[str, object] = {
    "semantic": {"value": 0.83, "weight": 0.5, "part": 0.415},
    "keyword": {"value": 0.4, "weight": 0.3, "part": 0.12, "terms": ["过敏"]},
    "recency": {"value": 0.9, "weight": 0.1, "part": 0.09, "age_days": 1.1},
    "confidence": {"value": 1.0, "weight": 0.1, "part": 0.1},
    "boosts": [{"name": "fact", "factor": 1.2}, {"name": "scale", "factor": 0.83}],
    "sentence": "It fits the meaning, and the word 过敏.",
}
_FOUND: dict[str, object] = {
    "memories": [{**MEMORY, "relevance": 0.74, "score": 0.72, "why": _WHY}],
    "abstained": False,
    "hint": "",
    "withheld": {"expired": 0, "below_floor": 3, "suppressed": 0, "sensitive": 0},
    "search_id": "0c5d1f",
    "took_ms": 1.4,
    "seq": 17,
}
_ERASED: dict[str, object] = {
    "erased": {"memories": 1, "vectors": 1, "snapshots": 2, "journal_entries": 17, "cache": 0},
    "derived": [],
    "aof_rewritten": False,
    "receipt": "sha256:…",
    "complete_by": "2026-11-30T11:40:20.000+00:00",
    **_DURABLE,
}
_BINNED: dict[str, object] = {
    "deleted": 1,
    "restorable_until": "2026-12-07T11:35:20.000+00:00",
    "memory": {**MEMORY, "status": "deleted"},
    **_DURABLE,
}
_MOVE: dict[str, object] = {
    "model": "bundled",
    "dimensions": 384,
    "moving_to": None,
    "state": "none",
    "users": 0,
    "users_moved": 0,
    "users_damaged": 0,
    "texts": 0,
    "problem": "",
}
_VERSION: dict[str, object] = {
    "memory_id": "6f2a90c41b7d",
    "version": 1,
    "content": "我对花生过敏。",
    "valid_from": "2026-11-30T11:35:20.000+00:00",
    "valid_to": None,
    "reason": "",
    "status": "active",
}
_RECALLED: dict[str, object] = {
    "memory_id": "6f2a90c41b7d",
    "version": 1,
    "relevance": 0.74,
    "score": 0.72,
    "content": "我对花生过敏。",
    "status": "active",
}
_STEP: dict[str, object] = {
    "id": "1f",
    "kind": "turn",
    "at": "2026-11-30T11:35:20.000+00:00",
    "said_at": "2026-11-30T11:35:20.000+00:00",
    "role": "user",
    "text": "哈哈，我对花生过敏。",
    "conversation": "chat-17",
    "task": "",
    "space": "shared",
    "client": "",
    "search_id": "",
    "abstained": False,
    "written": [
        {
            "outcome": "stored",
            "rule": "stored",
            "score": _WRITTEN["score"],
            "memory_id": "6f2a90c41b7d",
            "version": 1,
            "content": "我对花生过敏。",
            "status": "active",
        }
    ],
    "recalled": [{**_RECALLED, "right": None}],
}
_SETTINGS: dict[str, object] = {"time_zone": "Asia/Shanghai", "language": "zh", "seq": 17}
_SUPPRESSION: dict[str, object] = {
    "id": "9c4e",
    "about": "my divorce",
    "reason": "",
    "created_at": "2026-11-30T11:35:20.000+00:00",
}
_TOKEN: dict[str, object] = {
    "token_id": "5b1f",
    "users": ["alice"],
    "role": "write",
    "agent": "",
    "spaces": {"*": "write"},
    "max_sensitivity": "sensitive",
    "expires_at": None,
    "created_at": "2026-11-30T11:35:20.000+00:00",
    "per_minute": 600,
    "per_day": None,
}

REPLIES: Mapping[str, Mapping[str, tuple[str, object]]] = {
    "search_memories": {"200": (_JSON, _FOUND)},
    "build_context": {
        "200": (_JSON, {"text": "…", "tokens": 41, "memories": ["6f2a90c41b7d"], "abstained": False, "seq": 17})
    },
    "recall_needed": {"200": (_JSON, {"recall": True, "why": "past"})},
    "write_memory": {"201": (_JSON, _WRITTEN), "200": (_JSON, _SKIPPED)},
    "list_memories": {"200": (_JSON, {"memories": [MEMORY], "next_cursor": "", "total": 1, "seq": 17})},
    "get_memory": {"200": (_JSON, {**MEMORY, "revisions": [], "versions": [_VERSION], "seq": 17})},
    "edit_memory": {"200": (_JSON, _WRITTEN)},
    "delete_memory": {"200": (_JSON, _BINNED)},
    "restore_memory": {"200": (_JSON, {"outcome": "restored", "memory": MEMORY, **_DURABLE})},
    "confirm_memory": {"200": (_JSON, {"outcome": "confirmed", "memory": MEMORY, **_DURABLE})},
    "reject_memory": {"200": (_JSON, {"outcome": "rejected", "memory": MEMORY, **_DURABLE})},
    "count_used": {"200": (_JSON, {"counted": 1, **_DURABLE})},
    "hand_over_turns": {
        "200": (
            _JSON,
            {
                "working": 2,
                "written": [_WRITTEN_IN_TURN],
                "budget": {"tokens": 61, "limit": 12800},
                "promoted": [],
                "cleared": 0,
                **_DURABLE,
            },
        )
    },
    "get_conversation": {
        "200": (
            _JSON,
            {
                "conversation": "chat-17",
                "memories": [{**MEMORY, "tier": "working"}],
                "budget": {"tokens": 61, "limit": 12800},
                "seq": 17,
            },
        )
    },
    "end_conversation": {
        "200": (
            _JSON,
            {"conversation": "chat-17", "promoted": 1, "cleared": 3, "memories": ["6f2a90c41b7d"], **_DURABLE},
        )
    },
    "replay": {"200": (_JSON, {"turns": [_STEP], "next_cursor": "", "seq": 17})},
    "replay_search": {
        "200": (
            _JSON,
            {
                "query": "allergies?",
                "as_of": "2026-11-30T11:35:20.000+00:00",
                "before": [_RECALLED],
                "after": [{**MEMORY, "relevance": 0.74, "score": 0.61, "why": _WHY}],
                "abstained": False,
                "hint": "",
                "withheld": {"expired": 0, "below_floor": 3, "suppressed": 0, "sensitive": 0},
                "difference": {"entered": [], "left": [], "moved": []},
                "seq": 17,
            },
        )
    },
    "suppress": {"201": (_JSON, {**_SUPPRESSION, "suppressed": 1, "memories": ["6f2a90c41b7d"], **_DURABLE})},
    "list_suppressions": {"200": (_JSON, {"suppressions": [_SUPPRESSION], "seq": 17})},
    "lift_suppression": {
        "200": (_JSON, {"lifted": 1, "id": "9c4e", "memories": ["6f2a90c41b7d"], "restored": 1, **_DURABLE})
    },
    "revert": {
        "200": (
            _JSON,
            {
                "deleted": 1,
                "memories": ["6f2a90c41b7d"],
                "restored": [],
                "restorable_until": "2026-12-07T11:35:20.000+00:00",
                **_DURABLE,
            },
        )
    },
    "read_audit": {
        "200": (
            _JSON,
            {
                "entries": [
                    {
                        "number": 12,
                        "at": "2026-11-30T11:35:20.000+00:00",
                        "action": "write",
                        "by": "5b1f",
                        "seq": 17,
                        "changes": [{"what": "written", "count": 1, "memory_ids": ["6f2a90c41b7d"]}],
                        "hash": "9d5e…",
                    }
                ],
                "next_cursor": "",
                "total": 1,
                "seq": 17,
            },
        )
    },
    "verify_audit": {"200": (_JSON, {"ok": True, "entries": 12, "head": "9d5e…", "seq": 17})},
    "erase_user": {"200": (_JSON, _ERASED)},
    "get_settings": {"200": (_JSON, _SETTINGS)},
    "put_settings": {"200": (_JSON, _SETTINGS)},
    "get_stats": {
        "200": (
            _JSON,
            {
                "tiers": {"working": 0, "episodic": 0, "semantic": 1},
                "statuses": {"active": 1},
                "memories": 1,
                "bytes": 412,
                "seq": 17,
                "index": {"semantic": "exact"},
                "last_snapshot_at": None,
                "vectors_pending": 0,
                "durability": "strict",
            },
        )
    },
    "export_memories": {"200": (_NDJSON, '{"id": "6f2a90c41b7d", "content": "我对花生过敏。"}\n')},
    "import_memories": {
        "200": (_JSON, {"imported": 1, "refused": [{"line": 2, "code": "bad_json"}], "refused_total": 1, **_DURABLE})
    },
    "list_tokens": {"200": (_JSON, {"tokens": [_TOKEN]})},
    "create_token": {"201": (_JSON, {"token": "rv_…", **_TOKEN})},
    "revoke_token": {"200": (_JSON, {"revoked": 1, "token_id": "5b1f"})},
    "revoke_token_by_path": {"200": (_JSON, {"revoked": 1, "token_id": "5b1f"})},
    "maintain": {
        "200": (_JSON, {"expired": 0, "purged": 0, "archived": 0, "consolidated": 0, "compacted": 0, "snapshots": 1})
    },
    "reembed": {"202": (_JSON, {**_MOVE, "state": "moving", "moving_to": "openai/text-embedding-3-small"})},
    "reembed_status": {"200": (_JSON, _MOVE)},
    "metrics": {"200": (_TEXT, "rearview_http_requests_total{…} 1\n")},
}
