"""Static contract check and simulated runs, in environments of their own."""
