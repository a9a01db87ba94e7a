"""What a trainer is given for its loaders besides the arguments they are made of."""

from __future__ import annotations

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.things.kinds import Frame, Made, Possibility


def given_to_trainers(evaluator: Evaluator, site: PythonSite) -> dict[str, Given]:
    """Return what trainers that get the arguments made at a site are given: Hugging Face's ``data_collator``.

    Their loaders take it for their ``collate_fn`` (``transformers/trainer.py``, ``Trainer._get_dataloader``).
    """
    keyword = site.kind.spelling.get("collate_fn")
    found: list[Possibility] = []
    for facts in evaluator.project.all_python() if keyword else ():
        for call in (one for name, calls in facts.calls.items() if name.endswith("Trainer") for one in calls):
            given = {one.arg: one.value for one in call.node.keywords}
            settings = [given["args"]] if "args" in given else call.node.args[1:2]
            frame = Frame(facts, call.place)
            made = evaluator.evaluate(settings[0], frame) if settings and keyword in given else ()
            if any(isinstance(one.thing, Made) and one.thing.call is site.call for one in made):
                found.extend(evaluator.evaluate(given[keyword], frame))
    return {"collate_fn": Given.known(tuple(found))} if found else {}
