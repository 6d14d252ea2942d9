"""Reports: an analysis as text, Markdown, HTML, JSON, SARIF and annotations."""
