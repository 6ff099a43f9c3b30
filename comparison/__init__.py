"""The paper's other systems on the same questions: n-grams, LSTM, memory networks (none yet)."""
