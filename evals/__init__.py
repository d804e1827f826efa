"""How good a store is after refinement, on public data that users download from their owners. See README.md."""
