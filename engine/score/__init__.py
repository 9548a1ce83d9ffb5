"""Formulas that score waiting jobs: parsed, completed, worked out; never run as code.

    formula    = conjunct {"or" conjunct}
    conjunct   = negation {"and" negation}
    negation   = "not" negation | comparison
    comparison = sum [("<" | "<=" | ">" | ">=" | "==") sum]
    sum        = product {("+" | "-") product}
    product    = sign {("*" | "/") sign}
    sign       = "-" sign | power
    power      = value ["^" sign]
    value      = NUMBER | NAME | FUNCTION "(" formula {"," formula} ")" | "(" formula ")"

All values are float64, worked out from left to right. A comparison is 1 or 0, and whatever is not 0 is true.
"""
