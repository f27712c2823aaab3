"""Tables of cells with formulas, without a picture: numbers, formulas, references and .csv files."""
