"""Row -> request: the protocol's instruction, the row's question, its images, and nothing else of the row.

The instruction is in the language of the data. A vision-only row has an empty question, so its request carries no
word of question or options. Examples (`eval.shots`) are earlier turns that look just like the question's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.eval.runs.image_limits import fitting_bytes, too_large
from benchwright.eval.runs.instructions import Instructions
from benchwright.eval.runs.pictures import Pictures
from benchwright.eval.runs.shots import Shots, worked_solution
from benchwright.eval.runs.spec import RunSpec
from benchwright.models.chat import ChatRequest, Hints, Message, Sampling
from benchwright.schemas.records import ReleaseRow


@dataclass(frozen=True)
class Requests:
    """Makes the requests of one run.

    Attributes:
        spec: the run's specification.
        instructions: the words in front of each question.
        images: published bytes by sha256; they travel unchanged, in the row's order, unless the specification's image
            policy reduces those that are too large.
        shots: examples before each question.
        by_item: the model is an embedded stand-in, whose replies a seed tells apart.
    """

    spec: RunSpec
    instructions: Instructions
    images: Mapping[str, bytes]
    shots: Shots = field(default_factory=Shots)
    by_item: bool = False
    _reduced: Pictures = field(default_factory=Pictures, repr=False)

    def request_for(self, row: ReleaseRow) -> ChatRequest:
        """The request for one row; only `question`, `images`, `language` and the discipline's name of it are sent.

        Raises:
            ItemError: a picture cannot be sent: no known format, or too large.
        """
        turns: list[Message] = []
        for shot in self.shots.before(row):
            turns += [self._turn(shot, self.shots.images), Message.assistant(worked_solution(shot))]
        turns.append(self._turn(row, self.images))
        return ChatRequest(
            item_id=row.id,
            messages=tuple(turns),
            sampling=sampling_of(self.spec),
            sample_index=self._sample_index(),
            hints=Hints(
                question_type=row.question_type, options=tuple(option.label for option in row.options)
            ),
        )

    def reduced(self, row: ReleaseRow) -> int:
        """How many pictures of a row's request are sent reduced."""
        if "I" not in self.spec.input or self.spec.image_policy.kind != "downscale":
            return 0
        sent = [self.images[sha256] for sha256 in row.images]
        sent += [self.shots.images[sha256] for shot in self.shots.before(row) for sha256 in shot.images]
        return sum(too_large(data, self.spec.image_policy) for data in sent)

    def _turn(self, row: ReleaseRow, images: Mapping[str, bytes]) -> Message:
        sent = row.images if "I" in self.spec.input else ()
        text = self.instructions.text_for(row, with_question="Q" in self.spec.input)
        return Message.user(text, *(self._sendable(sha256, images[sha256]) for sha256 in sent))

    def _sendable(self, sha256: str, data: bytes) -> bytes:
        if not too_large(data, self.spec.image_policy):
            return data
        if sha256 not in self._reduced:
            self._reduced.add(sha256, fitting_bytes(data, self.spec.image_policy))
        return self._reduced[sha256]

    def _sample_index(self) -> int:
        seed = self.spec.sampling.seed
        return seed if self.by_item and seed is not None else self.spec.sample


def sampling_of(spec: RunSpec) -> Sampling:
    """The settings sent with every request of a run."""
    return Sampling.model_validate(spec.sampling.model_dump())
