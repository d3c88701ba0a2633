#!/usr/bin/env bash
# Runs ridge_regression on data whose weights are known, and on noisy data whose weights awk finds
# by another method: Gaussian elimination. Printed are nine digits; all have to agree to within
# 1e-8, of the number or, below 1, absolutely.
# shellcheck source=examples/checks.sh
. "$(dirname "$0")/checks.sh"
export LC_ALL=C

# What the program prints as lines "NAME WEIGHT NORMALISED", "intercept NUMBER" and "R2 NUMBER".
numbers() { # FILE LAMBDA
  "$program" "$@" >"$directory/said"
  awk 'NR > 1 { sub(/^R²/, "R2"); print $1, $2, $1 ~ /^(intercept|R2)$/ ? "" : $3 }' "$directory/said"
}

near() { # RIGHT GOT
  paste -d ' ' "$1" "$2" | awk '
    function apart(a, b) { return (a > b ? a - b : b - a) > 1e-8 * (b > 1 ? b : b < -1 ? -b : 1) }
    { half = NF / 2; if ($1 != $(half + 1)) bad = 1
      for (i = 2; i <= half; i++) if ($(half + i) !~ /^-?[0-9]/ || apart($i, $(half + i))) bad = 1 }
    NF % 2 || NF < 4 || bad { print "expected and got: " $0; failed = 1; exit }
    END { exit failed || NR < 3 }' >&2
}

# ROWS lines of three columns in units far apart, a constant one, and what follows from them, with
# so much noise.
table() { # ROWS NOISE
  awk -v rows="$1" -v noise="$2" '
    function random() { state = (state * 16807) % 2147483647; return state / 2147483647 }
    BEGIN {
      state = 12345
      print "age,income,\"share, \"\"net\"\"\",always,price"
      for (i = 0; i < rows; i++) {
        age = int(80 * random()); income = 20000 + int(50000 * random()); share = random() / 1000
        y = 7 + 3 * age - income / 500 + 20000 * share + noise * (random() - 0.5)
        printf "%d,%d,%.17g,0.1,%.17g\n", age, income, share, y
      }
    }'
}

# The same equations with names a, b, … and a line "R2 NUMBER".
oracle() { # FILE LAMBDA
  awk -F, -v lambda="$2" '
    NR > 1 { for (c = 1; c <= NF; c++) x[NR - 1, c] = $c; n = NR - 1; p = NF }
    END {
      for (c = 1; c <= p; c++) {
        for (r = 1; r <= n; r++) mean[c] += x[r, c] / n
        equal = 1
        for (r = 1; r <= n; r++) { if (x[r, c] != x[1, c]) equal = 0; s[c] += (x[r, c] - mean[c]) ^ 2 }
        deviation[c] = equal ? 0 : sqrt(s[c] / n)
        for (r = 1; r <= n; r++) x[r, c] = equal ? 0 : (x[r, c] - mean[c]) / deviation[c]
      }
      for (i = 1; i < p; i++) for (j = 1; j <= p; j++) {
        for (r = 1; r <= n; r++) m[i, j] += x[r, i] * x[r, j]
        if (i == j) m[i, j] += deviation[i] ? lambda : 1
      }
      for (i = 1; i < p; i++) { # to the unit matrix
        best = i
        for (k = i + 1; k < p; k++) if (m[k, i] ^ 2 > m[best, i] ^ 2) best = k
        for (j = 1; j <= p; j++) { t = m[i, j]; m[i, j] = m[best, j]; m[best, j] = t }
        for (j = p; j >= i; j--) m[i, j] /= m[i, i]
        for (k = 1; k < p; k++) if (k != i) for (j = p; j >= i; j--) m[k, j] -= m[k, i] * m[i, j]
      }
      intercept = mean[p]
      for (c = 1; c < p; c++) {
        w = deviation[c] ? m[c, p] * deviation[p] / deviation[c] : 0
        intercept -= w * mean[c]
        printf "%c %.12g %.12g\n", 96 + c, w, m[c, p]
      }
      for (r = 1; r <= n; r++) {
        left = x[r, p]
        for (c = 1; c < p; c++) left -= m[c, p] * x[r, c]
        rest += left ^ 2; all += x[r, p] ^ 2
      }
      printf "intercept %.12g\nR2 %.12g\n", intercept, 1 - rest / all
    }' "$1"
}

