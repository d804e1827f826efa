"""Language models over any OpenAI-compatible endpoint, from batch files, from recordings, or scripted."""
