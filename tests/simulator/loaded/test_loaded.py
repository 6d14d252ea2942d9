"""torch_npu, its operators and its device, as a plugin finds them."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import torch
import torch_npu
from torch_npu_sim import operators
from torch_npu_sim.schemas import torch_library, wheel
from torch_npu_sim.surface import formats, loading, offered

SOURCE = wheel.locate()
MEMBERS = [(module, name) for module, names in offered.members().items() for name in names]


def test_the_module_of_the_device_is_torch_npus() -> None:
    assert torch.npu is torch_npu.npu is sys.modules["torch.npu"]
    assert torch_npu.__version__ == SOURCE.version.partition("+")[0]
    assert importlib.util.find_spec("torch_npu.npu") is not None


@pytest.mark.parametrize(("module", "name"), MEMBERS, ids=lambda part: str(part).rpartition(".")[2])
def test_what_is_simulated_is_there_exactly_if_the_wheel_has_it(module: str, name: str) -> None:
    surface = vars(torch_npu)["_surface"][0]
    if not surface.wheel.has_module(module):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(module)
        return
    has = name in surface.wheel.names(module)
    assert hasattr(importlib.import_module(module), name) == has
    assert not has or getattr(importlib.import_module(module), name) == offered_value(module, name)


def offered_value(module: str, name: str) -> Any:
    return vars(torch_npu)["_surface"][0]._offered[module][name]


def test_names_that_the_wheel_lacks_are_absent_though_the_device_has_them() -> None:
    from torch_npu_sim.device import current

    assert "maybe_exchange_device" in current.__all__
    assert not hasattr(torch.npu, "maybe_exchange_device")


def test_functions_lead_to_the_device() -> None:
    before = torch.npu.memory_allocated()
    kept = torch.zeros(1024, device="npu:0")
    assert torch.npu.memory.memory_allocated() == before + kept.nbytes
    with torch_npu.npu.utils.device(1):
        assert torch_npu.npu.current_device() == 1


def test_operators_are_names_of_torch_npu_with_the_wheels_schemas() -> None:
    assert torch_npu.npu_rms_norm is torch.ops.npu.npu_rms_norm
    schema = wheel.read(SOURCE)["npu_rms_norm"]
    assert str(torch_npu.npu_rms_norm.default._schema) == str(torch._C.parse_schema(f"npu::{schema}"))
    assert "npu_rms_norm" in dir(torch_npu)
    with pytest.raises(AttributeError):
        _ = torch_npu.npu_no_such_operator


def test_an_operator_is_computed_on_the_device_and_counted() -> None:
    x, gamma = torch.arange(8.0).view(2, 4).npu(), torch.ones(4).npu()
    before = operators.calls["npu_rms_norm"]
    y, _ = torch_npu.npu_rms_norm(x, gamma)
    assert (y.device.type, operators.calls["npu_rms_norm"]) == ("npu", before + 1)
    torch.testing.assert_close(y.cpu(), torch.nn.functional.rms_norm(x.cpu(), (4,), eps=1e-6))


def test_operators_of_the_plugins_own_sources() -> None:
    assert str(torch.ops._C_of_test.scale.default._schema) == (
        "_C_of_test::scale(Tensor x, float by=2., *, Tensor(a!) out) -> ()"
    )
    x = torch.ones(2).npu()
    with pytest.raises(NotImplementedError, match="_C_of_test::scale"):
        torch.ops._C_of_test.scale(x, out=x)
    with pytest.raises(RuntimeError, match="out"):
        torch.ops._C_of_test.scale(x)


def test_sources_that_are_not_there() -> None:
    with pytest.raises(ImportError, match=r"^TORCH_NPU_SIM_CSRC: cannot read /none\.cpp: No such file"):
        loading.own_schemas({"TORCH_NPU_SIM_CSRC": "/none.cpp"})


def test_macros_of_the_plugins_build(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        '#ifdef ONE\nTORCH_LIBRARY(x, m) { m.def("f(Tensor x) -> Tensor"); }\n#endif\n'
    )
    asked = {"TORCH_NPU_SIM_CSRC": str(tmp_path)}
    assert loading.own_schemas(asked) == {"x": {"f": "f(Tensor x) -> Tensor"}}
    assert loading.own_schemas(asked | {"TORCH_NPU_SIM_DEFINES": "ONE,TWO"}) == {
        "x": {"f": "f(Tensor x) -> Tensor"}
    }
    assert loading.own_schemas(asked | {"TORCH_NPU_SIM_DEFINES": ""}) == {}


def test_schemas_that_this_torch_does_not_know_are_left_out() -> None:
    schemas = {"f": "f(Tensor x) -> Tensor", "f.names": "f.names(Dimnamed[]? names) -> Tensor"}
    assert loading.left_out(schemas) == {"f.names": schemas["f.names"]}
    assert all("Dimname" in schema for schema in loading.left_out(wheel.read(SOURCE)).values())


def test_formats_are_remembered_by_storage() -> None:
    nz = torch_npu.Format.FRACTAL_NZ
    weight = torch.arange(6.0).npu()
    cast = torch_npu.npu_format_cast(weight, nz)
    assert (torch_npu.get_npu_format(weight), torch_npu.get_npu_format(cast)) == (torch_npu.Format.ND, nz)
    assert torch_npu.get_npu_format(cast.view(2, 3)[1:]) is nz
    assert torch_npu.get_npu_format(torch.nn.Parameter(cast).data) is nz
    torch.testing.assert_close(cast.cpu(), weight.cpu())
    assert torch_npu.get_npu_format(cast + 0) is torch_npu.Format.ND
    assert torch_npu.get_npu_format(torch_npu.npu_format_cast(weight, cast)) is nz
    assert torch_npu.get_npu_format(torch_npu.npu_format_cast(cast, 2)) is torch_npu.Format.ND
    torch_npu.npu_format_cast_(weight, nz)
    assert torch_npu.get_npu_format(weight) is nz


def test_memory_that_is_made_in_a_format() -> None:
    made = torch_npu.empty_with_format([2, 16], dtype=torch.float16, device="npu:1", acl_format=29)
    assert (made.shape, made.dtype, str(made.device)) == ((2, 16), torch.float16, "npu:1")
    assert torch_npu.get_npu_format(made) is torch_npu.Format.FRACTAL_NZ
    assert torch_npu.get_storage_size(made) == 32


def test_the_format_of_freed_memory_is_forgotten() -> None:
    cast = torch_npu.npu_format_cast(torch.ones(4).npu(), 29)
    known = len(formats._formats)
    del cast
    torch_npu.npu_format_cast(torch.ones(4).npu(), 29)
    assert len(formats._formats) <= known


def test_process_groups_by_torch_npus_names(tmp_path: Path) -> None:
    from torch import distributed

    kind = torch_npu._C._distributed_c10d.ProcessGroupHCCL
    options = kind.Options()
    options.hccl_config = {"hccl_buffer_size": 200}
    assert distributed.is_hccl_available()
    store = distributed.FileStore(str(tmp_path / "store"), 1)
    distributed.init_process_group("hccl", store=store, rank=0, world_size=1, pg_options=options)
    try:
        group = distributed.distributed_c10d._get_default_group()._get_backend(torch.device("npu"))
        assert isinstance(group, kind)
        assert not isinstance(store, kind)
        assert isinstance(kind(distributed.PrefixStore("x", store), 0, 1, options), kind)
        x = torch.ones(2).npu()
        distributed.all_reduce(x)
        assert x.tolist() == [1.0, 1.0]
    finally:
        distributed.destroy_process_group()


def test_stand_ins_that_were_asked_for() -> None:
    import some_plugin_C
    from acl.rt import set_device

    for missing in (set_device, some_plugin_C.init_module):
        with pytest.raises(NotImplementedError):
            missing()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("mooncake.engine")


def test_the_schemas_of_the_plugins_sources_are_understood() -> None:
    for operator in torch_library.declared([Path(os.environ["TORCH_NPU_SIM_CSRC"])]):
        assert operator.schema is not None
        torch._C.parse_schema(operator.schema)


_CHILD = (
    "import torch, sys; print('torch_npu' in sys.modules, hasattr(torch, 'npu'), getattr(torch, 'npu', 0))"
)


def child(site: Path, code: str = _CHILD, **variables: str) -> str:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("TORCH_NPU_SIM_CSRC", "TORCH_NPU_SIM_STAND_INS")
    }
    path = os.pathsep.join([str(site), *sys.path])
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        env=environment | variables | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def entry_point(site: Path, distribution: str = "torch_npu_sim") -> Path:
    """A folder of packages in which the simulation is installed."""
    folder = site / f"{distribution}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    text = "[torch.backends]\ntorch_npu_sim = torch_npu_sim.surface.loading:autoload\n"
    (folder / "entry_points.txt").write_text(text)
    return site


def test_importing_torch_loads_it(tmp_path: Path) -> None:
    printed = child(entry_point(tmp_path), TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert printed.startswith("True True <module 'torch_npu.npu'"), printed


def test_the_command_loads_it_too(tmp_path: Path) -> None:
    code = "from torch_npu_sim.__main__ import main; main([])"
    printed = child(entry_point(tmp_path), code, TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert printed.startswith("device "), printed
    assert "Error" not in printed


def test_a_module_of_the_simulation_cannot_load_it_half_way(tmp_path: Path) -> None:
    printed = child(
        entry_point(tmp_path), "import torch_npu_sim.operators", TORCH_DEVICE_BACKEND_AUTOLOAD="1"
    )
    assert "ImportError: import torch before torch_npu_sim.operators" in printed


def test_the_real_torch_npu_is_left_alone(tmp_path: Path) -> None:
    site = entry_point(entry_point(tmp_path), "torch_npu")
    printed = child(site, TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert "torch_npu 1.0 is installed here: its simulation stays out of the way" in printed
    assert "False False 0" in printed


def test_without_a_wheel_there_is_a_device_and_no_torch_npu(tmp_path: Path) -> None:
    printed = child(entry_point(tmp_path), TORCH_DEVICE_BACKEND_AUTOLOAD="1", TORCH_NPU_SIM_WHEEL="")
    assert printed.startswith("False True <module 'torch.npu'"), printed


def test_nothing_is_loaded_where_torch_is_told_so(tmp_path: Path) -> None:
    assert child(entry_point(tmp_path), TORCH_DEVICE_BACKEND_AUTOLOAD="0") == "False False 0\n"


def test_the_name_of_the_distribution_is_not_torch_npus() -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("torch_npu")
