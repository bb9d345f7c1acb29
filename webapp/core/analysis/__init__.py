"""What can be said of vocabularies and encodings: portraits, frequencies, agreement, chunks of a long text."""
