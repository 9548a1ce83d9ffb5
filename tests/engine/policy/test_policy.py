import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.estimate.estimators import Estimate
from engine.policy.examples import EXAMPLES
from engine.policy.keys import KEYS
from engine.policy.names import FACTORS
from engine.policy.policy import PRESETS, Policy, parse_policy
from engine.policy.share_file import UserShares, read_user_shares
from tests.engine.policy.spellings import AT_PASSES, SIMULATED, contradict, key_mixes, useful_mixes


@given(useful_mixes(), st.randoms())
def test_every_mix_of_keys_round_trips_in_any_order(mix: tuple[str, dict[str, str]], random: Random) -> None:
    preset, values = mix
    assume(not contradict(preset, values))
    pairs = [f'{key}="{value}"' if "," in value else f"{key}={value}" for key, value in values.items()]
    random.shuffle(pairs)
    policy = parse_policy(preset + (":" + ",".join(pairs) if pairs else ""))
    assert parse_policy(policy.spelling) == policy
    assert policy == PRESETS[preset][0].with_keys(**values)
    assert {key: policy.format_key(key) for key in values} == values


@given(useful_mixes())
def test_the_spelling_names_what_differs_and_in_the_order_of_the_keys(
    mix: tuple[str, dict[str, str]],
) -> None:
    preset, values = mix
    assume(not contradict(preset, values))
    base = PRESETS[preset][0]
    policy = base.with_keys(**values)
    name, _, rest = policy.spelling.partition(":")
    named = re.findall(r"(?:^|,)([a-z_]+)=", rest)  # no formula here has a comma before such
    assert name == preset
    differ = [key.name for key in KEYS if policy.format_key(key.name) != base.format_key(key.name)]
    implied = "score" in differ and policy.order == "score"
    assert named == [key for key in differ if key != "order" or not implied]


@given(st.tuples(st.sampled_from(SIMULATED), key_mixes) | useful_mixes())
def test_keys_are_refused_where_one_makes_another_impossible(mix: tuple[str, dict[str, str]]) -> None:
    preset, values = mix
    if not contradict(preset, values):
        assert PRESETS[preset][0].with_keys(**values).preset == preset
        return
    with pytest.raises(InputError) as caught:
        PRESETS[preset][0].with_keys(**values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_spelled_by_their_name(name: str) -> None:
    policy = parse_policy(name)
    assert policy == PRESETS[name][0]
    assert policy.spelling == str(policy) == name
    assert policy.recorded == (name == "recorded")
    assert policy.uses_fairshare == name.startswith("fairshare")


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("fcfs", ("fcfs", "stop", "queue")),
        ("aggressive", ("fcfs", 0, "queue")),
        ("easy", ("fcfs", 1, "queue")),
        ("just", ("fcfs", "all", "queue")),
        ("conservative", ("fcfs", "kept", "queue")),
        ("easy-sjbf", ("fcfs", 1, "sjf")),
        ("saf-easy", ("saf", 1, "queue")),
        ("fairshare-fcfs", ("fairshare", "stop", "queue")),
        ("fairshare-easy", ("fairshare", 1, "queue")),
    ],
)
def test_what_presets_are(name: str, keys: tuple[str, int | str, str]) -> None:
    policy = parse_policy(name)
    assert (policy.order, policy.depth, policy.backfill) == keys
    assert replace(policy, preset="easy", order="fcfs", depth=1, backfill="queue") == parse_policy("easy")


def test_what_no_preset_says_is_the_same_for_all() -> None:
    easy = parse_policy("easy")
    assert (str(easy.estimate), easy.estimate_once, easy.gate, easy.ties) == (
        "requested",
        False,
        False,
        "fcfs",
    )
    assert (easy.penalty, easy.half_life, easy.accrue, str(easy.shares)) == (
        "max",
        3 * 86_400,
        "always",
        "equal",
    )
    assert (easy.placement, easy.constraints, str(easy.queue_nodes)) == ("first", False, "any")
    absent = ("threshold", "relaxed", "max_user_jobs", "max_user_cpus", "max_queue_cpus", "power_cap")
    assert [getattr(easy, name) for name in (*absent, "pass_every", "test_limit")] == [None] * 8


@pytest.mark.parametrize(("text", "what"), EXAMPLES)
def test_examples_are_spelled_as_policies_are(text: str, what: str) -> None:
    assert parse_policy(text).spelling == text
    assert what


