"""Formulas that score waiting jobs: parsed, completed and evaluated; never executed as code.

    formula    = conjunct {"or" conjunct}
    conjunct   = negation {"and" negation}
    negation   = "not" negation | comparison
    comparison = sum [("<" | "<=" | ">" | ">=" | "==") sum]
    sum        = product {("+" | "-") product}
    product    = sign {("*" | "/") sign}
    sign       = "-" sign | power
    power      = value ["^" sign]
    value      = NUMBER | NAME | FUNCTION "(" formula {"," formula} ")" | "(" formula ")"

All values are float64, evaluated from left to right. A comparison is 1 or 0, and every value but 0 is true.
"""
