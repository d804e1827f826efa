"""Speed and memory, as ratios to the work that cannot be avoided, measured in the same run. `python -m benchmarks` runs all."""