like_awk() { # FILE LAMBDA
  oracle "$@" >"$directory/right"
  numbers "$@" >"$directory/got"
  near "$directory/right" "$directory/got"
}

# A line: its slope and where it begins; whatever stands about numbers and ends lines.
printf '\357\273\277x,y\r\n1, 3\r\n2\t,5e0\r\n 3 ,+7' >"$directory/line"
numbers "$directory/line" 0 >"$directory/got"
near - "$directory/got" <<'END'
x 2 1
intercept 1
R2 1
END
"$program" - 0 <"$directory/line" | cmp - <("$program" "$directory/line" 0)

# Known weights, without noise and LAMBDA; the name has a comma and quotes, and one says nothing.
table 3000 0 >"$directory/exact"
"$program" "$directory/exact" 0 >"$directory/said"
awk '
  function check(got, right) { if (got !~ /^-?[0-9]/ || (got - right) ^ 2 > (1e-8 * right) ^ 2) bad = 1 }
  /^age / { check($2, 3); seen++ }
  /^income / { check($2, -0.002); seen++ }
  /^share, "net" / { check($3, 20000); seen++ }
  /^always +0 +0 constant$/ { seen++ }
  /^intercept / { check($2, 7); seen++ }
  /^R² 1.000000000 of 3000 rows, LAMBDA 0$/ { seen++ }
  END { exit bad || seen != 6 }' "$directory/said" || { cat "$directory/said" >&2; exit 1; }

# Noise, and weights that LAMBDA makes smaller; one row more and less than a power of two.
for rows in 5 1023 1025; do
  table $rows 50 | sed '1s/.*/a,b,c,d,y/' >"$directory/noisy"
  for lambda in 0 0.5 100 1e6; do
    like_awk "$directory/noisy" $lambda
  done
done
like_awk "$directory/noisy" 1
cmp <("$program" "$directory/noisy") <("$program" "$directory/noisy" 1)

# 26 columns, some of which are sums of others: only LAMBDA makes that a system that can be solved.
awk 'BEGIN {
  for (c = 1; c <= 26; c++) printf "%c,", 96 + c
  print "y"
  for (r = 1; r <= 300; r++) {
    for (c = 1; c <= 20; c++) { x[c] = (r * r * c + 7 * r + c * c * c) % 101; printf "%d,", x[c] }
    for (c = 21; c <= 26; c++) printf "%d,", x[c - 20] + 2 * x[c - 15]
    print x[3] - x[17] + (r * r * r) % 13
  }
}' >"$directory/wide"
like_awk "$directory/wide" 2
cut -d , -f 1-20,27 "$directory/wide" >"$directory/narrow"
like_awk "$directory/narrow" 0

# Large and small numbers; one row; and a constant to predict.
printf 'a,b,y\n1e200,1e-200,1\n2e200,3e-200,4\n5e200,4e-200,2\n-1e200,0,3\n' >"$directory/far"
printf 'a,b,y\n1,1,1\n2,3,4\n5,4,2\n-1,0,3\n' >"$directory/close"
for name in close far; do
  numbers "$directory/$name" 0.25 | awk '{ print $1, $1 ~ /^[ab]$/ ? $3 : $2 }' >"$directory/$name.got"
done
cmp "$directory/close.got" "$directory/far.got"
printf 'a,y\n1,1\n2,4\n5,2\n-1,3\n' >"$directory/close"
for scale in 'e-200 e200' 'e200 e-200' 'e-160 e160' 'e-300 e0'; do
  read -r of_a of_y <<<"$scale"
  awk -F, -v OFS=, -v a="$of_a" -v y="$of_y" 'NR > 1 { $1 = $1 a; $2 = $2 y } { print }' \
    "$directory/close" >"$directory/far"
  # The intercept is that of the other, times the scale; the rest does not depend on it.
  numbers "$directory/close" 0.25 | awk -v y="$of_y" '$1 == "intercept" { $2 = $2 y }
    { print $1, $1 == "a" ? $3 : $2 }' >"$directory/right"
  numbers "$directory/far" 0.25 >"$directory/got"
  awk '{ print $1, $1 == "a" ? $3 : $2 }' "$directory/got" | awk '
    NR == FNR { right[FNR] = $2; next }
    { off = $2 / right[FNR] - 1; if ($2 !~ /^-?[0-9]/ || off * off > 1e-16) bad = 1 }
    END { exit bad || FNR != 3 }' "$directory/right" -
