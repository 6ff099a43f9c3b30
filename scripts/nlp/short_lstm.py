"""A faster LSTM for training on a CPU: its products are computed in bfloat16, which autocast leaves out.

PyTorch's autocast does not reach an LSTM over packed sequences. Weights stay in single precision; evaluation
is not changed.
"""

from __future__ import annotations

from typing import Any

import torch
from stanza.models.common.packed_lstm import PackedLSTM
from torch.nn.utils.rnn import PackedSequence


def install() -> None:
    """Let every LSTM of this process that is called under autocast compute in bfloat16."""
    if PackedLSTM.forward is not forward:
        PackedLSTM.forward = forward


_forward = PackedLSTM.forward


def forward(self: Any, input: Any, lengths: Any, hx: Any = None) -> Any:
    """Stanza's pass over packed sequences, all in bfloat16 under autocast."""
    if hx is None or not torch.is_autocast_enabled("cpu"):
        return _forward(self, input, lengths, hx)
    lstm, short = self.lstm, torch.bfloat16
    states, h, c = torch._VF.lstm(
        input.data.to(short), input.batch_sizes, [each.to(short) for each in hx],
        [weight.to(short) for weight in lstm._flat_weights], lstm.bias, lstm.num_layers, 0.0,
        self.training, lstm.bidirectional,
    )  # fmt: skip
    return PackedSequence(states.float(), input.batch_sizes), (h.float(), c.float())
