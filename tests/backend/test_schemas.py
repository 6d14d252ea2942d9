"""Schemas come from a torch_npu wheel, without importing it."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

# A distribution of its own, whose settings the module reads.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "src"))

MODULE = Path(__file__).parents[2] / "simulator/src/torch_npu_sim/schemas/wheel.py"

NATIVE = """
backend: NPU
custom:
- func: npu_swiglu(Tensor self, int dim=-1) -> Tensor
  impl_ns: op_api
- exposed: true
  func: npu_format_cast.Tensor(Tensor self, Tensor dst) -> Tensor
- func: npu_scatter(Tensor key, Tensor(a!) key_cache, *, str? cache_mode='PA_NZ') -> ()
autograd:
- func: npu_rms_norm(Tensor self, Tensor gamma, float epsilon=1e-06) -> (Tensor, Tensor)
supported:
- add.Tensor
- func: clone
symint:
- func: npu_other(SymInt n) -> Tensor
"""

ATB = (
    b"\x00\x7fnpu_not_alone"
    b"\x00npu_ring_mla(Tensor q, *, float scale=1) -> (Tensor, Tensor)\x00"
    b"xnpu_glued(Tensor q) -> Tensor\x00"
    b"\x00_npu_paged_v2.out(Tensor query, *, Tensor(a!) out) -> Tensor(a!)\x00"
    b"\x00npu_cut(Tensor query\x00"
)


@pytest.fixture(scope="module")
def schemas() -> Iterator[ModuleType]:
    specification = importlib.util.spec_from_file_location("schemas_under_test", MODULE)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    yield module
    del sys.modules[specification.name]


def wheel(folder: Path, files: dict[str, bytes], information: str = "torch_npu-2.13.0.dist-info") -> Path:
    path = folder / "torch_npu-2.13.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in ({f"{information}/METADATA": b""} | files).items():
            archive.writestr(name, content)
    return path


def test_custom_and_autograd_operators_with_their_overloads(schemas: ModuleType) -> None:
    found = schemas.native_schemas(NATIVE)
    assert sorted(found) == ["npu_format_cast.Tensor", "npu_rms_norm", "npu_scatter", "npu_swiglu"]
    assert found["npu_swiglu"] == "npu_swiglu(Tensor self, int dim=-1) -> Tensor"


def test_whole_schemas_of_the_atb_library_and_no_fragments(schemas: ModuleType) -> None:
    assert sorted(schemas.atb_schemas(ATB)) == ["_npu_paged_v2.out", "npu_ring_mla"]


def test_operators_of_the_atb_library_whose_schemas_cannot_be_read(
    schemas: ModuleType, tmp_path: Path
) -> None:
    library = ATB + b"\x01npu_short\x00npu_ring_mla\x00 npu_within_text\x00npu_short_out\x00"
    path = wheel(tmp_path, {schemas.NATIVE_FUNCTIONS: NATIVE.encode(), schemas.ATB_LIBRARY: library})
    source = schemas.from_wheel(path)
    assert schemas.without_schema(source, schemas.read(source)) == {"npu_short", "npu_not_alone"}
    bare = schemas.from_wheel(wheel(tmp_path, {schemas.NATIVE_FUNCTIONS: NATIVE.encode()}))
    assert schemas.without_schema(bare, ()) == frozenset()


def test_a_wheel_gives_its_version_and_both_sources(schemas: ModuleType, tmp_path: Path) -> None:
    path = wheel(tmp_path, {schemas.NATIVE_FUNCTIONS: NATIVE.encode(), schemas.ATB_LIBRARY: ATB})
    source = schemas.locate({schemas.WHEEL_VARIABLE: str(path)})
    assert source.version == "2.13.0"
    assert {"npu_swiglu", "npu_ring_mla"} <= set(schemas.read(source))


def test_the_yaml_wins_over_the_library(schemas: ModuleType, tmp_path: Path) -> None:
    library = b"\x00npu_swiglu(Tensor x) -> Tensor\x00"
    path = wheel(tmp_path, {schemas.NATIVE_FUNCTIONS: NATIVE.encode(), schemas.ATB_LIBRARY: library})
    assert "int dim=-1" in schemas.read(schemas.from_wheel(path))["npu_swiglu"]


def test_a_wheel_without_atb_is_enough(schemas: ModuleType, tmp_path: Path) -> None:
    path = wheel(tmp_path, {schemas.NATIVE_FUNCTIONS: NATIVE.encode()})
    assert "npu_rms_norm" in schemas.read(schemas.from_wheel(path))


def one_line(error: pytest.ExceptionInfo[ImportError]) -> str:
    text = str(error.value)
    assert len(text.splitlines()) == 1
    return text


def test_neither_a_wheel_nor_torch_npu(schemas: ModuleType) -> None:
    with pytest.raises(ImportError) as error:
        schemas.locate({})
    assert "set TORCH_NPU_SIM_WHEEL to a wheel of it (pip download --no-deps torch_npu)" in one_line(error)


def test_a_wheel_that_is_not_there(schemas: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ImportError) as error:
        schemas.locate({schemas.WHEEL_VARIABLE: str(tmp_path / "none.whl")})
    assert "cannot read the wheel" in one_line(error)


def test_a_file_that_is_no_archive(schemas: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "broken.whl"
    path.write_text("not a zip")
    with pytest.raises(ImportError, match="cannot read the wheel"):
        schemas.from_wheel(path)


def test_a_wheel_of_another_project(schemas: ModuleType, tmp_path: Path) -> None:
    path = wheel(tmp_path, {}, information="torch-2.13.0.dist-info")
    with pytest.raises(ImportError) as error:
        schemas.from_wheel(path)
    assert one_line(error).endswith("is not a torch_npu wheel")


def test_a_wheel_that_declares_nothing(schemas: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ImportError) as error:
        schemas.read(schemas.from_wheel(wheel(tmp_path, {})))
    assert "does not contain torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml" in one_line(error)
