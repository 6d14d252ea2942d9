"""Gates: code for two versions of upstream in one text, written and taken out again."""
