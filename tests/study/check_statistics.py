"""check_statistics.py CASES.json: computes each case again with SciPy and prints what is farther from it than 1e-9 (relative
to the larger number; 1e-14 where that is nearly 0), then how many numbers agree. Exit 3: there is no SciPy."""

import itertools
import json
import sys
from types import SimpleNamespace

try:
    import numpy as np
    from scipy import stats
except ImportError:
    sys.exit(3)

STATISTIC = {
    "mean": np.mean,
    "median": np.median,
    "deviation": lambda x: np.std(x, ddof=1),
    "share": lambda x: np.mean(np.asarray(x) != 0),
}


def bca(data, statistic, draws):
    """SciPy's BCa interval of our resamples: their indices are given, the replicates computed here."""
    data = [np.array(d) for d in data]
    replicates = np.array([statistic(*(d[i] for d in data)) for i in np.array(draws)])
    result = stats.bootstrap(
        data, statistic, paired=len(data) > 1, vectorized=False, n_resamples=0, method="BCa", confidence_level=0.95,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=replicates))  # fmt: skip
    return result.confidence_interval.low, result.confidence_interval.high


def page_by_all_orders(blocks):
    """P(L >= observed) by going through all orders of all blocks."""
    places = np.arange(1, len(blocks[0]) + 1)
    sums = np.zeros(1)
    for block in blocks:
        ranks = stats.rankdata(block)
        sums = (sums[:, None] + [places @ np.array(order) for order in itertools.permutations(ranks)]).ravel()
    observed = sum(places @ stats.rankdata(block) for block in blocks)
    return np.mean(sums >= observed - 1e-9)


def holm(p):
    order = np.argsort(p)
    out = np.empty(len(p))
    out[order] = np.minimum(1, np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1)))
    return out


def share(c):
    test = stats.binomtest(c["hits"], c["n"])
    return {m: list(test.proportion_ci(0.95, method=s)) for m, s in (("clopper_pearson", "exact"), ("wilson", "wilson"))}


def intervals(c):
    x = np.array(c["x"])
    n, s = len(x), np.std(x, ddof=1)
    return {
        "mean": list(stats.t.interval(0.95, n - 1, np.mean(x), stats.sem(x))),
        "deviation": [s * np.sqrt((n - 1) / stats.chi2.ppf(q, n - 1)) for q in (0.975, 0.025)],
    }


def wilcoxon(c):
    d = np.array(c["x"])
    d = d[d != 0]
    tied = len(np.unique(np.abs(d))) < len(d)
    if len(d) > 50:
        method = "asymptotic"
    else:
        method = stats.PermutationMethod(n_resamples=2 ** (len(d) + 1)) if tied else "exact"
    return {"p": stats.wilcoxon(d, method=method, correction=False).pvalue}


def mcnemar(c):
    a, b = np.array(c["a"]) != 0, np.array(c["b"]) != 0
    only = int(np.sum(a & ~b)), int(np.sum(~a & b))
    return {"p": stats.binomtest(min(only), sum(only)).pvalue}


def friedman(c):
    t = c["treatments"]
    found = stats.friedmanchisquare(*t)
    ranks = np.mean([stats.rankdata(block) for block in np.array(t).T], axis=0)
    return {"chi_squared": found.statistic, "p": found.pvalue, "mean_ranks": list(ranks)}


def page(c):
    blocks = np.array(c["treatments"]).T
    tied = any(len(np.unique(block)) < len(block) for block in blocks)
    if tied:
        L = sum(np.arange(1, blocks.shape[1] + 1) @ stats.rankdata(block) for block in blocks)
        return {"L": L, "p": page_by_all_orders(blocks)}
    found = stats.page_trend_test(blocks, method="exact" if c["exact"] else "asymptotic")
    return {"L": found.statistic, "p": found.pvalue}


def correlation(c):
    x, y, kind = np.array(c["x"]), np.array(c["y"]), c["kind"]
    if kind == "pearson":
        found = stats.pearsonr(x, y)
        return {"r": found.statistic, "p": found.pvalue, "interval": list(found.confidence_interval(0.95))}
    if kind == "spearman":
        found = stats.spearmanr(x, y)
        of = lambda a, b: stats.spearmanr(a, b).statistic
    else:
        tied = len(np.unique(x)) < len(x) or len(np.unique(y)) < len(y)
        found = stats.kendalltau(x, y, method="asymptotic" if tied or len(x) > 33 else "exact")
        of = lambda a, b: stats.kendalltau(a, b).statistic
    return {"r": found.statistic, "p": found.pvalue, "interval": list(bca((x, y), of, c["draws"]))}


def paired(c):
    a, b, of = np.array(c["a"]), np.array(c["b"]), STATISTIC[c["kind"]]
    out = {
        "difference": of(a) - of(b),
        "difference_interval": list(bca((a, b), lambda x, y: of(x) - of(y), c["draws"])),
        "ratio": of(a) / of(b),
        "ratio_interval": list(bca((a, b), lambda x, y: of(x) / of(y), c["draws"])),
    }
    if c["kind"] == "deviation":
        out["p"] = stats.pearsonr(a + b, a - b).pvalue
    return out


def correction(c):
    p = np.array(c["p"])
    return {
        "bonferroni": list(np.minimum(1, p * len(p))),
        "holm": list(holm(p)),
        "benjamini_hochberg": list(stats.false_discovery_control(p, method="bh")),
    }


agree = 0
for number, case in enumerate(json.load(open(sys.argv[1]))):
    for key, theirs in globals()[case["what"]](case).items():
        theirs, ours = np.ravel(theirs), np.ravel(case["ours"][key]).astype(float)
        if len(theirs) == len(ours) and np.allclose(ours, theirs, rtol=1e-9, atol=1e-14):
            agree += len(ours)
        else:
            print(f"case {number}, {case['what']} {case.get('kind', '')}: {key} is {ours}, SciPy has {theirs}")
print(f"{agree} agree")
