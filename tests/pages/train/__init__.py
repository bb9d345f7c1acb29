"""Tests of `/train`."""
