"""The reference implementation of kernels/rules/recommend."""


def rule_hits(baskets, rules, groups, most):
    """What rules (pairs of item collections) recommend to baskets (sets): pairs of item and rule, for each basket."""
    out = []
    for basket in baskets:
        told, settled = {}, {groups[item] for item in basket if groups[item] >= 0}
        for number, (left, right) in enumerate(rules):
            for item in sorted(right) if set(left) <= set(basket) else ():
                if item not in basket and item not in told and groups[item] not in settled:
                    told[item] = number
                    settled |= {groups[item]} if groups[item] >= 0 else set()
        out.append(list(told.items())[:most])
    return out
