"""Evaluators from ONNX files: the same as the net they are made of; what is none is refused."""

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import OnnxEvaluator


def model_of(net: tf.Net, path: Path, rename: dict[str, Any] | None = None) -> Path:
    """Write a net's contact weights as a model of features; `rename` changes shapes."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, numpy_helper, floats = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    shapes: dict[str, Any] = {"seen": ["N", net.hidden_weights.shape[1]], "found": ["N", 5]}
    shapes.update(rename or {})
    weights = {name: array[0] for name, array in net.weights().items()}
    nodes = [
        helper.make_node("MatMul", ["seen", "hidden_weights"], ["a"]),
        helper.make_node("Add", ["a", "hidden_biases"], ["b"]),
        helper.make_node("Sigmoid", ["b"], ["c"]),
        helper.make_node("MatMul", ["c", "output_weights"], ["d"]),
        helper.make_node("Add", ["d", "output_biases"], ["e"]),
        helper.make_node("Sigmoid", ["e"], ["found"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("seen", floats, shapes["seen"])],
        [helper.make_tensor_value_info("found", floats, shapes["found"])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def model_of_boards(path: Path, column: bool) -> Path:
    """Write a model that gives the checkers that the first player has borne off, as an equity."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, kinds = onnx.helper, onnx.TensorProto
    weights = np.zeros((52, 1), np.float32)
    weights[0] = 1
    nodes = [
        helper.make_node("Cast", ["boards"], ["floats"], to=kinds.FLOAT),
        helper.make_node("Flatten", ["floats"], ["cells"]),
        helper.make_node("MatMul", ["cells", "weights"], ["equities"]),
        helper.make_node("Squeeze", ["equities", "axis"], ["flat"]),
    ]
    found = ("equities", ["N", 1]) if column else ("flat", ["N"])
    graph = helper.make_graph(
        nodes[: 3 if column else 4],
        "off",
        [helper.make_tensor_value_info("boards", kinds.INT8, ["N", 2, 26])],
        [helper.make_tensor_value_info(found[0], kinds.FLOAT, found[1])],
        [
            onnx.numpy_helper.from_array(weights, "weights"),
            onnx.numpy_helper.from_array(np.array([1]), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def one_phase(name: str) -> tf.Net:
    """Return a net that has the same weights in a race."""
    net = tf.Net.random(name, 16, seed=1)
    weights: dict[str, Any] = {
        key: array[0, ..., :5] if key.startswith("output") else array[0]
        for key, array in net.weights().items()
    }
    return tf.Net(name, **weights)


@pytest.mark.parametrize("name", ["portes", "plakoto", "fevga"])
def test_it_is_the_net_that_it_was_made_of(name: str, tmp_path: Path) -> None:
    net = one_phase(name)
    evaluator = OnnxEvaluator(model_of(net, tmp_path / "small.onnx"), name)
    boards = tf.random_boards(300, name, seed=1)
    np.testing.assert_allclose(
        tf.evaluate(boards, tf.coherent(evaluator, name), name).outcomes,
        tf.evaluate(boards, net, name).outcomes,
        atol=1e-5,
    )
    assert evaluator.name.startswith("small-")
    assert f"for {name}, of features" in repr(evaluator)


def test_it_can_be_pickled(tmp_path: Path) -> None:
    path = model_of(one_phase("portes"), tmp_path / "small.onnx")
    evaluator = OnnxEvaluator(path)
    path.unlink()
    again = pickle.loads(pickle.dumps(evaluator))
    assert again.name == evaluator.name
    boards = tf.random_boards(50, seed=1)
    np.testing.assert_array_equal(again(boards), evaluator(boards))


@pytest.mark.parametrize("column", [False, True])
def test_it_may_see_boards_and_give_equities(column: bool, tmp_path: Path) -> None:
    evaluator = OnnxEvaluator(model_of_boards(tmp_path / "off.onnx", column), "fevga")
    boards = tf.random_boards(300, "fevga", seed=1)
    found = tf.evaluate(boards, evaluator, "fevga")
    np.testing.assert_array_equal(found.equity, -boards[:, 1, 0].astype(float))
    assert "of boards" in repr(evaluator)


def test_it_plays(tmp_path: Path) -> None:
    evaluator = OnnxEvaluator(model_of(one_phase("portes"), tmp_path / "small.onnx"))
    result = tf.rollout(tf.start(), policy=evaluator, trials=20, seed=1, truncate=5)
    assert result.trials[0] == 20
    assert evaluator.name in repr(result)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = model_of(one_phase("portes"), tmp_path / "small.onnx")
    with pytest.raises(
        ValueError, match=r"small: the model takes tensor\(float\)\['N', 228\].*276"
    ):
        OnnxEvaluator(path, "plakoto")
    with pytest.raises(ValueError, match="N not fixed"):
        OnnxEvaluator(model_of(one_phase("portes"), tmp_path / "one.onnx", {"seen": [1, 228]}))
    with pytest.raises(ValueError, match="threads=0"):
        OnnxEvaluator(path, threads=0)
    bad = tmp_path / "bad.onnx"
    for content in (b"", b"no model", path.read_bytes()[:-100]):
        bad.write_bytes(content)
        with pytest.raises(ValueError, match="bad: no model that onnxruntime can run"):
            OnnxEvaluator(bad)
    with pytest.raises(FileNotFoundError):
        OnnxEvaluator(tmp_path / "none.onnx")


def test_without_onnxruntime_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    (tmp_path / "any.onnx").write_bytes(b"")
    with pytest.raises(ImportError, match=r"pip install 'tavli-fast\[onnx\]'"):
        OnnxEvaluator(tmp_path / "any.onnx")
