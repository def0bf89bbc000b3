"""The models that a proposer asks, behind one small surface: typed replies, votes, plain calls, pictures.

The panel keeps concurrency, call store and sampling settings out of the proposers. For a dry run the same proposers
meet a `PlanningPanel`, which writes down what would be asked and answers nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel

from benchwright.models.chat import Call, ChatModel, ChatRequest, Message, Sampling
from benchwright.models.probes import Capabilities, with_schema
from benchwright.models.reply_schema import reply_schema
from benchwright.models.scheduler import Scheduler
from benchwright.models.structured import Structured, ask_structured
from benchwright.schemas.errors import BenchwrightError, ItemError, TamperedError, UsageError
from benchwright.schemas.recipe import ModelRecipe
from benchwright.schemas.records import ImageRef
from benchwright.schemas.workspace import Workspace

T = TypeVar("T", bound=BaseModel)
A = TypeVar("A")
Check = Callable[[ChatRequest, T], str | None]


@dataclass(frozen=True)
class Member:
    """One model of the panel."""

    model: ChatModel
    settings: ModelRecipe
    scheduler: Scheduler


@dataclass(frozen=True)
class Ballot(Generic[T]):
    """One typed reply among several to the same request."""

    model: str
    sample_index: int
    reply: Structured[T]


@dataclass(frozen=True)
class Mended(Generic[T]):
    """A reply and what the program checks still find in it after one re-ask."""

    value: T
    findings: tuple[str, ...]
    """As `code: words`; empty when all checks pass."""
    call_id: str


class Panel:
    """The models to ask. All methods belong to one event loop.

    Args:
        workspace: where pictures come from.
        members: at least one; the first one is asked where a proposer needs one voice.
        votes: how often each member is asked by `poll`.
    """

    def __init__(self, workspace: Workspace, members: Sequence[Member], votes: int = 1) -> None:
        self.workspace = workspace
        self.members = tuple(members)
        self.votes = votes
        self._found: dict[str, Capabilities] = {}
        self.called: set[str] = set()
        """Keys of the calls that were made through this panel."""

    @property
    def name(self) -> str:
        """Name of the first member, for proposals."""
        return self.members[0].model.name

    @property
    def names(self) -> str:
        """Names of all members, joined by ` + `, for proposals that several made together."""
        return " + ".join(member.model.name for member in self.members)

    def for_unit(self) -> Panel:
        """The same panel with a record of its own of what was called."""
        own = copy(self)
        own.called = set()
        return own

    def learn(self, member: Member, found: Capabilities) -> None:
        """Note what a probe found about a member's endpoint."""
        self._found[member.model.name] = found

    def picture_bytes(self, images: Sequence[ImageRef]) -> tuple[bytes, ...]:
        """Published bytes of pictures, checked against their digests.

        Raises:
            ItemError: `picture-missing`, or `picture-changed` since it was ingested.
        """
        try:
            return tuple(self.workspace.read_image(image.sha256) for image in images)
        except UsageError as error:
            raise ItemError("picture-missing", str(error)) from error
        except TamperedError as error:
            raise ItemError("picture-changed", str(error)) from error

    def request(
        self,
        item_id: str,
        prompt: str | Sequence[Message],
        images: Sequence[ImageRef] = (),
        *,
        member: int = 0,
        sample_index: int = 0,
        temperature: float | None = None,
    ) -> ChatRequest:
        """A request with the member's own sampling settings.

        Args:
            item_id: names the item in logs and for stand-ins.
            prompt: the text of one user message, or all messages.
            images: sent after the text of a single message; not allowed beside messages.
            member: whose settings.
            sample_index: counts calls of the same content.
            temperature: overrides the member's.
        """
        settings = self.members[member].settings
        if isinstance(prompt, str):
            messages: tuple[Message, ...] = (Message.user(prompt, *self.picture_bytes(images)),)
        else:
            assert not images, "messages carry their own pictures"
            messages = tuple(prompt)
        return ChatRequest(
            item_id=item_id,
            messages=messages,
            sampling=Sampling(
                temperature=settings.temperature if temperature is None else temperature,
                max_tokens=settings.max_tokens,
            ),
            sample_index=sample_index,
        )

    async def ask(
        self, request: ChatRequest, reply: type[T], check: Check[T] | None = None, *, member: int = 0
    ) -> Structured[T]:
        """One typed reply, with one re-ask (see `models.structured`)."""
        asked = self.members[member]
        found = self._found.get(asked.model.name)
        answer = await ask_structured(asked.scheduler, request, reply, check, found)
        self.called.update(call.key for call in answer.calls)
        return answer

    async def call(self, request: ChatRequest, *, member: int = 0) -> Call:
        """One plain call."""
        call = await self.members[member].scheduler.call(request)
        self.called.add(call.key)
        return call

    async def answer(
        self, request: ChatRequest, reply: type[T], check: Check[T] | None = None, *, member: int = 0
    ) -> tuple[T, str]:
        """One typed reply and the id of its call.

        Raises:
            ItemError: there is none; the reason is the call's status.
        """
        return value_of(await self.ask(request, reply, check, member=member))

    async def poll(
        self,
        item_id: str,
        prompt: str,
        images: Sequence[ImageRef],
        reply: type[T],
        check: Check[T] | None = None,
    ) -> list[Ballot[T]]:
        """Ask every member `votes` times; each is a call of its own.

        With several votes the members' `vote_temperature` is used. Ballots stand in the order of members and samples;
        those without a value are among them.
        """

        async def one(member: int, index: int) -> Ballot[T]:
            heat = self.members[member].settings.vote_temperature if self.votes > 1 else None
            request = self.request(
                item_id, prompt, images, member=member, sample_index=index, temperature=heat
            )
            answer = await self.ask(request, reply, check, member=member)
            return Ballot(self.members[member].model.name, index, answer)

        places = [(member, index) for member in range(len(self.members)) for index in range(self.votes)]
        return await all_of(one(*place) for place in places)

    async def mended(
        self,
        request: ChatRequest,
        reply: type[T],
        findings: Callable[[T], Sequence[str]],
        check: Check[T] | None = None,
        *,
        reask: Callable[[Sequence[str]], str],
        member: int = 0,
    ) -> Mended[T]:
        """A typed reply that a program also checks: what it finds is sent back once, and the better reply is kept.

        Args:
            request: the question.
            reply: form of the reply.
            findings: the program checks, each finding as `code: words`.
            check: hard test without which a reply cannot be used at all.
            reask: puts the findings into words for the model.
            member: whom to ask.

        Raises:
            ItemError: no usable reply at all.
        """
        first = await self.ask(request, reply, check, member=member)
        value, call_id = value_of(first)
        found = tuple(findings(value))
        if not found:
            return Mended(value, (), call_id)
        said = first.calls[-1].text or ""
        again = (*request.messages, Message.assistant(said), Message.user(reask(found)))
        second = await self.ask(
            ChatRequest(request.item_id, again, request.sampling, request.sample_index),
            reply,
            check,
            member=member,
        )
        if second.value is None:
            # The first reply is usable; that the second is not is no reason to lose it.
            return Mended(value, found, call_id)
        left = tuple(findings(second.value))
        if len(left) <= len(found):
            return Mended(second.value, left, second.calls[-1].key)
        return Mended(value, found, call_id)


