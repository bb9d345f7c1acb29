"""Walkthroughs, which show an algorithm's decisions one at a time: shared by `pages/steps` and `pages/training`."""