def test_spaces_and_keys_that_say_nothing_new_do_not_matter() -> None:
    assert parse_policy(" easy: order = saf , depth=1 ").spelling == "easy:order=saf"
    assert parse_policy("easy:") == parse_policy("easy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eazy", "unknown policy 'eazy'; did you mean 'easy'?"),
        ("easy-saf", "did you mean 'saf-easy'?"),
        ("fairshare", "did you mean 'fairshare-"),
        ("EASY", "unknown policy 'EASY'; did you mean 'easy'?"),
        ("cons", "did you mean 'conservative'?"),
        ("saf", "did you mean 'saf-easy'?"),
        ("sjf", "did you mean 'easy:order=sjf'?"),
        ("SJF:estimate=actual", "did you mean 'easy:order=sjf,estimate=actual'?"),
        ("order=saf", "did you mean 'easy:order=saf'?"),
        ("easy;order=saf", "did you mean 'easy:order=saf'?"),
        ("easy;order=saf;ties=longest", "did you mean 'easy:order=saf,ties=longest'?"),
        ("easy:order=SAF", "order cannot be 'SAF'; did you mean 'saf'?"),
        ("easy:Order=saf", "policies have no key 'Order'; did you mean 'order'?"),
        ("easy:backfill=SJF", "backfill cannot be 'SJF'; did you mean 'sjf'?"),
        ("", "unknown policy ''; `batchscope policies` lists them"),
        ("qwerty", "unknown policy 'qwerty'; `batchscope policies` lists them"),
        ("jsut", "unknown policy 'jsut'; did you mean 'just'?"),
        ("easy:ordr=saf", "policies have no key 'ordr'; did you mean 'order'?"),
        ("easy:preset=fcfs", "policies have no key 'preset'"),
        ("easy:recorded=1", "policies have no key 'recorded'"),
        ("easy:user_shares=1", "policies have no key 'user_shares'"),
        ("easy:order=widset", "order cannot be 'widset'; did you mean 'widest'?"),
        ("easy:order=", "order cannot be ''"),
        ("easy:depth=stpo", "depth cannot be 'stpo'; did you mean 'stop'?"),
        ("easy:depth=x", "depth cannot be 'x': it is one of stop, all, kept, a number from 0 to 1000000"),
        ("easy:depth=1000001", "depth cannot be 1000001: it is from 0 to 1000000"),
        ("easy:backfill=fairshare", "backfill cannot be 'fairshare'"),
        ("easy:estimate=lst2", "estimate cannot be 'lst2'; did you mean 'last2'?"),
        ("easy:estimate=scaled", "estimate cannot be 'scaled'; did you mean 'scaled1.5'?"),
        ("easy:estimate=scaled0", "estimate cannot be 0: it is from 0.01 to 100"),
        ("easy:estimate=survival100", "estimate cannot be 100: it is from 0.001 to 99.999"),
        ("easy:estimate=scaled1e3", "estimate cannot be '1e3': it is a number from 0.01 to 100"),
        ("easy:gate=maybe", "gate cannot be 'maybe': it is on or off"),
        ("easy:ties=long", "ties cannot be 'long'; did you mean 'longest'?"),
        ("easy:relaxed=x", "relaxed cannot be 'x': it is a number from 0 to 1000"),
        ("easy:max_user_jobs=1.5", "max_user_jobs cannot be '1.5': it is a whole number from 1 to"),
        ("easy:test_limit=0", "test_limit cannot be 0: it is from 1 to"),
        ("aggressive:horizon=1d", "horizon=1d has no use: it is about passes that reserve, and depth=0 does"),
        (
            "fcfs:user_test_limit=2",
            "user_test_limit=2 has no use: it is about passes that reserve, and depth",
        ),
        ("conservative:resolution=1m", "resolution=1m has no use: depth=kept starts jobs at planned times"),
        ("easy:window=2,horizon=1d", "windows place jobs together: horizon, which is about single jobs"),
        ("easy:order", "'order' should be key=value"),
        ("easy:order=saf,order=saf", "gives order twice"),
        ("easy:half_life=soon", "cannot read the duration 'soon'; spell it like 90, 30m, 2h or 3d"),
        ("easy:half_life=0", "half_life cannot be 0: it is from 1 s to 10000000d"),
        ("easy:weights=age", "weights cannot be 'age'; spell them like age=1;size=0.5"),
        ("easy:weights=", "weights cannot be ''"),
        ("easy:weights=age=-1", "weights cannot be 'age=-1'"),
        ("easy:weights=aeg=1", "weights have no 'aeg'; did you mean 'age'?"),
        ("easy:weights=age=1;age=2", "weights give age twice"),
        ("easy:weights=size=0", "weights need at least one that is above 0"),
        ("easy:queue_nodes=short", "queue_nodes cannot be 'short'; spell it like short@1;long@2+3, or any"),
        ("easy:queue_nodes=short@1+", "queue_nodes cannot be 'short@1+'"),
        ("easy:queue_nodes=short@1;short@2", "queue_nodes binds queue short twice"),
        ("recorded:order=saf", "recorded takes no keys"),
    ],
)
def test_a_wrong_spelling_names_the_nearest_right_one(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("conservative:order=sjf", "plans each job when it is submitted, so order=sjf comes too late"),
        ("fairshare-easy:depth=kept", "order=fairshare comes too late; depth=all plans anew"),
        *(
            (
                f"conservative:{name}={ {'gate': 'on', 'queue_limits': 'a@1'}.get(name, '1') }",
                "starts jobs at planned times, not at passes",
            )
            for name in AT_PASSES
        ),
        ("conservative:relaxed=0", "relaxed=0 has no use: depth=kept starts jobs at planned times"),
        ("just:backfill=sjf", "backfill=sjf has no use: depth=all reserves for every job"),
        ("easy-sjbf:depth=kept", "backfill=sjf has no use: depth=kept reserves for every job"),
        ("fcfs:backfill=saf", "backfill=saf has no use: depth=stop lets nothing pass a blocked job"),
        ("fcfs:relaxed=1", "relaxed=1 has no use: depth=stop makes no reservations"),
        ("aggressive:relaxed=0", "relaxed=0 has no use: depth=0 makes no reservations"),
        ("easy:bf=0.5", "bf=0.5 has no use: order=fcfs balances nothing"),
        ("easy:eet_share=1/2", "eet_share=1/2 has no use: nothing goes by the ends that users may expect"),
        ("easy:order=slack,eet_share=half", "cannot read the share 'half'"),
        ("easy:threshold=3d", "threshold=3d has no use: order=fcfs goes by submission anyway"),
        ("fairshare-easy:ties=longest", "ties=longest has no use: order=fairshare settles ties itself"),
        ("easy:order=sjf,ties=longest", "order=sjf settles ties itself"),
        ("saf-easy:penalty=cpu", "penalty=cpu has no use: order=saf does not go by usage"),
        (
            "easy:order=priority,weights=age=1,half_life=2h",
            "half_life=2h has no use: weights=age=1 leave usage out",
        ),
        ("fairshare-easy:weights=size=1", "weights=size=1 has no use: order=fairshare weighs no factors"),
        ("tuned-window:queue_depth=400", "it is the threshold of tune=bf and tune=2d, not of tune=window"),
        ("easy:estimate_once=on", "estimate_once=on has no use: estimate=requested never changes"),
        ("conservative:estimate=last2,estimate_once=on", "keeps the estimate made at submission anyway"),
    ],
)
def test_a_contradiction_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text)
    assert reason in str(caught.value)


