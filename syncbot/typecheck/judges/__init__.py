"""What each kind of finding means, judged with both upstream trees at hand."""
