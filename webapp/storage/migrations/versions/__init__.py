"""The migrations, each with its revision and the previous one."""
