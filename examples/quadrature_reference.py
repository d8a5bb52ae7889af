#!/usr/bin/env python3
"""Prints the reference integrals over [0, 2] that examples/quadrature.c carries, to 20 digits.

Needs mpmath, which nothing else in the project does: run by hand when a function changes. The three values come from
other mathematics than the program's, so an error in one does not hide in the other:

  1  10 sin(1/g(x)), g(x) = 0.00001 + 1000 sin(20 x), swings infinitely often at each zero of g. Between a zero and the
     next extremum g is monotonic; t = 1/g makes the wild end a plain oscillating tail of sin(t)/t^2.
  2  123 sin(1/x) - 134 sin(20/(x-2)) + 120 sin(3000 x^2) has an antiderivative in Ci and the Fresnel S.
  3  sin(20000 x) is elementary.
"""
from mpmath import mp, mpf, asin, ceil, ci, cos, fresnels, inf, pi, quad, quadosc, sin, sqrt

mp.dps = 30


def function_1(b):
    epsilon, amplitude, frequency = mpf("0.00001"), mpf(1000), mpf(20)

    def g(x):
        return epsilon + amplitude * sin(frequency * x)

    def value(x):
        return 10 * sin(1 / g(x))

    def tail(sign):
        """Integral from the zero of g to the point where |g| = 1, on a half-period where g has this sign."""
        def over_t(t):
            inside = sign / t - epsilon
            return 10 * sign * sin(t) / (t * t * frequency * sqrt(amplitude**2 - inside**2))
        return quad(over_t, [1, 5, 10, 15, 20]) + quadosc(over_t, [20, inf], omega=1)

    def place(k, level):
        """The x near k pi/20 where g(x) = level."""
        shift = asin((level - epsilon) / amplitude) / frequency
        return k * pi / frequency + (shift if k % 2 == 0 else -shift)

    # Zero k lies at k pi/20 between two stretches with |g| <= 1; between stretches the function is smooth.
    # At 0, g = epsilon > 0, so the first stretch is a tail without its part beyond t = 1/epsilon. (Integrated from the
    # next multiple of pi: quadosc counts its half-periods from 0, and there are 31,831 before.)
    def start_over_t(t):
        inside = 1 / t - epsilon
        return 10 * sin(t) / (t * t * frequency * sqrt(amplitude**2 - inside**2))
    whole = ceil(1 / epsilon / pi) * pi
    beyond = quad(start_over_t, [1 / epsilon, whole])
    beyond += quadosc(lambda s: start_over_t(whole + s), [0, inf], omega=1)
    total, sign_after = tail(1) - beyond, 1
    left = place(0, 1)
    k = 1
    while k * pi / frequency < b:
        right = place(k, sign_after)
        middle = (k - mpf(1) / 2) * pi / frequency
        pieces = [left + (middle - left) * mpf(2) ** -j for j in range(16, 0, -1)]
        pieces = [left] + pieces + [middle] + [right - (right - middle) * mpf(2) ** -j for j in range(1, 17)] + [right]
        total += quad(value, pieces)
        total += tail(sign_after) + tail(-sign_after)
        left = place(k, -sign_after)
        sign_after = -sign_after
        k += 1
    pieces = [left] + [left + (b - left) * mpf(2) ** -j for j in range(16, 0, -1)] + [b]
    return total + quad(value, pieces)


def function_2(b, a=mpf(0)):
    def first(x):
        return mpf(0) if x == 0 else x * sin(1 / x) - ci(1 / x)

    def second(u):  # even in u: the antiderivative of sin(20/u) for u < 0
        return mpf(0) if u == 0 else u * sin(20 / u) - 20 * ci(abs(20 / u))

    def third(x):
        return sqrt(pi / 6000) * fresnels(x * sqrt(6000 / pi))

    return (123 * (first(b) - first(a)) - 134 * (second(b - 2) - second(a - 2)) + 120 * (third(b) - third(a)))


def function_3(b, a=mpf(0)):
    return (cos(20000 * a) - cos(20000 * b)) / 20000


if __name__ == "__main__":
    for number, function in enumerate((function_1, function_2, function_3), 1):
        print(number, mp.nstr(function(mpf(2)), 20))
