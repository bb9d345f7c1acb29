"""How each algorithm decides, step by step, as plain values; a picture of them is somebody else's work."""
