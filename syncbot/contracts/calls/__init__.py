"""Questions about a call: what it reaches, which arguments bind, what becomes of them, what comes back."""
