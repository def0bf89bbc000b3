"""Tiny random checkpoints, built anew: a real Llama, a Llava, an Idefics3, and a Llama that runs out of memory early.

The conftest beside this file loads it by its path. Nothing is downloaded; the weights are seeded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONTEXT = 512
CHAT = (
    "{% for m in messages %}<{{ m['role'] }}>"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for p in m['content'] %}"
    "{% if p['type'] == 'image' %}<image>{% else %}{{ p['text'] }}{% endif %}{% endfor %}{% endif %}"
    "</s>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
STRICT = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turns here') }}{% endif %}" + CHAT
)


def tokenizer(chat_template: str | None = CHAT, context: int = CONTEXT) -> Any:
    """Byte-level BPE over the whole byte alphabet: no unknown token in any language."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=285,
        special_tokens=["<pad>", "<s>", "</s>", "<image>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(["what is the answer to the question"], trainer)
    made = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        additional_special_tokens=["<image>"],
        model_max_length=context,
    )
    made.chat_template = chat_template
    return made


def llama_config(words: Any, context: int = CONTEXT) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        tie_word_embeddings=False,
    )


def sharpen(model: Any) -> None:
    """Make the greedy choice clear (a random head is nearly flat) and never a special token."""
    import torch

    with torch.no_grad():
        model.lm_head.weight.mul_(8)
        model.lm_head.weight[:4] = 0


def set_ends(model: Any, words: Any) -> None:
    model.generation_config.eos_token_id = words.eos_token_id
    model.generation_config.pad_token_id = words.pad_token_id
    model.generation_config.bos_token_id = words.bos_token_id


def build_llama(folder: Path, chat_template: str | None = CHAT, seed: int = 0) -> Path:
    """A causal model with two layers of width 32."""
    import torch
    from transformers import LlamaForCausalLM

    words = tokenizer(chat_template)
    torch.manual_seed(seed)
    model = LlamaForCausalLM(llama_config(words))
    sharpen(model)
    set_ends(model, words)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def build_llava(folder: Path, context: int = CONTEXT) -> Path:
    """A vision-language model: CLIP (image 56, patch 14) and Llama, two layers of width 32 each."""
    import torch
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    words = tokenizer(context=context)
    vision = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=56,
        patch_size=14,
    )
    torch.manual_seed(0)
    model = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=vision,
            text_config=llama_config(words, context),
            image_token_index=words.convert_tokens_to_ids("<image>"),
            vision_feature_select_strategy="default",
            vision_feature_layer=-1,
        )
    )
    sharpen(model)
    set_ends(model, words)
    model.save_pretrained(folder)
    sizes = {"height": 56, "width": 56}
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size=sizes, crop_size=sizes),
        tokenizer=words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT,
        image_token="<image>",
    )
    processor.save_pretrained(folder)
    return folder


def build_idefics3(folder: Path, context: int = CONTEXT) -> Path:
    """Another vision-language model: its own vision tower (image 56, patch 14, four tokens a picture) and Llama."""
    import torch
    from transformers import (
        Idefics3Config,
        Idefics3ForConditionalGeneration,
        Idefics3ImageProcessorPil,
        Idefics3Processor,
    )

    words = tokenizer(context=context)
    side = {"longest_edge": 56}
    processor = Idefics3Processor(
        image_processor=Idefics3ImageProcessorPil(size=side, max_image_size=side, do_image_splitting=False),
        tokenizer=words,
        image_seq_len=4,
        chat_template=CHAT,
    )  # adds its tokens to `words`, so the model comes after it
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": 56,
        "patch_size": 14,
    }
    torch.manual_seed(0)
    model = Idefics3ForConditionalGeneration(
        Idefics3Config(
            vision_config=vision,
            text_config=llama_config(words, context),
            image_token_id=words.convert_tokens_to_ids("<image>"),
            scale_factor=2,
        )
    )
    sharpen(model)
    set_ends(model, words)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def build_hungry(folder: Path, most: int, how: str) -> Path:
    """A Llama whose forward pass asks for more memory than there is when a batch has more than `most` rows.

    `how`: "cpu" (the allocator's RuntimeError), "cuda" (torch's OutOfMemoryError), "python" (MemoryError), or "bug"
    (a RuntimeError that has nothing to do with memory). The class is registered with transformers as any model of a
    third party is.
    """
    build_llama(folder)
    register_hungry()
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config |= {"model_type": "hungry-llama", "architectures": ["HungryLlama"], "most": most, "how": how}
    path.write_text(json.dumps(config))
    return folder


def register_hungry() -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    if "hungry-llama" in CONFIG_MAPPING:
        return

    class HungryConfig(LlamaConfig):
        model_type = "hungry-llama"
        most: int = 1
        how: str = "cpu"

    class HungryLlama(LlamaForCausalLM):
        config_class = HungryConfig
        seen: list[int] = []

        def forward(self, input_ids: Any = None, **kwargs: Any) -> Any:
            rows = input_ids.shape[0]
            HungryLlama.seen.append(rows)
            if rows > self.config.most:
                if self.config.how == "cpu":
                    torch.empty(10**15)
                if self.config.how == "cuda":
                    raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
                if self.config.how == "python":
                    bytearray(10**18)
                raise RuntimeError("shapes do not fit")
            return super().forward(input_ids=input_ids, **kwargs)

    AutoConfig.register("hungry-llama", HungryConfig)
    AutoModelForCausalLM.register(HungryConfig, HungryLlama)