async def all_of(asked: Iterable[Coroutine[Any, Any, A]]) -> list[A]:
    """Await everything, and only then raise what one of them raised: the other replies are paid for, and stored."""
    ended = await asyncio.gather(*asked, return_exceptions=True)
    results = []
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


def value_of(reply: Structured[T]) -> tuple[T, str]:
    """The value of a reply and the id of its call.

    Raises:
        ItemError: there is none; the reason is the status.
    """
    if reply.value is None:
        raise ItemError(str(reply.status), reply.detail or "")
    return reply.value, reply.calls[-1].key


class Planned(BenchwrightError):
    """Raised by a planning panel in place of every reply."""


class PlanningPanel(Panel):
    """Writes down each request and answers none: what a dry run shows to a proposer."""

    def __init__(self, workspace: Workspace, members: Sequence[Member], votes: int = 1) -> None:
        super().__init__(workspace, members, votes)
        self.asked: list[tuple[int, ChatRequest]] = []
        """(place of the member, request as it would be sent), in the order of asking."""

    async def ask(
        self, request: ChatRequest, reply: type[T], check: Check[T] | None = None, *, member: int = 0
    ) -> NoReturn:
        """Write the request down."""
        found = self._found.get(self.members[member].model.name)
        self._note(with_schema(request, reply_schema(reply), found), member)

    async def call(self, request: ChatRequest, *, member: int = 0) -> NoReturn:
        """Write the request down."""
        self._note(request, member)

    def _note(self, request: ChatRequest, member: int) -> NoReturn:
        self.asked.append((member, request))
        raise Planned("a dry run asks nothing")
