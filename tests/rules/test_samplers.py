"""The rules about samplers, on loaders made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from loaderlint.model.edit import Drop
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.payload import DatasetKind, Payload, Samples
from loaderlint.model.value import Candidate, CommandLineText, Object, Value
from tests.test_rules import LINUX, a_loader, assuming, at, check, the_finding, the_fix, written

SAMPLER = Object("RandomSampler")
BATCHES = Object("BatchSampler", batches=True)


def holding(*datasets: Samples, **facts: Any) -> Payload:
    return Payload(seen=True, datasets=datasets, **facts)


class TestSamplerConflict:
    @pytest.mark.parametrize(
        ("options", "dropped"),
        [
            ({"sampler": SAMPLER, "shuffle": True}, ["shuffle"]),
            ({"sampler": SAMPLER, "shuffle": "False"}, ["shuffle"]),
            ({"batch_sampler": SAMPLER, "shuffle": True}, ["shuffle"]),
            ({"batch_sampler": SAMPLER, "sampler": SAMPLER}, ["sampler"]),
            ({"batch_sampler": SAMPLER, "batch_size": 4}, ["batch_size"]),
            ({"batch_sampler": SAMPLER, "batch_size": None}, ["batch_size"]),
            ({"batch_sampler": SAMPLER, "drop_last": True}, ["drop_last"]),
            ({"batch_size": None, "drop_last": True}, ["drop_last"]),
            ({"batch_sampler": SAMPLER, "batch_size": 4, "drop_last": True}, ["batch_size", "drop_last"]),
        ],
    )
    def test_what_another_option_leaves_no_room_for_is_dropped(
        self, options: dict[str, Any], dropped: list[str]
    ) -> None:
        findings = check("LL207", a_loader(**options), LINUX)
        edits = [edit for finding in findings for edit in the_fix(finding).edits]
        assert [edit.option for edit in edits if isinstance(edit, Drop)] == dropped
        assert all((one.severity, one.confidence) == (Severity.ERROR, Confidence.CERTAIN) for one in findings)
        assert all(the_fix(one).safe for one in findings)

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"sampler": SAMPLER},
            {"sampler": SAMPLER, "shuffle": False},
            {"sampler": SAMPLER, "shuffle": None},
            {"sampler": None, "shuffle": True},
            {"batch_sampler": SAMPLER, "batch_size": 1, "shuffle": False, "drop_last": False},
            {"batch_sampler": SAMPLER, "batch_size": True},
            {"batch_sampler": None, "batch_size": 4, "drop_last": True},
            {"batch_size": None, "drop_last": False},
            {"sampler": SAMPLER, "batch_size": 4, "drop_last": True},
        ],
    )
    def test_what_goes_together_is_quiet(self, options: dict[str, Any]) -> None:
        assert check("LL207", a_loader(**options), LINUX) == []

    def test_a_value_that_only_other_runs_have_does_not_conflict(self) -> None:
        sampler = Value(
            (written(SAMPLER, assumptions=assuming("d", True)), written(None, assumptions=assuming("d", False)))
        )
        shuffle = Value(
            (written(False, assumptions=assuming("d", True)), written(True, assumptions=assuming("d", False)))
        )
        assert check("LL207", a_loader(sampler=sampler, shuffle=shuffle), LINUX) == []

    def test_where_two_questions_may_hang_together_a_conflict_is_only_possible(self) -> None:
        sampler = written(SAMPLER, assumptions=assuming("world_size > 1", True))
        shuffle = written(True, assumptions=assuming("is_initialized()", False))
        loader = a_loader(sampler=sampler, shuffle=shuffle)
        assert the_finding("LL207", loader, LINUX).confidence is Confidence.POSSIBLE
        always = a_loader(sampler=sampler, shuffle=True)
        assert the_finding("LL207", always, LINUX).confidence is Confidence.CERTAIN

    def test_where_another_value_stands_in_the_runs_of_the_sampler_a_conflict_is_only_possible(self) -> None:
        split = assuming("val_split", True)
        sampler = Value((written(SAMPLER, assumptions=split), written(None, assumptions=assuming("val_split", False))))
        shuffle = Value((written(True), written(False, assumptions=split)))
        loader = a_loader(sampler=sampler, shuffle=shuffle)
        assert the_finding("LL207", loader, LINUX).confidence is Confidence.POSSIBLE

    def test_a_value_that_stands_in_all_runs_of_the_sampler_takes_the_place_of_one_of_a_setting(self) -> None:
        blocks = assuming("sampler", "blocks")
        sampler = Value((written(SAMPLER, assumptions=blocks), written(None, assumptions=assuming("sampler", "none"))))
        shuffle = Value(
            (written(True, assumptions=assuming("--shuffle", "default")), written(False, assumptions=blocks))
        )
        loader = a_loader(sampler=sampler, shuffle=shuffle)
        assert the_finding("LL207", loader, LINUX).confidence is Confidence.POSSIBLE

    def test_a_value_of_some_runs_of_the_sampler_leaves_the_others_their_conflict(self) -> None:
        blocks = assuming("sampler", "blocks")
        sampler = Value((written(SAMPLER, assumptions=blocks), written(None, assumptions=assuming("sampler", "none"))))
        shuffle = Value(
            (
                written(True, assumptions=assuming("--shuffle", "default")),
                written(False, assumptions=assuming("--shuffle", "given")),
            )
        )
        loader = a_loader(sampler=sampler, shuffle=shuffle)
        assert the_finding("LL207", loader, LINUX).severity is Severity.ERROR

    @pytest.mark.parametrize(
        "other",
        [
            written(False, assumptions=assuming("val_split", False)),
            written(True, assumptions=assuming("val_split", True)),
            written(False),
        ],
        ids=["in other runs", "of the same kind", "that assumes no more"],
    )
    def test_beside_another_value_that_does_not_take_its_place_a_conflict_is_certain(self, other: Candidate) -> None:
        sampler = Value((written(SAMPLER, assumptions=assuming("val_split", True)), written(None)))
        (finding, *_) = check("LL207", a_loader(sampler=sampler, shuffle=Value((written(True), other))), LINUX)
        assert finding.confidence is Confidence.CERTAIN

    def test_what_other_runs_need_has_no_fix_but_help(self) -> None:
        sampler = Value(
            (written(SAMPLER, assumptions=assuming("d", True)), written(None, assumptions=assuming("d", False)))
        )
        finding = the_finding("LL207", a_loader(sampler=sampler, shuffle=True), LINUX)
        assert finding.fix is None
        assert finding.help == "give shuffle only where sampler is None"

    def test_text_given_on_the_command_line_is_only_possible(self) -> None:
        loader = a_loader(sampler=SAMPLER, shuffle=CommandLineText("--shuffle"))
        assert the_finding("LL207", loader, LINUX).confidence is Confidence.POSSIBLE

    def test_the_message_says_where_the_other_stands(self) -> None:
        finding = the_finding("LL207", a_loader(shuffle=True, sampler=SAMPLER), LINUX)
        assert finding.message.startswith("shuffle is True but a sampler is given (train.py:11)")
        assert finding.error == "ValueError: sampler option is mutually exclusive with shuffle"

    def test_a_batch_sampler_in_the_place_of_a_sampler_is_a_warning_without_an_error(self) -> None:
        finding = the_finding("LL207", a_loader(sampler=BATCHES), LINUX)
        assert (finding.severity, finding.error, finding.fix) == (Severity.WARNING, None, None)

    @pytest.mark.parametrize(
        ("payload", "options"),
        [
            (Payload(seen=True), {"sampler": BATCHES, "batch_size": None}),
            (Payload(seen=True, collate_fn=at(3)), {"sampler": BATCHES}),
            (Payload(seen=True), {"sampler": SAMPLER}),
            (Payload(seen=True), {"batch_sampler": BATCHES}),
        ],
        ids=["no automatic batches", "a collate_fn that may take it apart", "a plain sampler", "where it belongs"],
    )
    def test_other_samplers_are_quiet(self, payload: Payload, options: dict[str, Any]) -> None:
        assert check("LL207", a_loader(payload=payload, **options), LINUX) == []


STREAM = Samples(at(5), "Stream", DatasetKind.ITERABLE)


class TestIterableWithSampler:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"shuffle": True}, "shuffle option, but got shuffle=True"),
            ({"shuffle": ""}, "shuffle option, but got shuffle="),
            ({"sampler": SAMPLER}, "sampler option"),
            ({"batch_sampler": BATCHES}, "batch_sampler option"),
        ],
    )
    def test_what_a_stream_has_no_use_for_is_found(self, options: dict[str, Any], said: str) -> None:
        finding = the_finding("LL208", a_loader(payload=holding(STREAM), **options), LINUX)
        assert finding.confidence is Confidence.CERTAIN
        assert finding.error == f"ValueError: DataLoader with IterableDataset: expected unspecified {said}"
        assert not the_fix(finding).safe

    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            (DatasetKind.ITERABLE, {"shuffle": False}),
            (DatasetKind.ITERABLE, {"shuffle": None}),
            (DatasetKind.ITERABLE, {"shuffle": 0}),
            (DatasetKind.ITERABLE, {"sampler": None, "batch_sampler": None}),
            (DatasetKind.ITERABLE, {"shuffle": Value(open=True)}),
            (DatasetKind.DATAPIPE, {"shuffle": True}),
            (DatasetKind.MAP, {"shuffle": True}),
            (None, {"shuffle": True}),
        ],
    )
    def test_what_torch_accepts_is_quiet(self, kind: DatasetKind | None, options: dict[str, Any]) -> None:
        payload = holding(Samples(at(5), "Stream", kind))
        assert check("LL208", a_loader(payload=payload, **options), LINUX) == []

    def test_a_datapipe_takes_no_sampler_either(self) -> None:
        payload = holding(Samples(at(5), "Pipe", DatasetKind.DATAPIPE))
        assert check("LL208", a_loader(payload=payload, sampler=SAMPLER), LINUX) != []

    def test_where_a_stream_is_not_shuffled_it_is_only_possible_that_it_is(self) -> None:
        stream = Samples(at(5), "Stream", DatasetKind.ITERABLE, assumptions=assuming("streaming", True))
        shuffle = Value((written(True), written(False, assumptions=assuming("streaming", True))))
        loader = a_loader(payload=holding(stream), shuffle=shuffle)
        assert the_finding("LL208", loader, LINUX).confidence is Confidence.POSSIBLE

    def test_a_stream_of_other_runs_is_quiet_and_one_that_may_be_of_others_only_possible(self) -> None:
        stream = Samples(at(5), "Stream", DatasetKind.ITERABLE, assumptions=assuming("streaming", True))
        apart = a_loader(payload=holding(stream), shuffle=written(True, assumptions=assuming("streaming", False)))
        unrelated = a_loader(payload=holding(stream), shuffle=written(True, assumptions=assuming("train", True)))
        assert check("LL208", apart, LINUX) == []
        assert the_finding("LL208", unrelated, LINUX).confidence is Confidence.POSSIBLE
