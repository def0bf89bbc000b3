"""Loading of a checkpoint with transformers: which class, which device, which dtype, which template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchwright.models.local_checkpoint import Checkpoint, LocalSettings
from benchwright.schemas.errors import UsageError


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the checkpoint itself says about sampling, for requests that leave a setting open."""

    temperature: float
    top_p: float | None
    top_k: int | None


@dataclass(frozen=True)
class Loaded:
    """A model with everything around it."""

    model: Any
    processor: Any
    """Of a model that sees; None for text alone."""
    tokenizer: Any
    defaults: Defaults
    ends: frozenset[int]
    """Tokens that end a reply."""
    pad: int
    context: int
    """Tokens of prompt and reply together."""

    @property
    def sees(self) -> bool:
        """True when it reads images."""
        return self.processor is not None

    def template(self, turns: Sequence[Mapping[str, Any]], more: Mapping[str, Any]) -> str:
        """The prompt as text, ready for the reply to begin.

        Raises:
            jinja2.TemplateError: the template does not allow these messages.
        """
        owner = self.processor if self.sees and self.processor.chat_template else self.tokenizer
        text: str = owner.apply_chat_template(list(turns), tokenize=False, add_generation_prompt=True, **more)
        return text

    def encode(self, texts: Sequence[str], images: Sequence[Sequence[Any]]) -> Any:
        """Tensors of a batch, padded on the left, on the model's device."""
        # A template that writes the opening token itself must not get a second one.
        begin = self.tokenizer.bos_token
        special = self.processor is not None and not (begin and texts[0].startswith(begin))
        options = {"padding": True, "return_tensors": "pt", "add_special_tokens": special}
        if self.processor is None:
            return self.tokenizer(list(texts), **options).to(self.model.device)
        if any(images):
            options["images"] = [list(row) for row in images]
        encoded = self.processor(text=list(texts), **options)
        return encoded.to(self.model.device, dtype=self.model.dtype)

    def release_memory(self) -> None:
        """Give cached blocks of GPU memory back."""
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load(checkpoint: Checkpoint, settings: LocalSettings) -> Loaded:
    """Load model, processor and template.

    Raises:
        UsageError: transformers cannot load it, or it has no chat template.
    """
    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    try:
        return _load(checkpoint, settings)
    except (OSError, ValueError, ImportError, KeyError) as error:
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        hint = "; trust_remote_code=true runs the checkpoint's own code" if "remote" in str(error) else ""
        raise UsageError(f"local/{checkpoint.name} cannot be loaded ({told}){hint}.") from error
    finally:
        if bars:
            transformers_logging.enable_progress_bar()


def _load(checkpoint: Checkpoint, settings: LocalSettings) -> Loaded:
    import torch
    import transformers

    shared: dict[str, Any] = {"trust_remote_code": settings.trust_remote_code, "revision": checkpoint.commit}
    shared = {name: value for name, value in shared.items() if value is not None}
    weights = dict(shared)
    dtype: Any = settings.dtype
    if checkpoint.gguf is not None:
        shared["gguf_file"] = weights["gguf_file"] = checkpoint.gguf
        weights["quantization_config"] = transformers.GgufConfig(dequantize=True)
        dtype = "float32" if dtype == "auto" else dtype
    weights["dtype"] = dtype if dtype == "auto" else getattr(torch, dtype)
    device = placement(settings.device)
    if device is None:
        weights["device_map"] = "auto"
    processor = None
    if _sees(checkpoint, shared):
        processor = transformers.AutoProcessor.from_pretrained(checkpoint.source, **shared)
        tokenizer = processor.tokenizer
        model = transformers.AutoModelForImageTextToText.from_pretrained(checkpoint.source, **weights)
    else:
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.source, **shared)
        model = transformers.AutoModelForCausalLM.from_pretrained(checkpoint.source, **weights)
    if device is not None:
        model.to(device)
    model.eval()
    return _completed(checkpoint, model, processor, tokenizer)


def _completed(checkpoint: Checkpoint, model: Any, processor: Any, tokenizer: Any) -> Loaded:
    if not (getattr(processor, "chat_template", None) or tokenizer.chat_template):
        raise UsageError(
            f"local/{checkpoint.name} has no chat template, so it was not made to answer messages; use its "
            "instruction-tuned sibling."
        )
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    said = model.generation_config
    ends = said.eos_token_id if said.eos_token_id is not None else tokenizer.eos_token_id
    draws = bool(said.do_sample)
    defaults = Defaults(
        temperature=(1.0 if said.temperature is None else said.temperature) if draws else 0.0,
        top_p=said.top_p if draws else None,
        top_k=said.top_k if draws else None,
    )
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return Loaded(
        model=model,
        processor=processor,
        tokenizer=tokenizer,
        defaults=defaults,
        ends=frozenset(ends if isinstance(ends, list) else [ends]),
        pad=tokenizer.pad_token_id,
        context=context if isinstance(context, int) else tokenizer.model_max_length,
    )


def _sees(checkpoint: Checkpoint, shared: Mapping[str, Any]) -> bool:
    """True when the checkpoint is a vision-language one: its kind is, and it brings a processor for images."""
    if checkpoint.gguf is not None:
        return False
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as KINDS
    from transformers.utils import cached_file

    config = AutoConfig.from_pretrained(checkpoint.source, **shared)
    own = getattr(config, "auto_map", None) or {}
    if config.model_type not in KINDS and "AutoModelForImageTextToText" not in own:
        return False
    options = {"revision": checkpoint.commit, "_raise_exceptions_for_missing_entries": False}
    names = ("preprocessor_config.json", "processor_config.json")
    if Path(checkpoint.source).is_dir():
        return any((Path(checkpoint.source) / name).is_file() for name in names)
    return any(cached_file(checkpoint.source, name, **options) is not None for name in names)


def placement(device: str) -> str | None:
    """The one device to load onto, or None to spread over several GPUs (accelerate does it)."""
    import torch

    if device != "auto":
        return device
    if torch.cuda.is_available():
        return None if torch.cuda.device_count() > 1 and find_spec("accelerate") is not None else "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
