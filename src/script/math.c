// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sine and other curves with the same bits everywhere: only + - * /, square roots and exact steps,
// in a fixed order. Accurate to about 15 digits for arguments of the size that games use.

#include "internal.h"

#include <math.h>

#define PI 3.14159265358979323846
#define HALF_PI 1.57079632679489661923
// pi / 2 in two parts: the first ends in zeros, so that small multiples of it are exact.
#define HALF_PI_HIGH 1.570796325802803
#define HALF_PI_LOW 9.920935796805404e-10
#define LN2_HIGH 0.6931471796706319
#define LN2_LOW 8.893134238886677e-10

// The largest angle that can be reduced accurately.
#define ANGLE_MAX 1e6

// The sum of c[i] * x^i, with the highest power first in the array.
static double polynomial(double x, const double *c, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum = sum * x + c[i];
    }
    return sum;
}

// For |x| up to pi / 4.
static double sine_near(double x)
{
    static const double c[] = {1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0,
        -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0};
    return x * polynomial(x * x, c, 9);
}

static double cosine_near(double x)
{
    static const double c[] = {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
        -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -1.0 / 2.0, 1.0};
    return polynomial(x * x, c, 9);
}

// The sine of x plus `quarters` quarter turns; 0 for angles that are too large.
static double sine_turned(double x, int quarters)
{
    if (!(x >= -ANGLE_MAX && x <= ANGLE_MAX)) {
        return isfinite(x) ? 0.0 : (double)NAN;
    }
    double n = floor(x / HALF_PI + 0.5);
    double rest = (x - n * HALF_PI_HIGH) - n * HALF_PI_LOW;
    switch (((int)n + quarters) & 3) {
    case 0:
        return sine_near(rest);
    case 1:
        return cosine_near(rest);
    case 2:
        return -sine_near(rest);
    default:
        return -cosine_near(rest);
    }
}

// tan(atan(x) / 2) = x / (1 + sqrt(1 + x^2)); three times brings x from 1 to 0.1.
static double arc_tangent_small(double x)
{
    static const double c[] = {1.0 / 17.0, -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0,
        -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0, 1.0};
    for (int i = 0; i < 3; i++) {
        x = x / (1.0 + sqrt(1.0 + x * x));
    }
    return 8.0 * (x * polynomial(x * x, c, 9));
}

static double arc_tangent(double x)
{
    if (x > 1.0) {
        return HALF_PI - arc_tangent_small(1.0 / x);
    }
    return x < -1.0 ? -HALF_PI - arc_tangent_small(1.0 / x) : arc_tangent_small(x);
}

static double arc_tangent2(double y, double x)
{
    if (x == 0.0 && y == 0.0) {
        return 0.0;
    }
    if (fabs(x) >= fabs(y)) {
        double angle = arc_tangent(y / x);
        return x > 0.0 ? angle : y < 0.0 ? angle - PI : angle + PI;
    }
    double angle = arc_tangent(x / y);
    return y > 0.0 ? HALF_PI - angle : -HALF_PI - angle;
}

static double exponential(double x)
{
    static const double c[] = {1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0,
        1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
        1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0, 1.0, 1.0};
    if (isnan(x)) {
        return x;
    }
    if (x > 710.0) {
        return (double)INFINITY;
    }
    if (x < -746.0) {
        return 0.0;
    }
    double n = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double rest = (x - n * LN2_HIGH) - n * LN2_LOW;
    // In two steps: 2^n itself may not be a normal number.
    int half = (int)n / 2;
    return ldexp(ldexp(polynomial(rest, c, 15), half), (int)n - half);
}

static double logarithm(double x)
{
    static const double c[] = {1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0,
        1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0};
    if (!(x > 0.0)) {
        return x == 0.0 ? (double)-INFINITY : (double)NAN;
    }
    if (isinf(x)) {
        return x;
    }
    int power;
    double mantissa = frexp(x, &power); // 0.5 to 1
    if (mantissa < 0.70710678118654752440) {
        mantissa *= 2.0;
        power -= 1;
    }
    double s = (mantissa - 1.0) / (mantissa + 1.0);
    double near = 2.0 * (s * polynomial(s * s, c, 12));
    return power * LN2_HIGH + (near + power * LN2_LOW);
}

// Whole powers by squaring, the others through logarithms.
static double power_of(double x, double y)
{
    if (y == floor(y) && y >= -1024.0 && y <= 1024.0) {
        int n = (int)y;
        double result = 1.0, factor = x;
        for (int left = n < 0 ? -n : n; left != 0; left /= 2) {
            if (left % 2 != 0) {
                result *= factor;
            }
            factor *= factor;
        }
        return n < 0 ? 1.0 / result : result;
    }
    if (x == 0.0) {
        return y > 0.0 ? 0.0 : (double)INFINITY;
    }
    return exponential(y * logarithm(x));
}

int knl_math_sin(lua_State *L)
{
    lua_pushnumber(L, sine_turned(luaL_checknumber(L, 1), 0));
    return 1;
}

int knl_math_cos(lua_State *L)
{
    lua_pushnumber(L, sine_turned(luaL_checknumber(L, 1), 1));
    return 1;
}

int knl_math_tan(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    lua_pushnumber(L, sine_turned(x, 0) / sine_turned(x, 1));
    return 1;
}

int knl_math_atan(lua_State *L)
{
    lua_pushnumber(L, arc_tangent2(luaL_checknumber(L, 1), luaL_optnumber(L, 2, 1.0)));
    return 1;
}

int knl_math_asin(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    lua_pushnumber(L, arc_tangent2(x, sqrt((1.0 - x) * (1.0 + x))));
    return 1;
}

int knl_math_acos(lua_State *L)
{
    double x = luaL_checknumber(L, 1);
    lua_pushnumber(L, arc_tangent2(sqrt((1.0 - x) * (1.0 + x)), x));
    return 1;
}

int knl_math_exp(lua_State *L)
{
    lua_pushnumber(L, exponential(luaL_checknumber(L, 1)));
    return 1;
}

int knl_math_log(lua_State *L)
{
    double x = logarithm(luaL_checknumber(L, 1));
    lua_pushnumber(L, lua_isnoneornil(L, 2) ? x : x / logarithm(luaL_checknumber(L, 2)));
    return 1;
}

int knl_math_pow(lua_State *L)
{
    lua_pushnumber(L, power_of(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

int knl_math_clamp(lua_State *L)
{
    lua_settop(L, 3);
    (void)luaL_checknumber(L, 1);
    (void)luaL_checknumber(L, 2);
    (void)luaL_checknumber(L, 3);
    if (lua_compare(L, 1, 2, LUA_OPLT)) {
        lua_settop(L, 2);
    } else if (!lua_compare(L, 3, 1, LUA_OPLT)) {
        lua_settop(L, 1);
    }
    return 1;
}

int knl_math_f32(lua_State *L)
{
    lua_pushnumber(L, (double)(float)luaL_checknumber(L, 1));
    return 1;
}
