"""The one sentence that tells a person why, in the language of what they wrote."""

import re

_CJK = re.compile("[\u4e00-\u9fff]")

_SENTENCES: dict[str, tuple[str, str]] = {
    "chitchat": (
        "只是寒暄或应答，没有需要记住的内容。",
        "Small talk or an acknowledgement; there is nothing to remember.",
    ),
    "recalled_text": (
        "这是我们自己召回的文本，不会再存一遍。",
        "This is text that recall produced; it is not stored again.",
    ),
    "system_prompt": ("这是系统提示，不是关于用户的内容。", "This is a system prompt, not something about the user."),
    "instruction": (
        "内容像是在给助手下指令，已隔离，等用户确认。",
        "It reads like an instruction to the agent; it is quarantined until the user confirms it.",
    ),
    "pasted_code": ("粘贴的命令或代码，没有长期内容。", "A pasted command or code, with nothing that lasts."),
    "off_the_record": ("用户说了不要保存。", "The user asked not to store this."),
    "suppression_request": (
        "这是隐藏或删除的请求，不是要记住的内容；请用忘记功能执行。",
        "This asks to hide or delete something; it is a command for forgetting, not a memory.",
    ),
    "quoted": (
        "是引用、虚构或角色扮演里的话，不是用户自己的情况。",
        "Quoted, fictional or role-played words, not the user's own.",
    ),
    "joke": ("听起来是玩笑，没有当真存下。", "It sounds like a joke, so it was not taken as a fact."),
    "irony": ("听起来是反话，没有当真存下。", "It sounds ironic, so it was not taken at its word."),
    "tool_noise": ("工具的瞬时输出，过后没有用处。", "Momentary tool output of no later use."),
    "agent_talk": (
        "是助手自己的建议或客套话，不是用户的情况。",
        "The agent's own advice or courtesy, not something about the user.",
    ),
    "hypothetical": ("只是假设或设想，不是事实。", "A supposition, not a fact."),
    "request": ("一次性的请求，做完即止。", "A one-off request that ends when it is done."),
    "question": ("是提问，没有陈述任何事实。", "A question that states nothing."),
    "low_score": ("价值评分低于门槛，没有保存。", "It scored below the threshold for keeping."),
    "secret": (
        "含有密码或验证码一类的秘密，没有保存。",
        "It holds a secret such as a password or one-time code, so it was not stored.",
    ),
    "suppressed": (
        "用户要求过不再提起这件事，没有保存。",
        "The user asked never to bring this up, so it was not stored.",
    ),
    "stored": ("内容明确、以后有用，已记住。", "It is explicit and useful later, so it was kept."),
    "masked": ("已记住，其中的秘密已遮盖。", "It was kept with its secret masked."),
    "guess": ("这是推测，先挂起，等用户确认。", "A guess; it waits until the user confirms it."),
    "unsure": ("用户自己也不确定，先挂起等确认。", "The user is not sure, so it waits for confirmation."),
    "outranked": (
        "与用户自己说过的不一致，先挂起等确认。",
        "It contradicts what a more trusted source said, so it waits for confirmation.",
    ),
    "duplicate": ("和已有的记忆说的是同一件事，已合并。", "The same statement is already known; it was merged."),
    "refines": (
        "补充了已有的记忆，以更详细的说法为准。",
        "It adds detail to what is known, so the fuller wording is kept.",
    ),
    "replaces": (
        "情况有变，新的说法取代了旧的，旧的留作历史。",
        "It replaces what was known; the old statement stays as history.",
    ),
    "late_arrival": (
        "说的是更早的情况，现有的更新，这条存为历史。",
        "It is older news than what is known, so it was filed as history.",
    ),
}


def sentence_of(rule: str, language: str) -> str:
    """The sentence for a rule in "zh" or "en"; "" for a rule that has none."""
    chinese, english = _SENTENCES.get(rule, ("", ""))
    return chinese if language == "zh" else english


def reason_of(rule: str, text: str) -> str:
    """The sentence for a rule, in Chinese where the text has Chinese characters."""
    chinese, english = _SENTENCES[rule]
    return chinese if _CJK.search(text[:400]) else english
