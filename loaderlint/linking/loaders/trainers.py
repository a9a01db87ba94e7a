"""What a trainer is given for its loaders besides the arguments they are made of."""

from __future__ import annotations

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.loaders.sites import PythonSite
from loaderlint.linking.loaders.trainer_calls import trainers_given
from loaderlint.linking.things.kinds import Possibility


def given_to_trainers(evaluator: Evaluator, site: PythonSite) -> dict[str, Given]:
    """Return what trainers that get the arguments made at a site are given: Hugging Face's ``data_collator``.

    Their loaders take it for their ``collate_fn`` (``transformers/trainer.py``, ``Trainer._get_dataloader``).
    """
    keyword = site.kind.spelling.get("collate_fn")
    found: list[Possibility] = []
    for trainer in trainers_given(evaluator, site.makers) if keyword else ():
        for one in trainer.call.keywords:
            if one.arg == keyword:
                found.extend(evaluator.evaluate(one.value, trainer.frame))
    return {"collate_fn": Given.known(tuple(found))} if found else {}
