"""Where a program reads, as it iterates a loader or later, a file that its samples write: workers are ahead of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import Iterations
from loaderlint.linking.programs.meanwhile import from_then_on
from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.file_paths import UNSEEN, may_be, texts_of
from loaderlint.linking.workers.file_reads import paths_read
from loaderlint.linking.workers.file_writes import written_by
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Touch

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite


def logs_read(
    evaluator: Evaluator, site: PythonSite, running: Sequence[Function], runs: Sequence[Iterations]
) -> Iterator[Touch]:
    """Yield where a file is read that functions of workers write, by the paths as far as they are seen.

    What is not seen at all of a path may be that of any file: a cache that samples keep is mostly one of their own.
    """
    written = [
        path
        for one in running
        for call in one.scope.calls
        for named in written_by(evaluator, one.facts, one.scope, call.node)
        for path in texts_of(evaluator, one.facts, one.scope, named)
        if path.strip(f"{UNSEEN}/.")
    ]
    if not written:
        return
    for part in dict.fromkeys(from_then_on(evaluator, site.call, runs)):
        for call in part.sites:
            read = paths_read(evaluator, part.facts, part.scope, call.node)
            if any(may_be(path.removeprefix("./"), other.removeprefix("./")) for path in read for other in written):
                yield touch_at(part.facts, call.node)
