"""Ready settings for training published models on GPUs; see docs/recipes.md."""
