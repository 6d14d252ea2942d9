"""Facts worded by a language model, where one is configured: checked, kept, and never needed."""
