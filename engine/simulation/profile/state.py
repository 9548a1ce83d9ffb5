"""The profile: what will be free on each node, step by step in time, by expected ends and reservations."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.packed_tuples import unchanging
from engine.simulation.machine_state import NEVER
from engine.simulation.workload import Ints, Mask

_KNOWN = 1 << 15
"""Size of the cache of search results: lines of nodes times kinds of jobs."""

_LEAST_KINDS = 64
"""The least number of kinds of jobs in that cache, on however many nodes."""

SPARE = 8
"""Free rows that a line gets for further steps, in addition to as many as it has steps."""

SUMMED = 96
"""The least number of nodes whose sum has a line of its own. On few nodes with thousands of waiting jobs the
sum has as many steps as all of these together, and tells little that their lines do not."""

UNTIL, ASKED, GAINED, CHANGED = range(4)
"""Columns of `Profile.known`, a cached search result for a kind of jobs on a line: from ASKED to UNTIL (s)
none of its tasks fits, as long as the line's stamp of the last gain is GAINED. At UNTIL a task does fit, as
long as the stamp of the last change is CHANGED, which is NOTHING where the search ended before it found that
time."""

NOTHING = -1


class Profile(NamedTuple):
    """The future of each node as steps in order of time, each until the next. A pool is one node.

    Nodes with the same future share a *line* of steps: jobs take whole nodes by the hundred, so that few
    lines tell of a thousand nodes, and what is looked up, held or released on a line is so on all its nodes.
    A job that takes some nodes of a line gives them a line of their own. Lines that became equal are joined
    from time to time; nodes of different capacity or in different zones are never on one line.

    Each line has its own steps: most nodes run and reserve little, so that they have few steps, where steps
    of the whole machine would be many. A line's steps lie in consecutive rows `first:end` of the tables,
    followed by a row whose time is NEVER. Its first step is the current one, which may have begun before now.
    `edges` counts the jobs' pieces that begin or end where a step begins: a step without any is merged with
    the one before it.

    A machine of SUMMED nodes has such steps for the sum of what all nodes have free, too: a line that has no
    turn in `order`, with the number behind those of all others. Where the sum is too little, no node needs a
    look. The tables of m lines below have a row for it where there is one.

    A line may use the rows below its `limit`; when they are full it moves behind all others. The rows in use
    lie in one half of the tables, and are copied to the other half when that one is full.
    """

    line: Ints  # (nodes,) the line of each node
    lines: Ints  # (2,) number of lines, and that number after equal ones were joined
    order: Ints  # (nodes,) the numbers of all lines, then those that are free for further lines
    turn: Ints  # (nodes,) where each number is in `order`
    size: Ints  # (nodes,) number of nodes of the line
    words: Ints  # (nodes, words) the nodes of the line as bits, 64 in a word
    chosen: Ints  # (words,) scratch: a set of nodes
    left: Ints  # (nodes,) scratch: rows of pieces that are still to be held or released
    total: Ints  # (1, K) scratch: what the pieces of a job take in all
    alike: Ints  # (nodes,) a node with the capacity and in the zones of all nodes of the line
    first: Ints  # (m,) row of the line's current step
    end: Ints  # (m,) row behind the line's last step
    limit: Ints  # (m,) row behind those that the line may use
    seen: Ints  # (m, 2) rows of the step that was found last, and of the step behind the span found there
    time: Ints  # (rows,) s, begin of the step
    edges: Ints  # (rows,) pieces that begin or end at that time
    free: Ints  # (rows, K) amounts that are free on each node of the line during the step
    now: Ints  # (2,) s, the present time; and how often it was set
    base: Ints  # (1,) first row of the half that is in use
    used: Ints  # (2,) first row of that half that belongs to no line, and the row up to which lines may move
    state: Ints  # (1,) changes when time passes or something is freed; until then free amounts only shrink
    least: Ints  # (nodes, K) scratch of a search: the least that is free on each line over a span of time
    room: Ints  # (nodes, 2) scratch of a search: its last look at the line, and the tasks that fit on a node
    offer: Ints  # (nodes, K) scratch of a search: `least` of each node's line
    soon: Ints  # (nodes, 2) scratch of a search: when lines may have more free, the earliest first, and sizes
    stamp: Ints  # (3,) the last stamp, a counter of changes; the last look; the stamp when lines last changed
    stamps: Ints  # (m, 2) stamps of the last change that freed something on the line, and of the last one
    gained: Ints  # (m,) stamp of the last change that freed something on any node that is on the line now
    kept: Ints  # (nodes, 3) saved `stamps` of a state that may be restored, and when its lines last changed
    returned: Ints  # (nodes,) saved `gained` of that state
    known: Ints  # (kinds of jobs, nodes, 4) cached search results, columns UNTIL, ASKED, GAINED, CHANGED
    known_for: Ints  # (kinds of jobs, 2) shape and duration (s) of these jobs
    joined: Ints  # (nodes,) scratch: the line into which a line is joined
    buckets: Ints  # (power of 2,) scratch: lines by the hash of their steps


def make_profile(
    capacity: Ints,
    now: int,
    room: int,
    zones: Mask | None = None,
    caps: tuple[Ints, Ints] | None = None,
) -> Profile:
    """The profile of an empty machine from `now`, s; `capacity` is (nodes, K), `room` rows for further steps.

    Without `room` nothing can be planned in it. `zones`, (zones, nodes), says which nodes belong to a zone.
    Without them tasks may run on all nodes. `caps` are times, s, and how much of the last resource is there
    from each on; the last node has all of it.
    """
    nodes, kinds = capacity.shape
    # A pool is its own sum; of many nodes it is one more line.
    tables = nodes + 1 if nodes >= max(SUMMED, 2) else nodes
    # Each node may get a line of its own, so each has room for a first step.
    each = 2 * 2 + SPARE  # as `lay_out` gives to a line of one step
    changes = 0 if caps is None else int(np.count_nonzero(caps[0] > now))
    # Two halves: when one is full, all moves to the other.
    rows = 2 * (room + tables * each + 2 * changes)
    # Nodes of equal capacity in the same zones share a line until anything tells them apart.
    line, model = _alike(capacity, zones)
    lines = len(model)
    order = np.arange(nodes)
    first = np.arange(tables) * each
    # Few nodes leave room for more kinds of jobs whose results are remembered.
    searched = max(_KNOWN // nodes, _LEAST_KINDS) if room and nodes > 1 else 1
    profile = Profile(
        line=line,
        lines=np.full(2, lines, np.int64),
        order=order,
        turn=order.copy(),
        size=np.bincount(line, minlength=nodes).astype(np.int64),
        words=_words(line, nodes),
        chosen=np.zeros(-(-nodes // 64), np.int64),
        left=np.zeros(nodes, np.int64),
        total=np.zeros((1, kinds), np.int64),
        alike=np.concatenate((model, np.zeros(nodes - lines, np.int64))),
        first=first,
        end=first + 1,
        limit=first + each if nodes > 1 else np.full(1, rows // 2),
        seen=np.zeros((tables, 2), np.int64),
        time=np.full(rows, NEVER, np.int64),
        edges=np.zeros(rows, np.int64),
        free=np.zeros((rows, kinds), np.int64),
        now=np.array([now, 0], np.int64),
        base=np.zeros(1, np.int64),
        used=np.array([tables * each, rows // 2], np.int64),
        state=np.ones(1, np.int64),
        least=np.zeros_like(capacity),
        room=np.zeros((nodes, 2), np.int64),
        offer=np.zeros_like(capacity),
        soon=np.zeros((nodes, 2), np.int64),
        stamp=np.zeros(3, np.int64),
        stamps=np.zeros((tables, 2), np.int64),
        gained=np.zeros(tables, np.int64),
        kept=np.zeros((nodes, 3), np.int64),
        returned=np.zeros(nodes, np.int64),
        known=np.full((searched, nodes, 4), NOTHING),
        known_for=np.full((searched, 2), NOTHING),
        joined=np.zeros(nodes, np.int64),
        buckets=np.zeros(4 << nodes.bit_length(), np.int64),
    )
    # At first every line has one step, with all of its capacity.
    profile.time[first[:lines]] = now
    profile.free[first[:lines]] = capacity[model]
    if tables > nodes:
        profile.time[first[nodes]] = now
        profile.free[first[nodes]] = capacity.sum(axis=0)
    if caps is not None:
        _cap(profile, *caps)
    return profile


def _cap(profile: Profile, time: Ints, room: Ints) -> None:
    """Give the line of the last node a step for each change of what it has of the last resource.

    It is the only node on its line, as no other has that resource.
    """
    line, now = profile.line[-1], profile.now[0]
    row = int(np.searchsorted(time, now, "right")) - 1
    steps = len(time) - row
    # The line moves behind all others, as it does when it grows.
    old, first = profile.first[line], profile.used[0] if len(profile.first) > 1 else 0
    profile.free[first : first + steps] = profile.free[old].copy()
    profile.free[first : first + steps, -1] = room[row:]
    profile.time[first : first + steps] = np.maximum(time[row:], now)
    profile.time[first + steps] = NEVER
    # Each change counts as an edge that is never taken back, so that its step stays.
    profile.edges[first + 1 : first + steps] = 1
    profile.first[line], profile.end[line] = first, first + steps
    if len(profile.first) > 1:
        profile.used[0] = profile.limit[line] = first + 2 * (steps + 1) + SPARE


def _words(line: Ints, nodes: int) -> Ints:
    """The nodes of each line as bits, shape (nodes, words)."""
    words = np.zeros((nodes, -(-nodes // 64)), np.int64)
    node = np.arange(nodes)
    np.bitwise_or.at(words, (line, node // 64), np.left_shift(np.int64(1), node % 64))
    return words


def _alike(capacity: Ints, zones: Mask | None) -> tuple[Ints, Ints]:
    """The line of each node, one for all of equal capacity in the same zones, and a node of each line."""
    told_by = capacity if zones is None else np.column_stack((capacity, np.packbits(zones.T, axis=1)))
    _, model, line = np.unique(told_by, axis=0, return_index=True, return_inverse=True)
    return line.reshape(-1).astype(np.int64), model.astype(np.int64)


@cache
def no_profile(nodes: int, kinds: int) -> Profile:
    """The profile of simulations that plan nothing; they share it."""
    return unchanging(make_profile(np.zeros((nodes, kinds), np.int64), 0, 0))