done
printf 'x,y\n4,5\n' >"$directory/row"
printf 'x,y\n4,5\n6,5\n' >"$directory/flat"
for name in row flat; do
  "$program" "$directory/$name" >"$directory/said"
  grep -q '^intercept  *5$' "$directory/said"
  grep -q '^no R²: y is constant$' "$directory/said"
done

bad() { # WORDS TEXT
  printf "$2" >"$directory/bad"
  refuses 1 "$1" "$directory/bad"
}
bad 'bad:1: the first line, with the names of the columns, is missing' ''
bad 'bad:1: column 2 has no name' 'x,,y\n1,2,3\n'
bad 'bad:1: column 1 has no name' '\n1\n'
bad 'bad:1: column 2: the quotes do not end' 'x,"y\n1,2\n'
bad 'bad:1: column 1: there is more text after the quotes' '"x"x,y\n1,2\n'
bad 'bad: there are no numbers' 'x,y\n'
bad 'bad: one column predicts nothing' 'y\n1\n'
bad 'bad:3: column 2 (y): "six" is not a number' 'x,y\n1,2\n5,six\n'
bad 'bad:2: column 1 (x): "" is not a number' 'x,y\n,2\n'
bad 'bad:3: column 1 (x): "" is not a number' 'x,y\n1,2\n\n3,4\n'
bad 'bad:2: column 2 (y): "0x10" is not a number' 'x,y\n1,0x10\n'
bad 'bad:2: column 2 (y): "nan" is not a number' 'x,y\n1,nan\n'
bad 'bad:2: column 1 (x): "1 2" is not a number' 'x,y\n1 2,3\n'
bad 'bad:2: column 1 (x): "1-2" is not a number' 'x,y\n1-2,3\n'
bad 'bad:2: column 2 (y): 1e999 is too large' 'x,y\n1,1e999\n'
bad 'bad:3: column 2 (y) is missing' 'x,y\n1,2\n3\n'
bad 'bad:2: column 3: the first line has only 2 names' 'x,y\n1,2,3\n'
bad 'bad:2: there is a zero byte' 'x,y\n1,2\0003\n'
bad 'bad:1: there is a return without a newline' 'x,y\r1,2\r3,4\r'
bad 'bad:2: there is a return without a newline' 'x,y\n1,2\r3,4\n'
bad 'the numbers of x are so large that f64 overflows' 'x,y\n1.7e308,2\n-1.7e308,3\n-1.7e308,4\n'
# Also where rounding leaves more than nothing of what depends on others.
for seed in 1 2 3 4 5 6 7 8; do
  table 50 1 | awk -F, -v OFS=, -v seed=$seed 'NR == 1 { print "a,b,c,y" }
    NR > 1 { printf "%s,%s,%.17g,%s\n", $1, $2, $1 / seed + $2 / 7, $NF }' >"$directory/depends"
  refuses 1 'c is a combination of the columns before it' "$directory/depends" 0
done
refuses 1 'u is a combination of the columns before it' "$directory/wide" 0
refuses 1 'y is a combination of the columns before it: LAMBDA must be larger' \
  <(printf 'x,y,z\n1,2,1\n2,4,5\n4,8,6\n') 0
refuses 1 'missing: No such file' "$directory/missing"
refuses 1 'Is a directory' "$directory"
refuses 2 'usage: ridge_regression FILE.csv [LAMBDA]'
for lambda in -1 x 1x nan inf 0x1 1e999 ' 1' ''; do
  refuses 2 'must be a number that is at least 0' "$directory/line" "$lambda"
done

needs_output "$directory/line"
