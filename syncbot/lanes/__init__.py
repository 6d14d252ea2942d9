"""The matrix, lane generation and wheels."""