@given(
    st.text(max_size=30)
    | st.sampled_from(list(PRESETS)).flatmap(
        lambda name: st.text(max_size=20).map(lambda rest: f"{name}:{rest}")
    )
    | st.sampled_from(KEYS).flatmap(
        lambda key: st.text(max_size=20).map(lambda text: f"easy:{key.name}={text}")
    )
)
def test_any_text_is_a_policy_or_an_input_error(text: str) -> None:
    try:
        policy = parse_policy(text)
    except InputError:
        return
    assert parse_policy(policy.spelling) == policy


def test_an_estimate_for_policies_that_name_none() -> None:
    assert parse_policy("easy", "actual").estimate == Estimate("actual")
    assert parse_policy("easy:estimate=requested", "actual").estimate == Estimate("requested")
    assert parse_policy("recorded", "actual") == parse_policy("recorded")
    with pytest.raises(InputError, match="did you mean 'actual'"):
        parse_policy("easy", "actaul")


def test_recorded_is_not_changed() -> None:
    recorded = parse_policy("recorded")
    assert recorded.with_keys() == recorded
    with pytest.raises(InputError, match="takes no keys"):
        recorded.with_keys(order="saf")


def test_a_policy_is_a_value() -> None:
    easy = parse_policy("easy")
    assert hash(easy) == hash(parse_policy("easy:order=fcfs"))
    assert len({easy, parse_policy("easy"), replace(easy, order="saf")}) == 2
    with pytest.raises(AttributeError):
        easy.order = "saf"  # type: ignore[misc]
    with pytest.raises(InputError, match="comes too late"):
        Policy("conservative", order="saf", depth="kept")


@pytest.mark.parametrize(
    ("text", "spelled", "weights"),
    [
        ("size=2;age=1", "age=1;size=2", (1.0, 0.0, 2.0, 0.0, 0.0)),
        ("queue=0.50; fairshare=00", "queue=0.5", (0.0, 0.0, 0.0, 0.0, 0.5)),
        ("size=0.000001", "size=0.000001", (0.0, 0.0, 0.000001, 0.0, 0.0)),
        ("fairshare=1;age=1.0", "age=1;fairshare=1", (1.0, 1.0, 0.0, 0.0, 0.0)),
    ],
)
def test_weights_are_spelled_in_the_order_of_the_factors(
    text: str, spelled: str, weights: tuple[float, ...]
) -> None:
    policy = parse_policy(f"easy:order=priority,weights={text}")
    assert str(policy.weights) == spelled
    assert policy.factor_weights == weights
    assert policy.uses_fairshare
    assert len(FACTORS) == len(weights)
    assert parse_policy(policy.spelling) == policy


