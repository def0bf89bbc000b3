"""What may leave the machine: local against external endpoints, and the `allow_external` rule.

An endpoint is local when its host is `localhost` or an address of the loopback, link-local or private ranges
(RFC 1918, RFC 4193). A host *name* counts as external: asking a name server proves nothing about tomorrow's answer.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from benchwright.models.chat import ChatModel
from benchwright.schemas.errors import UsageError

_PRIVATE = tuple(
    ip_network(net)
    for net in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "0.0.0.0/32",
    )
) + tuple(ip_network(net) for net in ("::1/128", "fc00::/7", "fe80::/10", "::/128"))


def clean_base_url(base_url: str) -> str:
    """Check an endpoint's address and bring it to one form (no trailing slash).

    Raises:
        UsageError: it is no http(s) URL, or holds a password, a query or a fragment (credentials travel in the
            environment, never in an address that is stored).
    """
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an unclosed bracket, a port that is no number
        usable = False
    if not usable:
        raise UsageError(
            f"{_without_credentials(base_url)!r} is not the address of an endpoint; "
            "give --base-url as http(s)://HOST[:PORT]/v1."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            f"the address of {parts.hostname} carries credentials or a query; give it bare "
            "and put the key into an environment variable."
        )
    return base_url.rstrip("/")


def is_local(base_url: str) -> bool:
    """True when the address stays on this machine or its private network (see the module's head)."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address: IPv4Address | IPv6Address = ip_address(host.split("%", 1)[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in net for net in _PRIVATE if net.version == address.version)


def require_allowed(model: ChatModel, *, allow_external: bool, stage: str, what: str, n_items: int) -> None:
    """Refuse to send unreleased material to an external model without the builder's word.

    Args:
        model: who would be asked.
        allow_external: the recipe's setting for this stage (and its source).
        stage: where the setting stands, for the message, e.g. `models.tagging`.
        what: what would be sent, e.g. "questions, images and answers".
        n_items: how many items.

    Raises:
        UsageError: the model is external and the stage does not allow it.
    """
    if model.external and not allow_external:
        raise UsageError(
            f"{model.name} is at {model.endpoint.host}, outside this machine: {n_items} unreleased items ({what}) "
            f"would be sent there; set allow_external = true for {stage} in benchwright.toml to agree, "
            "or use a local endpoint."
        )


def outgoing_note(model: ChatModel, n_items: int, answers: bool) -> str:
    """One line for a dry run: host, number of items, whether answers go along."""
    if not model.external:
        where = model.endpoint.host or "this process"
        return f"{model.name}: {n_items} items stay local ({where})"
    return f"{model.name}: {n_items} items go to {model.endpoint.host}, {'with' if answers else 'without'} answers"


def _without_credentials(base_url: str) -> str:
    return base_url.rsplit("@", 1)[-1].split("?", 1)[0]
