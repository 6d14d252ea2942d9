"""Whisper: an encoder of sounds, whose output the decoder attends to through a cache of its own."""

from typing import Any

from vllm_npu_cases.models.recipe import END, PADDING, VOCABULARY, Recipe

#: A sound is cut or filled to two seconds: 200 frames, of which the encoder makes 100 tokens.
_SECONDS = 2
_FRAMES = 100 * _SECONDS
_TOKENS = 96


def _configuration() -> Any:
    from transformers import WhisperConfig

    return WhisperConfig(
        vocab_size=VOCABULARY,
        num_mel_bins=80,
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_ffn_dim=128,
        max_source_positions=_FRAMES // 2,
        max_target_positions=_TOKENS,
        decoder_start_token_id=3,
        bos_token_id=END,
        eos_token_id=END,
        pad_token_id=PADDING,
        begin_suppress_tokens=None,
    )


def _processor(tokenizer: Any) -> Any:
    from transformers import WhisperFeatureExtractor, WhisperProcessor

    extractor = WhisperFeatureExtractor(feature_size=80, chunk_length=_SECONDS)
    return WhisperProcessor(feature_extractor=extractor, tokenizer=tokenizer)


RECIPE = Recipe(
    name="whisper",
    configuration=_configuration,
    operators=("npu_scatter_pa_kv_cache", "npu_fused_infer_attention_score", "npu_fusion_attention"),
    auto_class="AutoModelForSpeechSeq2Seq",
    processor=_processor,
    engine={"max_model_len": _TOKENS},
)