def test_queues_are_bound_to_groups_of_nodes() -> None:
    policy = parse_policy("easy:queue_nodes=short@1; long@big+3")
    assert policy.spelling == "easy:queue_nodes=long@big+3;short@1"
    assert policy.queue_nodes.as_dict() == {"long": ("big", "3"), "short": ("1",)}
    assert parse_policy("easy").queue_nodes.as_dict() == {}


def test_blanks_around_the_parts_of_a_policy_say_nothing() -> None:
    for text in (" easy : order = sjf ", "easy\n:order=sjf", "\teasy:\u2028order=sjf,", "easy :order=sjf"):
        assert parse_policy(text).spelling == "easy:order=sjf"
    with pytest.raises(InputError, match="did you mean 'easy:order=sjf'"):
        parse_policy("easy ;order=sjf")


@pytest.mark.parametrize("key", ["threshold", "half_life", "pass_every"])
def test_no_time_is_beyond_the_largest(key: str) -> None:
    preset = {"half_life": "fairshare-easy", "threshold": "saf-easy"}.get(key, "easy")
    assert parse_policy(f"{preset}:{key}=10000000d").spelling == f"{preset}:{key}=10000000d"
    with pytest.raises(InputError, match=f"{key} cannot be 10000001d: it is from 1 s to 10000000d"):
        parse_policy(f"{preset}:{key}=10000001d")


def test_users_have_the_shares_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "shares.csv"
    path.write_text("\ufeffUser, Share\nalice,2\n\nbob , 0.5\n\n", encoding="utf-8")
    policy = parse_policy(f"fairshare-easy:shares={path}")
    assert policy.shares.of_user == (("alice", 2.0), ("bob", 0.5))
    assert policy.spelling == f"fairshare-easy:shares={path}"
    assert parse_policy(policy.spelling) == policy
    assert policy.with_keys(shares="equal") == parse_policy("fairshare-easy")
    assert read_user_shares("equal") == UserShares()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: expected the columns user,share"),
        ("alice,2\n", "1: expected the columns user,share"),
        ("user,share\nalice,0\n", "2: expected a user and a share above 0"),
        ("user,share\nalice,-1\n", "2: expected a user and a share above 0"),
        ("user,share\nalice,nan\n", "2: expected a user and a share above 0"),
        ("user,share\nalice\n", "2: expected user,share"),
        ("user,share\nalice,1,1\n", "2: expected user,share"),
        ("user,share\nalice,1\n\nbob,2\nalice,2\n", "5: user alice is listed twice"),
    ],
)
def test_a_wrong_file_of_shares_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "shares.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        parse_policy(f"fairshare-easy:shares={path}")
    assert str(caught.value) == f"{path}:{message}"


@pytest.mark.parametrize("suffix", ["users", "groups"])
def test_shares_of_files_of_the_alea_simulator(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"log.{suffix}"
    path.write_text("; id name share quota\n\n3\tann  20 512\n14 bob 5\n2 3 7 64\n")
    shares = dict(parse_policy(f"fairshare-easy:shares={path}").shares.of_user)
    assert shares == {"ann": 20, "bob": 5, "3": 20, "14": 5, "2": 7}
    for text, expected in (
        ("1 ann", ":1: expected a number"),
        ("1 ann x", ":1: expected a number"),
        ("1 a 2\n1 b 3", ":2: 1 is listed twice"),
        ("1 a 0", ":1: expected a share above 0"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=re.escape(f"{path}{expected}")):
            parse_policy(f"fairshare-easy:shares={path}")


def test_shares_that_are_no_file_of_shares(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^shares cannot be 'eqaul': it is equal, or a file of users"):
        parse_policy("easy:shares=eqaul")
    missing = tmp_path / "missing.csv"
    with pytest.raises(InputError) as caught:
        parse_policy(f"easy:shares={missing}")
    assert str(caught.value) == f"{missing}: no such file"
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"user,share\n\xff\xfe,1\n")
    with pytest.raises(InputError, match=r"binary\.csv:2: this is not UTF-8 text"):
        parse_policy(f"easy:shares={binary}")


@pytest.mark.parametrize("rest", ["k" * 5000 + "=1," + "k" * 5000 + "=1", "k" * 5000])
def test_what_is_wrong_with_a_long_spelling_is_reported_in_few_words(rest: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(f"easy:{rest}")
    assert len(str(caught.value)) < 1000
