"""Repairs of trees: constructions that small parsers often get wrong, one family a file."""
