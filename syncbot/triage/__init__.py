"""From logs of failed runs to the upstream changes that are guilty of them."""
