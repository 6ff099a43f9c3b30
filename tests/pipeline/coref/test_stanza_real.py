"""The Stanza adapter with Stanza itself: a tiny transformer made here, a few training steps, then moved.

Runs where stanza, transformers and peft are installed; nothing is downloaded. The checkpoint stores the
absolute path of the transformer it was trained on, so moving that folder is the case that matters.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from babi_cascade.pipeline.coref.stanza import StanzaCoreference
from babi_cascade.pipeline.errors import MissingRequirement
from tests.pipeline.coref.trees import go_together, goes, story, texts

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("peft")
stanza_model = pytest.importorskip("stanza.models.coref.model")
stanza_config = pytest.importorskip("stanza.models.coref.config")

TOLD = story(go_together("Kofi", "Leila"), goes("They"))
WORDS = [token.form for tree in TOLD for token in tree]


def tiny_transformer(folder: Path) -> Path:
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "_", *sorted(set(WORDS))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False).save_pretrained(
        folder
    )
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64,
    )  # fmt: skip
    torch.manual_seed(0)  # its first weights decide whether a few steps are enough
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def settings(backbone: Path, folder: Path) -> Any:
    return stanza_config.Config(
        section="tiny", data_dir="", save_dir=str(folder), save_name="tiny", train_data="",
        dev_data="", test_data="", device="cpu", bert_model=str(backbone), bert_window_size=64,
        embedding_size=8, sp_embedding_size=64, a_scoring_batch_size=64, hidden_size=32,
        n_hidden_layers=1, max_span_len=8, rough_k=20, lora=False, lora_alpha=1, lora_rank=1,
        lora_dropout=0.0, full_pairwise=False, lora_target_modules=[], lora_modules_to_save=[],
        clusters_starts_are_singletons=True, bert_finetune=True, dropout_rate=0.0,
        learning_rate=0.01, bert_learning_rate=0.001, bert_finetune_begin_epoch=0.0,
        train_epochs=1, plateau_epochs=0, bce_loss_weight=0.5, tokenizer_kwargs={},
        conll_log_dir="", save_each_checkpoint=False, log_norms=False, singletons=False,
        max_train_len=5000, use_zeros=False, lang_lr_attenuation="", lang_lr_weights="",
    )  # fmt: skip


def trained(backbone: Path, folder: Path) -> Path:
    """Teach a model that "Kofi and Leila" and "They" are the same, by Stanza's own losses."""
    torch.manual_seed(0)
    model = stanza_model.CorefModel(config=settings(backbone, folder), build_optimizers=False)
    they = WORDS.index("They")
    document = model.build_doc(
        {
            "document_id": "wb_tiny_1",
            "cased_words": list(WORDS),
            "sent_id": [i for i, tree in enumerate(TOLD) for _ in tree],
            "speaker": ["_"] * len(WORDS),
        }
    )
    document.update(
        word_clusters=[[0, they]],
        span_clusters=[[(0, 3), (they, they + 1)]],
        head2span=[(0, 0, 3), (they, they, they + 1)],
    )
    modules = model.trainable.values()
    optimizer = torch.optim.Adam([p for m in modules for p in m.parameters()], lr=0.01)
    model.training = True
    for _ in range(40):
        optimizer.zero_grad()
        result = model.run(document)
        loss = model._coref_criterion(result.coref_scores, result.coref_y)
        for side in (0, 1):
            loss = loss + model._span_criterion(result.span_scores[:, :, side], result.span_y[side])
        loss.backward()
        optimizer.step()
    path = folder / "tiny.pt"
    model.save_weights(str(path), save_optimizers=False)
    return path


def test_a_trained_model_whose_transformer_has_moved(tmp_path: Path) -> None:
    backbone = tiny_transformer(tmp_path / "backbone")
    path = trained(backbone, tmp_path)
    here = StanzaCoreference(path)
    here.check()
    found = here.resolve(TOLD)
    assert texts(TOLD, found) == [["Kofi and Leila", "They"]]
    assert here.resolve(story("🙂/SYM/0/root \u200b/X/1/dep")).entities == ()

    shutil.move(backbone, tmp_path / "elsewhere")
    with pytest.raises(MissingRequirement, match="backbone=DIR"):
        StanzaCoreference(path).resolve(TOLD)
    assert StanzaCoreference(path, backbone=tmp_path / "elsewhere").resolve(TOLD) == found
