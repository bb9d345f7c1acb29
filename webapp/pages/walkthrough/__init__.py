"""What `pages/steps` and `pages/training` share: an algorithm's decisions shown one at a time."""
