"""An interpreter that imports a large package and uses it a little: many modules, many stacks."""

import sys

import numpy
import pandas
import scipy.interpolate
import scipy.optimize
import scipy.stats


def use(amount):
    random = numpy.random.default_rng(1)
    frame = pandas.DataFrame(
        {"key": random.integers(0, 50, 2000), "value": random.normal(size=2000)}
    )
    total = 0.0
    for i in range(amount):
        grouped = frame.groupby("key")["value"].agg(["mean", "std", "count"])
        text = grouped.reset_index().to_csv(index=False)
        fit = scipy.optimize.minimize(lambda x: ((x - i) ** 2).sum(), numpy.zeros(3))
        total += len(text) + float(fit.fun) + scipy.stats.norm.cdf(i)
    return total


print(round(use(int(sys.argv[1]))))
