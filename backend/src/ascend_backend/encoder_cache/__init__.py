"""The outputs of multimodal encoders: how many bytes they may hold, what they hold, and how they are given back."""
