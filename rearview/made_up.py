"""Sentences nobody said, for benchmarks: many different ones, Chinese and English, the same in every run."""

from collections.abc import Iterator

import numpy as np

THINGS = ("violin", "greenhouse", "canoe", "sourdough", "telescope", "ceramics", "beehive", "chess club", "camper van")
PLACES = ("Lisbon", "Oslo", "Kyoto", "Dresden", "Porto", "Tallinn", "Quito", "Perth", "Bergen", "Nagoya")
PEOPLE = ("my sister", "our neighbour", "my manager", "my cousin", "an old friend", "my flatmate")
MONTHS = ("January", "March", "May", "July", "August", "October", "December")
事 = ("小提琴", "温室", "皮划艇", "酵母面包", "望远镜", "陶艺", "养蜂", "象棋社", "房车")
地 = ("里斯本", "奥斯陆", "京都", "德累斯顿", "波尔图", "塔林", "基多", "珀斯", "卑尔根", "名古屋")
人 = ("我妹妹", "邻居", "我的经理", "表哥", "一个老朋友", "室友")


def statements(seed: int = 1) -> Iterator[str]:
    """An endless stream of statements worth keeping; a number in each makes them differ.

    Likings, because these stand side by side: a write that replaces five others is not what a write usually costs.
    """
    dice, count = np.random.default_rng(seed), 0
    while True:
        count += 1
        thing, place, who, month = (int(dice.integers(len(x))) for x in (THINGS, PLACES, PEOPLE, MONTHS))
        number = seed * 1_000_000 + count
        yield (
            f"{PEOPLE[who].capitalize()} and I like the {THINGS[thing]} course number {number} in {PLACES[place]}, "
            f"best in {MONTHS[month]}."
            if count % 2
            else f"我和{人[who]}喜欢{地[place]}编号{number}的{事[thing]}课程，{month + 1}月去最好。"
        )


def queries(seed: int = 2) -> Iterator[str]:
    """An endless stream of questions that differ from one another."""
    dice, count = np.random.default_rng(seed), 0
    while True:
        count += 1
        thing, place = int(dice.integers(len(THINGS))), int(dice.integers(len(PLACES)))
        number = int(dice.integers(100_000))
        yield (
            f"who came along to the {THINGS[thing]} course in {PLACES[place]}, was it number {number}?"
            if count % 2
            else f"在{地[place]}和谁一起上的{事[thing]}课，是编号{number}吗？"
        )
