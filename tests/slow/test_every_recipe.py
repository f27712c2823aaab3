"""Each recipe tried out, also those whose models differ in their sizes only."""

import pytest

from agents.recipes.dry_run import dry_run
from agents.recipes.recipe import load_recipe, recipe_names


@pytest.mark.parametrize("name", recipe_names())
def test_a_dry_run_of_each_recipe_as_it_is(name):
    recipe, checked = load_recipe(name), []
    dry_run(recipe.train, recipe, checked.append)
    assert [text.partition(":")[0] for text in checked] == ["plan", "model", "screen", "step 1", "resume", "eval"]
