import pytest

from engine.slurm.values.gres import Gres, gres_parts
from engine.slurm.values.tres import amounts_of, tres_amount, tres_texts, weights_of


def test_resources_have_the_names_of_those_of_nodes() -> None:
    text = "cpu=10,mem=4G,node=2,gres/gpu=2,gres/gpu:a100=1,billing=1K,energy"
    assert amounts_of(text) == {
        "cpus": 10,
        "ram": 4096,
        "node": 2,
        "gpu": 2,
        "gpu:a100": 1,
        "billing": 1024,
    }
    assert amounts_of(None) == amounts_of("(null)") == {}
    assert amounts_of("mem=1.5G,cpu=x") == {"ram": 1536}


def test_texts_are_kept_and_found_by_name() -> None:
    assert tres_texts("CPU=8, Mem=24000M") == {"cpu": "8", "mem": "24000M"}
    assert tres_amount("cpu=8,mem=24000M", "mem") == "24000M"
    assert tres_amount("cpu=8", "node") == ""


def test_weights_of_memory_count_for_each_mib() -> None:
    weights = weights_of("CPU=1.0,Mem=0.25G,GRES/gpu=2.0,License/x=no")
    assert weights == {"cpus": 1.0, "ram": 0.25 / 1024, "gpu": 2.0}
    assert weights_of("Mem=2") == {"ram": 2.0}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("gpu", Gres("gpu", "", 1)),
        ("gpu:4", Gres("gpu", "", 4)),
        ("gpu:a100", Gres("gpu", "a100", 1)),
        ("gpu:A100:4(S:0-1)", Gres("gpu", "a100", 4)),
        ("gpu:no_consume:4", Gres("gpu", "", 4)),
        ("bandwidth:lustre:no_consume:4K", Gres("bandwidth", "lustre", 4096)),
        ("gres/gpu=2", Gres("gpu", "", 2)),
        ("gres/gpu:nvidia:a100=3", Gres("gpu", "nvidia:a100", 3)),
        ("gpu:(null):2", Gres("gpu", "", 2)),
        ("gres:gpu:2", Gres("gpu", "", 2)),
        ("gpu:1g.10gb:7", Gres("gpu", "1g.10gb", 7)),
        ("4", None),
        ("gpu:", None),
    ],
)
def test_generic_resources(text: str, read: Gres | None) -> None:
    assert [gres for _, gres in gres_parts(text)] == [read]


def test_a_list_of_generic_resources() -> None:
    parts = list(gres_parts("gpu:a100:4(IDX:0,2),tmp:844M,???"))
    assert [part for part, _ in parts] == ["gpu:a100:4", "tmp:844M", "???"]
    assert [gres and gres.spelling for _, gres in parts] == ["gpu:a100:4", "tmp:1000000", None]
