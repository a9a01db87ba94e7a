"""Nets of skorch: one call makes a loader for training and one for validation, each with options of its own."""

from __future__ import annotations

from loaderlint.linking.link import link
from loaderlint.model.loader import Loader
from tests.linking.traced import loaders_of, project_of, traced

NET = "from skorch import NeuralNetClassifier, NeuralNet\n"
OPTIONS = "NeuralNetClassifier(M, iterator_train__num_workers={train}, iterator_valid__num_workers={valid})\n"


def counts(loader: Loader, option: str = "num_workers") -> set[object]:
    value = loader.option(option)
    return {one.constant for one in value.candidates} | ({"open"} if value.open else set())


def both(text: str) -> tuple[Loader, ...]:
    return loaders_of({"main.py": NET + text})


def test_each_loader_has_its_own_options() -> None:
    training, validating = both(OPTIONS.format(train=4, valid=2))

    assert (counts(training), counts(validating)) == ({4}, {2})
    assert training.spelled("num_workers") == "iterator_train__num_workers"


def test_they_share_a_batch_size_that_neither_is_given() -> None:
    training, validating = both("NeuralNetClassifier(M, iterator_valid__batch_size=8, batch_size=32)\n")

    assert (counts(training, "batch_size"), counts(validating, "batch_size")) == ({32}, {8})


def test_a_batch_size_that_nobody_gives_is_not_torchs() -> None:
    assert [counts(one, "batch_size") for one in both("NeuralNet(M, C)\n")] == [{"open"}, {"open"}]


def test_options_in_a_dictionary_and_of_a_subclass() -> None:
    files = {
        "main.py": f"{NET}class Net(NeuralNet):\n    pass\n"
        "options = {'iterator_train__num_workers': ⟦4⟧}\nNet(M, C, iterator_valid__num_workers=⟦2⟧, **options)\n"
    }

    assert traced(files) == {"4", "2"}


def test_torchs_own_names_mean_nothing_to_a_net() -> None:
    assert [counts(one) for one in both("NeuralNet(M, C, num_workers=4)\n")] == [{0}, {0}]


def test_a_net_with_another_loader_is_none_of_torchs() -> None:
    assert both("NeuralNet(M, C, iterator_train=Batches, iterator_train__num_workers=4)\n") == ()


def test_a_net_of_the_project_is_no_loader() -> None:
    project, _ = project_of({"main.py": "class NeuralNet:\n    pass\nNeuralNet(iterator_train__num_workers=4)\n"})

    assert link(project) == ()
